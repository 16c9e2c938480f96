"""The log and nbgrader's gradebook side by side: what goes from one to the other. Pure.

A mark of the log that the gradebook has not got yet goes there. One that it once had, and that is
another now, was changed in formgrader: that change comes in. What the gradebook has lost goes there
again: a gradebook that was made anew is no person's decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from autograder.grading.gradebook.marks import Given
from autograder.grading.gradebook.marks import Mark as Held
from autograder.grading.reports.coursedir import folder_name
from autograder.review.desk.answers import Answer, ClassAnswers
from autograder.review.log.events import How, Mark
from autograder.review.log.state import State

FORMGRADER = "formgrader"
"""Who marked, as far as the gradebook says."""
_TINY = 1e-9


def coming_in(  # noqa: PLR0913  (what the two sides say)
    answers: ClassAnswers,
    state: State,
    held: Mapping[str, Mapping[str, Held]],
    comments: Mapping[str, Mapping[str, str]],
    at: str,
    *,
    known: int | None = None,
) -> Iterator[Mark]:
    """Marks of formgrader's that the log does not have.

    Args:
        answers: What is read.
        state: What the log says.
        held: The gradebook's: folder name -> grade_id -> mark.
        comments: The gradebook's: folder name -> grade_id -> comment.
        at: The time now, as the log has it.
        known: How long the log was before the gradebook was read: what another server has handed
            over since is not in `held`, and no change of formgrader's. None: as long as it is.
    """
    for answer in _each(answers):
        folder = folder_name(answer.student)
        found = held.get(folder, {}).get(answer.question)
        if found is None or found.manual is None:
            continue
        comment = comments.get(folder, {}).get(answer.question, "")
        mine = state.mark(answer.student, answer.question)
        if mine is not None and (
            not state.handed(mine, known) or _same(mine, found.manual, comment)
        ):
            continue
        yield Mark(
            at=at,
            by=FORMGRADER,
            based_on=0 if mine is None else mine.seq,
            student=answer.student,
            question=answer.question,
            # A mark that the gradebook itself doubts was given for another answer.
            answer="" if found.needs_person else answer.digest,
            score=found.manual,
            comment=comment,
            links=mine.links if mine is not None else None,
            how=How.FORMGRADER,
        )


def going_out(
    answers: ClassAnswers, state: State, held: Mapping[str, Mapping[str, Held]]
) -> Iterator[tuple[Mark, Given]]:
    """Marks of the log that the gradebook does not have."""
    for answer in _each(answers):
        mine = state.mark(answer.student, answer.question)
        if mine is None:
            continue
        folder = folder_name(answer.student)
        found = held.get(folder, {}).get(answer.question)
        lost = found is not None and found.manual is None and mine.score is not None
        if state.handed(mine) and not lost:
            continue
        yield (
            mine,
            Given(folder=folder, grade_id=answer.question, points=mine.score, comment=mine.comment),
        )


def overtaken(state: State, handed: Iterable[Mark], before: Iterable[Given], at: str) -> list[Mark]:
    """What to append when marks went over some of formgrader's that the log has never had.

    Theirs is kept among the earlier ones, and the newest of the log stands again after it.

    Args:
        state: What the log says.
        handed: What was written into the gradebook.
        before: What a person had given there.
        at: The time now, as the log has it.
    """
    lost = {(one.folder, one.grade_id): one for one in before}
    found = []
    for mark in handed:
        theirs = lost.get((folder_name(mark.student), mark.question))
        if theirs is not None:
            found += _both(state, mark, theirs, at)
    return found


def _both(state: State, mark: Mark, before: Given, at: str) -> list[Mark]:
    given = [one for one in state.earlier(mark.target) if isinstance(one, Mark)]
    had = next((one for one in reversed(given) if state.handed(one)), None)
    points, comment = before.points, before.comment or ""
    if points is None or (had is not None and _same(had, points, comment)):
        return []
    newest = given[-1] if given else mark
    again = msgspec.structs.replace(newest, seq=0, at=at, based_on=newest.seq, undoes=None)
    theirs = msgspec.structs.replace(
        again,
        by=FORMGRADER,
        how=How.FORMGRADER,
        score=points,
        comment=comment,
        links=None,
        blind=False,
        batch=None,
        above=None,
    )
    return [theirs, again]


def _each(answers: ClassAnswers) -> Iterator[Answer]:
    for row in answers.by_question.values():
        yield from row.values()


def _same(mine: Mark, points: float, comment: str) -> bool:
    return mine.score is not None and abs(mine.score - points) < _TINY and mine.comment == comment
