"""Imports run one way, and the learner's package never knows the grader."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import autograder
import lessons

ROOT = Path(__file__).resolve().parents[2]

# A part may import itself, what stands in its row, and the shared errors, model and project.
ALLOWED = {
    "counting": set(),
    "wholefile": set(),
    "errors": set(),
    "nodes": set(),
    "model": set(),
    "project": {"errors"},
    "rubric": {"errors"},
    "source": {"errors", "model", "project"},
    "editions": {"errors", "model", "nodes", "project", "rubric", "source", "wholefile"},
    "grading": {"counting", "errors", "nodes", "project"},
    # What people review is what grading wrote: answers, marks, reports. Never the other way round:
    # grading takes in `Reviewed`, and commands hand it over.
    "review": {"errors", "model", "project", "rubric", "source", "editions", "grading"},
    "release": {"counting", "errors", "model", "project", "source", "editions"},
    "checking": {
        *("counting", "errors", "model", "project", "rubric", "source", "editions", "grading"),
    },
    "site": {
        *("errors", "model", "project", "rubric", "source", "editions", "release", "wholefile"),
    },
    "commands": {
        *("errors", "model", "project", "rubric", "source", "editions", "grading", "release"),
        *("checking", "counting", "nodes", "review", "site", "wholefile"),
    },
    "verbs": {"commands"},
    "cli": {"errors", "verbs"},
}


def imported(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            module = node.module or ""
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return names


def part_of(name: str) -> str | None:
    pieces = name.split(".")
    return pieces[1] if pieces[0] == "autograder" and len(pieces) > 1 else None


FILES = sorted((ROOT / "autograder").rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_autograder_imports_run_one_way(file: Path) -> None:
    here = file.relative_to(ROOT / "autograder").parts[0].removesuffix(".py")
    if here == "__init__":
        return
    used = {part for name in imported(file) if (part := part_of(name))}
    assert used - {here} <= ALLOWED[here]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_autograder_loads_lessons_by_their_declared_name_only(file: Path) -> None:
    assert not [name for name in imported(file) if name.split(".")[0] == "lessons"]


def test_lessons_never_import_the_grader() -> None:
    for file in (ROOT / "lessons").rglob("*.py"):
        roots = {name.split(".")[0] for name in imported(file)}
        assert not roots & {"autograder", "solutions", "nbgrader"}, file


def test_model_knows_no_jupyter_and_no_io() -> None:
    roots = {name.split(".")[0] for name in imported(ROOT / "autograder" / "model.py")}
    assert not roots & {"nbformat", "nbgrader", "IPython", "pathlib", "os", "io"}


def test_the_packages_are_ours() -> None:
    assert Path(autograder.__file__).resolve().parent == ROOT / "autograder"
    assert Path(lessons.__file__).resolve().parent == ROOT / "lessons"


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import sys, autograder.cli; "
        "heavy = {'nbgrader', 'nbformat', 'IPython', 'numpy', 'matplotlib', 'jinja2', 'rich'}; "
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert shown.stdout.strip() == "[]"
