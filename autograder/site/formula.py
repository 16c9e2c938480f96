"""LaTeX formulas as MathML, which browsers draw without a script."""

from __future__ import annotations

import re
from html import escape

from latex2mathml.converter import convert

_TAG = re.compile(r"\\tag\{([^{}]*)\}")
_LETTERS = re.compile(r'(?:<mi mathvariant="normal">[A-Za-z]</mi>){2,}')
_LETTER = re.compile(r">([A-Za-z])<")
# latex2mathml sets `\text{...}` in mtext already; these braces only group.
_LONE_ROW = re.compile(r"<mrow>(<m[ino](?: [^<>]*)?>[^<>]*</m[ino]>)</mrow>")


class FormulaError(ValueError):
    """A formula that is no LaTeX; the message continues a sentence."""


def inline_formula(latex: str) -> str:
    """A formula within a line.

    Raises:
        FormulaError: It cannot be read.
    """
    return _mathml(latex, "inline")


def display_formula(latex: str, *, identifier: str | None = None) -> str:
    """A formula on a line of its own, with its number when it has a tag.

    Args:
        latex: The formula without `$$`.
        identifier: The `id` that a reference leads to.

    Raises:
        FormulaError: It cannot be read.
    """
    tag = _TAG.search(latex)
    drawn = _mathml(_TAG.sub("", latex), "block")
    number = f'<span class="formula-number">({escape(tag[1])})</span>' if tag else ""
    place = f' id="{escape(identifier)}"' if identifier else ""
    return f'<div class="formula scroll"{place}>{drawn}{number}</div>'


def _mathml(latex: str, display: str) -> str:
    source = latex.strip()
    if not source:
        raise FormulaError("is empty")
    try:
        drawn = convert(source, display=display)
    except Exception as error:  # the converter has no error of its own
        raise FormulaError(f"cannot be read ({type(error).__name__})") from error
    drawn = _LETTERS.sub(_word, drawn)
    while (simpler := _LONE_ROW.sub(r"\1", drawn)) != drawn:
        drawn = simpler
    return drawn


def _word(letters: re.Match[str]) -> str:
    """Upright letters in a row are one word, to the eye and to a screen reader."""
    return f'<mi mathvariant="normal">{"".join(_LETTER.findall(letters[0]))}</mi>'
