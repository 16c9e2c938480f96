"""A graded class of lesson03, written as `course grade` writes one, without running anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.project import Project, find_project
from tests.review_class import GradedClass, lesson03_master

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def project() -> Project:
    return find_project(ROOT)


@pytest.fixture(scope="session")
def source(project: Project) -> Any:
    return lesson03_master(project)


@pytest.fixture
def graded(tmp_path: Path, source: Any) -> Callable[[dict[str, dict[str, str]]], GradedClass]:
    """Writes a class: student -> question -> answer."""

    def write(answers: dict[str, dict[str, str]]) -> GradedClass:
        made = GradedClass(out=tmp_path / "out", source=source)
        made.write(answers)
        return made

    return write
