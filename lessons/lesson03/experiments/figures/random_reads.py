"""Q3: latency of one random read against its size, for each way to read."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lessons.lesson03.experiments.compare import Stretch, crossover
from lessons.lesson03.experiments.figures.spread import (
    SHAPES,
    MeasuredPage,
    draw_spread,
    limits_of,
    time_axis,
)
from lessons.lesson03.experiments.labels import how_said, size_text
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.figures import style

_WAYS = ("cold", "warm", "direct", "gds")
_SHORT = {"cold": "冷", "warm": "热", "direct": "O_DIRECT", "gds": "GDS"}
_PAIRS = (("cold", "direct"), ("warm", "direct"), ("direct", "gds"), ("warm", "gds"))
_SMALLEST = 4096.0


@dataclass(frozen=True, kw_only=True)
class ReadModel:
    """The lesson's t = t_fixed + s / b_media + s / b_copy.

    Attributes:
        fixed_s: Path, request, waiting for the device.
        media_Bps: Of the medium, B/s; our choice in the lesson: one drive's 6.6 GB/s.
        copy_Bps: Of the copy to the reader, B/s; None for none.
    """

    fixed_s: float
    media_Bps: float = 6.6e9  # noqa: N815 - B/s
    copy_Bps: float | None = 10e9  # noqa: N815 - B/s

    def seconds(self, size: float) -> float:
        """Return the time of one read of `size` bytes."""
        copy = size / self.copy_Bps if self.copy_Bps else 0.0
        return self.fixed_s + size / self.media_Bps + copy


def random_reads_figure(record: Record, model: ReadModel | None = None) -> Figure:
    """Return latency against size, with a model's line under the points if one is given."""
    page = MeasuredPage("一次随机读要多久：大小、冷热、是否绕过 page cache", record, height=6.0)
    ways = [way for way in _WAYS if way in record.conditions("read")]
    page.legend({how_said(way).zh: SHAPES[_WAYS.index(way)] for way in ways}, top=0.855)
    reads = record.of("read")
    sizes = sorted({one.at for one in reads})
    low, high = limits_of(reads)
    if model is not None:
        low, high = min(low, model.seconds(sizes[0]) / 1.5), max(high, model.seconds(sizes[-1]))
    axes = page.axes((0.085, 0.145, 0.655, 0.66), yscale="log", ylim=(low, high))
    for number, way in enumerate(ways):
        for one in record.of("read", way):
            at = _place(one.at) + (number - (len(ways) - 1) / 2) * 0.26
            draw_spread(axes, at, one, marker=SHAPES[_WAYS.index(way)], width=0.15)
    axes.set(xlim=(-0.5, _place(sizes[-1]) + 0.5))
    style.set_ticks(axes.xaxis, {_place(size): size_text(size) for size in sizes})
    time_axis(axes.yaxis)
    page.name_axes(axes, "一次读多少", "时间（对数）")
    if model is not None:
        _draw_model(axes, model, sizes[-1])
    _draw_findings(page, record, ways, model)
    return page.figure


def findings(record: Record) -> list[str]:
    """Return what the distributions say about which way is faster, one line a pair."""
    said = []
    for one, other in _PAIRS:
        stretches = crossover(record, "read", one, other)
        if stretches:
            parts = "；".join(_stretch(stretch) for stretch in stretches)
            said.append(f"{_SHORT[one]}与 {_SHORT[other]}：{parts}")
    return said


def _stretch(stretch: Stretch) -> str:
    first, last = size_text(stretch.first), size_text(stretch.last)
    where = first if first == last else f"{first} 到 {last}"
    if stretch.faster is None:
        return f"{where} 分不开"
    name = _SHORT[stretch.faster]
    return f"{where} {name}更快" if name in {"冷", "热"} else f"{where} {name} 更快"


def _place(size: float) -> float:
    """Return where a size stands on the x axis: one step for a factor of four."""
    return log(size / _SMALLEST, 4)


def _draw_model(axes: Axes, model: ReadModel, largest: float) -> None:
    sizes = np.geomspace(_SMALLEST, largest, 60)
    axes.add_line(
        Line2D(
            [_place(size) for size in sizes],
            [model.seconds(size) for size in sizes],
            color=style.BLUE,
            linestyle=style.DASHED,
            linewidth=2.2,
            zorder=3,
        )
    )


def _draw_findings(
    page: MeasuredPage, record: Record, ways: list[str], model: ReadModel | None
) -> None:
    lines = ["哪一种更快（中间一半的", "测量不重叠才算分得开）："]
    for said in findings(record):
        pair, _, parts = said.partition("：")
        lines += ["", f"{pair}：", *(f"  {part}" for part in parts.split("；"))]
    if "gds" not in ways:
        lines += ["", "GDS：没有量（无 GPU 或 kvikio）"]
    if model is not None:
        lines += ["", "蓝色虚线（模型）：", r"  $t_\mathrm{fixed} + s/b_\mathrm{media} + s/b_\mathrm{copy}$"]  # fmt: skip # noqa: E501
    page.figure.text(0.762, 0.80, "\n".join(lines), va="top", linespacing=1.5, **page.type(9.3))
