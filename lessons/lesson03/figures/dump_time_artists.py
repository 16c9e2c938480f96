"""What moves in the figure of dump times: the tiers and the plan."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon, Rectangle

from lessons.lesson03.bands import Band
from lessons.lesson03.plan import Outlook, Plan
from lessons.lesson03.readable import (
    bandwidth_text,
    bytes_text,
    factor_text,
    percent_text,
    seconds_text,
)

INTERVALS_S = (9.0, 110_000.0)
DUMPS_S = (0.03, 300_000.0)

INK = "#222222"
_PLAN = "#B23A00"  # Okabe-Ito's vermillion, darker, so that small text keeps contrast
_LABEL_FITS_RIGHT_UNTIL = 0.7  # share of the axis, at the label's longest text
_LABEL_FITS_BELOW_FROM = 30.0  # times the axis' low end


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a tier is drawn: Okabe-Ito colours, and dashes that hold up without colour.

    A tier that the cluster may cap has a label that says which of the two limits holds; the
    other labels stand still, and text is what a redraw spends its time on.
    """

    name: str
    colour: str
    dashes: Any
    may_be_capped: bool = False


LOOKS = {
    "host": Look(name="主机\n内存", colour="#56B4E9", dashes="-"),
    "peer": Look(name="邻居\n节点", colour="#009E73", dashes=(0, (6, 2))),
    "nvme": Look(name="本地\nNVMe", colour="#E69F00", dashes=(0, (1, 1.2))),
    "pfs": Look(
        name="并行文\n件系统", colour="#0072B2", dashes=(0, (7, 2, 1.2, 2)), may_be_capped=True
    ),
    "object": Look(name="对象\n存储", colour="#CC79A7", dashes=(0, (3, 1.5, 1, 1.5, 1, 1.5))),
}


class TierArtists:
    """What one tier shows: a band and its typical line, and the same in its own lane."""

    def __init__(self, main: Axes, lanes: Axes, lane: int, look: Look, family: list[str]) -> None:
        self._look = look
        colour, dashes = look.colour, look.dashes
        wide = {"color": colour, "linestyle": dashes, "linewidth": 2.2}
        self._band = Polygon([(1, 1)], color=colour, alpha=0.09, linewidth=0, zorder=1)
        main.add_patch(self._band)
        self._line = Line2D([], [], zorder=3, **wide)
        self._beyond = Line2D([], [], zorder=2, alpha=0.35, **wide)
        self._least = Line2D([], [], color=colour, marker="o", markersize=6, zorder=4)
        self._least.set_markeredgecolor("white")
        for line in (self._line, self._beyond, self._least):
            main.add_line(line)
        self._bar = Rectangle((lane - 0.3, 1), 0.6, 1, facecolor=colour, alpha=0.45)
        self._bar.set(edgecolor=colour, linewidth=1.2)
        lanes.add_patch(self._bar)
        self._lead = Line2D([-0.55, lane - 0.3], [1, 1], zorder=2, **wide)
        self._typical = Line2D([lane - 0.3, lane + 0.3], [1, 1], color=INK, linewidth=2, zorder=4)
        lanes.add_line(self._lead)
        lanes.add_line(self._typical)
        self._label = lanes.text(
            lane,
            -0.015,
            f"{look.name}\n节点合计",
            transform=lanes.get_xaxis_transform(),
            fontfamily=family,
            fontsize=8,
            linespacing=1.15,
            color=INK,
            ha="center",
            va="top",
        )
        self.artists: list[Artist] = [
            *(self._band, self._line, self._beyond, self._least),
            *(self._bar, self._lead, self._typical),
            *((self._label,) if look.may_be_capped else ()),
        ]

    def update(self, band: Band) -> None:
        """Move to the tier's times."""
        low, high = INTERVALS_S
        at = band.typical_s
        self._band.set_xy(_feasible_part(band))
        self._bar.set_y(band.fast_s)
        self._bar.set_height(band.slow_s - band.fast_s)
        least = min(max(at, low), high)
        self._line.set_data([least, high], [at, at])
        self._beyond.set_data([low, least], [at, at])
        self._least.set_data([at], [at])
        self._lead.set_ydata([at, at])
        self._typical.set_ydata([at, at])
        if self._look.may_be_capped:
            scope = "集群上限" if band.capped else "节点合计"
            self._label.set_text(f"{self._look.name}\n{scope}")


