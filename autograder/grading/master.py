"""The master: what the source notebook says is graded, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograder.grading.examiner.lookup import read_only_imports
from autograder.grading.records import Question

PASS_SHARE = 0.8
"""Part of the maximum that passes when the lesson's rubric names no total."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TestCell:
    """A tests cell of the master, hidden tests included."""

    grade_id: str
    source: str
    points: float
    exercise: str
    category: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Master:
    """A source notebook, understood.

    Attributes:
        notebook: The source notebook itself.
        questions: Every graded item, in order.
        tests: Its tests cells, in order.
        imports: Import statements of the read-only cells, for the examiner.
    """

    lesson: str
    title: str
    lang: str
    max_score: float
    pass_total: float
    questions: tuple[Question, ...]
    tests: tuple[TestCell, ...]
    imports: tuple[str, ...]
    notebook: Any


def read_master(notebook: Any) -> Master:
    """Understand a source notebook (nbformat 4.5, nbgrader metadata v3, `metadata.course`)."""
    course = notebook.metadata.course
    graded = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    read_only = [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.metadata.course.role in {"setup", "code"}
    ]
    return Master(
        lesson=course.lesson,
        title=course.title,
        lang=course.lang,
        max_score=float(course.max_score),
        pass_total=float(course.get("pass_total") or PASS_SHARE * course.max_score),
        questions=tuple(_question(cell) for cell in graded),
        tests=tuple(
            TestCell(
                grade_id=cell.metadata.nbgrader.grade_id,
                source=cell.source,
                points=float(cell.metadata.nbgrader.points),
                exercise=cell.metadata.course.exercise,
                category=cell.metadata.course.category,
            )
            for cell in graded
            if cell.metadata.course.role == "tests"
        ),
        imports=tuple(read_only_imports(read_only)),
        notebook=notebook,
    )


def _question(cell: Any) -> Question:
    about = cell.metadata.course
    return Question(
        grade_id=cell.metadata.nbgrader.grade_id,
        points=float(cell.metadata.nbgrader.points),
        manual=about.role != "tests",
        exercise=about.get("exercise"),
        category=about.get("category"),
    )
