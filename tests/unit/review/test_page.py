"""What the page is sent beside a proposed veto, and the address that it is opened at."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from autograder.project import Project
from autograder.review.desk.answers import Code
from autograder.review.desk.desk import WHOLE
from autograder.review.page import payload
from autograder.review.page.app import address
from autograder.review.page.code import code_shown
from autograder.review.page.session import Session
from tests.review_class import LESSON, GradedClass

PRISTINE = """def rate(size, seconds):
    if seconds <= 0:
        raise ValueError("no time")
    return ______
"""
UNGUARDED = """def rate(size, seconds):
    return size / seconds
"""
FILLED = PRISTINE.replace("______", "size / seconds")


def test_the_exercise_that_lost_its_guard_is_shown_beside_the_released_one() -> None:
    whole = Code(exercise="other", learner=FILLED, pristine=PRISTINE)
    lost = Code(exercise="rate", learner=UNGUARDED, pristine=PRISTINE)
    (shown,) = code_shown([whole, lost])
    assert shown == {
        "exercise": "rate",
        "learner": [["def rate(size, seconds):", False], ["    return size / seconds", True]],
        "pristine": [
            ["def rate(size, seconds):", False],
            ["    if seconds <= 0:", True],
            ['        raise ValueError("no time")', True],
            ["    return ______", True],
        ],
    }


def test_all_exercises_are_shown_when_none_says_which_it_was() -> None:
    cells = [Code(exercise=name, learner=FILLED, pristine=PRISTINE) for name in ("a", "b")]
    assert [one["exercise"] for one in code_shown(cells)] == ["a", "b"]


def test_code_comes_with_a_proposed_veto_only(
    graded: Callable[[dict[str, dict[str, str]]], GradedClass], project: Project
) -> None:
    made = graded({"s1": {}, "s2": {}})
    path = made.out / "grades.json"
    grades = json.loads(path.read_bytes())
    grades["submissions"][0]["proposed_vetoes"] = ["removes_failure_path"]
    path.write_text(json.dumps(grades), encoding="utf-8")
    file = made.out / f"autograded/s1/{LESSON}/{LESSON}.ipynb"
    notebook = json.loads(file.read_bytes())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "checkpoint_io":
            cell["source"] = [
                "def checkpoint_io(S, B, W, T):\n",
                "    return S * W / B, S * W / T\n",
            ]
    file.write_text(json.dumps(notebook), encoding="utf-8")
    session = Session(made.out, project, names=False)

    def item(student: str) -> dict[str, object]:
        return payload.item(
            session.desk, student, WHOLE, by="甲", names=False, reader=session.reader
        )

    shown = item("s1")
    assert shown["answers"] == []
    code = shown["code"]
    assert isinstance(code, list)
    assert [one["exercise"] for one in code] == ["checkpoint_io"]
    assert ["    return S * W / B, S * W / T", True] in code[0]["learner"]
    guard = [line for line, only in code[0]["pristine"] if only and "raise ValueError" in line]
    assert len(guard) == 1
    assert item("s2")["code"] == []


@pytest.mark.parametrize(
    ("token", "ending"), [("abc", "/base/course-review/?token=abc"), ("", "/base/course-review/")]
)
def test_the_address_is_the_pages_own(token: str, ending: str) -> None:
    server = SimpleNamespace(
        connection_url="http://localhost:8888/base/", identity_provider=SimpleNamespace(token=token)
    )
    assert address(server) == f"http://localhost:8888{ending}"
