"""An answer in plain form: one width, one case, simplified characters; every offset kept."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from autograder.review.characters import simplified

Span = tuple[int, int]

_QUOTES = str.maketrans({"‘": "'", "’": "'", "＂": '"', "−": "-", "–": "-"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Plain:
    """A text to look things up in.

    Attributes:
        text: Plain.
        origin: For each character of it, where it comes from in the answer as given.
        length: Code points of the answer as given.
    """

    text: str
    origin: tuple[int, ...]
    length: int

    def given(self, span: Span) -> Span:
        """A span of the plain text as offsets into the answer as given."""
        start, end = span
        return self.origin[start], self.origin[end - 1] + 1


def plain(answer: str, most: int | None = None) -> Plain:
    """The plain form of an answer, or of its first `most` characters."""
    known = simplified()
    text: list[str] = []
    origin: list[int] = []
    for at, character in enumerate(answer[:most]):
        folded = unicodedata.normalize("NFKC", known.get(character, character)).lower()
        # Full stops and commas of either width say the same; the ideographic ones are kept, since
        # `。` always ends a sentence and `.` does not.
        for one in folded.translate(_QUOTES):
            text.append(one)
            origin.append(at)
    return Plain(text="".join(text), origin=tuple(origin), length=len(answer))


def width(text: str) -> float:
    """How much a text says: a Chinese character is 1, another character about a third."""
    return sum(1.0 if is_chinese(one) else 0.35 for one in text)


def is_chinese(character: str) -> bool:
    """Whether it is a Chinese character."""
    return "\u4e00" <= character <= "\u9fff" or "\u3400" <= character <= "\u4dbf"
