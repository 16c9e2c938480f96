"""Figure (f): commit time against ranks, as the maximum of N draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from lessons.lesson03.figures import style
from lessons.lesson03.figures.clock import clock_ticks
from lessons.lesson03.ranks import RankTimes, share_beyond_p99
from lessons.lesson03.readable import percent_text, seconds_text

MOST_RANKS = 16_384
_RANKS: NDArray[np.float64] = np.exp2(np.arange(15, dtype=np.float64))
_SAVES = 12
_BAND = (0.05, 0.95)


@dataclass(frozen=True, kw_only=True)
class StragglerCase:
    """Ranks that save together, and the times of one.

    Attributes:
        ranks: N, from 1 to `MOST_RANKS`.
        median_s: p50 of one rank.
        p99_s: p99 of one rank.
        seed: Of the simulated draws.
    """

    ranks: int = 512
    median_s: float = 40.0
    p99_s: float = 60.0
    seed: int = 3

    def __post_init__(self) -> None:
        if not 1 <= self.ranks <= MOST_RANKS:
            raise ValueError(f"ranks must be from 1 to {MOST_RANKS}, not {self.ranks}")
        _ = self.times

    @property
    def times(self) -> RankTimes:
        """The distribution of one rank."""
        return RankTimes(median_s=self.median_s, p99_s=self.p99_s)


class StragglerPlot:
    """The figure; `update` moves its artists to another case."""

    def __init__(self, case: StragglerCase, measured: Sequence[style.Samples] = ()) -> None:
        self._page = style.Page("rank 越多，整次保存越慢：取的是最大值")
        self.figure = self._page.figure
        self._axes = axes = self._page.axes((0.095, 0.125, 0.545, 0.725), xscale="log")
        axes.set(xlim=(0.85, MOST_RANKS * 1.2))
        ticks = (1, 8, 64, 512, 4096, 16_384)
        style.set_ticks(axes.xaxis, {float(n): f"{n:,}" for n in ticks})
        self._page.name_axes(axes, "rank 数 $N$", "时间")
        self._add_artists(axes)
        self._add_key()
        for samples in measured:
            style.draw_measured(self._page, axes, samples)
        self._measured_most = max((max(s.values) for s in measured), default=0.0)
        self.moving: list[Artist] = [axes.yaxis, self._page.subtitle, self._band, self._mean]
        self.moving += [self._p99, self._slowest, self._draws, self._plan, *self._key.texts]
        self.update(case)

    def _add_artists(self, axes: Axes) -> None:
        self._band = Polygon([(1, 1)], color=style.VERMILLION, alpha=0.2, linewidth=0, zorder=1)
        axes.add_patch(self._band)
        wide: dict[str, Any] = {"linewidth": 2.2, "zorder": 3}
        self._mean = Line2D(_RANKS, _RANKS, color=style.BLUE, **wide)
        self._p99 = Line2D(_RANKS, _RANKS, color=style.GREEN, linestyle=style.DASHED, **wide)
        self._slowest = Line2D(
            _RANKS, _RANKS, color=style.VERMILLION, linestyle=style.DASH_DOT, **wide
        )
        self._draws = Line2D([], [], color=style.SOFT, linestyle="", marker="_", markersize=7)
        self._draws.set(markeredgewidth=0.9, zorder=2.5)
        self._plan = style.plan_marker()
        for line in (self._mean, self._p99, self._slowest, self._draws, self._plan):
            axes.add_line(line)

    def _add_key(self) -> None:
        self._key = style.Key(self._page, (0.665, 0.06, 0.325, 0.79))
        wide: dict[str, Any] = {"linewidth": 2.2}
        self._of_slowest = self._key.line(
            0.95, color=style.VERMILLION, linestyle=style.DASH_DOT, **wide
        )
        self._of_p99 = self._key.line(0.77, color=style.GREEN, linestyle=style.DASHED, **wide)
        self._of_mean = self._key.line(0.65, color=style.BLUE, **wide)
        self._of_draws = self._key.line(
            0.5, color=style.SOFT, linestyle="", marker="_", markersize=10
        )
        self._of_plan = self._key.line(
            0.32, color=style.PLAN, linestyle="", marker="D", markersize=9, markeredgecolor="white"
        )

    def update(self, case: StragglerCase) -> None:
        """Move the artists to another case."""
        times = case.times
        low, high = (np.asarray(times.slowest_s(_RANKS, share)) for share in _BAND)
        self._band.set_xy(
            [*zip(_RANKS, low, strict=True), *zip(_RANKS[::-1], high[::-1], strict=True)]
        )
        self._mean.set_ydata(np.full_like(_RANKS, times.mean_s))
        self._p99.set_ydata(np.full_like(_RANKS, case.p99_s))
        self._slowest.set_ydata(times.slowest_s(_RANKS, 0.5))
        drawn = times.draw_slowest_s(_RANKS, _SAVES, case.seed)
        self._draws.set_data(np.tile(_RANKS, _SAVES), drawn.ravel())
        middle = float(times.slowest_s(case.ranks, 0.5))
        self._plan.set_data([case.ranks], [middle])
        top = max(
            float(high[-1]) * 1.08,
            float(drawn.max()) * 1.03,
            case.p99_s * 1.2,
            self._measured_most * 1.1,
        )
        self._axes.set_ylim(0, top)
        style.set_ticks(self._axes.yaxis, clock_ticks(top))
        self._say(case, middle)

    def _say(self, case: StragglerCase, middle: float) -> None:
        times = case.times
        self._page.subtitle.set_text(
            f"单个 rank：p50 = {seconds_text(case.median_s)}，p99 = {seconds_text(case.p99_s)}；"
            "对数正态、相互独立（模型），不是实测"
        )
        low, high = (float(times.slowest_s(case.ranks, share)) for share in _BAND)
        self._of_slowest.set_text(
            "最慢的 rank，即整次保存（模型）\n线：一半的保存不超过它\n带：5 %–95 % 的保存"
        )
        self._of_p99.set_text(f"单个 rank 的 p99：{seconds_text(case.p99_s)}\n不随 N 变")
        self._of_mean.set_text(f"全体均值：{seconds_text(times.mean_s)}\n也不随 N 变，看不见掉队者")
        self._of_draws.set_text(f"模拟：每个 N 抽 {_SAVES} 次保存，\n每次取 N 个 rank 中的最大值")
        self._of_plan.set_text(
            f"N = {case.ranks:,}：通常 {seconds_text(middle)}\n"
            f"（{seconds_text(low)} 到 {seconds_text(high)}）\n"
            f"是均值的 {middle / times.mean_s:.2g} 倍；\n"
            f"有人慢过 p99 的概率 {percent_text(float(share_beyond_p99(case.ranks)))}"
        )


def stragglers_figure(case: StragglerCase, measured: Sequence[style.Samples] = ()) -> Figure:
    """Return commit time against ranks, with measured times of saves if there are any."""
    return StragglerPlot(case, measured).figure


def stragglers_alt(case: StragglerCase) -> str:
    """Return what the figure shows, in words."""
    middle = float(case.times.slowest_s(case.ranks, 0.5))
    return (
        "整次保存的时间随 rank 数增长的图（模型与模拟）：均值 "
        f"{seconds_text(case.times.mean_s)}和 p99 {seconds_text(case.p99_s)}是水平线，"
        f"最慢的 rank 一路上升，{case.ranks:,} 个 rank 时通常为 {seconds_text(middle)}，"
        f"至少一个慢过 p99 的概率是 {percent_text(float(share_beyond_p99(case.ranks)))}。"
    )
