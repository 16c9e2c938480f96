"""The lab notebook: fresh, whole, published, and it runs from top to bottom."""

from __future__ import annotations

import base64
import os
import shutil
from pathlib import Path

import nbformat
import pytest

from autograder.checking.lesson_check import check_lesson
from autograder.editions.build import build, lesson_of
from autograder.model import Role
from autograder.project import find_project
from autograder.release.contents import contents, is_allowed
from autograder.release.gitstore import GitStore
from autograder.release.secrets import Edition

ROOT = Path(__file__).resolve().parents[2]
PROJECT = find_project(ROOT)
NOTEBOOK = ROOT / "lessons" / "labs" / "labs.ipynb"
RECORDED = "lessons/lesson03/experiments/recorded"


def test_the_derived_files_are_fresh() -> None:
    built = build(PROJECT, "labs", check=True)
    assert (built.changed, built.warnings) == ((), ())


def test_it_predicts_before_it_measures() -> None:
    """Each measuring function is called once, after a prediction of its own."""
    cells = [cell for cell in lesson_of(PROJECT, "labs").cells() if cell.role in MEASURED]
    order = [
        "predict" if cell.role is Role.PREDICT else name
        for cell in cells
        for name in [called(cell.source)]
        if cell.role is Role.PREDICT or name
    ]
    assert order == [
        *("predict", "start", "predict", "kill"),
        *("predict", "small_files", "predict", "samples"),
        *("predict", "node_loss", "predict", "random_reads"),
    ]


MEASURED = {Role.PREDICT, Role.LAB}


def called(source: str) -> str:
    names = ("small_files(", "samples(", "node_loss(", "random_reads(", "kill(", "job.start(")
    return next((name.split(".")[-1][:-1] for name in names if name in source), "")


def test_learners_get_it_with_its_experiments_and_records() -> None:
    tree = contents(GitStore(ROOT), PROJECT, "HEAD", Edition.STUDENT)
    paths = {entry.path for entry in tree.entries}
    needed = {"lessons/labs/labs.ipynb", "lessons/labs/labs.qmd"}
    needed |= {f"{RECORDED}/{name}.json" for name in RECORDS}
    needed |= {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "lessons" / "lesson03" / "experiments").rglob("*.py")
    }
    assert needed - paths == set()
    assert not [why for why in tree.refused if "labs" in why or "experiments" in why]
    assert all(is_allowed(path, Edition.STUDENT) for path in needed)


RECORDS = ("small-files", "samples", "node-loss", "random-reads")


@pytest.mark.slow
@pytest.mark.sandbox
def test_course_check_finds_nothing() -> None:
    checked = check_lesson(PROJECT, "labs")
    assert checked.missing is None
    assert [str(one) for one in checked.report.findings] == []


@pytest.mark.slow
def test_it_runs_from_top_to_bottom_and_leaves_nothing(tmp_path: Path) -> None:
    from nbclient import NotebookClient  # noqa: PLC0415 - 1.4 s, for this test only

    own = tmp_path / "labs.ipynb"
    shutil.copy2(NOTEBOOK, own)
    notebook = nbformat.read(own, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(notebook, timeout=200, resources=resources)
    client.execute(env=os.environ | {"PYTHONPATH": str(ROOT)})
    pictures = [
        base64.b64decode(output.data["image/png"])
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    ]
    # The job, Q1 with its model and its reading side, Q2, Q3 with two models, the shipped one.
    assert len(pictures) >= 9
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    said = "".join(
        output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", ())
    )
    assert "逐字节相同" in said
    assert [path.name for path in tmp_path.iterdir()] == ["labs.ipynb"]
