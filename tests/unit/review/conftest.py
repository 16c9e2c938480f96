"""A graded class of lesson03, written as `course grade` writes one, without running anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.editions import drawn
from autograder.errors import CourseError
from autograder.project import Project, find_project
from autograder.review.desk import opened
from autograder.review.lesson import lesson_suggester
from autograder.review.suggest import Suggester
from tests.review_class import GradedClass, lesson03_master

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def project() -> Project:
    return find_project(ROOT)


@pytest.fixture(scope="session")
def source(project: Project) -> Any:
    """The master, its diagrams as text: drawing them costs more than all of these tests."""

    def undrawn(*_: object, **__: object) -> None:
        raise CourseError("not drawn")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn, "picture", undrawn)
        return lesson03_master(project)


@pytest.fixture(scope="session")
def suggester(project: Project) -> Suggester:
    return lesson_suggester(project, "lesson03")


# For a module only: what a session's fixture patches stays so for the tests of other folders.
@pytest.fixture(scope="module", autouse=True)
def _compiled_once(suggester: Suggester) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opened, "lesson_suggester", lambda *_: suggester)
        yield


@pytest.fixture
def graded(tmp_path: Path, source: Any) -> Callable[[dict[str, dict[str, str]]], GradedClass]:
    """Writes a class: student -> question -> answer."""

    def write(answers: dict[str, dict[str, str]]) -> GradedClass:
        made = GradedClass(out=tmp_path / "out", source=source)
        made.write(answers)
        return made

    return write
