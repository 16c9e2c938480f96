"""The grade of a submission on which the grader itself failed: a person decides."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.grading.records import Flag, Question, Result, Status, Submission
from autograder.grading.scoring import CRITERIA

_ZH = "评分程序在处理这份提交时出错，由老师判定。"
_EN = "The grading program failed on this submission; a person decides."


def undecided(questions: Sequence[Question], submission: Submission, *, lang: str) -> Result:
    """No points and no zeros: a fault of the grader is never the learner's.

    Args:
        questions: The master's graded items, in order.
        submission: What was handed in.
        lang: BCP 47 language of the reasons.
    """
    reason = _ZH if lang.startswith("zh") else _EN
    flags = submission.flags | {Flag.CRASHED}
    return Result(
        student=submission.student,
        status=Status.CRASHED,
        reason=reason,
        scores={question.grade_id: None for question in questions},
        reasons={question.grade_id: reason for question in questions},
        flags=tuple(flag for flag in Flag if flag in flags),
        criteria=dict.fromkeys(CRITERIA),
        submitted_at=submission.submitted_at,
        late_s=submission.late_s,
        late=submission.late,
    )
