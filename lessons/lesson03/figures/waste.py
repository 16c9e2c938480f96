"""Figure (b): the lost share of time against the interval, for blocking and other saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from lessons.lesson03 import bandwidth, interval
from lessons.lesson03.bandwidth import Quantity
from lessons.lesson03.figures import style
from lessons.lesson03.plan import REFERENCE_MTBF_S
from lessons.lesson03.readable import percent_text, seconds_text

_INTERVALS_S = (10.0, 86_400.0)
_SHARES = (0.001, 1.0)
# One may stand upon the other: they differ by little where delta is small beside M.
_YOUNG: dict[str, Any] = {
    "linestyle": "",
    "marker": "o",
    "markersize": 11,
    "markerfacecolor": "none",
    "markeredgecolor": style.INK,
    "markeredgewidth": 1.3,
}
_DALY: dict[str, Any] = {"linestyle": "", "marker": "x", "color": style.INK, "markersize": 7}
_AT = np.geomspace(*_INTERVALS_S, 160)


@dataclass(frozen=True, kw_only=True)
class WasteCase:
    """What decides how much time is lost. The defaults are the lesson's: Llama 3's scale.

    A blocking save stops training for `dump_s`, and nothing that is computed meanwhile can be
    lost, so its commit lag is 0. Another save stops it for `blocked_s` and counts `commit_s`
    later.

    Attributes:
        blocked_s: Delta of a save in the background: the staging.
        dump_s: T_dump; delta of a blocking save, and the least interval of one in the background.
        commit_s: Commit lag of a save in the background.
        restart_s: R.
        mtbf_s: M.
        interval_s: The interval chosen.
    """

    blocked_s: float = 1.0
    dump_s: float = 600.0
    commit_s: float = 600.0
    restart_s: float = 600.0
    mtbf_s: float = REFERENCE_MTBF_S
    interval_s: float = 600.0

    def __post_init__(self) -> None:
        bandwidth.positive(**vars(self))

    def blocking(self, interval_s: Quantity) -> Quantity:
        """Return the waste of blocking saves."""
        return interval.waste(
            self.dump_s, interval_s, self.mtbf_s, commit_s=0.0, restart_s=self.restart_s
        )

    def background(self, interval_s: Quantity) -> Quantity:
        """Return the waste of saves in the background."""
        return interval.waste(
            self.blocked_s,
            interval_s,
            self.mtbf_s,
            commit_s=self.commit_s,
            restart_s=self.restart_s,
        )

    def short(self, interval_s: Quantity) -> Quantity:
        """Return delta/T + T/(2M) of saves in the background."""
        return interval.short_waste(self.blocked_s, interval_s, self.mtbf_s)

    @property
    def young_s(self) -> float:
        """Young's interval of saves in the background, which may be below the floor."""
        return float(interval.young_interval_s(self.blocked_s, self.mtbf_s))

    @property
    def best_s(self) -> float:
        """The best interval that the backend sustains."""
        return float(bandwidth.interval_floor_s(self.young_s, self.dump_s))


