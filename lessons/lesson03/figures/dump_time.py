"""The figure of dump times: its frame, and the plot whose artists move with the plan."""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter, NullLocator

from lessons.fonts import chinese_families
from lessons.lesson03.bands import bands
from lessons.lesson03.figures.dump_time_artists import (
    DUMPS_S,
    INK,
    INTERVALS_S,
    LOOKS,
    PlanArtists,
    TierArtists,
)
from lessons.lesson03.plan import Plan, outlook
from lessons.lesson03.readable import bytes_text, seconds_text
from lessons.lesson03.tiers import load_tiers

_TICKS = {
    0.1: "0.1 秒",
    1.0: "1 秒",
    10.0: "10 秒",
    60.0: "1 分钟",
    600.0: "10 分钟",
    3600.0: "1 小时",
    21_600.0: "6 小时",
    86_400.0: "1 天",
}


class DumpTimePlot:
    """Figure (a): one band a tier, the diagonal T_dump = T, the infeasible side, the plan.

    Args:
        plan: The plan to open with.

    Attributes:
        figure: The figure; `update` changes its artists and never rebuilds it.
        moving: The artists that `update` changes.
    """

    def __init__(self, plan: Plan) -> None:
        self._tiers = load_tiers()
        self._family = chinese_families()
        self.figure = Figure(figsize=(9.6, 6.0), dpi=110, facecolor="white")
        self._main = self.figure.add_axes((0.09, 0.11, 0.56, 0.77))
        self._lanes = self.figure.add_axes((0.665, 0.11, 0.325, 0.77), sharey=self._main)
        self._draw_frame()
        self._draw_infeasible()
        self._bands = {
            name: TierArtists(self._main, self._lanes, lane, look, self._family)
            for lane, (name, look) in enumerate(LOOKS.items())
        }
        self._plan = PlanArtists(self.figure, self._main, self._lanes, self._family)
        self.moving: list[Artist] = [
            *(artist for tier in self._bands.values() for artist in tier.artists),
            *self._plan.artists,
        ]
        self.update(plan)

    def update(self, plan: Plan) -> None:
        """Move the artists to another plan."""
        for band in bands(plan, self._tiers):
            self._bands[band.id].update(band)
        self._plan.update(plan, outlook(plan, self._tiers))

    def _draw_frame(self) -> None:
        main, lanes = self._main, self._lanes
        main.set(xscale="log", yscale="log", xlim=INTERVALS_S, ylim=DUMPS_S)
        for axis, limits in ((main.xaxis, INTERVALS_S), (main.yaxis, DUMPS_S)):
            shown = {at: text for at, text in _TICKS.items() if limits[0] <= at <= limits[1]}
            axis.set_major_locator(FixedLocator(list(shown)))
            axis.set_major_formatter(FixedFormatter(list(shown.values())))
            axis.set_minor_locator(NullLocator())
            axis.set_minor_formatter(NullFormatter())
        main.set_xlabel("检查点间隔 $T$", fontfamily=self._family, fontsize=10.5, color=INK)
        main.set_ylabel(
            "写完一个检查点的时间 $T_\\mathrm{dump}$",
            fontfamily=self._family,
            fontsize=10.5,
            color=INK,
        )
        main.tick_params(labelfontfamily=self._family, labelsize=9, color="#999999", labelcolor=INK)
        main.grid(color="#DDDDDD", linewidth=0.6)
        lanes.set(xlim=(-0.55, len(LOOKS) - 0.45))
        lanes.tick_params(left=False, labelleft=False, bottom=False, labelbottom=False)
        lanes.grid(visible=True, axis="y", color="#DDDDDD", linewidth=0.6)
        for axes in (main, lanes):
            axes.set_facecolor("white")
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
            axes.spines[["left", "bottom"]].set_color("#999999")
        self._heading(0.09, 0.95, "写完一个检查点要多久？", size=14)
        self._heading(0.665, 0.9, "各层合计：低—典型—高（模型）", size=10)

    def _heading(self, x: float, y: float, text: str, *, size: float) -> None:
        self.figure.text(x, y, text, fontfamily=self._family, fontsize=size, color=INK)

    def _draw_infeasible(self) -> None:
        low, high = INTERVALS_S
        self._main.fill_between(
            [low, high],
            [low, high],
            DUMPS_S[1],
            facecolor="#EFEFEF",
            edgecolor="#D2D2D2",
            hatch="////",
            linewidth=0,
            zorder=0.6,
        )
        self._main.plot([low, high], [low, high], color=INK, linewidth=1.6, zorder=3.4)
        self._main.text(
            13,
            70_000,
            "不可行：$T_\\mathrm{dump}$ > $T$",
            fontfamily=self._family,
            fontsize=12,
            color=INK,
            va="center",
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 3},
        )
        self._main.text(
            70_000,
            70_000 * 1.4,
            "$T_\\mathrm{dump}$ = $T$",
            fontfamily=self._family,
            fontsize=9.5,
            color=INK,
            rotation=45,
            rotation_mode="anchor",
            transform_rotates_text=True,
            ha="right",
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85},
        )
        self._main.text(
            0.985,
            0.02,
            "●  这一层撑得住的最短间隔（典型值）",
            transform=self._main.transAxes,
            fontfamily=self._family,
            fontsize=9,
            color="#444444",
            ha="right",
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 2, "alpha": 0.85},
        )


def dump_time_figure(plan: Plan) -> Figure:
    """Return dump time against checkpoint interval for the plan and the tiers, log-log."""
    return DumpTimePlot(plan).figure


def dump_time_alt(plan: Plan) -> str:
    """Return what the figure shows, in words."""
    result = outlook(plan)
    fate = "可行" if result.feasible else "不可行"
    return (
        "写完一个检查点的时间与检查点间隔的双对数关系图（模型）：五层各一条带，对角线是 "
        f"T_dump = T，上方不可行。方案写 {bytes_text(plan.written_bytes)}要 "
        f"{seconds_text(result.dump_s)}，间隔 {seconds_text(plan.interval_s)}，{fate}。"
    )
