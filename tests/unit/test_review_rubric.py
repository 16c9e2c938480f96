"""rubric.toml -> Rubric, and what is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from autograder.editions.build import source_notebook
from autograder.errors import CourseError
from autograder.grading.master import read_master
from autograder.project import find_project
from autograder.rubric import RubricError, load_rubric, read_rubric

ROOT = Path(__file__).resolve().parents[2]
LESSON03 = ROOT / "solutions" / "lesson03" / "rubric.toml"

SMALL = """
lesson = "x"
step = 0.5

[pass]
total = 3
criteria = ["chains"]

[[criteria]]
id = "chains"
line = "Each has a chain."

[[levels]]
score = 1
mechanisms = 1

[[questions]]
id = "q1"
points = 1

[[questions.links]]
id = "cause"
line = "The cause."
mechanism = true
signs = ["rain"]

[[vetoes]]
id = "made_up"
line = "Made up"
definition = "says what is not"

[concepts]
rain = ["rain|雨"]
"""


def test_a_small_rubric() -> None:
    rubric = read_rubric(tomllib.loads(SMALL), "r.toml")
    assert rubric.rule.total == 3
    assert rubric.criteria[0].decided_by == "person"
    question = rubric.question("Q1")
    assert question is not None
    assert question.links[0].signs == ("rain",)
    assert [level.score for level in rubric.levels_of(question)] == [1]
    assert rubric.vetoes[0].cost == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('lesson = "x"\n', "", "r.toml:lesson: This key is missing. Add it."),
        ("step = 0.5", 'step = "a"', "r.toml:step: This is 'a'. Write a number."),
        ("step = 0.5", "step = 0", "r.toml:step: This is 0. Write a number that makes sense here."),
        (
            "mechanism = true",
            "mechanism = 1",
            "r.toml:[[questions.links]] mechanism of 'cause': This is 1. Write true or false.",
        ),
        (
            "mechanism = true",
            "mechanisn = true",
            "r.toml:[[questions.links]] mechanism of 'cause': This key is missing. Add it.",
        ),
        (
            'line = "Made up"',
            'line = "Made up"\nsign = ["rain"]',
            "r.toml:[[vetoes]] sign of 'made_up': No such key is known. Did you mean 'signs'?",
        ),
        (
            "score = 1\n",
            "score = 0.7\n",
            "r.toml:[[levels]] score: 0.7 is no score of 'q1', which has 1 points in steps of 0.5. "
            "Write one.",
        ),
        (
            'criteria = ["chains"]',
            'criteria = ["chain"]',
            "r.toml:[pass] criteria: There is no [[criteria]] 'chain'. Name some of chains.",
        ),
        ("[[vetoes]]", "[vetoes]", "r.toml:[[vetoes]]: This is no list of tables. Begin each with"),
    ],
)
def test_a_faulty_key(old: str, new: str, message: str) -> None:
    assert old in SMALL
    with pytest.raises(RubricError) as caught:
        read_rubric(tomllib.loads(SMALL.replace(old, new, 1)), "r.toml")
    assert str(caught.value).startswith(message)


def test_two_links_of_one_name() -> None:
    link = '[[questions.links]]\nid = "cause"\nline = "The cause."\nmechanism = true\n'
    text = SMALL.replace("[[vetoes]]", link + "\n[[vetoes]]")
    with pytest.raises(RubricError, match="'cause' stands twice"):
        read_rubric(tomllib.loads(text), "r.toml")


def test_no_rubric(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="There is no rubric"):
        load_rubric(tmp_path / "rubric.toml", "rubric.toml")


def test_lesson03() -> None:
    rubric = load_rubric(LESSON03, "rubric.toml")
    assert [(one.id, len(one.links)) for one in rubric.questions] == [
        ("explanation", 3),
        ("q1", 5),
        ("q2", 4),
        ("q3", 4),
    ]
    assert {veto.id for veto in rubric.vetoes} == {
        "guess_as_measurement",
        "ignores_isolation",
        "mean_hides_tail",
        "removes_failure_path",
    }


def test_grading_passes_at_the_rubrics_total() -> None:
    master = read_master(source_notebook(find_project(ROOT), "lesson03"))
    assert master.pass_total == 8
