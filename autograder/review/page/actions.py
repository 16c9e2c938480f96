"""What each decision that the page sends comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from autograder.review.desk import decisions
from autograder.review.desk.allocation import allocation_of
from autograder.review.desk.answers import Answer
from autograder.review.desk.undo import undoing
from autograder.review.log.events import Event, Mark
from autograder.review.log.logfile import ConflictError, now
from autograder.review.page import payload, requests
from autograder.review.page.session import Session

_Act = Callable[[Any], dict[str, Any]]


class Actions:
    """The decisions of one request.

    Args:
        session: The running review.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.known: dict[str, tuple[type[requests.Request], _Act]] = {
            "mark": (requests.MarkRequest, self.mark),
            "group": (requests.GroupRequest, self.group),
            "criterion": (requests.CriterionRequest, self.criterion),
            "veto": (requests.VetoRequest, self.veto),
            "bulk": (requests.BulkRequest, self.bulk),
            "allocate": (requests.AllocationRequest, self.allocate),
            "reopen": (requests.ReopenRequest, self.reopen),
            "undo": (requests.UndoRequest, self.undo),
        }

    def mark(self, request: requests.MarkRequest) -> dict[str, Any]:
        """Points for one answer; one that arrives twice counts once."""
        self._session.refresh()
        answer = self._answer(request.item, request.question)
        reading = decisions.Reading(
            by=request.by,
            score=request.score,
            comment=request.comment.strip(),
            links=request.links,
            based_on=request.based_on,
            answer=request.answer,
            request=request.request or None,
        )
        try:
            (event,) = self._session.append(lambda desk: [decisions.mark(desk, answer, reading)])
        except ConflictError as error:
            if not request.request or error.newest.batch != request.request:
                raise
            event = error.newest  # the first time arrived, only its answer got lost
        return {"mark": payload.mark_shown(event)}

    def group(self, request: requests.GroupRequest) -> dict[str, Any]:
        """The mark of one answer for all that are nearly the same."""
        answer = self._answer(request.item, request.question)
        events = self._session.append(lambda desk: decisions.group_marks(desk, answer, request.by))
        return {"marked": len(events)}

    def criterion(self, request: requests.CriterionRequest) -> dict[str, Any]:
        """A criterion."""
        student = self._student(request.item)
        self._decide(
            lambda: decisions.criterion(
                self._session.desk,
                student,
                request.criterion,
                value=request.value,
                by=request.by,
                based_on=request.based_on,
            )
        )
        return {"criteria": payload.criteria(self._session.desk, student)}

    def veto(self, request: requests.VetoRequest) -> dict[str, Any]:
        """A veto."""
        student = self._student(request.item)
        self._decide(
            lambda: decisions.veto(
                self._session.desk,
                student,
                request.veto,
                standing=request.standing,
                reason=request.reason,
                question=request.question,
                by=request.by,
                based_on=request.based_on,
            )
        )
        return {"vetoes": payload.vetoes(self._session.desk, student)}

    def bulk(self, request: requests.BulkRequest) -> dict[str, Any]:
        """The suggestions above a confidence: counted, or accepted."""

        def marks() -> list[Mark]:
            desk = self._session.desk
            return decisions.bulk_marks(desk, request.question, request.by, request.above)

        if not request.accept:
            self._session.refresh()
            found = marks()
        else:
            accepted = self._session.append(lambda _: marks())
            found = [one for one in accepted if isinstance(one, Mark)]
        scores = Counter(mark.score for mark in found)
        return {"marked": len(found), "scores": sorted(scores.items(), key=str)}

    def allocate(self, request: requests.AllocationRequest) -> dict[str, Any]:
        """Who reads what."""
        self._decide(
            lambda: allocation_of(
                request.way, request.graders, at=now(), by=request.by, based_on=request.based_on
            )
        )
        return {}

    def reopen(self, request: requests.ReopenRequest) -> dict[str, Any]:
        """An appeal."""
        student = self._student(request.item)
        self._decide(lambda: decisions.reopening(student, by=request.by, reason=request.reason))
        return {}

    def undo(self, request: requests.UndoRequest) -> dict[str, Any]:
        """Take the last stroke back, and say which items it was about."""
        events = self._session.append(lambda desk: undoing(desk.state, request.by))
        return {
            "undone": [
                {
                    "kind": event.target[0],
                    "item": self._session.desk.state.name(event.target[1]),
                    "about": event.target[2],
                }
                for event in events
                if event.target is not None
            ]
        }

    def _decide(self, made: Callable[[], Event]) -> None:
        self._session.append(lambda _: [made()])

    def _student(self, name: str) -> str:
        student = self._session.desk.student(name)
        if student is None:
            raise LookupError(f"There is no {name!r} any more. Load the page anew.")
        return student

    def _answer(self, name: str, question: str) -> Answer:
        answer = self._session.desk.answers.answer(self._student(name), question)
        if answer is None:
            raise LookupError("There is no such answer any more. Load the page anew.")
        return answer
