"""Automatic scores and people's decisions together: pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from autograder.grading.gradebook.marks import Mark
from autograder.grading.records import Question
from autograder.grading.reports.coursedir import folder_name
from autograder.grading.reports.export import Automatic, Grades, SubmissionGrade
from autograder.grading.reviewed import Reviewed
from autograder.grading.scoring import checks_passed, passes

_NOTHING = Reviewed()


@dataclass(frozen=True, kw_only=True, slots=True)
class VetoEffect:
    """What a veto does to the number that leaves the course; that it fails is never in question.

    Attributes:
        most: The exported total is at most this; None leaves the total as it is.
    """

    most: float | None = None


def automatic(grades: Grades) -> Grades:
    """The grades as grading alone left them, without what people gave."""
    return msgspec.structs.replace(
        grades, submissions=[_automatic(entry) for entry in grades.submissions]
    )


def with_marks(
    grades: Grades,
    marks: Mapping[str, Mapping[str, Mark]],
    *,
    questions: Sequence[Question],
    pass_total: float,
    reviewed: Mapping[str, Reviewed] | None = None,
) -> Grades:
    """The grades with what people decided; totals and the pass rule follow.

    A person's points go before the automatic ones, extra credit is added, and a reason that the
    automatic score had goes with it. Criteria and vetoes are the review's, but for
    `checks_passed`, which follows from the points.

    Args:
        grades: From grades.json; what people gave in it is worked out anew.
        marks: Folder name -> grade_id -> mark, as `read_marks` gives them.
        questions: The master's graded items.
        pass_total: The least total that passes.
        reviewed: Student -> what the review log holds.
    """
    known = reviewed or {}
    return msgspec.structs.replace(
        grades,
        submissions=[
            _with_marks(
                _automatic(entry),
                marks.get(folder_name(entry.student), {}),
                known.get(entry.student, _NOTHING),
                questions,
                pass_total,
            )
            for entry in grades.submissions
        ],
    )


def with_vetoes(grades: Grades, effect: VetoEffect) -> tuple[Grades, list[str]]:
    """The grades as they leave the course.

    Returns:
        The grades, and the students whose exported total is not the sum of their points.
    """
    lowered: list[str] = []
    entries = []
    for entry in grades.submissions:
        most = effect.most
        if most is None or not entry.vetoes or entry.total is None or entry.total <= most:
            entries.append(entry)
        else:
            lowered.append(entry.student)
            entries.append(msgspec.structs.replace(entry, total=most))
    return msgspec.structs.replace(grades, submissions=entries), lowered


def waiting(entry: SubmissionGrade) -> list[str]:
    """The questions that still wait for a person."""
    return [name for name, score in entry.scores.items() if score is None]


def _automatic(entry: SubmissionGrade) -> SubmissionGrade:
    if entry.automatic is msgspec.UNSET:
        return entry
    before = entry.automatic
    reasons = entry.reasons | {name: one.reason for name, one in before.items() if one.reason}
    return msgspec.structs.replace(
        entry,
        scores={
            name: before[name].score if name in before else score
            for name, score in entry.scores.items()
        },
        # In the lesson's order, as they were.
        reasons={name: reasons[name] for name in entry.scores if name in reasons},
        criteria={
            name: None if name != "checks_passed" else value
            for name, value in entry.criteria.items()
        },
        vetoes=[],
        total=None,
        passed=None,
        automatic=msgspec.UNSET,
        accepted_in_bulk=msgspec.UNSET,
    )


def _with_marks(
    entry: SubmissionGrade,
    marks: Mapping[str, Mark],
    reviewed: Reviewed,
    questions: Sequence[Question],
    pass_total: float,
) -> SubmissionGrade:
    asked = [question for question in questions if question.grade_id in entry.scores]
    manual = {question.grade_id for question in asked if question.manual}
    scores = {
        name: _score(name, score, marks.get(name), reviewed, manual=name in manual)
        for name, score in entry.scores.items()
    }
    given = {name for name, mark in marks.items() if mark.manual is not None} | set(reviewed.points)
    criteria = entry.criteria | {
        name: value for name, value in reviewed.criteria.items() if name in entry.criteria
    }
    if "checks_passed" in criteria:
        criteria["checks_passed"] = checks_passed(asked, scores)
    known = [score for score in scores.values() if score is not None]
    # Rounded far below any point: tenths of points must not add up to 7.999999999999999.
    total = round(math.fsum(known), 6) if len(known) == len(scores) else None
    before = {
        name: Automatic(score=entry.scores[name], reason=entry.reasons.get(name))
        for name in entry.scores
        if scores[name] != entry.scores[name] or (name in given and name in entry.reasons)
    }
    vetoes = list(reviewed.vetoes)
    merged = msgspec.structs.replace(
        entry,
        scores=scores,
        reasons={name: reason for name, reason in entry.reasons.items() if name not in given},
        criteria=criteria,
        vetoes=vetoes,
        total=total,
        passed=passes(total, criteria, vetoes=tuple(vetoes), pass_total=pass_total),
    )
    if merged == entry:
        return entry
    merged.automatic = before
    if reviewed.in_bulk:
        merged.accepted_in_bulk = list(reviewed.in_bulk)
    return merged


def _score(
    name: str, automatic: float | None, mark: Mark | None, reviewed: Reviewed, *, manual: bool
) -> float | None:
    if name in reviewed.waiting:
        return None
    given = reviewed.points.get(name)
    if given is None and mark is not None:
        if manual and mark.manual is not None and mark.needs_person:
            return None  # the answer has changed under the mark: its reader is asked
        given = mark.manual
    given = automatic if given is None else given
    extra = (mark.extra if mark is not None else None) or 0.0
    return None if given is None else float(given + extra)
