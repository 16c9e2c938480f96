"""Figure (h): bursts against their average, and what is left to write."""

from __future__ import annotations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from lessons.lesson03.figures import style
from lessons.lesson03.figures.clock import clock_ticks
from lessons.lesson03.plan import Outlook, Plan, outlook
from lessons.lesson03.readable import bandwidth_text, bytes_text, percent_text, seconds_text

_SAVES = 4
_STEPS = 5
_NOTHING = 1e-9


def writing_s(plan: Plan, result: Outlook) -> tuple[tuple[float, float], ...]:
    """Return when each of four saves is being written: start and end, in seconds.

    A save starts at its multiple of T or when the one before is done, whichever is later.
    """
    spans: list[tuple[float, float]] = []
    for number in range(_SAVES):
        free = spans[-1][1] if spans else 0.0
        start = max(number * plan.interval_s, free)
        spans.append((start, start + result.dump_s))
    return tuple(spans)


class DutyCyclePlot:
    """The figure; `update` moves its artists to another plan."""

    def __init__(self, plan: Plan) -> None:
        self._page = style.Page("平均够用，就够了吗？写入是一阵一阵的")
        self.figure = self._page.figure
        rect = (0.115, 0.475, 0.59, 0.375)
        self._rates = self._page.axes(rect)
        self._left = self._page.axes((0.115, 0.125, 0.59, 0.255))
        self._rates.tick_params(labelbottom=False)
        self._rates.set_ylabel("写带宽", **self._page.type(10))
        self._page.name_axes(self._left, "时间（第一次保存开始时为 0）", "还没写完的字节")
        self._add_artists(self._rates, self._left)
        self._add_key()
        self.moving: list[Artist] = [self._page.subtitle, self._rates.yaxis, self._rates.xaxis]
        self.moving += [self._left.xaxis, self._left.yaxis, self._burst, self._edge, self._mean]
        self.moving += [self._capacity, self._backlog, self._dues, *self._key.texts]
        self.update(plan)

    def _add_artists(self, rates: Axes, left: Axes) -> None:
        self._burst = Polygon([(0, 0)], facecolor=style.SKY, alpha=0.55, linewidth=0, zorder=2)
        rates.add_patch(self._burst)
        self._edge = Line2D([], [], color=style.BLUE, linewidth=2, zorder=3)
        self._mean = Line2D([], [], color=style.VERMILLION, linewidth=2.2, zorder=4)
        self._mean.set_linestyle(style.DASHED)
        self._capacity = Line2D([], [], color=style.INK, linewidth=1.5, zorder=3.5)
        self._capacity.set_linestyle(style.DOTTED)
        for line in (self._edge, self._mean, self._capacity):
            rates.add_line(line)
        self._backlog = Line2D([], [], color=style.BLUE, linewidth=2, zorder=3)
        self._dues = Line2D([], [], color=style.PLAN, linestyle="", marker="v", markersize=7)
        self._dues.set(zorder=5, clip_on=False)
        left.add_line(self._backlog)
        left.add_line(self._dues)

    def _add_key(self) -> None:
        self._key = style.Key(self._page, (0.725, 0.08, 0.27, 0.77))
        self._of_burst = self._key.line(0.95, color=style.BLUE, linewidth=2)
        self._of_mean = self._key.line(
            0.74, color=style.VERMILLION, linestyle=style.DASHED, linewidth=2.2
        )
        self._of_capacity = self._key.line(
            0.58, color=style.INK, linestyle=style.DOTTED, linewidth=1.5
        )
        self._of_left = self._key.line(0.33, color=style.BLUE, linewidth=2)
        self._of_dues = self._key.line(
            0.14, color=style.PLAN, linestyle="", marker="v", markersize=7
        )

    def update(self, plan: Plan) -> None:
        """Move the artists to another plan."""
        result = outlook(plan)
        spans = writing_s(plan, result)
        end = max(_SAVES * plan.interval_s, spans[-1][1]) * 1.02
        xs, ys = _steps(spans, result.effective_Bps, end)
        self._edge.set_data(xs, ys)
        self._burst.set_xy([(0, 0), *zip(xs, ys, strict=True), (end, 0)])
        self._mean.set_data([0, end], [plan.average_Bps] * 2)
        self._capacity.set_data([0, end], [result.effective_Bps] * 2)
        top = max(result.effective_Bps, plan.average_Bps) * 1.18
        self._rates.set(xlim=(0, end), ylim=(0, top))
        style.set_ticks(self._rates.yaxis, _amount_ticks(top, "B/s"))
        style.set_ticks(self._rates.xaxis, dict.fromkeys(clock_ticks(end, 7), ""))
        dues = plan.interval_s * np.arange(_SAVES)
        times = np.union1d(np.linspace(0, end, 200), [*dues, *np.ravel(spans)])
        times = np.sort(np.concatenate([times, np.nextafter(dues[1:], 0)]))
        left = _backlog(plan, spans, times)
        self._backlog.set_data(times, left)
        most = float(left.max()) * 1.15
        self._dues.set_data(dues, np.zeros(_SAVES))
        self._left.set(xlim=(0, end), ylim=(0, most))
        style.set_ticks(self._left.xaxis, clock_ticks(end, 7))
        style.set_ticks(self._left.yaxis, _amount_ticks(most, "B", 4))
        self._say(plan, result, float(left.max()))

    def _say(self, plan: Plan, result: Outlook, most: float) -> None:
        busy = min(result.dump_s / plan.interval_s, 1.0)
        self._page.subtitle.set_text(
            f"每 {seconds_text(plan.interval_s)}写 {bytes_text(plan.written_bytes)}，"
            f"别人占去 {percent_text(plan.contention)}；模型，不是实测"
        )
        self._of_burst.set_text(
            f"一阵：{seconds_text(result.dump_s)}\n占周期的 {percent_text(busy)}，\n"
            + ("其余时间闲着" if busy < 1 else "一刻不停")
        )
        self._of_mean.set_text(f"平均要 {bandwidth_text(plan.average_Bps)}")
        spare = result.effective_Bps / plan.average_Bps - 1
        self._of_capacity.set_text(
            f"能给 {bandwidth_text(result.effective_Bps)}\n" + _against_average(spare)
        )
        growing = not result.feasible
        self._of_left.set_text(
            f"最多积着 {bytes_text(most)}\n" + ("一次比一次多" if growing else "每次都写得完")
        )
        self._of_dues.set_text("又一次保存到点")


