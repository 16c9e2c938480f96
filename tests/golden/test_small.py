"""A small lesson with every construct; the expected files were read by a person, line by line."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from autograder.editions.notebook import answer_edition, source_edition
from autograder.editions.release import release
from autograder.editions.student_page import student_page
from autograder.model import Lesson
from autograder.source import parse

FOLDER = Path(__file__).parent / "small"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    text = (FOLDER / "small.qmd").read_text(encoding="utf-8")
    return parse(text, slug="small", path="solutions/small/small.qmd", lang="en")


def listing(notebook: nbformat.NotebookNode) -> str:
    """Each cell as `=== type id role [folded] [pictures]` and its source."""
    lines = []
    for cell in notebook.cells:
        notes = [cell.cell_type, cell["id"], cell.metadata.course.role]
        notes += ["folded"] if "jupyter" in cell.metadata else []
        notes += sorted(cell.get("attachments", {}))
        lines += [f"=== {' '.join(notes)}", cell.source]
    return "\n".join(lines) + "\n"


def expected(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def test_student_notebook(lesson: Lesson) -> None:
    assert listing(release(source_edition(lesson).notebook)) == expected("student.txt")


def test_answer_notebook(lesson: Lesson) -> None:
    assert listing(answer_edition(lesson).notebook) == expected("answer.txt")


def test_student_page(lesson: Lesson) -> None:
    assert student_page(lesson) == expected("student.qmd")


def test_what_must_not_be_there() -> None:
    for name in ("student.txt", "student.qmd"):
        text = expected(name)
        for secret in ("note-to-author", "teacher-only", "reference-prose", "chain-of-causes"):
            assert secret not in text
        assert "average(7, 3, 2)" not in text
        assert "size * amplification" not in text
    for name in ("student.txt", "answer.txt"):
        text = expected(name)
        assert "\n:::" not in text.replace("\n::: 这不是块", "")
        assert "{.callout" not in text
        assert "{#" not in text
        assert "amplification * size" not in text