class WastePlot:
    """The figure; `update` moves its artists to another case."""

    def __init__(self, case: WasteCase) -> None:
        page = style.Page("间隔取多长，浪费最少？")
        self.figure, self._subtitle = page.figure, page.subtitle
        axes = page.axes((0.095, 0.125, 0.545, 0.725), xscale="log", yscale="log")
        axes.set(xlim=_INTERVALS_S, ylim=_SHARES)
        style.set_ticks(axes.xaxis, style.ticks_within(style.TIME_TICKS, *_INTERVALS_S))
        style.set_ticks(
            axes.yaxis, {0.001: "0.1 %", 0.01: "1 %", 0.1: "10 %", 0.3: "30 %", 1.0: "100 %"}
        )
        page.name_axes(axes, "检查点间隔 $T$", "浪费掉的时间份额（一阶模型）")
        self._add_curves(axes)
        self._add_marks(axes)
        self._add_key(page)
        self.moving: list[Artist] = [
            *(self._subtitle, self._floor, self._blocking, self._background, self._too_fast),
            *(self._short, self._youngs, self._dalys, self._plan, *self._key.texts),
        ]
        self.update(case)

    def _add_curves(self, axes: Axes) -> None:
        self._floor = Rectangle((1, _SHARES[0]), 1, _SHARES[1], zorder=0.7, **style.OUT_OF_BOUNDS)
        axes.add_patch(self._floor)
        wide: dict[str, Any] = {"linewidth": 2.2, "zorder": 3}
        self._blocking = Line2D(_AT, _AT, color=style.BLUE, **wide)
        self._background = Line2D([], [], color=style.VERMILLION, linestyle=style.DASHED, **wide)
        self._too_fast = Line2D(
            [], [], color=style.VERMILLION, linestyle=style.DASHED, alpha=0.4, **wide
        )
        self._short = Line2D(
            _AT, _AT, color=style.SOFT, linestyle=style.DOTTED, linewidth=1.6, zorder=2
        )
        for line in (self._blocking, self._background, self._too_fast, self._short):
            axes.add_line(line)

    def _add_marks(self, axes: Axes) -> None:
        self._youngs = Line2D([], [], zorder=5, **_YOUNG)
        self._dalys = Line2D([], [], zorder=5.1, **_DALY)
        self._plan = style.plan_marker()
        for mark in (self._youngs, self._dalys, self._plan):
            axes.add_line(mark)

    def _add_key(self, page: style.Page) -> None:
        self._key = style.Key(page, (0.665, 0.06, 0.325, 0.79))
        key = self._key
        self._of_blocking = key.line(0.95, color=style.BLUE, linewidth=2.2)
        self._of_background = key.line(
            0.74, color=style.VERMILLION, linestyle=style.DASHED, linewidth=2.2
        )
        self._of_short = key.line(0.53, color=style.SOFT, linestyle=style.DOTTED, linewidth=1.6)
        self._of_floor = key.hatch(0.385, **style.OUT_OF_BOUNDS)
        diamond: dict[str, Any] = {"marker": "D", "markersize": 9, "markeredgecolor": "white"}
        self._of_plan = key.line(0.24, linestyle="", color=style.PLAN, **diamond)
        key.line(0.1, **_YOUNG).set_text("Young 的最优间隔")
        key.line(0.035, **_DALY).set_text("Daly 的最优间隔")

    def update(self, case: WasteCase) -> None:
        """Move the artists to another case."""
        self._subtitle.set_text(
            f"M = {seconds_text(case.mtbf_s)}，R = {seconds_text(case.restart_s)}，"
            f"提交滞后 {seconds_text(case.commit_s)}；全部是模型，不是实测"
        )
        floor = min(max(case.dump_s, _INTERVALS_S[0]), _INTERVALS_S[1])
        self._floor.set_bounds(_INTERVALS_S[0], _SHARES[0], floor - _INTERVALS_S[0], _SHARES[1])
        self._blocking.set_ydata(_shown(case.blocking(_AT)))
        self._short.set_ydata(_shown(case.short(_AT)))
        slow = np.append(floor, _AT[floor < _AT])
        fast = np.append(_AT[floor > _AT], floor)
        self._background.set_data(slow, _shown(case.background(slow)))
        self._too_fast.set_data(fast, _shown(case.background(fast)))
        chosen = min(float(case.background(case.interval_s)), _SHARES[1])
        self._plan.set_data([case.interval_s], [chosen])
        for marks, best in (
            (self._youngs, interval.young_interval_s),
            (self._dalys, interval.daly_interval_s),
        ):
            sync = float(best(case.dump_s, case.mtbf_s))
            other = float(best(case.blocked_s, case.mtbf_s))
            marks.set_data(
                [sync, other], [float(case.blocking(sync)), float(case.background(other))]
            )
        self._say(case)

    def _say(self, case: WasteCase) -> None:
        sync = float(interval.young_interval_s(case.dump_s, case.mtbf_s))
        lifted = "，低于下限" if case.young_s < case.dump_s else ""
        self._of_blocking.set_text(
            f"阻塞保存，δ = {seconds_text(case.dump_s)}\n"
            f"Young：{seconds_text(sync)}\n那里浪费 {lost_text(case.blocking(sync))}"
        )
        self._of_background.set_text(
            f"后台保存，δ = {seconds_text(case.blocked_s)}\n"
            f"Young：{seconds_text(case.young_s)}{lifted}\n"
            f"撑得住的最好间隔 {seconds_text(case.best_s)}：\n"
            f"浪费 {lost_text(case.background(case.best_s))}"
        )
        self._of_short.set_text(
            f"后台保存的短式 δ/T + T/(2M)：\n漏了提交滞后和重启，\n"
            f"同一间隔只报 {lost_text(case.short(case.best_s))}"
        )
        self._of_floor.set_text(
            f"后台保存写不完：\n$T$ < $T_\\mathrm{{dump}}$ = {seconds_text(case.dump_s)}"
        )
        chosen = lost_text(case.background(case.interval_s))
        late = "，但写不完" if case.interval_s < case.dump_s else ""
        self._of_plan.set_text(
            f"你的间隔 T = {seconds_text(case.interval_s)}（后台）：\n浪费 {chosen}{late}"
        )


def waste_figure(case: WasteCase) -> Figure:
    """Return the lost share of time against the interval."""
    return WastePlot(case).figure


def waste_alt(case: WasteCase) -> str:
    """Return what the figure shows, in words."""
    sync = float(interval.young_interval_s(case.dump_s, case.mtbf_s))
    return (
        "浪费份额与检查点间隔的关系图，双对数（模型）。"
        f"阻塞保存在 {seconds_text(sync)} 处最低，为 {lost_text(case.blocking(sync))}；"
        f"后台保存按 Young 应取 {seconds_text(case.young_s)}，后端写一次要 "
        f"{seconds_text(case.dump_s)}，所以最好的间隔是 {seconds_text(case.best_s)}，浪费 "
        f"{lost_text(case.background(case.best_s))}。"
    )


def _shown(shares: Quantity) -> NDArray[np.float64]:
    """Return shares up to a little above 100 %: the first-order model knows no bound."""
    return np.asarray(np.minimum(shares, 2.0), dtype=np.float64)


def lost_text(share: Quantity) -> str:
    """Return a lost share as a percentage; from 100 % on a job makes no progress at all."""
    return percent_text(float(share)) if float(share) < 1 else "超过 100 %：没有进展"
