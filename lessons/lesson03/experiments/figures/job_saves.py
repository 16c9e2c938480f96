"""The stages of real saves: what training waited for, and what ran behind its back."""

from __future__ import annotations

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
    "blocked": "训练停顿\n（背压与暂存）",
    "spill": "落盘\n（后台）",
    "upload": "上传\n（后台）",
    "commit": "到齐与提交\n（后台）",
    "total": "从 save()\n到这个 rank 完成",
}


def job_saves_figure(record: Record) -> Figure:
    """Return one column for each stage, every save of every rank a dot."""
    page = MeasuredPage("流水线的一次保存：训练等了多久，后台忙了多久", record)
    axes = page.axes((0.09, 0.20, 0.88, 0.64), yscale="log", ylim=limits_of(record.of("stage")))
    for number, stage in enumerate(_NAMES):
        for one in record.of("stage", stage):
            draw_spread(axes, number, one, width=0.4)
    axes.set(xlim=(-0.5, len(_NAMES) - 0.5))
    style.set_ticks(axes.xaxis, {float(i): name for i, name in enumerate(_NAMES.values())})
    time_axis(axes.yaxis)
    axes.set_ylabel("时间（对数）", **page.type(10.5))
    return page.figure
