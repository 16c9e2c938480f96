"""What the page sends."""

from __future__ import annotations

import msgspec


class Request(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What all have: who sends it, and a name of its own so that it counts once."""

    by: str
    request: str = ""


class MarkRequest(Request, kw_only=True, frozen=True):
    """Points for an answer; see `decisions.Reading`."""

    item: str
    question: str
    score: float
    comment: str = ""
    links: tuple[str, ...] | None = None
    based_on: int = 0
    answer: str = ""


class GroupRequest(Request, kw_only=True, frozen=True):
    """The mark of an answer for those that are nearly the same."""

    item: str
    question: str


class CriterionRequest(Request, kw_only=True, frozen=True):
    """A criterion of a submission."""

    item: str
    criterion: str
    value: bool | None
    based_on: int = 0


class VetoRequest(Request, kw_only=True, frozen=True):
    """A veto of a submission."""

    item: str
    veto: str
    standing: bool
    reason: str = ""
    question: str | None = None
    based_on: int = 0


class BulkRequest(Request, kw_only=True, frozen=True):
    """All suggestions of a confidence; only counted unless `accept`."""

    question: str
    above: float
    accept: bool = False


class AllocationRequest(Request, kw_only=True, frozen=True):
    """Who reads what."""

    way: str
    graders: tuple[str, ...] = ()
    based_on: int = 0


class ReopenRequest(Request, kw_only=True, frozen=True):
    """An appeal."""

    item: str
    reason: str = ""


class UndoRequest(Request, kw_only=True, frozen=True):
    """Take the last stroke back."""
