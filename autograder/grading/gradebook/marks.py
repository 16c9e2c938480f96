"""Points and comments that people gave, out of the gradebook and into it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """What a person gave for one graded cell of one student.

    Attributes:
        folder: The student, as the gradebook has them.
        points: None takes a person's points back.
        comment: None leaves the comment as it is; "" takes it back.
    """

    folder: str
    grade_id: str
    points: float | None
    comment: str | None = None


def write_marks(db_url: str, lesson: str, given: Iterable[Given]) -> list[Given]:
    """Write what people gave, all of it in one transaction; formgrader shows it from then on.

    Args:
        db_url: As `gradebook_url` gave it.
        lesson: Slug of the lesson.
        given: The newest last when two are about the same cell.

    Returns:
        What a person had given there before, where that was something else. Cells that the
        gradebook does not have are passed over: nobody graded that submission into it.

    Raises:
        CourseError: The gradebook cannot be written; then nothing was.
    """
    before = []
    with open_gradebook(db_url) as book, reported(db_url):
        session = book.db
        rows = _of_lesson(
            session.query(api.SubmittedAssignment.student_id, api.SubmittedNotebook),
            lesson,
        )
        wanted = list(given)
        folders = {one.folder for one in wanted}
        notebooks = {folder: notebook for folder, notebook in rows if folder in folders}
        try:
            for one in wanted:
                before += _write(notebooks, one)
            session.commit()
        except BaseException:
            session.rollback()
            raise
    return before


def _write(notebooks: Mapping[str, Any], given: Given) -> list[Given]:
    notebook = notebooks.get(given.folder)
    if notebook is None:
        return []
    grade = next((one for one in notebook.grades if one.name == given.grade_id), None)
    if grade is None:
        return []
    points, said = grade.manual_score, ""
    grade.manual_score = given.points
    grade.needs_manual_grade = given.points is None and grade.auto_score is None
    for comment in notebook.comments:
        if comment.name == given.grade_id:
            said = comment.manual_comment or ""
            if given.comment is not None:
                comment.manual_comment = given.comment or None
    if points is None or (points == given.points and given.comment in (None, said)):
        return []
    return [replace(given, points=points, comment=said)]


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
