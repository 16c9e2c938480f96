"""Automatic scores and a person's points together: pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from autograder.grading.gradebook.marks import Mark
from autograder.grading.records import Question
from autograder.grading.reports.coursedir import folder_name
from autograder.grading.reports.export import Grades, SubmissionGrade
from autograder.grading.scoring import checks_passed, passes


def with_marks(
    grades: Grades,
    marks: Mapping[str, Mapping[str, Mark]],
    *,
    questions: Sequence[Question],
    pass_total: float,
) -> Grades:
    """The grades with what people gave in formgrader; totals and the pass rule follow.

    A person's points go before the automatic ones, extra credit is added, and a reason that the
    automatic score had goes with it. Criteria and vetoes stay as they are, but for
    `checks_passed`.

    Args:
        grades: The automatic ones.
        marks: Folder name -> grade_id -> mark, as `read_marks` gives them.
        questions: The master's graded items.
        pass_total: The least total that passes.
    """
    return msgspec.structs.replace(
        grades,
        submissions=[
            _with_marks(entry, marks.get(folder_name(entry.student), {}), questions, pass_total)
            for entry in grades.submissions
        ],
    )


def waiting(entry: SubmissionGrade) -> list[str]:
    """The questions that still wait for a person."""
    return [name for name, score in entry.scores.items() if score is None]


def _with_marks(
    entry: SubmissionGrade,
    marks: Mapping[str, Mark],
    questions: Sequence[Question],
    pass_total: float,
) -> SubmissionGrade:
    scores = {name: _score(score, marks.get(name)) for name, score in entry.scores.items()}
    if scores == entry.scores:
        return entry
    given = {name for name, mark in marks.items() if mark.manual is not None}
    known = [score for score in scores.values() if score is not None]
    # Rounded far below any point: tenths of points must not add up to 7.999999999999999.
    total = round(math.fsum(known), 6) if len(known) == len(scores) else None
    criteria = dict(entry.criteria)
    asked = [question for question in questions if question.grade_id in scores]
    if "checks_passed" in criteria and any(
        scores[q.grade_id] != entry.scores[q.grade_id] for q in asked if not q.manual
    ):
        criteria["checks_passed"] = checks_passed(asked, scores)
    return msgspec.structs.replace(
        entry,
        scores=scores,
        reasons={name: reason for name, reason in entry.reasons.items() if name not in given},
        criteria=criteria,
        total=total,
        passed=passes(total, criteria, vetoes=tuple(entry.vetoes), pass_total=pass_total),
    )


def _score(automatic: float | None, mark: Mark | None) -> float | None:
    if mark is None:
        return automatic
    given = automatic if mark.manual is None else mark.manual
    return None if given is None else float(given + (mark.extra or 0.0))
