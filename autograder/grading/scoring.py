"""Outcomes -> scores, reasons, flags, criteria and totals: pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from autograder.grading.records import (
    Flag,
    Outcome,
    Plan,
    Question,
    Result,
    Run,
    Status,
    Submission,
    Verdict,
)

CRITERIA = ("checks_passed", "causal_chains", "correctness_boundary", "tradeoff")

# What an edit that a machine can see says about a veto; a person decides.
PROPOSES_VETO: Mapping[Flag, str] = MappingProxyType({Flag.GUARD_REMOVED: "removes_failure_path"})

_WORDS = MappingProxyType(
    {
        "zh": MappingProxyType(
            {
                "missing": "没有收到你的提交。",
                "untouched": "没有作答。",
                "timeout": "运行超过了时间上限，被停止。",
                "crashed": "运行时进程意外退出。",
                "not-run": "这一题没有运行到：提交在此之前被停止。",
                "failed": "检查未通过。",
                "person": "这一题由老师判定。",
                "ended-timeout": "有单元格或检查超过了时间上限，被停止；只影响依赖它的部分。",
                "ended-crashed": "有单元格或检查让进程意外退出；只影响依赖它的部分。",
            }
        ),
        "en": MappingProxyType(
            {
                "missing": "Nothing was handed in.",
                "untouched": "Not answered.",
                "timeout": "It ran past the time limit and was stopped.",
                "crashed": "The process ended unexpectedly while it ran.",
                "not-run": "This was not reached: the run was stopped before it.",
                "failed": "The checks did not pass.",
                "person": "A person decides on this one.",
                "ended-timeout": "A cell or a check ran past the time limit and was stopped; "
                "only what depends on it is affected.",
                "ended-crashed": "A cell or a check ended the process; "
                "only what depends on it is affected.",
            }
        ),
    }
)


def score(  # noqa: PLR0913  each is one of the things a grade depends on
    questions: Iterable[Question],
    submission: Submission,
    plan: Plan | None,
    run: Run | None,
    *,
    lang: str,
    pass_total: float,
) -> Result:
    """The grade of one submission.

    Args:
        questions: The master's graded items, in order.
        submission: What was handed in.
        plan: How it was read; None when it could not be.
        run: How it ran; None when it was not run.
        lang: BCP 47 language of the reasons.
        pass_total: The least total that passes.

    Returns:
        A result in which every question has a score, or None and a reason.
    """
    words = _WORDS["zh" if lang.startswith("zh") else "en"]
    asked = tuple(questions)
    if plan is None or run is None:
        return _without_notebook(asked, submission, words)
    scores: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for question in asked:
        points, reason = (
            _manual(question, plan, words)
            if question.manual
            else _automatic(question, plan, run, words)
        )
        scores[question.grade_id] = points
        if reason is not None:
            reasons[question.grade_id] = reason
    flags = plan.flags | run.flags | submission.flags
    known = [points for points in scores.values() if points is not None]
    total = sum(known) if len(known) == len(scores) else None
    criteria = _criteria(checks_passed(asked, scores))
    return Result(
        student=submission.student,
        status=run.status,
        reason=run.reason or words.get(f"ended-{run.status}"),
        scores=scores,
        reasons=reasons,
        flags=tuple(flag for flag in Flag if flag in flags),
        criteria=criteria,
        proposed_vetoes=tuple(veto for flag, veto in PROPOSES_VETO.items() if flag in flags),
        total=total,
        passed=passes(total, criteria, vetoes=(), pass_total=pass_total),
        submitted_at=submission.submitted_at,
        late_s=submission.late_s,
        late=submission.late,
    )


def passes(
    total: float | None,
    criteria: Mapping[str, bool | None],
    *,
    vetoes: tuple[str, ...],
    pass_total: float,
) -> bool | None:
    """Whether a submission passes; None while what is still open could decide it."""
    if total is None:
        return None
    if total < pass_total or vetoes or False in criteria.values():
        return False
    return None if None in criteria.values() else True


def checks_passed(questions: Iterable[Question], scores: Mapping[str, float | None]) -> bool | None:
    """Whether every tests cell of normal inputs gave full points; None while a person must say."""
    normal = [question for question in questions if question.category == "normal"]
    if any(scores[question.grade_id] is None for question in normal):
        return None
    # Extra credit on one of them is no failure.
    return all((scores[question.grade_id] or 0.0) >= question.points for question in normal)


def _criteria(passed: bool | None) -> Mapping[str, bool | None]:
    return {name: passed if name == "checks_passed" else None for name in CRITERIA}


def _without_notebook(
    questions: tuple[Question, ...], submission: Submission, words: Mapping[str, str]
) -> Result:
    reason = words["missing"] if submission.missing else submission.unreadable
    return Result(
        student=submission.student,
        status=Status.MISSING if submission.missing else Status.UNREADABLE,
        reason=reason,
        scores={question.grade_id: 0.0 for question in questions},
        reasons={question.grade_id: reason or "" for question in questions},
        flags=tuple(flag for flag in Flag if flag in submission.flags),
        criteria=_criteria(False),
        total=0.0,
        passed=False,
        submitted_at=submission.submitted_at,
        late_s=submission.late_s,
        late=submission.late,
    )


def _manual(
    question: Question, plan: Plan, words: Mapping[str, str]
) -> tuple[float | None, str | None]:
    answer = plan.free_texts.get(question.grade_id)
    if answer is None or answer.untouched:
        return 0.0, plan.reasons.get(question.grade_id, words["untouched"])
    return None, plan.reasons.get(question.grade_id)


def _automatic(
    question: Question, plan: Plan, run: Run, words: Mapping[str, str]
) -> tuple[float | None, str | None]:
    fill = plan.fills.get(question.exercise or "")
    if fill is not None and fill.spliced is None:
        return 0.0, fill.reason or words["failed"]
    ran = run.cells.get(question.exercise or "")
    if ran is not None and ran.status in {Outcome.TIMEOUT, Outcome.CRASHED}:
        return 0.0, words[ran.status]
    verdict = run.verdicts.get(question.grade_id)
    if verdict is None:
        return 0.0, plan.reasons.get(question.grade_id) or run.reason or words["not-run"]
    return _judged(question, verdict, words)


def _judged(
    question: Question, verdict: Verdict, words: Mapping[str, str]
) -> tuple[float | None, str | None]:
    if verdict.outcome is Outcome.PASSED:
        if verdict.score is None or verdict.score == question.points:
            return question.points, None
        return verdict.score, verdict.sentence
    # An error is the author's or the grader's fault, never the learner's: a person decides.
    if verdict.outcome in {Outcome.CANNOT_TELL, Outcome.ERROR}:
        return None, verdict.sentence or words["person"]
    if verdict.outcome in {Outcome.TIMEOUT, Outcome.CRASHED}:
        return 0.0, words[verdict.outcome]
    return 0.0, verdict.sentence or words["failed"]
