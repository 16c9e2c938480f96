"""The sample class of `course demo`, end to end: every score worked out by hand.

checkpoint_io: `normal` 2 and `boundary` 0.5 by the hidden vectors; my_boundary_case: 0.5 when the
expectation is right on a listed boundary, None (a person) when the input lies on none.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.commands.instructor import grade_into
from autograder.commands.samples import read_samples, write_samples
from autograder.editions.build import source_notebook
from autograder.editions.release import release
from autograder.project import find_project

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"

# student -> normal, boundary, boundary_case
EXPECTED = {
    # physical / interval; T = T_dump = 600 gives (600 s, 10 GB/s): right.
    "s01-ada": (2.0, 0.5, 0.5),
    # duration * B / T is the same number; B = 0 must raise ValueError: right. stderr costs nothing.
    "s02-bao": (2.0, 0.5, 0.5),
    # The capacity is not the average; W = 1 takes 400 s, not 600: wrong.
    "s03-chen": (0.0, 0.0, 0.0),
    # // agrees on the visible input only; T = 9000 > T_dump = 1400, W = 2: on no boundary.
    "s04-dora": (0.0, 0.0, None),
    "s05-untouched": (0.0, 0.0, 0.0),
    # A constant is right for one input; the edited test and points are the master's again.
    "s06-feng": (0.0, 0.0, 0.0),
    "s07-broken": (0.0, 0.0, 0.0),
    # The loop costs its own exercise; T = 300 < 600 gives (600 s, 20 GB/s): right.
    "s08-loop": (0.0, 0.0, 0.5),
    # The pleasing object never crosses the wall.
    "s09-trick": (0.0, 0.0, 0.0),
    # Does not parse; W = -1.5 must raise ValueError: right.
    "s10-张三": (0.0, 0.0, 0.5),
    # The attempted copy counts; no boundary input.
    "s11-ji": (2.0, 0.5, 0.0),
    # S * W / T; the killed process costs nothing that stands before it.
    "s12-kai": (2.0, 0.5, 0.5),
}

STATUS = {"s07-broken": "unreadable", "s08-loop": "timeout", "s12-kai": "crashed"}

FLAGS = {
    "s01-ada": set(),
    "s02-bao": set(),
    "s03-chen": set(),
    "s04-dora": set(),
    "s05-untouched": {"not-attempted"},
    "s06-feng": {
        "edited-outside-blank",
        "guard-removed",
        "not-attempted",
        "edited-test",
        "foreign-metadata",
    },
    "s07-broken": set(),
    "s08-loop": {"timeout"},
    "s09-trick": {"not-attempted"},
    "s10-张三": {"syntax-error"},
    "s11-ji": {"not-attempted", "duplicate-cell"},
    "s12-kai": {"crashed"},
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = find_project(ROOT)
    # What does not end is waited for; the demo, which test_readme runs, waits the lesson's 10 s.
    project = replace(project, limits=replace(project.limits, cell_s=4))
    folder = tmp_path_factory.mktemp("class")
    samples = read_samples(ROOT / "solutions" / LESSON / "samples.toml")
    write_samples(samples, release(source_notebook(project, LESSON)), LESSON, folder / "in")
    grade_into(project, folder / "in", LESSON, folder / "out", sandboxed=True)
    return folder / "out"


@pytest.fixture(scope="module")
def grades(out: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((out / "grades.json").read_text(encoding="utf-8"))
    return loaded


def entry(grades: dict[str, Any], student: str) -> dict[str, Any]:
    found = [each for each in grades["submissions"] if each["student"] == student]
    assert len(found) == 1
    return dict(found[0])


pytestmark = pytest.mark.sandbox


@pytest.mark.parametrize("student", EXPECTED)
def test_scores_are_those_worked_out_by_hand(grades: dict[str, Any], student: str) -> None:
    scores = entry(grades, student)["scores"]
    got = tuple(scores[name] for name in ("normal", "boundary", "boundary_case"))
    assert got == EXPECTED[student]


@pytest.mark.parametrize("student", FLAGS)
def test_status_and_flags(grades: dict[str, Any], student: str) -> None:
    found = entry(grades, student)
    assert found["status"] == STATUS.get(student, "graded")
    assert set(found["flags"]) == FLAGS[student]


def test_every_question_ends_with_a_score_or_a_reason(grades: dict[str, Any]) -> None:
    manual = {"explanation", "q1", "q2", "q3"}
    for found in grades["submissions"]:
        assert set(found["scores"]) == {"normal", "boundary", "boundary_case", *manual}
        for name, points in found["scores"].items():
            lost = points is None or points == 0
            assert not lost or name in found["reasons"] or (points is None and name in manual)


def test_free_text_waits_for_a_person_and_untouched_is_zero(grades: dict[str, Any]) -> None:
    ada, untouched = entry(grades, "s01-ada"), entry(grades, "s05-untouched")
    assert [ada["scores"][q] for q in ("explanation", "q1", "q2", "q3")] == [None] * 4
    assert (ada["total"], ada["passed"]) == (None, None)
    assert (untouched["total"], untouched["passed"]) == (0.0, False)


def test_a_removed_guard_proposes_a_veto_that_nobody_has_decided(grades: dict[str, Any]) -> None:
    found = entry(grades, "s06-feng")
    assert found["proposed_vetoes"] == ["removes_failure_path"]
    assert found["vetoes"] == []


def test_the_head_says_how_it_was_graded(grades: dict[str, Any]) -> None:
    assert (grades["lesson"], grades["max_score"]) == ("lesson03", 10.0)
    assert grades["sandbox"] == "bubblewrap"
    assert grades["limits"]["cell_s"] == 4


def test_the_table_holds_the_same_scores(out: Path) -> None:
    with (out / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert set(rows) == set(EXPECTED)
    assert rows["s02-bao"]["normal"] == "2.0"
    assert rows["s04-dora"]["boundary_case"] == ""


def test_out_is_an_nbgrader_course_with_a_page_a_learner(out: Path) -> None:
    for student in EXPECTED:
        assert (out / "feedback" / student / LESSON / f"{LESSON}.html").is_file()
        assert (out / "autograded" / student / LESSON / f"{LESSON}.ipynb").is_file()
    for name in ("gradebook.db", "nbgrader_config.py", f"source/{LESSON}/{LESSON}.ipynb"):
        assert (out / name).is_file()


def test_no_feedback_shows_a_hidden_test(out: Path) -> None:
    master = json.loads((out / "source" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8"))
    hidden = {
        line.strip()
        for cell in master["cells"]
        if "### BEGIN HIDDEN TESTS" in "".join(cell["source"])
        for line in "".join(cell["source"]).split("### BEGIN HIDDEN TESTS")[1].splitlines()
        if len(line.strip()) > 20
    }
    assert len(hidden) > 30
    for page in (out / "feedback").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not [line for line in hidden if line in text], page
