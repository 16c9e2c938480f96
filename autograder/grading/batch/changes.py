"""Which automatic marks another round of grading has changed, and why."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from autograder.grading.batch.journal import Record
from autograder.grading.reports.coursedir import folder_name
from autograder.grading.reports.export import safe_text

if TYPE_CHECKING:
    from autograder.grading.gradebook.marks import Mark


class Cause(StrEnum):
    """What was different."""

    TESTS = "tests"
    SUBMISSION = "submission"
    SETTINGS = "settings"
    CHANCE = "chance"


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One mark, before and after.

    Attributes:
        before: None while it waits for a person; absent (a new question) when `is_new`.
        person: Points that a person gave, which count in its place; None when nobody did.
    """

    student: str
    question: str
    before: float | None
    after: float | None
    is_new: bool
    causes: tuple[Cause, ...]
    person: float | None = None

    def sentence(self) -> str:
        """The change in one line."""
        kept = "" if self.person is None else f"; {self.person:g} by a person stands"
        return (
            f"{self.student} {self.question}: {self._before()} -> {_points(self.after)} "
            f"({', '.join(self.causes)}{kept})"
        )

    def row(self) -> list[str]:
        """The change as a row of changes.csv."""
        return [
            safe_text(self.student),
            safe_text(self.question),
            self._before(),
            _points(self.after),
            ";".join(self.causes),
            "" if self.person is None else f"{self.person:g}",
        ]

    def _before(self) -> str:
        return "new" if self.is_new else _points(self.before)


def changed_marks(
    before: Iterable[Record], after: Iterable[Record], marks: Mapping[str, Mapping[str, Mark]]
) -> Iterator[Change]:
    """Compare two rounds, both by student id; who is in one only has no marks that changed.

    Args:
        before: The earlier round.
        after: This round.
        marks: What the gradebook holds: folder name -> grade_id -> mark.
    """
    for old, new in _pairs(iter(before), iter(after)):
        given = marks.get(folder_name(new.entry.student), {})
        for question, score in new.entry.scores.items():
            is_new = question not in old.entry.scores
            if not is_new and old.entry.scores[question] == score:
                continue
            mark = given.get(question)
            yield Change(
                student=new.entry.student,
                question=question,
                before=old.entry.scores.get(question),
                after=score,
                is_new=is_new,
                causes=tuple(_causes(old, new)),
                person=None if mark is None else mark.manual,
            )


def changes_csv(changes: Iterable[Change]) -> str:
    """The text of changes.csv, without a byte order mark."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(["student", "question", "before", "after", "because", "person"])
    writer.writerows(change.row() for change in changes)
    return buffer.getvalue()


def _pairs(before: Iterator[Record], after: Iterator[Record]) -> Iterator[tuple[Record, Record]]:
    old = next(before, None)
    for new in after:
        while old is not None and old.entry.student < new.entry.student:
            old = next(before, None)
        if old is not None and old.entry.student == new.entry.student:
            yield old, new


def _causes(old: Record, new: Record) -> Iterator[Cause]:
    if old.tests != new.tests:
        yield Cause.TESTS
    if old.content != new.content:
        yield Cause.SUBMISSION
    if old.settings != new.settings:
        yield Cause.SETTINGS
    if old.key == new.key:
        yield Cause.CHANCE  # a time limit that held by a hair, or a grader that failed


def _points(score: float | None) -> str:
    return "waiting" if score is None else f"{score:g}"
