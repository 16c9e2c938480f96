"""What a line of the review's log says.

Every line but the first is numbered, says when and by whom, and is about one thing: its `target`.
`based_on` is the number of the line that whoever decided had seen last about that thing, 0 when
there was none: a line that is based on an older one than the newest is refused, not lost.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

Target = tuple[str, str, str]


class How(StrEnum):
    """How a mark came about."""

    PERSON = "person"
    """Somebody read the answer."""
    GROUP = "group"
    """Somebody gave a whole group of nearly identical answers the mark of one."""
    BULK = "bulk"
    """Somebody accepted the suggestions above a confidence."""
    FORMGRADER = "formgrader"
    """Somebody marked it in nbgrader's formgrader."""


class Opening(msgspec.Struct, kw_only=True, frozen=True, tag="opening", tag_field="line"):
    """The first line; `salt` makes the anonymous names, which nobody can work back."""

    lesson: str
    salt: str
    at: str


class Event(msgspec.Struct, kw_only=True, frozen=True):
    """What all other lines have.

    Attributes:
        seq: The number, given when it is appended.
        at: ISO 8601, UTC.
        by: The reviewer.
        based_on: The newest line about the same thing that they had seen.
        undoes: The line that this one takes back.
        batch: Lines that were decided at one stroke have the same.
    """

    kind: ClassVar[str] = ""

    seq: int = 0
    at: str
    by: str
    based_on: int = 0
    undoes: int | None = None
    batch: str | None = None

    @property
    def target(self) -> Target | None:
        """What it is about; None when it is about nothing that two could decide differently."""
        return None


class Mark(Event, kw_only=True, frozen=True, tag="mark", tag_field="line"):
    """Points for one answer.

    Attributes:
        answer: Digest of the answer as it was read.
        score: None takes an earlier mark back.
        links: Ids of the links that the reader found in it; None when nobody said.
        blind: No suggestion was shown beside the answer.
        suggested: What had been suggested; None when it could not be told, or nothing was asked.
        above: For marks in bulk, the confidence that was chosen.
    """

    student: str
    question: str
    answer: str
    score: float | None
    comment: str = ""
    links: tuple[str, ...] | None = None
    how: How = How.PERSON
    blind: bool = True
    suggested: float | None = None
    confidence: float | None = None
    above: float | None = None

    @property
    def target(self) -> Target:
        """The answer."""
        return ("mark", self.student, self.question)


class Criterion(Event, kw_only=True, frozen=True, tag="criterion", tag_field="line"):
    """Whether a criterion is true of a submission; None takes an earlier decision back."""

    student: str
    criterion: str
    value: bool | None

    @property
    def target(self) -> Target:
        """The criterion of that submission."""
        return ("criterion", self.student, self.criterion)


class Veto(Event, kw_only=True, frozen=True, tag="veto", tag_field="line"):
    """Whether a veto stands; None takes an earlier decision back."""

    student: str
    veto: str
    standing: bool | None
    reason: str = ""
    question: str | None = None

    @property
    def target(self) -> Target:
        """The veto of that submission."""
        return ("veto", self.student, self.veto)


class Reopening(Event, kw_only=True, frozen=True, tag="reopening", tag_field="line"):
    """An appeal: every answer of a submission is to be read again."""

    student: str
    reason: str = ""


class Allocation(Event, kw_only=True, frozen=True, tag="allocation", tag_field="line"):
    """Who reads what: each a question or each a part of the class; `none` gives all to all."""

    way: str
    graders: tuple[str, ...] = ()

    @property
    def target(self) -> Target:
        """There is one."""
        return ("allocation", "", "")


class Handed(Event, kw_only=True, frozen=True, tag="handed", tag_field="line"):
    """The gradebook holds these marks, by their numbers."""

    marks: tuple[int, ...]


Line = Opening | Mark | Criterion | Veto | Reopening | Allocation | Handed
