"""Scores, totals and the pass rule, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from autograder.grading.records import (
    CellRun,
    Fill,
    Flag,
    FreeText,
    Outcome,
    Plan,
    Question,
    Result,
    Run,
    Status,
    Submission,
    Verdict,
)
from autograder.grading.scoring import passes, score

QUESTIONS = (
    Question(grade_id="normal", points=2, manual=False, exercise="f", category="normal"),
    Question(grade_id="boundary", points=0.5, manual=False, exercise="f", category="boundary"),
    Question(grade_id="q1", points=2, manual=True),
)


def graded(  # noqa: PLR0913  each is one of the things a grade depends on
    *,
    fill: Fill | None = None,
    verdicts: Mapping[str, Verdict] | None = None,
    cell_status: str = "ok",
    text: str = "因为……",
    flags: frozenset[Flag] = frozenset(),
    questions: tuple[Question, ...] = QUESTIONS,
) -> Result:
    fill = fill or Fill(exercise="f", spliced="def f(): ...", learner_source="def f(): ...")
    plan = Plan(
        steps=(),
        fills={"f": fill},
        free_texts={"q1": FreeText(grade_id="q1", text=text, untouched=not text)},
        flags=flags | fill.flags,
        reasons={},
        notebook=None,
    )
    run = Run(
        cells={"f": CellRun(id="f", status=cell_status)},
        verdicts=verdicts if verdicts is not None else both(Outcome.PASSED),
    )
    submission = Submission(student="s", notebook=object())
    return score(questions, submission, plan, run, lang="zh-CN", pass_total=3.6)


def both(outcome: Outcome, **more: object) -> dict[str, Verdict]:
    names = ("normal", "boundary")
    return {name: Verdict(grade_id=name, outcome=outcome, **more) for name in names}  # type: ignore[arg-type]


def test_passing_tests_give_full_points_and_free_text_waits_for_a_person() -> None:
    result = graded()
    assert result.scores == {"normal": 2.0, "boundary": 0.5, "q1": None}
    assert result.total is None
    assert result.passed is None
    assert result.criteria["checks_passed"] is True


def test_untouched_free_text_is_zero_and_the_total_known() -> None:
    result = graded(text="")
    assert result.scores["q1"] == 0.0
    assert result.total == 2.5
    assert result.passed is False  # 2.5 < 3.6
    assert result.reasons["q1"] == "没有作答。"


def test_a_failed_check_is_zero_with_the_verdicts_sentence() -> None:
    result = graded(verdicts=both(Outcome.FAILED, sentence="少了一次乘法。"))
    assert result.scores["normal"] == 0.0
    assert result.reasons["normal"] == "少了一次乘法。"
    assert result.criteria["checks_passed"] is False


def test_partial_credit_is_kept_and_does_not_pass_the_checks() -> None:
    verdicts = both(Outcome.PASSED) | {
        "normal": Verdict(grade_id="normal", outcome=Outcome.PASSED, score=1.5)
    }
    result = graded(verdicts=verdicts)
    assert result.scores["normal"] == 1.5
    assert result.criteria["checks_passed"] is False


def test_cannot_tell_goes_to_a_person_not_to_zero() -> None:
    result = graded(verdicts=both(Outcome.CANNOT_TELL))
    assert result.scores["normal"] is None
    assert result.reasons["normal"] == "这一题由老师判定。"
    assert result.criteria["checks_passed"] is None


def test_no_fill_is_zero_with_the_fills_reason() -> None:
    fill = Fill(exercise="f", spliced=None, learner_source="", reason="空白还在。")
    result = graded(fill=fill, verdicts={})
    assert result.scores == {"normal": 0.0, "boundary": 0.0, "q1": None}
    assert result.reasons["boundary"] == "空白还在。"


@pytest.mark.parametrize("outcome", [Outcome.TIMEOUT, Outcome.CRASHED])
def test_an_exercise_cell_that_never_ended_costs_its_tests(outcome: Outcome) -> None:
    result = graded(cell_status=outcome, verdicts={})
    assert result.scores["normal"] == 0.0
    assert result.reasons["normal"] != ""


def test_a_removed_guard_proposes_a_veto_and_changes_no_score() -> None:
    result = graded(flags=frozenset({Flag.GUARD_REMOVED}))
    assert result.proposed_vetoes == ("removes_failure_path",)
    assert result.vetoes == ()
    assert result.scores["normal"] == 2.0


def test_nothing_handed_in_scores_zero_throughout() -> None:
    missing = Submission(student="s", missing=True)
    result = score(QUESTIONS, missing, None, None, lang="en", pass_total=3.6)
    assert result.status is Status.MISSING
    assert result.scores == {"normal": 0.0, "boundary": 0.0, "q1": 0.0}
    assert (result.total, result.passed) == (0.0, False)
    assert result.reason == "Nothing was handed in."


def test_unreadable_keeps_intakes_reason() -> None:
    broken = Submission(student="s", unreadable="文件是空的。")
    result = score(QUESTIONS, broken, None, None, lang="zh-CN", pass_total=3.6)
    assert result.status is Status.UNREADABLE
    assert result.reason == "文件是空的。"
    assert result.total == 0.0


TRUE = {
    "checks_passed": True,
    "causal_chains": True,
    "correctness_boundary": True,
    "tradeoff": True,
}


@pytest.mark.parametrize(
    ("total", "criteria", "vetoes", "expected"),
    [
        (8.0, TRUE, (), True),
        (7.5, TRUE, (), False),
        (None, TRUE, (), None),
        (10.0, TRUE | {"tradeoff": None}, (), None),
        (10.0, TRUE | {"tradeoff": False}, (), False),
        (8.0, TRUE | {"checks_passed": False}, (), False),
        (10.0, TRUE, ("mean_hides_tail",), False),
    ],
)
def test_the_pass_rule(
    total: float | None,
    criteria: Mapping[str, bool | None],
    vetoes: tuple[str, ...],
    expected: bool | None,
) -> None:
    assert passes(total, criteria, vetoes=vetoes, pass_total=8.0) is expected
