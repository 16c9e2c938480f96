"""Q2: steps of training lost, and the time to find and verify a step, for each failure."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lessons.lesson03.experiments.figures.spread import (
    MeasuredPage,
    count_axis,
    draw_counts,
    draw_spread,
    limits_of,
    time_axis,
)
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.figures import style

_NAMES = {
    "process": "进程崩溃",
    "reboot": "重启\n（模拟）",
    "reboot-unsynced": "重启，假如\n省掉 fsync\n（模拟）",
    "node": "丢一个节点\n的目录",
}


def node_loss_figure(record: Record) -> Figure:
    """Return two panels: steps lost, and how long recovery took, for each failure."""
    page = MeasuredPage("同一次中断，几种故障：能回到哪一步", record)
    page.subtitle.set_text(f"演练（标着「模拟」的是截断操作日志得来）· {record.origin.zh}")
    for rect, what, title in (
        ((0.085, 0.20, 0.40, 0.60), "lost-steps", "比全体已开始保存的最新一步少几步"),
        ((0.585, 0.20, 0.40, 0.60), "recover", "找到并校验那一步用的时间"),
    ):
        axes = page.axes(rect)
        _draw(page, axes, record, what)
        axes.set_title(title, loc="left", **page.type(10.5))
    return page.figure


def _draw(page: MeasuredPage, axes: Axes, record: Record, what: str) -> None:
    shown = [how for how in _NAMES if how in record.conditions(what)]
    series = [(number, one) for number, how in enumerate(shown) for one in record.of(what, how)]
    axes.set(xlim=(-0.5, len(shown) - 0.5))
    style.set_ticks(axes.xaxis, {float(i): _NAMES[how] for i, how in enumerate(shown)})
    if what == "recover":
        axes.set(yscale="log", ylim=limits_of([one for _at, one in series]))
        for at, one in series:
            draw_spread(axes, at, one, width=0.4)
        time_axis(axes.yaxis)
        axes.set_ylabel("时间（对数）", **page.type(10.5))
        return
    for at, one in series:
        draw_counts(page, axes, at, one)
    axes.set_ylim(-0.1, max(one.most for _at, one in series) + 0.75)
    count_axis(axes.yaxis)
    axes.set_ylabel("步（方块：一次恢复）", **page.type(10.5))
