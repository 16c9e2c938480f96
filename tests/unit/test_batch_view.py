"""The class at a glance, and which marks changed: worked out by hand."""

from __future__ import annotations

import csv
import io

from autograder.grading.batch.changes import changed_marks, changes_csv
from autograder.grading.batch.classview import ClassViewBuilder
from autograder.grading.batch.classview_text import class_view_text
from autograder.grading.batch.facts import Facts, FillFact, LineFact, spelling
from autograder.grading.batch.journal import Record
from autograder.grading.gradebook.marks import Mark
from autograder.grading.records import Flag, Question, Status
from autograder.grading.reports.export import SubmissionGrade

QUESTIONS = (
    Question(grade_id="normal", points=2, manual=False, exercise="f", category="normal"),
    Question(grade_id="q1", points=2, manual=True),
)
LINE = LineFact(question="normal", line=7, source="assert f(1) | `x` == 2", hidden=True)


def record(
    student: str,
    normal: float | None,
    q1: float | None = None,
    *,
    flags: tuple[Flag, ...] = (),
    facts: Facts | None = None,
    **versions: str,
) -> Record:
    return Record(
        **({"content": "c", "tests": "t", "settings": "s"} | versions),
        entry=SubmissionGrade(
            student=student,
            status=Status.GRADED,
            reason=None,
            scores={"normal": normal, "q1": q1},
            reasons={},
            flags=list(flags),
            criteria={},
            proposed_vetoes=[],
            vetoes=[],
            total=None,
            passed=None,
        ),
        facts=facts or Facts(),
    )


def wrong(shape: str) -> Facts:
    return Facts(fills=(FillFact(exercise="f", shape=shape, right=False),), lines=(LINE,))


def test_spellings_differ_in_what_python_sees_only() -> None:
    assert spelling("(a)/  b  # why") == spelling("a / b") == "a / b"
    assert spelling("(\n  a\n  / b\n)") == "a / b"
    assert spelling('{"k": 1}') == "{'k': 1}"
    assert spelling("a / c") != "a / b"
    assert spelling("a ÷  b") == "a ÷ b"
    assert spelling("(" * 5000 + ")" * 5000)  # too deep to parse: as it is


def test_the_view_counts_scores_and_groups_wrong_fills_and_lines() -> None:
    builder = ClassViewBuilder("lesson", QUESTIONS)
    right = Facts(fills=(FillFact(exercise="f", shape="a / b", right=True),))
    for one in (
        record("s1", 2.0, facts=right),
        record("s2", 0.0, 0.0, facts=wrong("a // b")),
        record("s3", 1.0, facts=wrong("b"), flags=(Flag.MEMORY,)),
        record("s4", 0.0, 2.0, facts=wrong("a // b")),
    ):
        builder.take(one)
    view = builder.view()
    normal, q1 = view.questions
    # (2 + 0 + 1 + 0) / 4; q1: two given, 0 and 2.
    assert (normal.full, normal.part, normal.none, normal.waiting, normal.mean) == (
        1,
        1,
        2,
        0,
        0.75,
    )
    assert (q1.full, q1.part, q1.none, q1.waiting, q1.mean) == (1, 0, 1, 2, 1.0)
    assert [(f.shape, f.students) for f in view.wrong_fills] == [
        ("a // b", ["s2", "s4"]),
        ("b", ["s3"]),
    ]
    assert [(one.line, one.students) for one in view.failing_lines] == [(7, ["s2", "s3", "s4"])]
    assert (view.statuses, view.flags) == ({"graded": 4}, {"memory": 1})


def test_nothing_a_learner_wrote_is_markdown_in_the_view() -> None:
    builder = ClassViewBuilder("lesson", QUESTIONS)
    builder.take(
        record("<b>|`x`", 0.0, facts=wrong("``<img onerror=1>`` | [x](javascript:1)\n# h"))
    )
    text = class_view_text(builder.view())
    row = next(line for line in text.splitlines() if "<img" in line)
    assert row.startswith("| `f` | ``` ``<img onerror=1>`` \\| [x](javascript:1) # h ``` | 1 | ")
    assert "`` <b>\\|`x` ``" in row


def test_marks_that_changed_and_why() -> None:
    before = [record("a", 2.0), record("b", None), record("c", 1.0), record("e", 0.0)]
    after = [
        record("a", 0.0, tests="t2"),
        record("b", 2.0, content="c2"),
        record("c", 1.0, tests="t2"),
        record("d", 2.0),
        record("e", 2.0),
    ]
    marks = {"a": {"normal": Mark(auto=0.0, manual=1.5, extra=None, needs_person=True)}}
    found = list(changed_marks(before, after, marks))
    assert [change.sentence() for change in found] == [
        "a normal: 2 -> 0 (tests; 1.5 by a person stands)",
        "b normal: waiting -> 2 (submission)",
        "e normal: 0 -> 2 (chance)",
    ]
    rows = list(csv.reader(io.StringIO(changes_csv(found))))
    assert rows[0] == ["student", "question", "before", "after", "because", "person"]
    assert rows[1] == ["a", "normal", "2", "0", "tests", "1.5"]
