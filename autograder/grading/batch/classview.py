"""The class at a glance, for its instructor: where points are lost, and how.

Written as class-view.json and class-view.md; `class_view_text` makes the latter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from autograder.grading.batch.facts import FillFact, LineFact
from autograder.grading.batch.journal import Record
from autograder.grading.batch.likeness import alike
from autograder.grading.records import Flag, Question, Status

_EXCERPT = 160
_Key = TypeVar("_Key")


class QuestionView(msgspec.Struct, kw_only=True, frozen=True):
    """How a question went: how many got all, a part or none of it, or wait for a person.

    `mean` is over those who have points, None while nobody has.
    """

    question: str
    points: float
    full: int
    part: int
    none: int
    waiting: int
    mean: float | None


class FillView(msgspec.Struct, kw_only=True, frozen=True):
    """A wrong fill, in one spelling, and whose it is."""

    exercise: str
    shape: str
    students: list[str]


class LineView(msgspec.Struct, kw_only=True, frozen=True):
    """A line of a tests cell, and whose work failed there."""

    question: str
    line: int
    source: str
    hidden: bool
    students: list[str]


class AlikeView(msgspec.Struct, kw_only=True, frozen=True):
    """Near-identical answers: a reason to look, and no more than that."""

    question: str
    students: list[str]
    likeness: float
    excerpt: str


class ClassView(msgspec.Struct, kw_only=True, frozen=True):
    """All of class-view.json."""

    lesson: str
    submissions: int
    statuses: dict[str, int]
    flags: dict[str, int]
    questions: list[QuestionView]
    wrong_fills: list[FillView]
    failing_lines: list[LineView]
    alike_answers: list[AlikeView]


class ClassViewBuilder:
    """Takes in one record at a time and keeps only what the view shows.

    Args:
        lesson: Slug of the lesson.
        questions: The master's graded items, in order.
    """

    def __init__(self, lesson: str, questions: Sequence[Question]) -> None:
        self._lesson = lesson
        self._questions = tuple(questions)
        self._statuses: Counter[Status] = Counter()
        self._flags: Counter[Flag] = Counter()
        self._scores: dict[str, Counter[float | None]] = {q.grade_id: Counter() for q in questions}
        self._fills: dict[tuple[str, str], list[str]] = {}
        self._lines: dict[LineFact, list[str]] = {}
        self._answers: dict[str, dict[str, str]] = {}

    def take(self, record: Record) -> None:
        """Take in one submission."""
        student = record.entry.student
        self._statuses[record.entry.status] += 1
        self._flags.update(record.entry.flags)
        for name, counter in self._scores.items():
            counter[record.entry.scores.get(name)] += 1
        for fill in _wrong(record.facts.fills):
            self._fills.setdefault((fill.exercise, fill.shape), []).append(student)
        for line in record.facts.lines:
            self._lines.setdefault(line, []).append(student)
        for name, text in record.facts.answers.items():
            self._answers.setdefault(name, {})[student] = text

    def view(self) -> ClassView:
        """What all that was taken in comes to."""
        return ClassView(
            lesson=self._lesson,
            submissions=self._statuses.total(),
            statuses={kind.value: n for kind in Status if (n := self._statuses[kind])},
            flags={flag.value: n for flag in Flag if (n := self._flags[flag])},
            questions=[_question(one, self._scores[one.grade_id]) for one in self._questions],
            wrong_fills=[
                FillView(exercise=exercise, shape=shape, students=students)
                for (exercise, shape), students in _most_common(self._fills)
            ],
            failing_lines=[
                LineView(**msgspec.structs.asdict(line), students=students)
                for line, students in _most_common(self._lines)
            ],
            alike_answers=[
                found
                for name, texts in sorted(self._answers.items())
                for found in _alike(name, texts)
            ],
        )


def _wrong(fills: Iterable[FillFact]) -> Iterable[FillFact]:
    return (fill for fill in fills if not fill.right)


def _most_common(groups: Mapping[_Key, list[str]]) -> list[tuple[_Key, list[str]]]:
    return sorted(groups.items(), key=lambda item: (-len(item[1]), str(item[0])))


def _question(question: Question, scores: Mapping[float | None, int]) -> QuestionView:
    given = {score: n for score, n in scores.items() if score is not None}
    full = sum(n for score, n in given.items() if score >= question.points)
    none = sum(n for score, n in given.items() if score <= 0 < question.points)
    total = sum(given.values())
    return QuestionView(
        question=question.grade_id,
        points=question.points,
        full=full,
        part=total - full - none,
        none=none,
        waiting=scores.get(None, 0),
        mean=round(sum(score * n for score, n in given.items()) / total, 3) if total else None,
    )


def _alike(question: str, texts: Mapping[str, str]) -> Iterable[AlikeView]:
    for group in alike(texts):
        text = " ".join(texts[group.members[0]].split())
        yield AlikeView(
            question=question,
            students=list(group.members),
            likeness=group.least,
            excerpt=text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…",
        )
