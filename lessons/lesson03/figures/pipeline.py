"""Figure (c): several saves through the pipeline, and when the recovery point moves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from lessons.lesson03.figures import style
from lessons.lesson03.figures.clock import clock_ticks
from lessons.lesson03.readable import seconds_text
from lessons.lesson03.timeline import STAGES, PipelineCase, Save, recovered, saves_of

_TRAINING, _RECOVERY = 0, len(STAGES) + 1
_LANES = ("训练", "暂存 D2H", "落盘 NVMe", "上传", "提交", "恢复点")
_LOOKS: tuple[dict[str, Any], ...] = (
    {"facecolor": style.ORANGE, "hatch": ""},
    {"facecolor": style.SKY, "hatch": "////"},
    {"facecolor": "#7FB7D8", "hatch": "...."},
    {"facecolor": style.PINK, "hatch": "xxxx"},
)
_HEIGHT = 0.62
_SAVES = 5
_ROOM = 0.06  # share of the axis that a number needs


class _Row:
    """Blocks of one kind in a lane, each with a word in it.

    They are one path: a hatched patch costs its 2 ms whatever it holds.
    """

    def __init__(self, page: style.Page, axes: Axes, lane: int, colour: str, hatch: str) -> None:
        self._lane = lane
        self._patch = PathPatch(Path(np.zeros((1, 2))), facecolor=colour, hatch=hatch)
        self._patch.set(edgecolor="#555555", linewidth=0.8, zorder=3)
        axes.add_patch(self._patch)
        self._texts = [
            axes.text(0, lane, "", ha="center", va="center", zorder=5, **page.type(8.5))
            for _ in range(_SAVES + 1)
        ]
        for text in self._texts:
            text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85})
            text.set_clip_on(True)
        self.artists: list[Artist] = [self._patch, *self._texts]

    def show(self, blocks: Iterable[tuple[float, float, str]], room: float) -> None:
        """Show blocks by start, end and word; a word that has no room is left out."""
        shown = [block for block in blocks if block[1] > block[0]]
        low, high = self._lane - _HEIGHT / 2, self._lane + _HEIGHT / 2
        corners = [
            [(start, low), (end, low), (end, high), (start, high), (start, low)]
            for start, end, _word in shown
        ]
        self._patch.set_visible(bool(shown))
        if shown:
            self._patch.set_path(
                Path(
                    np.array(corners).reshape(-1, 2),
                    [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(shown),
                )
            )
        for number, text in enumerate(self._texts):
            start, end, word = shown[number] if number < len(shown) else (0.0, 0.0, "")
            text.set_x((start + end) / 2)
            text.set_text(word if end - start > room else "")


class PipelinePlot:
    """The figure; `update` moves its artists to another case of `_SAVES` saves."""

    def __init__(self, case: PipelineCase) -> None:
        self._page = style.Page("一次保存要经过哪些阶段？哪些挡住训练？")
        self.figure = self._page.figure
        self._axes = axes = self._page.axes((0.105, 0.215, 0.865, 0.635))
        axes.set(ylim=(_RECOVERY + 0.65, -1.0))
        axes.grid(visible=False, axis="y")
        style.set_ticks(axes.yaxis, dict(enumerate(_LANES)))
        axes.tick_params(axis="y", length=0, labelsize=10)
        axes.set_xlabel("时间", **self._page.type(10))
        self._train = _Row(self._page, axes, _TRAINING, "#BFE3D6", "")
        self._waits = _Row(self._page, axes, _TRAINING, "white", "////")
        self._stops = _Row(self._page, axes, _TRAINING, style.ORANGE, "")
        self._stages = [
            _Row(self._page, axes, lane, look["facecolor"], look["hatch"])
            for lane, look in enumerate(_LOOKS, start=1)
        ]
        self._points = [_Row(self._page, axes, _RECOVERY, c, "") for c in ("#CFCFCF", "#E8E8E8")]
        self._failure = axes.axvline(1, color=style.PLAN, linewidth=1.8, linestyle="--", zorder=6)
        self._failed = self._page.boxed(axes, 1, -0.68, "", zorder=7)
        self._failed.set(color=style.PLAN, fontsize=9)
        self._lost = Line2D([], [], color=style.PLAN, linewidth=2.2, marker="|", markersize=11)
        self._lost.set(zorder=6)
        axes.add_line(self._lost)
        self._add_key()
        self.moving: list[Artist] = [axes.xaxis, self._page.subtitle, self._failure, self._failed]
        self.moving += [self._lost]
        for row in (self._train, self._waits, self._stops, *self._stages, *self._points):
            self.moving += row.artists
        self.update(case)

    def _add_key(self) -> None:
        axes = self.figure.add_axes((0.105, 0.02, 0.865, 0.085))
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.set_axis_off()
        entries = (
            ("#BFE3D6", "", "训练在算"),
            (style.ORANGE, "", "停顿：暂存"),
            ("white", "////", "停顿：等一个空缓冲"),
            ("#CFCFCF", "", "此刻故障会回到第几次"),
        )
        for at, (colour, hatch, text) in zip((0.0, 0.16, 0.34, 0.59), entries, strict=True):
            axes.add_patch(
                Rectangle((at, 0.3), 0.03, 0.45, facecolor=colour, hatch=hatch, edgecolor="#555555")
            )
            axes.text(at + 0.038, 0.52, text, va="center", **self._page.type(9))

    def update(self, case: PipelineCase) -> None:
        """Move the artists to another case."""
        saves = saves_of(case)[:_SAVES]
        end = max(saves[-1].committed_s, case.failure_s) * 1.03
        room = end * _ROOM
        self._axes.set_xlim(0, end)
        style.set_ticks(self._axes.xaxis, clock_ticks(end))
        self._show_training(saves, end, room)
        for lane, row in enumerate(self._stages):
            row.show([(*save.spans_s[lane], f"第 {save.number} 次") for save in saves], room)
        marks = [0.0, *(save.committed_s for save in saves), end]
        spans = [
            (marks[n], marks[n + 1], f"第 {n} 次" if n else "起点") for n in range(len(saves) + 1)
        ]
        for parity, row in enumerate(self._points):
            row.show(spans[parity::2], room)
        self._show_failure(case, saves, end)
        verdict = "跟得上" if case.sustainable else "跟不上，训练要等"
        self._page.subtitle.set_text(
            f"T = {seconds_text(case.interval_s)}，缓冲 {case.buffers} 份：{verdict}；"
            "模型，各阶段时间固定，不是实测"
        )

    def _show_training(self, saves: tuple[Save, ...], end: float, room: float) -> None:
        resumed = [0.0, *(save.spans_s[0][1] for save in saves)]
        until = [*(save.due_s for save in saves), end]
        self._train.show([(*span, "") for span in zip(resumed, until, strict=True)], room)
        self._waits.show([(save.due_s, save.start_s, "等") for save in saves], room)
        self._stops.show([(*save.spans_s[0], "停") for save in saves], room)

    def _show_failure(self, case: PipelineCase, saves: tuple[Save, ...], end: float) -> None:
        at = case.failure_s
        self._failure.set_xdata([at, at])
        back = recovered(saves, at)
        from_s = back.start_s if back else 0.0
        self._lost.set_data([from_s, at], [_RECOVERY + 0.46, _RECOVERY + 0.46])
        right = at < end * 0.6
        self._failed.set_x(at + (end if right else -end) * 0.008)
        self._failed.set_horizontalalignment("left" if right else "right")
        target = f"第 {back.number} 次" if back else "起点"
        self._failed.set_text(f"丢一个节点：回到{target}，丢掉 {seconds_text(at - from_s)}的训练")


def pipeline_figure(case: PipelineCase) -> Figure:
    """Return the timeline of several saves."""
    return PipelinePlot(case).figure


def pipeline_alt(case: PipelineCase) -> str:
    """Return what the figure shows, in words."""
    saves = saves_of(case)
    back = recovered(saves, case.failure_s)
    lag = saves[0].committed_s - saves[0].start_s
    waited = sum(save.waited_s for save in saves)
    return (
        "五次保存经过暂存、落盘、上传、提交的时间线（模型）。"
        f"间隔 {seconds_text(case.interval_s)}，"
        f"每次暂存让训练停 {seconds_text(case.staging_s)}，提交滞后 {seconds_text(lag)}，"
        f"五次合计等缓冲 {seconds_text(waited)}。在 {seconds_text(case.failure_s)} 丢一个节点，"
        + (f"回到第 {back.number} 次保存。" if back else "没有已提交的检查点，从头开始。")
    )
