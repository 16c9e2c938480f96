"""LaTeX formulas as MathML, which browsers draw without a script."""

from __future__ import annotations

import re
from html import escape, unescape

from latex2mathml.converter import convert

_ELEMENT = re.compile(r"<[^>]*>")
_LONG = 20
_TAG = re.compile(r"\\tag\{([^{}]*)\}")
# Upright letters are one word, to eyes and to screen readers; latex2mathml parts them.
_WORD = re.compile(r"\\mathrm\{([A-Za-z/]+)\}")
# Braces that only group.
_LONE_ROW = re.compile(r"<mrow>(<(m[ino]|mtext)(?: [^<>]*)?>[^<>]*</\2>)</mrow>")


class FormulaError(ValueError):
    """A formula that is no LaTeX; the message continues a sentence."""


def inline_formula(latex: str) -> str:
    """A formula within a line; browsers break none, so a long one may scroll on a narrow page.

    Raises:
        FormulaError: It cannot be read.
    """
    drawn = _mathml(latex, "inline")
    said = unescape(_ELEMENT.sub("", drawn))
    return f'<span class="long scroll">{drawn}</span>' if len(said) > _LONG else drawn


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
    source = _WORD.sub(r"\\text{\1}", latex.strip())
    if not source:
        raise FormulaError("is empty")
    try:
        drawn = convert(source, display=display)
    except Exception as error:  # the converter has no error of its own
        raise FormulaError(f"cannot be read ({type(error).__name__})") from error
    while (simpler := _LONE_ROW.sub(r"\1", drawn)) != drawn:
        drawn = simpler
    # A slash between two letters is no operator with air around it.
    return drawn.replace("<mo>&#x0002F;</mo>", '<mo lspace="0.08em" rspace="0.08em">/</mo>')
