"""What people decided in the review, as grading takes it in: frozen data, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkNote:
    """What a learner's page says of one link of a question's chain.

    Attributes:
        quotes: The learner's own words for it; empty when the link is missing.
        question: Leads on to a missing link without naming it; "" when there is none.
        reference: What the link is, for when the instructor shows the reference; else None.
    """

    quotes: tuple[str, ...] = ()
    question: str = ""
    reference: str | None = None
    present: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainNote:
    """What a learner's page says of an answer's chain.

    Attributes:
        by_person: Whether a person settled which links are there; else a machine read them.
    """

    links: tuple[LinkNote, ...]
    by_person: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """What people decided about one submission in the review.

    Attributes:
        points: grade_id -> points that stand.
        waiting: Questions that wait for a person again, whatever points they had: the answer has
            changed since, or the case was opened anew.
        in_bulk: Questions whose points are suggestions that were accepted in bulk.
        criteria: Criterion -> what a person decided.
        vetoes: Veto -> why, of those that stand.
        dismissed: Vetoes that a person looked at and found not to be there.
        comments: grade_id -> what a person wrote to the learner.
        chains: grade_id -> what is said of the answer's chain.
    """

    points: Mapping[str, float] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    in_bulk: tuple[str, ...] = ()
    criteria: Mapping[str, bool] = field(default_factory=dict)
    vetoes: Mapping[str, str] = field(default_factory=dict)
    dismissed: frozenset[str] = frozenset()
    comments: Mapping[str, str] = field(default_factory=dict)
    chains: Mapping[str, ChainNote] = field(default_factory=dict)
