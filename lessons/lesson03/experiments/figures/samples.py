"""Q1, the reading side: waiting for one sample, and whole epochs, files against shards."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lessons.lesson03.experiments.figures.spread import (
    MeasuredPage,
    draw_spread,
    limits_of,
    time_axis,
)
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.figures import style

_NAMES = {
    "files-cold": "小文件\n冷",
    "shards-cold": "tar 分片\n冷",
    "files-warm": "小文件\n热",
    "shards-warm": "tar 分片\n热",
    "torch-files": "小文件\n热\ntorch",
    "torch-shards": "tar 分片\n热\ntorch",
}


def samples_figure(record: Record) -> Figure:
    """Return two panels: the wait for one sample, and the time of a whole epoch."""
    page = MeasuredPage("同样的小样本：一个样本一个文件，还是打包成 tar 分片", record)
    for rect, what, title in (
        ((0.085, 0.20, 0.40, 0.60), "sample", "等一个样本"),
        ((0.585, 0.20, 0.40, 0.60), "epoch", "读完一遍全部样本"),
    ):
        found = record.conditions(what)
        axes = page.axes(rect, yscale="log", ylim=limits_of(record.of(what)))
        _draw(page, axes, record, what, [how for how in _NAMES if how in found])
        axes.set_title(title, loc="left", **page.type(10.5))
    return page.figure


def _draw(page: MeasuredPage, axes: Axes, record: Record, what: str, shown: Sequence[str]) -> None:
    for number, how in enumerate(shown):
        for one in record.of(what, how):
            draw_spread(axes, number, one, width=0.4)
    axes.set(xlim=(-0.5, len(shown) - 0.5))
    style.set_ticks(axes.xaxis, {float(i): _NAMES[how] for i, how in enumerate(shown)})
    time_axis(axes.yaxis)
    axes.set_ylabel("时间（对数）", **page.type(10.5))
