"""Repeated measurements of one thing, and what stands for them: p50, p99, max, never a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

P99_NEEDS = 100
"""With fewer measurements the 99th percentile is the largest of them."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """All measurements of one thing under one condition, in the order they were taken.

    Attributes:
        what: What was timed, such as "save" or "read".
        how: The condition, such as "cold".
        at: The number that varies, such as writers or bytes.
        values: In `unit`; at least one.
        unit: "s" for seconds, "1/s" for a rate, "1" for a count.
    """

    what: str
    how: str
    at: float
    values: tuple[float, ...]
    unit: str = "s"

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"{self.what}/{self.how}/{self.at}: nothing was measured")
        if not all(math.isfinite(value) and value >= 0 for value in self.values):
            raise ValueError(f"{self.what}/{self.how}/{self.at}: values must be finite, from 0 up")

    @property
    def p50(self) -> float:
        """Half of the measurements are not above it."""
        return percentile(self.values, 0.5)

    @property
    def p99(self) -> float:
        """99 of 100 measurements are not above it."""
        return percentile(self.values, 0.99)

    @property
    def tail(self) -> float:
        """The bad end but one: p99 of times, p1 of rates."""
        return percentile(self.values, 0.01) if self.unit == "1/s" else self.p99

    @property
    def worst(self) -> float:
        """The bad end: the longest time, the lowest rate."""
        return self.least if self.unit == "1/s" else self.most

    @property
    def least(self) -> float:
        """The smallest measurement."""
        return min(self.values)

    @property
    def most(self) -> float:
        """The largest measurement."""
        return max(self.values)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest measurement that at least `share` of all do not exceed.

    It is always one that was taken: nothing is interpolated between two measurements.

    Raises:
        ValueError: There are no values, or `share` is not in (0, 1].
    """
    if not values or not 0 < share <= 1:
        raise ValueError(f"share must be in (0, 1] and values not empty, not {share}")
    # 0.99 * 100 is 99.00000000000001 in some orders of operation: not the 100th value.
    rank = math.ceil(round(share * len(values), 9))
    return sorted(values)[rank - 1]
