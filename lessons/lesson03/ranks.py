"""Times of many ranks that save together: what the slowest of N does.

One rank's time is taken as lognormal, given by its median and its p99; ranks are taken as
independent. Both are modelling choices: real ranks share switches and servers, which makes slow
ones come together. Seconds throughout; numbers or NumPy arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from lessons.lesson03.bandwidth import Quantity, as_plain, positive

_P99 = 0.99
_NORMAL = NormalDist()


@dataclass(frozen=True, kw_only=True)
class RankTimes:
    """The distribution of one rank's time.

    Attributes:
        median_s: p50.
        p99_s: p99, above the median.
    """

    median_s: float = 40.0
    p99_s: float = 60.0

    def __post_init__(self) -> None:
        positive(median_s=self.median_s, p99_s=self.p99_s)
        if self.p99_s <= self.median_s:
            raise ValueError(f"p99_s must be above median_s, not {self.p99_s}")

    @property
    def sigma(self) -> float:
        """Standard deviation of the logarithm."""
        return float(np.log(self.p99_s / self.median_s)) / _NORMAL.inv_cdf(_P99)

    @property
    def mean_s(self) -> float:
        """Mean of one rank, and of the average over any number of ranks."""
        return float(self.median_s * np.exp(self.sigma**2 / 2))

    def slowest_s(self, ranks: Quantity, share: float) -> Quantity:
        """Return the `share` quantile of the slowest of `ranks`: F^-1(share^(1/N))."""
        (count,) = positive(ranks=ranks)
        if not 0 < share < 1:
            raise ValueError(f"share must be between 0 and 1, not {share}")
        return as_plain(self._quantile(share ** (1 / count)))

    def draw_slowest_s(self, ranks: Quantity, saves: int, seed: int) -> NDArray[np.float64]:
        """Return simulated times of the slowest rank, shape (saves, *ranks.shape).

        U^(1/N) is distributed as the largest of N uniform draws, so N of them need not be drawn.
        """
        (count,) = positive(ranks=ranks)
        uniform = np.random.default_rng(seed).uniform(size=(saves, *count.shape))
        return self._quantile(uniform ** (1 / count))

    def _quantile(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        inside = np.clip(share, 1e-12, 1 - 1e-12)
        scores = np.vectorize(_NORMAL.inv_cdf, otypes=[float])(inside)
        return np.asarray(self.median_s * np.exp(self.sigma * scores), dtype=np.float64)


def share_beyond_p99(ranks: Quantity) -> Quantity:
    """Return the probability that at least one of `ranks` is beyond its own p99: 1 - 0.99^N."""
    (count,) = positive(ranks=ranks)
    return as_plain(1 - _P99**count)