def _feasible_part(band: Band) -> list[tuple[float, float]]:
    """Return the corners of a band's part on or below the diagonal, within the axis."""
    low, high = INTERVALS_S
    start = min(max(band.fast_s, low), high)
    end = min(max(band.slow_s, low), high)
    return [
        (start, band.fast_s),
        (start, min(start, band.slow_s)),
        (end, min(end, band.slow_s)),
        (high, min(band.slow_s, high)),
        (high, band.fast_s),
    ]


class PlanArtists:
    """What the plan shows: its point, its slack up to the diagonal, its interval in the lanes."""

    def __init__(self, figure: Figure, main: Axes, lanes: Axes, family: list[str]) -> None:
        self._main = main
        self._subtitle = figure.text(0.09, 0.9, "", fontfamily=family, fontsize=10, color="#444444")
        self._slack = Line2D([], [], color=_PLAN, linewidth=1.6, linestyle=":", zorder=4.5)
        self._point = Line2D([], [], color=_PLAN, marker="D", markersize=9, zorder=6)
        self._point.set_markeredgecolor("white")
        main.add_line(self._slack)
        main.add_line(self._point)
        self._label = main.annotate(
            "",
            (1, 1),
            xytext=(14, 0),
            textcoords="offset points",
            fontfamily=family,
            fontsize=9.5,
            linespacing=1.3,
            color=_PLAN,
            va="center",
            zorder=7,
            bbox={"facecolor": "white", "edgecolor": _PLAN, "boxstyle": "round,pad=0.35"},
        )
        self._late = Rectangle((-0.55, 1), len(LOOKS) + 0.1, 1, facecolor="#EFEFEF")
        self._late.set(edgecolor="#D2D2D2", hatch="////", linewidth=0, zorder=0.6)
        lanes.add_patch(self._late)
        self._deadline = lanes.axhline(1, color=INK, linewidth=1.6, zorder=3.4)
        self._deadline_label = lanes.text(
            len(LOOKS) - 0.5,
            1,
            "",
            fontfamily=family,
            fontsize=9.5,
            color=INK,
            ha="right",
            va="bottom",
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5, "alpha": 0.85},
        )
        self.artists: list[Artist] = [
            *(self._subtitle, self._slack, self._point, self._label),
            *(self._late, self._deadline, self._deadline_label),
        ]

    def update(self, plan: Plan, result: Outlook) -> None:
        """Move to the plan and what it comes to."""
        at, period = result.dump_s, plan.interval_s
        shared = f"，别人占 {percent_text(plan.contention)}" if plan.contention else ""
        self._subtitle.set_text(
            f"S = {bytes_text(plan.checkpoint_bytes)}，W = {factor_text(plan.write_amplification)}"
            f"，{plan.nodes:,} 节点{shared}；全部是模型，不是实测"
        )
        self._slack.set_data([period, period], [at, period])
        self._point.set_data([period], [at])
        slack = (
            f"余量 {factor_text(result.slack)} 倍"
            if result.feasible
            else f"不可行：是间隔的 {factor_text(1 / result.slack)} 倍"
        )
        self._label.set_text(
            f"方案（模型）：{bandwidth_text(result.effective_Bps)}\n"
            f"写完要 {seconds_text(at)}\n"
            f"平均要 {bandwidth_text(plan.average_Bps)}\n{slack}"
        )
        self._place_label(at, period)
        self._late.set_y(period)
        self._late.set_height(DUMPS_S[1] - period)
        self._deadline.set_ydata([period, period])
        self._deadline_label.set_y(period * 1.15)
        self._deadline_label.set_text(f"T = {seconds_text(period)}")

    def _place_label(self, at: float, period: float) -> None:
        shown = min(max(at, DUMPS_S[0]), DUMPS_S[1])
        self._label.xy = (period, shown)
        low, high = map(math.log, INTERVALS_S)
        on_left = (math.log(period) - low) / (high - low) > _LABEL_FITS_RIGHT_UNTIL
        self._label.set(ha="right" if on_left else "left", multialignment="left")
        # Below the point: the diagonal runs above it.
        near_bottom = shown < DUMPS_S[0] * _LABEL_FITS_BELOW_FROM
        self._label.set_position((-14 if on_left else 14, 50 if near_bottom else -34))
