"""Q1: whole saves and single files against the number of writers, for three layouts."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lessons.lesson03.experiments.figures.spread import (
    SHAPES,
    MeasuredPage,
    draw_spread,
    limits_of,
    time_axis,
)
from lessons.lesson03.experiments.labels import how_said
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.figures import style

_LAYOUTS = ("one-directory", "per-writer", "aggregated")


def small_files_figure(record: Record) -> Figure:
    """Return two panels: until the slowest of a save is done, and one file alone."""
    page = MeasuredPage("N 个写者同时各写一个小文件：整次保存由最慢的决定", record)
    page.legend({how_said(how).zh: SHAPES[i] for i, how in enumerate(_LAYOUTS)}, top=0.845)
    series = record.of("save") + record.of("file")
    low, high = limits_of(series)
    for rect, what, title in (
        ((0.085, 0.16, 0.40, 0.60), "save", "整次保存：到最慢的写者完成"),
        ((0.585, 0.16, 0.40, 0.60), "file", "单个文件：新建、写、fsync、关闭"),
    ):
        axes = page.axes(rect, yscale="log", ylim=(low, high))
        _draw(page, axes, record, what)
        axes.set_title(title, loc="left", **page.type(10.5))
    return page.figure


def _draw(page: MeasuredPage, axes: Axes, record: Record, what: str) -> None:
    counts = sorted({one.at for one in record.of(what)})
    for number, how in enumerate(_LAYOUTS):
        for one in record.of(what, how):
            at = counts.index(one.at) + (number - 1) * 0.27
            draw_spread(axes, at, one, marker=SHAPES[number])
    axes.set(xlim=(-0.5, len(counts) - 0.5))
    style.set_ticks(axes.xaxis, {float(i): f"{count:,.0f}" for i, count in enumerate(counts)})
    time_axis(axes.yaxis)
    page.name_axes(axes, "写者数 $N$", "时间（对数）")
