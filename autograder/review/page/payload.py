"""What the page is sent: plain data, and of learners no more than an anonymous name."""

from __future__ import annotations

from typing import Any

from autograder.grading.reports.display import plain_text
from autograder.review.desk.answers import Answer, NotebookReader
from autograder.review.desk.desk import WHOLE, Desk, Standing
from autograder.review.log.events import Event, Mark
from autograder.review.page.code import code_shown
from autograder.review.records import Suggestion
from autograder.rubric import QuestionRubric

_EXCERPT = 120
_MEMBERS = 8
_LABEL = 6
"""Characters of an anonymous name that people see."""


def item(  # noqa: PLR0913  (what decides what is shown)
    desk: Desk, student: str, question: str, *, by: str, names: bool, reader: NotebookReader
) -> dict[str, Any]:
    """An answer, or with `WHOLE` a submission, and all that lies beside it."""
    name = desk.state.name(student)
    about = {
        "item": name,
        "question": question,
        "label": name[:_LABEL],
        "student": plain_text(student) if names else None,
        "criteria": criteria(desk, student),
        "vetoes": vetoes(desk, student),
        "reopened": _reopened(desk, student),
        # What a machine proposes from code can only be judged by the code.
        "code": code_shown(reader.code(student))
        if desk.answers.entries[student].proposed_vetoes
        else [],
    }
    if question == WHOLE:
        answers = [_answer(desk, one, by, reader) for one in desk.answers.of(student)]
        return about | {"answers": answers}
    answer = desk.answers.answer(student, question)
    if answer is None:
        raise LookupError(question)
    return about | _answer(desk, answer, by, reader) | {"group": _group(desk, answer)}


def _answer(desk: Desk, answer: Answer, by: str, reader: NotebookReader) -> dict[str, Any]:
    mark = desk.state.mark(answer.student, answer.question)
    found = desk.suggestion(answer)
    known = desk.agreement(by, answer.question)
    pictures = (
        reader.pictures(answer.student, answer.question) if "attachment:" in answer.text else []
    )
    return {
        "question": answer.question,
        "text": answer.text,
        "digest": answer.digest,
        "reason": answer.reason,
        "pictures": pictures,
        "standing": str(desk.standing(answer)),
        "mark": mark_shown(mark),
        "based_on": 0 if mark is None else mark.seq,
        "earlier": [
            mark_shown(one)
            for one in desk.state.earlier(("mark", answer.student, answer.question))[:-1]
            if isinstance(one, Mark)
        ],
        "evidence": _evidence(found),
        "suggestion": _suggestion(found) if known.enough else None,
    }


def _evidence(found: Suggestion | None) -> list[dict[str, Any]]:
    return [
        {"link": link.id, "spans": [list(span) for span in link.evidence]}
        for link in (found.links if found else ())
        if link.present
    ]


def _suggestion(found: Suggestion | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "score": found.score,
        "confidence": found.confidence,
        "flags": [str(flag) for flag in found.flags],
    }


def mark_shown(mark: Event | None) -> dict[str, Any] | None:
    """A mark as the page shows it."""
    if not isinstance(mark, Mark):
        return None
    return {
        "seq": mark.seq,
        "score": mark.score,
        "comment": mark.comment,
        "links": None if mark.links is None else list(mark.links),
        "by": mark.by,
        "at": mark.at,
        "how": str(mark.how),
        "above": mark.above,
    }


def criteria(desk: Desk, student: str) -> list[dict[str, Any]]:
    """The criteria that a person decides, with what the marks propose."""
    proposed = desk.proposals(student)
    found = []
    for name, proposal in proposed.items():
        event = desk.state.criterion(student, name)
        found.append(
            {
                "id": name,
                "value": None if event is None else event.value,
                "based_on": 0 if event is None else event.seq,
                "by": None if event is None else event.by,
                "proposal": proposal,
            }
        )
    return found


def vetoes(desk: Desk, student: str) -> list[dict[str, Any]]:
    """The rubric's vetoes as they stand for a student, and which are proposed."""
    proposed = desk.proposed_vetoes(student)
    found = []
    for one in desk.rubric.vetoes:
        event = desk.state.veto(student, one.id)
        found.append(
            {
                "id": one.id,
                "standing": None if event is None else event.standing,
                "reason": "" if event is None else event.reason,
                "by": None if event is None else event.by,
                "based_on": 0 if event is None else event.seq,
                "proposed": one.id in proposed,
                "from": proposed.get(one.id),
            }
        )
    return found


def _reopened(desk: Desk, student: str) -> dict[str, Any] | None:
    event = desk.state.reopened(student)
    return None if event is None else {"by": event.by, "at": event.at, "reason": event.reason}


def _group(desk: Desk, answer: Answer) -> dict[str, Any]:
    """Who wrote nearly the same: how many, how many of them are open, and the first few."""
    others = [
        other
        for student in desk.order(answer.question).group.get(answer.student, ())
        if student != answer.student
        and (other := desk.answers.answer(student, answer.question)) is not None
    ]
    return {
        "size": len(others),
        "open": sum(1 for one in others if desk.standing(one) is Standing.OPEN),
        "members": [_member(desk, one, answer) for one in others[:_MEMBERS]],
    }


def _member(desk: Desk, other: Answer, answer: Answer) -> dict[str, Any]:
    name = desk.state.name(other.student)
    mark = desk.state.standing(other.student, other.question, other.digest)
    return {
        "item": name,
        "label": name[:_LABEL],
        "same": other.digest == answer.digest,
        "excerpt": other.text[:_EXCERPT],
        "score": None if mark is None else mark.score,
    }


def question_shown(question: QuestionRubric | None, desk: Desk) -> dict[str, Any]:
    """What the rubric says of a question."""
    if question is None:
        return {"links": [], "levels": [], "public": [], "conclusion": ""}
    return {
        "links": [
            {
                "id": link.id,
                "line": link.line,
                "mechanism": link.mechanism,
                "evidence": list(link.evidence),
                "ask": link.ask,
            }
            for link in question.links
        ],
        "levels": [
            {"score": level.score, "public": level.public, "note": level.note}
            for level in desk.rubric.levels_of(question)
        ],
        "public": list(question.public),
        "conclusion": question.conclusion.text,
    }
