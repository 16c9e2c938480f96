"""Which of two ways is faster, told only where their distributions are apart."""

from __future__ import annotations

from dataclasses import dataclass

from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.series import Series, percentile


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Neighbouring sizes at which the same way is faster.

    Attributes:
        faster: The way, or None where the middle halves overlap.
        first: Smallest size.
        last: Largest size.
    """

    faster: str | None
    first: float
    last: float


def faster(one: Series, other: Series) -> str | None:
    """Return the condition that is faster; None where the middle halves of both overlap."""
    for this, that in ((one, other), (other, one)):
        if percentile(this.values, 0.75) < percentile(that.values, 0.25):
            return this.how
    return None


def crossover(record: Record, what: str, one: str, other: str) -> list[Stretch]:
    """Return stretches of sizes by which of two conditions is faster; more than one: they cross."""
    theirs = {series.at: series for series in record.of(what, other)}
    stretches: list[Stretch] = []
    for mine in record.of(what, one):
        if mine.at not in theirs:
            continue
        wins = faster(mine, theirs[mine.at])
        goes_on = bool(stretches) and stretches[-1].faster == wins
        first = stretches.pop().first if goes_on else mine.at
        stretches.append(Stretch(faster=wins, first=first, last=mine.at))
    return stretches
