"""What the lines of a log come to."""

from __future__ import annotations

import hashlib
from bisect import insort
from collections.abc import Iterator
from operator import attrgetter

from autograder.review.log.events import (
    Allocation,
    Criterion,
    Event,
    Handed,
    How,
    Line,
    Mark,
    Opening,
    Reopening,
    Target,
    Veto,
)

_number = attrgetter("seq")
_NAME = 12
"""Hexadecimal digits of an anonymous name."""


class State:
    """The newest decision about everything, and those before it."""

    def __init__(self) -> None:
        self.opening: Opening | None = None
        self.last = 0
        self._events: dict[Target, list[Event]] = {}
        self._reopened: dict[str, Reopening] = {}
        # Numbers of marks that the gradebook holds -> of the line that said so first.
        self._handed: dict[int, int] = {}
        self._known: dict[int, Event] = {}
        self._undone: set[int] = set()
        self._by: dict[str, list[Event]] = {}
        # What has not been taken back, of each thing, the oldest first.
        self._left: dict[Target, list[Event]] = {}

    def take(self, line: Line) -> None:
        """Take in one line."""
        if isinstance(line, Opening):
            # The first gave the names that reviewers know papers by.
            self.opening = self.opening or line
            return
        if self._known.get(line.seq) == line:
            return  # copied by whoever joined two files
        self._known[line.seq] = line
        self.last = max(self.last, line.seq)
        if isinstance(line, Handed):
            self._handed |= {mark: line.seq for mark in line.marks if mark not in self._handed}
            return
        if isinstance(line, Reopening):
            before = self._reopened.get(line.student, line)
            self._reopened[line.student] = max(before, line, key=_number)
        if line.target is not None:
            insort(self._events.setdefault(line.target, []), line, key=_number)
            left = self._left.setdefault(line.target, [])
            if line.undoes is None and line.seq not in self._undone:
                insort(left, line, key=_number)
            elif line.undoes is not None:
                self._undone.add(line.undoes)
                left[:] = [one for one in left if one.seq != line.undoes]
        if line.undoes is None:
            insort(self._by.setdefault(line.by, []), line, key=_number)

    def newest(self, target: Target | None) -> Event | None:
        """The newest line about a thing."""
        events = self._events.get(target) if target is not None else None
        return events[-1] if events else None

    def mark(self, student: str, question: str) -> Mark | None:
        """The newest mark of an answer, one that takes an earlier back included."""
        found = self.newest(("mark", student, question))
        return found if isinstance(found, Mark) else None

    def marks(self) -> Iterator[Mark]:
        """The newest mark of every answer that has any."""
        for events in self._events.values():
            if isinstance(events[-1], Mark):
                yield events[-1]

    def earlier(self, target: Target) -> list[Event]:
        """All lines about a thing, the oldest first."""
        return list(self._events.get(target, ()))

    def standing(self, student: str, question: str, answer: str) -> Mark | None:
        """The mark that counts for an answer as it is now; None while a person is asked.

        Args:
            student: Whose.
            question: Its grade_id.
            answer: Digest of the answer.
        """
        mark = self.mark(student, question)
        if mark is None or mark.score is None or mark.answer != answer:
            return None
        reopened = self._reopened.get(student)
        return None if reopened is not None and reopened.seq > mark.seq else mark

    def criterion(self, student: str, criterion: str) -> Criterion | None:
        """The newest decision about a criterion of a submission."""
        found = self.newest(("criterion", student, criterion))
        return found if isinstance(found, Criterion) else None

    def veto(self, student: str, veto: str) -> Veto | None:
        """The newest decision about a veto of a submission."""
        found = self.newest(("veto", student, veto))
        return found if isinstance(found, Veto) else None

    def reopened(self, student: str) -> Reopening | None:
        """The newest appeal of a student."""
        return self._reopened.get(student)

    def allocation(self) -> Allocation | None:
        """Who reads what."""
        found = self.newest(("allocation", "", ""))
        return found if isinstance(found, Allocation) else None

    def handed(self, mark: Mark, by: int | None = None) -> bool:
        """Whether the gradebook holds a mark, or held it when the log was as long as `by`."""
        seq = self._handed.get(mark.seq)
        return seq is not None and (by is None or seq <= by)

    def read_by(self, reviewer: str, question: str) -> list[Mark]:
        """The marks that a reviewer gave an answer of a question having read it, and that stand."""
        return [
            one
            for one in self._by.get(reviewer, ())
            if isinstance(one, Mark)
            and one.question == question
            and one.how is How.PERSON
            and one.score is not None
            and any(other is one for other in self._left[one.target])
        ]

    def undoable(self, reviewer: str) -> list[Event]:
        """What a reviewer decided last and nobody has decided anew: one stroke's lines."""
        mine = self._by.get(reviewer, [])
        for event in reversed(mine):
            if self._stands(event):
                if event.batch is None:
                    return [event]
                return [one for one in mine if one.batch == event.batch and self._stands(one)]
        return []

    def before(self, event: Event) -> Event | None:
        """What a line that can be undone replaced."""
        left = self._left.get(event.target, []) if event.target is not None else []
        return left[-2] if len(left) > 1 else None

    def reviewers(self) -> list[str]:
        """Who has decided anything."""
        return sorted(self._by)

    def name(self, student: str) -> str:
        """The anonymous name of a student."""
        salt = self.opening.salt if self.opening is not None else ""
        digest = hashlib.sha256(f"{salt}\0{student}".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:_NAME]

    def _stands(self, event: Event) -> bool:
        left = self._left.get(event.target, []) if event.target is not None else []
        return bool(left) and left[-1] is event
