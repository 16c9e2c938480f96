"""Figure (g): host memory for snapshots against the number of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from lessons.lesson03 import bandwidth
from lessons.lesson03.figures import style
from lessons.lesson03.readable import bytes_text, factor_text

_NODES: NDArray[np.float64] = np.exp2(np.arange(12, dtype=np.float64))
_BYTES = (1e8, 3e14)
# The lesson's two records, of other jobs; their node counts are not on record, so they stand
# in a margin of their own.
RECORDS = (
    style.Samples(at=0.3, values=(556 * 1024**3,), label="marin#8469，约 556 GiB"),
    style.Samples(at=0.7, values=(650e9,), label="Megatron-LM#61，约 650 GB"),
)


@dataclass(frozen=True, kw_only=True)
class HostRamCase:
    """Snapshots of a job in its nodes' memory.

    Attributes:
        checkpoint_bytes: S of the whole job.
        nodes: Nodes it is spread over.
        buffers: Snapshots in flight.
        overhead: h, staging overhead, at least 1.
        free_bytes: Memory of a node that nothing else needs.
    """

    checkpoint_bytes: float = 405.85e9 * 14
    nodes: int = 64
    buffers: int = 2
    overhead: float = 1.5
    free_bytes: float = 1e12

    def __post_init__(self) -> None:
        bandwidth.positive(**vars(self))

    @property
    def needed_bytes(self) -> float:
        """What one node needs."""
        return float(
            bandwidth.host_ram_bytes(self.checkpoint_bytes, self.nodes, self.buffers, self.overhead)
        )

    @property
    def least_nodes(self) -> int:
        """The fewest nodes whose free memory is enough."""
        total = self.checkpoint_bytes * self.buffers * self.overhead
        return max(1, ceil(total / self.free_bytes))

    @property
    def fits(self) -> bool:
        """Whether a node has the memory."""
        return self.needed_bytes <= self.free_bytes


class HostRamPlot:
    """The figure; `update` moves its artists to another case."""

    def __init__(self, case: HostRamCase) -> None:
        self._page = style.Page("快照要占每个节点多少内存？")
        self.figure = self._page.figure
        axes = self._page.axes((0.105, 0.125, 0.535, 0.725), xscale="log", yscale="log")
        axes.set(xlim=(0.9, 2400), ylim=_BYTES)
        style.set_ticks(axes.xaxis, {float(n): f"{n:,}" for n in (1, 4, 16, 64, 256, 1024)})
        ticks = {10.0**power: bytes_text(10.0**power) for power in range(8, 15)}
        style.set_ticks(axes.yaxis, ticks)
        self._page.name_axes(axes, "节点数", "每个节点的快照内存")
        self._add_artists(axes)
        self._add_records(axes)
        self._add_key()
        self.moving: list[Artist] = [self._page.subtitle, self._over, self._free, self._one]
        self.moving += [self._all, self._plan, *self._key.texts]
        self.update(case)

    def _add_artists(self, axes: Axes) -> None:
        self._over = Rectangle((0.9, 1), 2400, 1, zorder=0.6, **style.OUT_OF_BOUNDS)
        axes.add_patch(self._over)
        self._free = axes.axhline(1, color=style.INK, linewidth=1.6, zorder=2)
        self._one = Line2D(_NODES, _NODES, color=style.SKY, linestyle=style.DASHED, linewidth=2.2)
        self._all = Line2D(_NODES, _NODES, color=style.BLUE, linewidth=2.4, zorder=3)
        self._plan = style.plan_marker()
        for line in (self._one, self._all, self._plan):
            axes.add_line(line)

    def _add_records(self, axes: Axes) -> None:
        margin = self._page.axes((0.655, 0.125, 0.17, 0.725), yscale="log", ylim=_BYTES)
        margin.set(xlim=(0, 1), facecolor="#FAFAFA")
        margin.sharey(axes)
        margin.tick_params(left=False, labelleft=False, bottom=False, labelbottom=False)
        margin.grid(visible=False, axis="x")
        margin.set_xticks([], minor=True)
        margin.set_xticks([])
        for samples, shift in zip(RECORDS, (-24, 26), strict=True):
            label = samples.label.replace("，", "\n")
            margin.add_line(Line2D([samples.at], samples.values, zorder=6, **style.MEASURED))
            margin.annotate(
                f"实测：{label}",
                (0.5, samples.values[0]),
                xytext=(0, shift),
                textcoords="offset points",
                ha="center",
                va="center",
                linespacing=1.3,
                **self._page.type(8.2, "black"),
            )
        margin.set_xlabel("别的作业，节点数未公布", **self._page.type(8.8, style.SOFT))

    def _add_key(self) -> None:
        self._key = style.Key(self._page, (0.845, 0.1, 0.15, 0.75))
        self._of_all = self._key.line(0.93, color=style.BLUE, linewidth=2.4)
        self._of_one = self._key.line(0.73, color=style.SKY, linestyle=style.DASHED, linewidth=2.2)
        self._of_free = self._key.hatch(0.55, **style.OUT_OF_BOUNDS)
        self._of_plan = self._key.line(
            0.36, color=style.PLAN, linestyle="", marker="D", markersize=9, markeredgecolor="white"
        )
        self._key.line(0.1, **style.MEASURED).set_text("实测\n单次记录，\n出错时的约数")

    def update(self, case: HostRamCase) -> None:
        """Move the artists to another case."""
        one = np.asarray(bandwidth.host_ram_bytes(case.checkpoint_bytes, _NODES))
        self._one.set_ydata(one)
        self._all.set_ydata(one * case.buffers * case.overhead)
        self._plan.set_data([case.nodes], [case.needed_bytes])
        self._over.set_bounds(0.9, case.free_bytes, 2400, _BYTES[1])
        self._free.set_ydata([case.free_bytes, case.free_bytes])
        size = bytes_text(case.checkpoint_bytes)
        self._page.subtitle.set_text(f"S = {size}；线是模型 S / n × 缓冲份数 × h，空心方块是实测")
        self._of_all.set_text(f"{case.buffers} 份缓冲\nh = {factor_text(case.overhead)}\n（模型）")
        self._of_one.set_text("1 份，h = 1\n（模型）")
        self._of_free.set_text(f"超过空闲的\n{bytes_text(case.free_bytes)}")
        fate = "放得下" if case.fits else "放不下"
        self._of_plan.set_text(
            f"{case.nodes:,} 个节点\n各要 {bytes_text(case.needed_bytes)}\n{fate}；至少\n"
            f"要 {case.least_nodes:,} 个节点"
        )


def host_ram_figure(case: HostRamCase) -> Figure:
    """Return host memory for snapshots against nodes, with two records of real jobs."""
    return HostRamPlot(case).figure


def host_ram_alt(case: HostRamCase) -> str:
    """Return what the figure shows, in words."""
    return (
        "每个节点的快照内存随节点数下降的双对数图（模型）。"
        f"{bytes_text(case.checkpoint_bytes)} 分到 {case.nodes:,} 个节点、{case.buffers} 份缓冲、"
        f"h = {factor_text(case.overhead)} 时各要 {bytes_text(case.needed_bytes)}，空闲内存 "
        f"{bytes_text(case.free_bytes)}，{'放得下' if case.fits else '放不下'}，至少要 "
        f"{case.least_nodes:,} 个节点。"
        "旁边两个空心方块是别的作业内存不足时的实测记录：约 597 GB 与约 650 GB。"
    )
