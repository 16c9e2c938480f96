from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.editions.notebook import answer_edition, dumps, source_edition
from autograder.editions.release import nbgrader_config, release
from autograder.errors import CourseError
from autograder.model import Lesson, Role
from autograder.source import parse

SMALL = Path(__file__).parents[1] / "golden" / "small" / "small.qmd"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return parse(
        SMALL.read_text(encoding="utf-8"),
        slug="small",
        path="solutions/small/small.qmd",
        lang="zh-CN",
    )


@pytest.fixture(scope="module")
def source(lesson: Lesson) -> nbformat.NotebookNode:
    return source_edition(lesson).notebook


@pytest.fixture(scope="module")
def student(source: nbformat.NotebookNode) -> nbformat.NotebookNode:
    return release(source)


def cell(notebook: nbformat.NotebookNode, cell_id: str) -> nbformat.NotebookNode:
    (found,) = [one for one in notebook.cells if one["id"] == cell_id]
    return found


def test_released_exercises_are_their_stubs_to_the_letter(
    lesson: Lesson, student: nbformat.NotebookNode
) -> None:
    for exercise in lesson.cells(Role.EXERCISE):
        assert exercise.source in exercise.text
        assert cell(student, str(exercise.grade_id)).source == exercise.source


def test_the_source_notebook_holds_reference_and_stub(source: nbformat.NotebookNode) -> None:
    average = cell(source, "average")
    assert average.source.endswith("return size * amplification / interval_s")
    assert average.metadata.course.stub.endswith("return ______")
    assert average.metadata.nbgrader == {
        "schema_version": 3, "grade": False, "solution": True, "locked": False, "task": False,
        "grade_id": "average",
    }  # fmt: skip


def test_points_and_categories_of_the_source(source: nbformat.NotebookNode) -> None:
    tests = cell(source, "pair_case").metadata
    assert tests.course == {"role": "tests", "exercise": "pair", "category": "boundary"}
    assert tests.nbgrader["points"] == 0.5
    assert (tests.nbgrader["grade"], tests.nbgrader["solution"], tests.nbgrader["locked"]) == (
        True, False, True,
    )  # fmt: skip
    graded = [one.metadata.nbgrader for one in source.cells if "nbgrader" in one.metadata]
    assert {one["grade_id"]: one["points"] for one in graded if "points" in one} == {
        "normal": 2.0, "pair_case": 0.5, "explanation": 1.0, "q1": 2.0,
    }  # fmt: skip
    assert source.metadata.course.max_score == 5.5


def test_hidden_tests_are_gone(student: nbformat.NotebookNode) -> None:
    assert cell(student, "normal").source == "assert average(4, 1.5, 3) == 2.0"


def test_metadata_that_may_leave(student: nbformat.NotebookNode) -> None:
    for one in student.cells:
        assert set(one.metadata) <= {"course", "nbgrader", "deletable", "editable", "jupyter"}
        assert set(one.metadata.course) <= {"role", "mermaid"}
        if one.cell_type == "code":
            assert one.outputs == []
            assert one.execution_count is None
    assert "source_sha256" not in student.metadata.course
    assert cell(student, "explanation").source == "**你的答案：**"
    assert list(cell(student, "sec-goals").attachments) == ["fig-flow.png"]


def test_all_editions_are_valid_notebooks(
    lesson: Lesson, source: nbformat.NotebookNode, student: nbformat.NotebookNode
) -> None:
    for notebook in (source, student, answer_edition(lesson).notebook):
        text = dumps(notebook)
        nbformat.validate(json.loads(text))
        assert text.endswith("}\n")
        ids = [one["id"] for one in notebook.cells]
        assert len(ids) == len(set(ids))


def test_an_unknown_kind_of_cell_does_not_leave(source: nbformat.NotebookNode) -> None:
    foreign = nbformat.reads(dumps(source), as_version=4)
    foreign.cells[0].metadata.course.role = "note"
    with pytest.raises(CourseError, match="kind"):
        release(foreign)


def test_stray_metadata_outputs_and_attachments_do_not_leave(
    source: nbformat.NotebookNode,
) -> None:
    stained = nbformat.reads(dumps(source), as_version=4)
    stained.metadata["stray"] = "canary-1"
    stained.metadata.course["stray"] = "canary-2"
    for one in stained.cells:
        one.metadata["stray"] = "canary-3"
        one.metadata.course["stray"] = "canary-4"
        one.metadata["tags"] = ["canary-5"]
        if one.cell_type == "code":
            one.outputs = [
                nbformat.from_dict({"output_type": "stream", "name": "stdout", "text": "canary-6"})
            ]
            one.execution_count = 7
        else:
            one["attachments"] = {"canary.png": {"image/png": "canary-7"}}
    assert "canary" not in dumps(release(stained))


@pytest.mark.slow
def test_stock_nbgrader_releases_the_same(
    tmp_path: Path, source: nbformat.NotebookNode, student: nbformat.NotebookNode
) -> None:
    folder = tmp_path / "source" / "small"
    folder.mkdir(parents=True)
    (folder / "small.ipynb").write_text(dumps(source), encoding="utf-8")
    config = "c = get_config()\nc.CourseDirectory.course_id = 'small'\n" + nbgrader_config()
    (tmp_path / "nbgrader_config.py").write_text(config, encoding="utf-8")
    scripts = Path(sys.executable).parent
    run = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", "small"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    released = nbformat.read(tmp_path / "release" / "small" / "small.ipynb", as_version=4)
    assert [one.source for one in released.cells] == [one.source for one in student.cells]
    assert [one.metadata for one in released.cells] == [one.metadata for one in student.cells]
    assert released.metadata == student.metadata
