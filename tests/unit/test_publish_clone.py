"""A clone of the student branch stands alone: no access to main, nothing but what it holds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.release.secrets import Edition

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("lessons", "solutions", "autograder", "assets")
SINGLE = ("pyproject.toml", "constraints.txt", "LICENSE", ".gitignore")


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory, course_copy: Any) -> dict[Edition, Path]:
    """The course as it is in this work tree, published and cloned branch by branch."""
    folder = tmp_path_factory.mktemp("real")
    course = type(course_copy())(root=folder / "course")
    for name in COPIED:
        skipped = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
        shutil.copytree(ROOT / name, course.root / name, ignore=skipped)
    for name in SINGLE:
        shutil.copy(ROOT / name, course.root / name)
    course.git("init", "--quiet", "--initial-branch=main")
    course.commit("Begin")
    made = {}
    for edition in Edition:
        done = course.publish(edition)
        assert done.report.findings == []
        made[edition] = folder / edition.value
        arguments = ["--quiet", "--single-branch", f"--branch={edition.value}"]
        # file:// and not a path: a path would share the objects of main.
        course.git("clone", *arguments, f"file://{course.root}", str(made[edition]))
    shutil.rmtree(course.root)
    return made


def _python(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # A safe path keeps this work tree, where pytest runs, off sys.path.
    environment = {**os.environ, "PYTHONPATH": str(clone), "MPLBACKEND": "agg", "COURSE_LANG": "zh"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )


def test_the_clone_holds_no_object_of_main(clones: dict[Edition, Path]) -> None:
    clone = clones[Edition.STUDENT]
    listed = subprocess.run(
        ["git", "-C", str(clone), "rev-list", "--all", "--objects"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = {line.partition(" ")[2] for line in listed.splitlines()}
    assert not [name for name in names if name.startswith(("solutions", "tests"))]


def test_the_self_check_passes(clones: dict[Edition, Path]) -> None:
    done = _python(clones[Edition.STUDENT], "selfcheck.py")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert "[ok] lesson03" in lines
    assert lines[-1] == "可以开始：make lab。"


def test_the_self_check_says_what_is_wrong(clones: dict[Edition, Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(clones[Edition.STUDENT], broken)
    (broken / "lessons" / "lesson03" / "plan.py").write_text("import no_such_thing\n")
    done = _python(broken, "selfcheck.py")
    assert done.returncode == 1
    assert any(
        line.startswith("[x] lesson03") and "no_such_thing" in line
        for line in done.stdout.splitlines()
    )


def test_the_lesson_and_the_command_are_the_clones_own(clones: dict[Edition, Path]) -> None:
    clone = clones[Edition.STUDENT]
    probe = (
        "import autograder.project, lessons.lesson03.figures;"
        "print(autograder.__file__, lessons.__file__);"
        "print(autograder.project.find_project().lessons)"
    )
    done = _python(clone, "-c", probe)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(str(clone)) == 2
    assert "('lesson03',)" in done.stdout
    helped = _python(clone, "-c", "from autograder.cli import main; main()", "--help")
    assert helped.returncode == 0
    assert "lab" in helped.stdout


def test_the_notebook_finds_its_lessons(clones: dict[Edition, Path]) -> None:
    run = (
        "import json; from pathlib import Path;"
        "book = json.loads(Path('lessons/lesson03/lesson03.ipynb').read_text('utf-8'));"
        "cells = [c for c in book['cells'] if c['id'] == 'setup'];"
        "exec(''.join(cells[0]['source'])); print(repr(______))"
    )
    done = _python(clones[Edition.STUDENT], "-c", run)
    assert (done.returncode, done.stdout.strip()) == (0, "______"), done.stderr


def test_the_audit_of_a_clone_says_that_it_belongs_elsewhere(clones: dict[Edition, Path]) -> None:
    run = "import sys; from autograder.cli import main; sys.argv[1:] = ['audit']; main()"
    done = _python(clones[Edition.STUDENT], "-c", run)
    assert done.returncode == 2
    assert "no lesson's source here" in done.stderr


def test_make_shows_its_targets(clones: dict[Edition, Path]) -> None:
    done = subprocess.run(
        ["make", "-C", str(clones[Edition.ANSWER]), "help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "lab" in done.stdout
    assert "check" in done.stdout
    assert (clones[Edition.ANSWER] / "answers" / "lesson03" / "lesson03.ipynb").is_file()


@pytest.mark.slow
def test_make_check_installs_and_passes(clones: dict[Edition, Path]) -> None:
    clone = clones[Edition.STUDENT]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        ["make", "-C", str(clone), "check", f"PYTHON={sys.executable}"],
        env={**environment, "COURSE_LANG": "en"},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Ready: make lab." in done.stdout
    version = subprocess.run(
        [clone / ".venv" / "bin" / "course", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert version.stdout.startswith("course")
