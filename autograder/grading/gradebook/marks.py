"""Points and comments as the gradebook holds them, a person's included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nbgrader import api

from autograder.grading.gradebook.database import open_gradebook, reported


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """What the gradebook holds for one graded cell of one student."""

    auto: float | None
    manual: float | None
    extra: float | None
    needs_person: bool

    @property
    def score(self) -> float | None:
        """The points that count, None while nobody has given any."""
        given = self.auto if self.manual is None else self.manual
        return None if given is None else given + (self.extra or 0.0)


def read_marks(db_url: str, lesson: str) -> dict[str, dict[str, Mark]]:
    """Every grade of a lesson: folder name -> grade_id -> mark.

    Raises:
        CourseError: The gradebook cannot be read.
    """
    found: dict[str, dict[str, Mark]] = {}
    with open_gradebook(db_url) as book, reported(db_url):
        rows = _of_lesson(
            book.db.query(api.SubmittedAssignment.student_id, api.BaseCell.name, api.Grade)
            .join(api.SubmittedNotebook, api.SubmittedNotebook.id == api.Grade.notebook_id)
            .join(api.BaseCell, api.BaseCell.id == api.Grade.cell_id),
            lesson,
        )
        for folder, name, grade in rows:
            found.setdefault(folder, {})[name] = Mark(
                auto=grade.auto_score,
                manual=grade.manual_score,
                extra=grade.extra_credit,
                needs_person=grade.needs_manual_grade,
            )
    return found


def read_comments(db_url: str, lesson: str) -> dict[str, dict[str, str]]:
    """What people wrote to learners: folder name -> grade_id of the answer -> comment.

    Raises:
        CourseError: The gradebook cannot be read.
    """
    found: dict[str, dict[str, str]] = {}
    with open_gradebook(db_url) as book, reported(db_url):
        rows = _of_lesson(
            book.db.query(
                api.SubmittedAssignment.student_id, api.BaseCell.name, api.Comment.manual_comment
            )
            .join(api.SubmittedNotebook, api.SubmittedNotebook.id == api.Comment.notebook_id)
            .join(api.BaseCell, api.BaseCell.id == api.Comment.cell_id)
            .filter(api.Comment.manual_comment.is_not(None)),
            lesson,
        )
        for folder, name, comment in rows:
            found.setdefault(folder, {})[name] = comment
    return found


def _of_lesson(query: Any, lesson: str) -> Any:
    return (
        query.join(
            api.SubmittedAssignment,
            api.SubmittedAssignment.id == api.SubmittedNotebook.assignment_id,
        )
        .join(api.Assignment, api.Assignment.id == api.SubmittedAssignment.assignment_id)
        .filter(api.Assignment.name == lesson)
    )
