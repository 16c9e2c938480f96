"""What the log comes to for grades and learners' pages."""

from __future__ import annotations

from autograder.grading.reviewed import ChainNote, LinkNote, Reviewed
from autograder.review.desk.answers import Answer
from autograder.review.desk.desk import Desk, Standing
from autograder.review.log.events import How, Mark
from autograder.rubric import Link

_QUOTES = 2
_QUOTE = 100
"""Characters of one quotation."""
_CLAUSES = "，。；！？,;!?\n"


def reviewed_class(
    desk: Desk, *, chains: bool = False, reference: bool = False
) -> dict[str, Reviewed]:
    """Student -> what people decided.

    Args:
        desk: The class.
        chains: Whether to read the answers again for what a learner's page says of them.
        reference: Whether that may say what a missing link is.
    """
    return {
        student: _reviewed(desk, student, chains=chains, reference=reference)
        for student in desk.answers.entries
    }


def _reviewed(desk: Desk, student: str, *, chains: bool, reference: bool) -> Reviewed:
    answers = {answer.question: answer for answer in desk.answers.of(student)}
    marks = desk.marks(student)
    criteria = {
        one.id: value
        for one in desk.rubric.criteria
        if (value := desk.criterion(student, one.id)) is not None
    }
    vetoes = [
        found
        for one in desk.rubric.vetoes
        if (found := desk.state.veto(student, one.id)) is not None
    ]
    return Reviewed(
        points={name: mark.score for name, mark in marks.items() if mark.score is not None},
        waiting=frozenset(
            name
            for name, answer in answers.items()
            # A mark that was taken back counts no more, whatever the gradebook still holds.
            if desk.state.mark(student, name) is not None
            and desk.standing(answer) is not Standing.MARKED
        ),
        in_bulk=tuple(name for name, mark in marks.items() if mark.how is How.BULK),
        criteria=criteria,
        vetoes={one.veto: one.reason for one in vetoes if one.standing},
        dismissed=frozenset(one.veto for one in vetoes if one.standing is False),
        comments={name: mark.comment for name, mark in marks.items() if mark.comment},
        chains={
            name: note
            for name, mark in marks.items()
            if chains and (note := _chain(desk, answers[name], mark, reference=reference))
        },
    )


def _chain(desk: Desk, answer: Answer, mark: Mark, *, reference: bool) -> ChainNote | None:
    question = desk.rubric.question(answer.question)
    suggestion = desk.suggestion(answer)
    if question is None or suggestion is None:
        return None
    by_person = mark.links is not None and mark.how in (How.PERSON, How.GROUP)
    if not by_person and not question.readable:
        return None
    read = {link.id: link for link in suggestion.links}
    there = (
        set(mark.links or ()) if by_person else {one.id for one in suggestion.links if one.present}
    )
    return ChainNote(
        by_person=by_person,
        links=tuple(
            _note(
                link,
                answer.text,
                read[link.id].evidence if link.id in read else (),
                present=link.id in there,
                reference=reference,
            )
            for link in question.links
            if link.id in there or link.ask or reference
        ),
    )


def _note(
    link: Link, text: str, evidence: tuple[tuple[int, int], ...], *, present: bool, reference: bool
) -> LinkNote:
    said = (_quote(text, start, end) for start, end in evidence[:_QUOTES] if present)
    quotes = tuple(dict.fromkeys(said))
    return LinkNote(
        present=present,
        quotes=quotes,
        question="" if present else link.ask,
        reference=link.line if reference else None,
    )


def _quote(text: str, start: int, end: int) -> str:
    """The clauses around a span: nobody recognises half a word as their own."""
    before = max(text.rfind(mark, 0, start) for mark in _CLAUSES) + 1
    after = min((at for mark in _CLAUSES if (at := text.find(mark, end)) >= 0), default=len(text))
    line = " ".join(text[before:after].split())
    return line if len(line) <= _QUOTE else f"{line[: _QUOTE - 1]}…"