def duty_cycle_figure(plan: Plan) -> Figure:
    """Return bursts, their average and the backlog over four saves."""
    return DutyCyclePlot(plan).figure


def duty_cycle_alt(plan: Plan) -> str:
    """Return what the figure shows, in words."""
    result = outlook(plan)
    fate = "每次都在下一次之前写完" if result.feasible else "写不完，积压一次比一次多"
    return (
        f"四次保存的写带宽随时间变化（模型）：每 {seconds_text(plan.interval_s)}有一阵 "
        f"{seconds_text(result.dump_s)}的写入，速率 {bandwidth_text(result.effective_Bps)}，"
        f"平均只要 {bandwidth_text(plan.average_Bps)}；{fate}。"
    )


def _against_average(spare: float) -> str:
    if abs(spare) < _NOTHING:
        return "正好是平均，没有余量"
    return f"比平均{'多' if spare > 0 else '少'} {percent_text(abs(spare))}"


def _steps(
    spans: tuple[tuple[float, float], ...], rate: float, end: float
) -> tuple[list[float], list[float]]:
    xs, ys = [0.0], [0.0]
    for start, stop in spans:
        xs += [start, start, stop, stop]
        ys += [0.0, rate, rate, 0.0]
    return [*xs, end], [*ys, 0.0]


def _backlog(
    plan: Plan, spans: tuple[tuple[float, float], ...], times: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the bytes that are due and not written, at each of the times."""
    left = np.zeros_like(times)
    for number, (start, stop) in enumerate(spans):
        written = np.clip((times - start) / (stop - start), 0, 1)
        left += np.where(times >= number * plan.interval_s, 1 - written, 0)
    return np.asarray(left * plan.written_bytes)


def _amount_ticks(top: float, unit: str, most: int = _STEPS) -> dict[float, str]:
    """Return round ticks from 0 in the SI prefix that suits the top."""
    step = next(
        s * 10.0**power for power in range(30) for s in (1, 2, 5) if top / (s * 10.0**power) <= most
    )
    text = bandwidth_text if unit == "B/s" else bytes_text
    return {n * step: text(n * step) if n else "0" for n in range(int(top / step) + 1)}
