"""From what a reviewer does to lines for the log."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import msgspec

from autograder.errors import UsageError
from autograder.review.desk.answers import Answer
from autograder.review.desk.desk import Desk, Standing
from autograder.review.log.events import (
    Criterion,
    Event,
    How,
    Mark,
    Reopening,
    Veto,
)
from autograder.review.log.logfile import now
from autograder.review.log.state import State

_TINY = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a reviewer says of an answer.

    Attributes:
        by: The reviewer.
        score: In steps of the rubric.
        links: Ids of the links that are there; None when nobody said.
        request: Of the page, so that one that is sent twice counts once.
        based_on: The newest mark of the answer that they had seen; 0: none.
        answer: Digest of the text that they had seen.
    """

    by: str
    score: float
    comment: str
    links: tuple[str, ...] | None
    based_on: int
    answer: str
    request: str | None = None


class StaleAnswerError(UsageError):
    """The answer that was read is no longer the one that counts."""


def mark(desk: Desk, answer: Answer, reading: Reading) -> Mark:
    """The mark of one answer.

    Raises:
        UsageError: The points are none of the question's.
        StaleAnswerError: The submission was graded anew meanwhile, and says something else.
    """
    _check_points(desk, answer.question, reading.score)
    if reading.answer != answer.digest:
        raise StaleAnswerError("The answer has changed meanwhile. Read it again.")
    found = desk.suggestion(answer)
    return Mark(
        at=now(),
        by=reading.by,
        based_on=reading.based_on,
        student=answer.student,
        question=answer.question,
        answer=answer.digest,
        score=reading.score + 0.0,  # -0.0 is none that anybody gave
        comment=reading.comment,
        links=reading.links,
        blind=not desk.agreement(reading.by, answer.question).enough,
        suggested=found.score if found else None,
        confidence=found.confidence if found else None,
        batch=reading.request,
    )


def group_marks(desk: Desk, answer: Answer, by: str) -> list[Mark]:
    """The mark of one answer for all that are nearly the same and still open.

    Raises:
        UsageError: That answer has no mark.
    """
    given = desk.state.standing(answer.student, answer.question, answer.digest)
    if given is None:
        raise UsageError("This answer has no mark yet. Mark it first.")
    batch = secrets.token_hex(4)
    members = desk.order(answer.question).group.get(answer.student, ())
    marks = []
    for student in members:
        other = desk.answers.answer(student, answer.question)
        if other is None or desk.standing(other) is not Standing.OPEN:
            continue
        found = desk.suggestion(other)
        fresh = msgspec.structs.replace(given, at=now(), by=by, student=student)
        marks.append(
            msgspec.structs.replace(
                fresh,
                answer=other.digest,
                how=How.GROUP,
                based_on=newest(desk.state, fresh),
                undoes=None,
                batch=batch,
                suggested=found.score if found else None,
                confidence=found.confidence if found else None,
                above=None,
            )
        )
    return marks


def bulk_marks(desk: Desk, question: str, by: str, above: float) -> list[Mark]:
    """The suggestions of a confidence for all open answers that a reviewer is to read.

    Answers that changed or were opened anew, and those for which a veto is proposed, are left to a
    person.

    Raises:
        UsageError: The reviewer has not marked enough answers without suggestions, or what was
            chosen is no confidence.
    """
    if not 0 < above <= 1:
        raise UsageError(f"{above:g} is no confidence. Choose one above 0 and at most 1.")
    known = desk.agreement(by, question)
    if not known.enough:
        raise UsageError(
            f"{by} has marked {known.blind} answers of {question} without suggestions. "
            "Mark more of them first."
        )
    batch = secrets.token_hex(4)
    marks = []
    for student in desk.mine(question, by):
        answer = desk.answers.answer(student, question)
        if answer is None or desk.standing(answer) is not Standing.OPEN:
            continue
        found = desk.suggestion(answer)
        if found is None or found.score is None or found.vetoes or found.confidence < above:
            continue
        fresh = Mark(
            at=now(),
            by=by,
            student=student,
            question=question,
            answer=answer.digest,
            score=found.score,
            links=tuple(link.id for link in found.links if link.present),
            how=How.BULK,
            blind=False,
            suggested=found.score,
            confidence=found.confidence,
            above=above,
            batch=batch,
        )
        marks.append(msgspec.structs.replace(fresh, based_on=newest(desk.state, fresh)))
    return marks


def criterion(  # noqa: PLR0913  (what a criterion says)
    desk: Desk, student: str, name: str, *, value: bool | None, by: str, based_on: int
) -> Criterion:
    """A decision about a criterion.

    Raises:
        UsageError: There is none of that name for a person to decide.
    """
    if name not in {one.id for one in desk.rubric.criteria if one.decided_by == "person"}:
        raise UsageError(f"{name!r} is no criterion that a person decides.")
    return Criterion(
        at=now(), by=by, student=student, criterion=name, value=value, based_on=based_on
    )


def veto(  # noqa: PLR0913  (what a veto says)
    desk: Desk,
    student: str,
    name: str,
    *,
    standing: bool,
    reason: str,
    question: str | None,
    by: str,
    based_on: int,
) -> Veto:
    """A decision about a veto.

    Raises:
        UsageError: There is none of that name, or one stands without a reason.
    """
    if name not in {one.id for one in desk.rubric.vetoes}:
        raise UsageError(f"{name!r} is no veto of this lesson.")
    if standing and not reason.strip():
        raise UsageError("A veto needs its reason. Write one; the learner reads it.")
    return Veto(
        at=now(),
        by=by,
        student=student,
        veto=name,
        standing=standing,
        reason=reason.strip(),
        question=question,
        based_on=based_on,
    )


def reopening(student: str, *, by: str, reason: str) -> Reopening:
    """An appeal; the marks that were given stay in the log and are shown."""
    return Reopening(at=now(), by=by, student=student, reason=reason)


def newest(state: State, event: Event) -> int:
    """The number of the newest line about what an event is about; 0: there is none."""
    found = state.newest(event.target)
    return 0 if found is None else found.seq


def _check_points(desk: Desk, question: str, score: float) -> None:
    most = next(one.points for one in desk.answers.questions if one.grade_id == question)
    steps = score / desk.rubric.step
    if not 0 <= score <= most or abs(steps - round(steps)) > _TINY:
        raise UsageError(
            f"{score:g} is no score of {question}: 0 to {most:g} in steps of {desk.rubric.step:g}."
        )
