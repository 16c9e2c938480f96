"""Figure (d): the tier ladder, one box a scope, and what a job's nodes have together."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from lessons.lesson03 import bandwidth
from lessons.lesson03.figures import style
from lessons.lesson03.readable import bandwidth_text
from lessons.lesson03.tiers import Level, Range, Scope, load_tiers

_LIMITS_BPS = (3e7, 4e14)
_SUMS_BPS = (3e7, 3e15)
_LABEL_FITS_RIGHT_UNTIL_BPS = 4e12
_TICKS = {1e8: "0.1 GB/s", 1e10: "10 GB/s", 1e12: "1 TB/s", 1e14: "100 TB/s"}
_BOXES = (
    (Scope.GPU, "单卡", ("hbm", "d2h")),
    (Scope.NODE, "单节点", ("host-dram", "peer", "nvme", "pfs-node", "object-store")),
    (Scope.CLUSTER, "全集群", ("pfs-cluster",)),
)
TIER_NAMES = {
    "hbm": "显存 HBM",
    "d2h": "显存与主机的拷贝",
    "host-dram": "主机内存",
    "peer": "到邻居节点的网卡",
    "nvme": "本地 NVMe",
    "pfs-node": "并行文件系统",
    "object-store": "对象存储",
    "pfs-cluster": "并行文件系统",
}
_TOGETHER = ("host-dram", "peer", "nvme", "pfs-node", "object-store")
_LOOKS = {
    Scope.GPU: (style.ORANGE, "...."),
    Scope.NODE: (style.SKY, ""),
    Scope.CLUSTER: (style.BLUE, "////"),
}


@dataclass(frozen=True, kw_only=True)
class LadderCase:
    """Which side of the tiers, and how many nodes add up.

    Attributes:
        nodes: Nodes of the job.
        gpus_per_node: GPUs of a node: they bound what reaches host memory.
        reading: Whether to show the read side, which a restart waits for.
    """

    nodes: int = 64
    gpus_per_node: int = 8
    reading: bool = False

    def __post_init__(self) -> None:
        bandwidth.positive(nodes=self.nodes, gpus_per_node=self.gpus_per_node)


@dataclass(frozen=True, kw_only=True)
class Sum:
    """What all nodes have together at one tier, B/s.

    Attributes:
        low_Bps: With low figures; `typical_Bps` and `high_Bps` likewise.
        capped: Whether the cluster's own limit holds at the typical figures.
    """

    low_Bps: float  # noqa: N815 - B/s
    typical_Bps: float  # noqa: N815 - B/s
    high_Bps: float  # noqa: N815 - B/s
    capped: bool


def figures_of(case: LadderCase) -> dict[str, Range]:
    """Return every tier's figures in the case's direction."""
    return {name: tier.read if case.reading else tier for name, tier in load_tiers().items()}


def sums(case: LadderCase) -> dict[str, Sum]:
    """Return min(N * per-node, aggregate) of the tiers that a node writes to or reads from."""
    figures = figures_of(case)

    def each_Bps(name: str, level: Level) -> float:  # noqa: N802 - B/s
        one = figures[name].Bps(level)
        if name == "host-dram":
            one = min(one, case.gpus_per_node * figures["d2h"].Bps(level))
        return one * case.nodes

    found = {}
    for name in _TOGETHER:
        totals = {level: each_Bps(name, level) for level in Level}
        limit = figures["pfs-cluster"] if name == "pfs-node" else None
        shown = {v: min(t, limit.Bps(v)) if limit else t for v, t in totals.items()}
        found[name] = Sum(
            low_Bps=shown[Level.LOW],
            typical_Bps=shown[Level.TYPICAL],
            high_Bps=shown[Level.HIGH],
            capped=shown[Level.TYPICAL] < totals[Level.TYPICAL],
        )
    return found


class _Bar:
    """Low to high as a bar, the typical figure as a stroke with its text."""

    def __init__(self, page: style.Page, axes: Axes, row: int, scope: Scope) -> None:
        colour, hatch = _LOOKS[scope]
        self._scope_look = {"facecolor": colour, "hatch": hatch}
        self.patch = Rectangle((1, row - 0.28), 1, 0.56, edgecolor="#333333", linewidth=0.8)
        self.patch.set(alpha=0.75, zorder=2, **self._scope_look)
        self.stroke = Line2D([1, 1], [row - 0.36, row + 0.36], color=style.INK, linewidth=2.6)
        axes.add_patch(self.patch)
        axes.add_line(self.stroke)
        self.text: Text = axes.text(1, row, "", va="center", zorder=5, **page.type(8.8))
        self.artists: list[Artist] = [self.patch, self.stroke, self.text]

    def show(self, low: float, typical: float, high: float, note: str = "") -> None:
        self.patch.set_x(low)
        self.patch.set_width(high - low)
        self.stroke.set_xdata([typical, typical])
        right = high < _LABEL_FITS_RIGHT_UNTIL_BPS or low < 2 * _LIMITS_BPS[0]
        self.text.set_x(high * 1.35 if right else low / 1.35)
        self.text.set_horizontalalignment("left" if right else "right")
        self.text.set_text(f"{bandwidth_text(typical)}{note}")

    def hatch(self, *, capped: bool) -> None:
        colour, hatch = _LOOKS[Scope.CLUSTER if capped else Scope.NODE]
        self.patch.set(facecolor=colour, hatch=hatch)


class LadderPlot:
    """The figure; `update` moves its artists to another case."""

    def __init__(self, case: LadderCase) -> None:
        page = style.Page("各层有多快？先问：谁的带宽", height=5.6)
        self.figure, self._subtitle = page.figure, page.subtitle
        self._bars: dict[str, _Bar] = {}
        top = 0.82
        for scope, name, rows in _BOXES:
            height = 0.062 * len(rows) + 0.008
            axes = self._box(
                page, (0.165, top - height, 0.335, height), [TIER_NAMES[r] for r in rows]
            )
            page.figure.text(0.165, top + 0.012, f"{name}的带宽", **page.type(9.8, style.SOFT))
            self._bars |= {r: _Bar(page, axes, n, scope) for n, r in enumerate(rows)}
            top -= height + 0.095
        together = self._box(page, (0.655, 0.315, 0.335, 0.505), [TIER_NAMES[r] for r in _TOGETHER])
        together.set_xlim(_SUMS_BPS)
        self._sums = {r: _Bar(page, together, n, Scope.NODE) for n, r in enumerate(_TOGETHER)}
        self._heading = page.figure.text(0.655, 0.832, "", **page.type(9.8, style.SOFT))
        page.figure.text(
            0.655,
            0.2,
            "左边三个框各说各的，不能直接比；\n要比，先像上面这样加到同一个范围。\n"
            "条：低到高；竖线与数字：典型值；\n深色斜线：集群自己的上限。",
            va="top",
            linespacing=1.6,
            **page.type(9, style.SOFT),
        )
        self.moving: list[Artist] = [self._subtitle, self._heading]
        for bar in (*self._bars.values(), *self._sums.values()):
            self.moving += bar.artists
        self.update(case)

    def _box(
        self, page: style.Page, rect: tuple[float, float, float, float], names: list[str]
    ) -> Axes:
        axes = page.axes(rect, xscale="log", xlim=_LIMITS_BPS, ylim=(len(names) - 0.45, -0.55))
        axes.grid(visible=False, axis="y")
        style.set_ticks(axes.yaxis, dict(enumerate(names)))
        style.set_ticks(axes.xaxis, _TICKS)
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", labelsize=8)
        axes.spines[["top", "right"]].set_visible(True)
        axes.spines[["top", "right"]].set_color(style.RULE)
        return axes

    def update(self, case: LadderCase) -> None:
        """Move the artists to another case."""
        side = "读" if case.reading else "写"
        for name, figures in figures_of(case).items():
            levels = (figures.low.Bps, figures.typical.Bps, figures.high.Bps)
            self._bars[name].show(*levels)
        for name, total in sums(case).items():
            self._sums[name].show(
                total.low_Bps,
                total.typical_Bps,
                total.high_Bps,
                "（上限）" if total.capped else "",
            )
            self._sums[name].hatch(capped=total.capped)
        self._subtitle.set_text(
            f"{side}方向，低—典型—高；标称、引用的实测与本课假设见数据表，合计是模型"
        )
        self._heading.set_text(f"{case.nodes:,} 个节点合计 = min(n × 单节点, 集群上限)")


def ladder_figure(case: LadderCase) -> Figure:
    """Return the tier ladder by scope, and the sums over the nodes."""
    return LadderPlot(case).figure


def ladder_alt(case: LadderCase) -> str:
    """Return what the figure shows, in words."""
    side = "读" if case.reading else "写"
    parts = "，".join(
        f"{TIER_NAMES[name]} {bandwidth_text(total.typical_Bps)}"
        + ("（集群上限）" if total.capped else "")
        for name, total in sums(case).items()
    )
    return (
        f"存储各层的{side}带宽，按单卡、单节点、全集群分成三个互不相比的框，另一框是 "
        f"{case.nodes:,} 个节点的合计（模型，典型值）：{parts}。"
    )
