"""What the page sends."""

from __future__ import annotations

from typing import Annotated

import msgspec

_Text = Annotated[str, msgspec.Meta(max_length=20_000)]
_Name = Annotated[str, msgspec.Meta(max_length=200)]


class Request(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What all have: who sends it, and a name of its own so that it counts once."""

    by: _Name
    request: _Name = ""


class MarkRequest(Request, kw_only=True, frozen=True):
    """Points for an answer; see `decisions.Reading`."""

    item: str
    question: str
    score: float
    comment: _Text = ""
    links: tuple[_Name, ...] | None = None
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
    reason: _Text = ""
    question: _Name | None = None
    based_on: int = 0


class BulkRequest(Request, kw_only=True, frozen=True):
    """All suggestions of a confidence; only counted unless `accept`."""

    question: str
    above: float
    accept: bool = False


class AllocationRequest(Request, kw_only=True, frozen=True):
    """Who reads what."""

    way: str
    graders: tuple[_Name, ...] = ()
    based_on: int = 0


class ReopenRequest(Request, kw_only=True, frozen=True):
    """An appeal."""

    item: str
    reason: _Text = ""


class UndoRequest(Request, kw_only=True, frozen=True):
    """Take the last stroke back."""
