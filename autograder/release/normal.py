r"""Two normal forms of a text, in which a fragment is found however it was laid out.

`prose` keeps letters and digits only, so that line breaks, quotes, markup, comment signs, string
concatenation and zero-width characters do not hide a sentence. `code` keeps operators, because
`a / b` and `a // b` are different answers, and forgets spacing, parentheses and the kind of quote.
Both take `\n` for a line end, are NFKC, so that full-width letters are plain ones, and ignore case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

# Weights make about 12 Chinese characters, or about 5 English words, one window.
WINDOW = 12.0
_LATIN_CHARACTER = 0.6
_LONGEST_COUNTED = 4
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")

_NOT_PROSE = re.compile(r"[\W_]+")
_UNIT = re.compile(
    r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\W_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_ASCII_KEPT = bytes(range(ord("0"), ord("9") + 1)) + bytes(range(ord("a"), ord("z") + 1))
_ASCII_DROPPED = bytes(sorted(set(range(128)) - set(_ASCII_KEPT)))

# A line end or a tab as code and JSON write it. In LaTeX it takes the first letter of a command,
# `\\times` or `\\nu`, but from every text alike.
_WRITTEN_SPACE = re.compile(r"\\+[nrtfvb]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_LINE_SIGNS = re.compile(r"^[ \t]*(?:[#>%|*]+[ \t]+)+", re.MULTILINE)
_LINE_JOINTS = re.compile(r"""['"],?[ \t]*\n[ \t]*['"]""")
_SPACE = re.compile(r"\s+")
_SPACE_BESIDE_SIGNS = re.compile(r"(?<!\w) | (?!\w)")


def prose(text: str) -> str:
    """The letters and digits of a text."""
    folded = _folded(text)
    if folded.isascii():
        return folded.encode("ascii").translate(None, _ASCII_DROPPED).decode("ascii")
    return _NOT_PROSE.sub("", folded)


def code(text: str) -> str:
    """A text as code: spaces only where they part two words."""
    plain = _LINE_SIGNS.sub("", _INVISIBLE.sub("", _folded(text)))
    plain = _LINE_JOINTS.sub("\n", plain).replace('"', "'")
    plain = plain.replace("(", " ").replace(")", " ")
    return _SPACE_BESIDE_SIGNS.sub("", _SPACE.sub(" ", plain))


def units(text: str) -> list[str]:
    """The words and the single Chinese characters of a text, each in the `prose` form."""
    return _UNIT.findall(_folded(text))


def weight(unit: str) -> float:
    """How much a unit counts towards a window: 1 for a wide character, up to 2.4 for a word."""
    if _WIDE.match(unit):
        return 1.0
    return _LATIN_CHARACTER * min(len(unit), _LONGEST_COUNTED)


def weights(found: Sequence[str]) -> float:
    """The weight of several units."""
    return sum(map(weight, found))


def _folded(text: str) -> str:
    if "\\" in text:
        text = _WRITTEN_SPACE.sub(" ", text)
    if text.isascii():
        return text.lower()
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    return text.casefold()
