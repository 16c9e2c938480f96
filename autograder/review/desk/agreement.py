"""How far suggestions agree with a reviewer, who marked without seeing them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autograder.review.log.events import Mark

ENOUGH = 20
"""Answers of a question that a reviewer marks before any points are suggested."""
_HALF = 0.5
_TINY = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """Of one reviewer, on one question.

    Attributes:
        blind: Answers marked without a suggestion in sight.
        told: How many of them have points suggested.
        exact: How many of those were marked the same.
        within_half: How many at most half a point apart.
    """

    blind: int
    told: int
    exact: int
    within_half: int

    @property
    def enough(self) -> bool:
        """Whether suggestions may be shown now."""
        return self.blind >= ENOUGH


def agreement(marks: Iterable[Mark]) -> Agreement:
    """Compare a reviewer's blind marks with what had been suggested; the newest of each answer."""
    newest = {mark.student: mark for mark in marks if mark.blind}
    pairs = [
        abs(mark.score - mark.suggested)
        for mark in newest.values()
        if mark.score is not None and mark.suggested is not None
    ]
    return Agreement(
        blind=len(newest),
        told=len(pairs),
        exact=sum(1 for gap in pairs if gap < _TINY),
        within_half=sum(1 for gap in pairs if gap < _HALF + _TINY),
    )
