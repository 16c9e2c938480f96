"""Stock nbgrader on what the project makes: its release, its validation, its automatic scores.

Two differences are meant, and stated here. An answer that a test cell leaves to a person
(`CannotTell`) is an error to nbgrader and scores 0 there, null here. Whatever a test cell writes to
stderr scores 0 there and costs nothing here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from autograder.commands.instructor import grade_into
from autograder.commands.samples import Sample, write_samples
from autograder.editions.build import source_notebook
from autograder.editions.notebook import dumps
from autograder.editions.release import nbgrader_config, release
from autograder.grading.reports.coursedir import CourseDir, gradebook_url
from autograder.project import find_project

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"
RIGHT = "physical_bytes / interval_s"
FREE = ("explanation", "q1", "q2", "q3")
# S * W / B = 600 s: T = 600 is the boundary itself, and there 6 TB / 600 s = 10 GB/s.
JUST = ("(4e12, 10e9, 1.5, 600)", "(600.0, 1e10)")


def _learner(name: str, *fill: str, case: tuple[str, ...] = (), free: tuple[str, ...] = ()) -> Any:
    fills = {"checkpoint_io": fill, "my_boundary_case": case}
    return Sample(student=name, about=name, fill=fills, answers=dict.fromkeys(free, "因为排队。"))


# Learner -> what the exercise's tests, the boundary case's and the four answers give; by hand.
LEARNERS: dict[str, tuple[Any, tuple[float | None, float | None, float | None]]] = {
    "right": (_learner("right", RIGHT, case=JUST, free=FREE), (2.0, 0.5, 0.5)),
    # The bytes of one burst, by the other way round; S = 0 is no legal input.
    "other-way": (
        _learner(
            "other-way",
            "duration * backend_Bps / interval_s",
            case=("(0, 10e9, 1.5, 1800)", "ValueError"),
            free=("q2",),
        ),
        (2.0, 0.5, 0.5),
    ),
    # W = 1: 4 TB / 10 GB/s = 400 s, 4 TB / 1800 s = 2.2222 GB/s, within 0.1 %.
    "lists": (
        _learner(
            "lists",
            "checkpoint_bytes / interval_s * write_amplification",
            case=("[4e12, 10e9, 1.0, 1800]", "[400, 2.2222e9]"),
        ),
        (2.0, 0.5, 0.5),
    ),
    # A NumPy float is a float; T = -inf is not above 0.
    "numpy": (
        _learner(
            "numpy",
            '__import__("numpy").float64(physical_bytes) / interval_s',
            case=('(4e12, 10e9, 1.5, float("-inf"))', "ValueError"),
        ),
        (2.0, 0.5, 0.5),
    ),
    # Printing is no mistake; T = 300 < 600 returns twice the capacity.
    "prints": (
        _learner(
            "prints",
            'print("我在算") or (\n        physical_bytes\n        / interval_s  # 摊销\n    )',
            case=("(4e12, 10e9, 1.5, 300)", "(600.0, 2e10)"),
        ),
        (2.0, 0.5, 0.5),
    ),
    # Right as long as the burst fits into the interval; hidden inputs where it does not.
    "feasible-only": (
        _learner("feasible-only", f"{RIGHT} if duration <= interval_s else None", case=JUST),
        (2.0, 0.0, 0.5),
    ),
    # Needs more than it has, and hides it; the expectation takes the capacity for the average.
    "capped": (
        _learner(
            "capped",
            f"min(backend_Bps, {RIGHT})",
            case=("(4e12, 10e9, 1.5, 300)", "(600.0, 1e10)"),
        ),
        (2.0, 0.0, 0.0),
    ),
    # 4e12 * 1.0 / 1800 and most others have a fraction, which // drops. No case of their own.
    "floors": (_learner("floors", "physical_bytes // interval_s"), (0.0, 0.0, 0.0)),
    # Right on the visible input alone; T = 0 raises ValueError, not ZeroDivisionError.
    "constant": (
        _learner(
            "constant",
            "3.3333333333333335e9",
            case=("(4e12, 10e9, 1.5, 0)", "ZeroDivisionError"),
        ),
        (0.0, 0.0, 0.0),
    ),
    # Gibibytes; the pair is the wrong way round.
    "units": (
        _learner("units", f"{RIGHT} / 1024**3", case=("(4e12, 10e9, 1.5, 300)", "(2e10, 600.0)")),
        (0.0, 0.0, 0.0),
    ),
    # A full-width slash does not parse; the other cell is not the worse for it.
    "full-width": (
        _learner("full-width", "physical_bytes ／ interval_s", case=JUST),
        (0.0, 0.0, 0.5),
    ),
    "untouched": (_learner("untouched"), (0.0, 0.0, 0.0)),
    "free-text-only": (_learner("free-text-only", free=FREE), (0.0, 0.0, 0.0)),
    # On none of the listed boundaries: 14 TB / 10 GB/s = 1400 s < 9000 s, W = 2.
    "no-boundary": (
        _learner("no-boundary", RIGHT, case=("(7e12, 10e9, 2, 9000)", "(1400.0, 1.5555555e9)")),
        (2.0, 0.5, None),
    ),
    "stderr": (
        _learner("stderr", f'print("慢", file=__import__("sys").stderr) or {RIGHT}', case=JUST),
        (2.0, 0.5, 0.5),
    ),
}
# Learner -> what nbgrader gives instead.
STOCK: dict[str, dict[str, float]] = {
    "no-boundary": {"boundary_case": 0.0},
    "stderr": {"normal": 0.0, "boundary": 0.0},
}


def _expected(name: str) -> dict[str, float | None]:
    sample, tested = LEARNERS[name]
    scores = dict(zip(("normal", "boundary", "boundary_case"), tested, strict=True))
    return scores | {question: None if question in sample.answers else 0.0 for question in FREE}


@pytest.fixture(scope="module")
def master() -> Any:
    return source_notebook(find_project(ROOT), LESSON)


@pytest.fixture
def course(master: Any, tmp_path: Path) -> Path:
    """A new nbgrader course: the settings and the source that `course grade` writes, no more."""
    folder = CourseDir(root=tmp_path / "course", lesson=LESSON)
    url = gradebook_url(folder.root, "sqlite:///gradebook.db")
    folder.prepare(db_url=url, release_config=nbgrader_config())
    folder.write_source(dumps(master))
    return folder.root


def nbgrader(course: Path, *arguments: str) -> str:
    """Run stock nbgrader as an instructor without the environment on PATH would."""
    command = [sys.executable, "-m", "nbgrader", *arguments]
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("JUPYTER_")},
        "PATH": os.defpath,
        "PYTHONPATH": str(ROOT),
        "IPYTHONDIR": str(course / ".ipython"),
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        command, cwd=course, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_generate_assignment_releases_what_course_build_does(course: Path, master: Any) -> None:
    nbgrader(course, "generate_assignment", LESSON)
    released = (course / "release" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    assert released == dumps(release(master))


@pytest.mark.slow
def test_validate_passes_the_reference_and_is_kind_to_the_untouched(
    course: Path, master: Any
) -> None:
    learners = [LEARNERS["right"][0], LEARNERS["untouched"][0]]
    write_samples(learners, release(master), LESSON, course / "work")
    said = nbgrader(course, "validate", f"work/right/{LESSON}/{LESSON}.ipynb")
    assert "Success! Your notebook passes all the tests." in said
    said = nbgrader(course, "validate", f"work/untouched/{LESSON}/{LESSON}.ipynb")
    # Two cells use a blank; four answers are not written.
    assert "VALIDATION FAILED ON 6 CELL(S)!" in said
    assert said.count("这里还有一个空没有填") == 2
    assert said.count("You did not provide a response.") == 4
    assert "Traceback" not in said


@pytest.mark.slow
@pytest.mark.sandbox
def test_autograde_gives_the_scores_of_course_grade(
    course: Path, master: Any, tmp_path: Path
) -> None:
    handed_in = tmp_path / "in"
    write_samples([sample for sample, _ in LEARNERS.values()], release(master), LESSON, handed_in)
    graded = grade_into(find_project(ROOT), handed_in, LESSON, tmp_path / "out", sandboxed=True)
    ours = {result.student: dict(result.scores) for result in graded}
    assert ours == {name: _expected(name) for name in LEARNERS}

    shutil.copytree(handed_in, course / "submitted")
    nbgrader(course, "generate_assignment", LESSON)
    nbgrader(course, "autograde", LESSON)
    assert _automatic(course) == {name: _expected(name) | STOCK.get(name, {}) for name in LEARNERS}


def _automatic(course: Path) -> dict[str, dict[str, float | None]]:
    """What stock nbgrader wrote into its gradebook."""
    found: dict[str, dict[str, float | None]] = {}
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        for submission in book.assignment_submissions(LESSON):
            grades = submission.notebooks[0].grades
            found[submission.student.id] = {grade.name: grade.auto_score for grade in grades}
    return found


def test_the_sources_metadata_is_schema_3_to_nbgrader(master: Any) -> None:
    marked = [cell for cell in master.cells if "nbgrader" in cell.metadata]
    assert {cell.metadata.nbgrader.schema_version for cell in marked} == {3}
    points = [cell.metadata.nbgrader.points for cell in marked if cell.metadata.nbgrader.grade]
    assert sum(points) == 10.0
    assert json.loads(dumps(master))["nbformat_minor"] == 5
