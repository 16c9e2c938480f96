"""What grading does itself, for speed, gives what the libraries would give."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.utils import compute_checksum

from autograder.commands import prepared as module
from autograder.commands.prepared import Prepared, prepared
from autograder.grading.batch.wire import decoded, encoded
from autograder.grading.integrity.cells import master_cells
from autograder.grading.integrity.shape import _checksum
from autograder.grading.reports.autograded import notebook_text
from autograder.grading.sandbox.hugepages import _whole
from autograder.project import Project

ODD = 'a\x01\x1f\x7f\u2028é\U0001f600"\\\t\r\n\u0085x\x0cz\n\nlast'
MARKS = {
    "tests": {"grade": True, "solution": False, "locked": True, "points": 2, "grade_id": "t"},
    "answer": {"grade": True, "solution": True, "locked": False, "points": 1.5, "grade_id": "a"},
    "exercise": {"grade": False, "solution": True, "locked": False, "grade_id": "e"},
    "setup": {"grade": False, "solution": False, "locked": True, "grade_id": "s"},
}


def notebook() -> Any:
    cells = []
    for role, marks in MARKS.items():
        make = nbformat.v4.new_markdown_cell if role == "answer" else nbformat.v4.new_code_cell
        cell = make(f"# {role}\n{ODD}", id=role)
        cell.metadata = nbformat.from_dict({"course": {"role": role}, "nbgrader": marks})
        cells.append(cell)
    cells[0].outputs = [
        nbformat.v4.new_output("stream", name="stdout", text="one\ntwo"),
        nbformat.v4.new_output("display_data", {"text/plain": "a\nb", "image/png": "QUJD\nREVG"}),
        nbformat.v4.new_output("execute_result", {"text/html": "<b>\n</b>"}, execution_count=3),
        nbformat.v4.new_output("error", ename="E", evalue="v", traceback=["x", "y\nz"]),
    ]
    cells[1].attachments = {"p.png": {"image/png": "QUJD"}}
    return nbformat.v4.new_notebook(cells=cells, metadata={"b": {}, "a": [], "c": 1.5})


def test_a_notebook_is_written_as_nbformat_writes_it() -> None:
    made = notebook()
    assert notebook_text(made) == nbformat.v4.writes(made).rstrip("\n") + "\n"


def test_checksums_are_nbgraders() -> None:
    made = notebook()
    for cell, node in zip(master_cells(made), made.cells, strict=True):
        released = node.copy()
        released["source"] = cell.source if cell.role == "tests" else cell.shown
        assert _checksum(cell) == compute_checksum(released)


def test_a_message_keeps_bytes_and_text() -> None:
    message = {"raw": b"\xff\x00", "text": "写出", "none": None, "list": [1, 2.5, True]}
    assert decoded(encoded(message)) == message


def test_huge_pages_are_whole_and_the_processs_own() -> None:
    maps = (
        "7f0000100000-7f0000700000 rw-p 00000000 00:00 0\n"  # 1 MB to 7 MB: 2..4 and 4..6
        "7f0001000000-7f0001100000 rw-p 00000000 00:00 0\n"  # less than one
        "7f0002000000-7f0002400000 r--p 00000000 00:00 0\n"  # not written to
        "7f0003000000-7f0003400000 rw-p 00000000 fe:01 7 /lib/libc.so\n"
        "555500000000-555500200000 rw-p 00000000 00:00 0 [heap]\n"
    )
    two = 2 * 2**20
    assert list(_whole(maps)) == [
        (0x7F0000200000, two),
        (0x7F0000400000, two),
        (0x555500000000, two),
    ]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "course"
    (root / "solutions" / "tiny").mkdir(parents=True)
    (root / "solutions" / "tiny" / "tiny.qmd").write_text("# one\n", encoding="utf-8")
    (root / "pyproject.toml").write_text("[tool.course]\n", encoding="utf-8")
    return Project(root=root)


def test_a_lesson_is_made_once_and_again_when_it_changes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def make(_: Project, lesson: str) -> Prepared:
        made.append(lesson)
        text = project.source(lesson).read_text(encoding="utf-8")
        return Prepared(source=nbformat.from_dict({"cells": []}), release=text, config="c")

    monkeypatch.setattr(module, "_made", make)
    assert [prepared(project, "tiny").release for _ in range(2)] == ["# one\n"] * 2
    assert made == ["tiny"]
    project.source("tiny").write_text("# two\n", encoding="utf-8")
    assert prepared(project, "tiny").release == "# two\n"
    assert made == ["tiny", "tiny"]


def test_a_kept_lesson_that_is_damaged_is_made_again_and_is_for_its_owner_only(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = Prepared(source=nbformat.from_dict({"cells": []}), release="r", config="c")
    monkeypatch.setattr(module, "_made", lambda *_: fresh)
    prepared(project, "tiny")
    folder = tmp_path / "cache" / "course" / "masters"
    (kept,) = folder.glob("*.json")
    assert folder.stat().st_mode & 0o077 == 0
    assert kept.stat().st_mode & 0o077 == 0
    assert json.loads(kept.read_text(encoding="utf-8"))["release"] == "r"
    for damaged in ("", "{", "[]", '{"source": 1}'):
        kept.write_text(damaged, encoding="utf-8")
        assert prepared(project, "tiny") == fresh
        assert json.loads(kept.read_text(encoding="utf-8"))["release"] == "r"


def test_the_grammar_of_addresses_is_not_built() -> None:
    probe = (
        "import sys, autograder.nodes, nbformat; "
        "print('rfc3987_syntax' in sys.modules, 'lark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
