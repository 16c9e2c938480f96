"""The automatic grades into nbgrader's gradebook: one writer, whole batches.

The tables and their rules are nbgrader's (0.9.6): a grade's automatic score is ours, its manual
score, extra credit and comment are a person's and never touched here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from autograder.grading.gradebook.cells import record_master
from autograder.grading.gradebook.database import open_gradebook, reported, take_turns
from autograder.grading.gradebook.rows import Entry, write_entries
from autograder.grading.records import Graded, Result, Status
from autograder.grading.reports.coursedir import folder_name, utc_time

BATCH = 25
"""Submissions a transaction: few enough that a formgrader beside it never waits long."""


class GradebookWriter:
    """Writes one lesson's automatic grades; use it in a `with`.

    `write` collects, and every `BATCH` submissions go in as one transaction. Writing a submission
    again changes nothing, keeps what a person gave, and asks for a person again when the automatic
    score or the time of handing in has changed under a manual score.

    Args:
        db_url: SQLAlchemy URL, absolute for SQLite.
        lesson: Name of the assignment and of its notebook.
        master_notebook: The source notebook.

    Raises:
        CourseError: The gradebook cannot be opened or written, belongs to another version of
            nbgrader, or holds a person's points for a question that the lesson no longer has.
    """

    def __init__(self, db_url: str, lesson: str, master_notebook: Any) -> None:
        self._url = db_url
        self._lesson = lesson
        self._master = master_notebook
        self._answers = _answers(master_notebook)
        self._waiting: list[Entry] = []

    def __enter__(self) -> Self:
        self._book = open_gradebook(self._url)
        try:
            with reported(self._url):
                take_turns(self._book.db.connection())
                self._cells = record_master(self._book, self._lesson, self._master)
                self._book.db.commit()
        except BaseException:
            self._book.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.flush()
        finally:
            self._book.close()

    def write(self, graded: Graded) -> None:
        """Take in a submission as scoring judged it, before any person's points."""
        self._waiting.append(_entry(graded, self._answers))
        if len(self._waiting) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write all that was taken in, in one transaction: all of it or nothing."""
        session = self._book.db
        with reported(self._url):
            try:
                take_turns(session.connection())
                write_entries(session, self._cells, self._waiting)
                session.commit()
            except BaseException:
                session.rollback()
                raise
        self._waiting.clear()


@dataclass(frozen=True, kw_only=True, slots=True)
class _AnswerCell:
    """A cell that a learner fills.

    Attributes:
        graded: Whether the cell itself has points.
        about: The questions that it settles.
    """

    name: str
    graded: bool
    about: tuple[str, ...]


def _answers(master: Any) -> list[_AnswerCell]:
    """Found once: a submission would take 2 ms to look through the master's cells."""
    found = []
    for cell in master.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution"):
            name = marks["grade_id"]
            about = (name, *_tests_of(master, name))
            found.append(_AnswerCell(name=name, graded=bool(marks.get("grade")), about=about))
    return found


def _entry(graded: Graded, answers: Iterable[_AnswerCell]) -> Entry:
    return Entry(
        student=folder_name(graded.result.student),
        submitted_at=utc_time(graded.submission.submitted_at),
        scores=dict(graded.result.scores),
        comments=dict(_comments(graded.result, answers)),
    )


def _comments(result: Result, answers: Iterable[_AnswerCell]) -> Iterator[tuple[str, str]]:
    """One automatic comment for each answer cell that has something to say."""
    for cell in answers:
        if result.status in (Status.UNREADABLE, Status.MISSING):
            yield cell.name, result.reason or result.status.value
            continue
        known = (item for item in cell.about if item in result.reasons)
        reasons = dict.fromkeys(result.reasons[item] for item in known)
        if reasons:
            yield cell.name, "\n".join(reasons)
        elif cell.graded and result.scores.get(cell.name) == 0:
            yield cell.name, "No response."  # nbgrader's own words for an untouched answer


def _tests_of(master: Any, exercise: str) -> Iterator[str]:
    for cell in master.cells:
        if cell.metadata.get("course", {}).get("exercise") == exercise and cell.metadata.get(
            "nbgrader", {}
        ).get("grade"):
            yield cell.metadata.nbgrader.grade_id
