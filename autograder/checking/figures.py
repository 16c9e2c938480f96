"""Figures, tables and the like that the text refers to: each has to be there, once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.checking.report import Finding
from autograder.checking.text import text_lines
from autograder.editions.references import references
from autograder.editions.tree import public
from autograder.editions.words import words_for
from autograder.model import Audience, Cell, Diagram, DivOpen, Lesson
from autograder.source.faults import did_you_mean

_CROSS = re.compile(r"(?<![A-Za-z0-9._])-?@((?:fig|tbl|eq|lst|sec)-[A-Za-z0-9_-]*[A-Za-z0-9])")


def missing_references(lesson: Lesson) -> Iterator[Finding]:
    """`@fig-x` and its like that no edition resolves, and labels given twice."""
    words = words_for(lesson.lang)
    known = {
        Audience.PUBLIC: references(public(lesson.blocks), words),
        Audience.ANSWER: references(lesson.blocks, words),
    }
    for line in text_lines(lesson):
        for found in _CROSS.finditer(line.text):
            label = found[1]
            if label in known[line.audience]:
                continue
            hidden = label in known[Audience.ANSWER]
            yield Finding(
                path=lesson.path,
                line=line.number,
                what=f"`@{label}` refers to "
                + ("something that learners do not get." if hidden else "nothing."),
                mend="Move it out of the answer block."
                if hidden
                else _close(label, known[line.audience]),
            )
    yield from _twice(lesson)


def _close(label: str, known: object) -> str:
    labels = [str(one) for one in known] if isinstance(known, dict) else []
    return did_you_mean(label, labels) if labels else f"Label a figure `#{label}`."


def _twice(lesson: Lesson) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for block in lesson.blocks:
        label = None
        if isinstance(block, Cell):
            label = block.options.get("label")
        elif isinstance(block, Diagram):
            label = block.label
        elif isinstance(block, DivOpen):
            label = block.identifier
        if label is None:
            continue
        if str(label) in seen:
            yield Finding(
                path=lesson.path,
                line=block.line,
                what=f"The label {str(label)!r} is already taken at line {seen[str(label)]}.",
                mend="Give this one another.",
            )
        seen.setdefault(str(label), block.line)
