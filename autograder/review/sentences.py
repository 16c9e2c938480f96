"""Where sentences and clauses begin and end, in Chinese, English and mixtures."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from autograder.review.plain import Span

# A point ends a sentence only before a blank: not in 1.5, Gen5.x or cuFile.read.
_SENTENCE_END = re.compile(r"[。!?;！？；\n]+|\.(?=\s|$|[\"')\]])")
# `、` joins the items of a list, which share one verb: it ends no clause.
_CLAUSE_END = re.compile(r"[,，:：()（）—]+|\s-\s|->|→|=>|⇒")


@dataclass(frozen=True, kw_only=True, slots=True)
class Outline:
    """The sentences and the clauses of a text, in order, without gaps."""

    sentences: tuple[Span, ...]
    clauses: tuple[Span, ...]

    def sentence(self, place: int) -> Span:
        """The sentence around a place."""
        return _around(self.sentences, place)

    def clause(self, place: int) -> Span:
        """The clause around a place."""
        return _around(self.clauses, place)


def outline(text: str) -> Outline:
    """Split a plain text."""
    sentences = tuple(_split(_SENTENCE_END, text, (0, len(text))))
    clauses = tuple(one for span in sentences for one in _split(_CLAUSE_END, text, span))
    return Outline(sentences=sentences, clauses=clauses)


def _split(pattern: re.Pattern[str], text: str, span: Span) -> list[Span]:
    start, end = span
    found = []
    for mark in pattern.finditer(text, start, end):
        found.append((start, mark.end()))
        start = mark.end()
    if start < end or not found:
        found.append((start, end))
    return found


def _around(spans: tuple[Span, ...], place: int) -> Span:
    at = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return spans[max(at, 0)]
