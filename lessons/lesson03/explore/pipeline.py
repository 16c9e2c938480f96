"""The explorer of the pipeline's timeline."""

from __future__ import annotations

from dataclasses import replace

from lessons.lesson03.explore.controls import TIMES_S, Number, field
from lessons.lesson03.explore.explorer import Spec, Words
from lessons.lesson03.figures import PipelineCase, PipelinePlot, pipeline_alt
from lessons.lesson03.readable import seconds_text
from lessons.lesson03.timeline import STAGES, recovered, saves_of

# The prediction is about a loss between spill and commit, so it opens with one before any save.
FIRST = PipelineCase(failure_s=100.0)
_NAMES = dict(zip(STAGES, ("暂存", "落盘", "上传", "提交"), strict=True))
_STAGE_S = (*(0.1, 0.2, 0.5), *(at for at in TIMES_S if at <= 1800))  # noqa: PLR2004 - half an hour


def pipeline_spec() -> Spec[PipelineCase]:
    """Return what the explorer consists of."""
    return Spec(
        name="pipeline",
        plot=PipelinePlot,
        alt=pipeline_alt,
        words=_words,
        controls=(
            Number(
                "间隔 T",
                "分钟",
                values=[at for at in TIMES_S if 20 <= at <= 7200],  # noqa: PLR2004 - legible
                scale=60,
                **field("interval_s"),
            ),
            Number("暂存 D2H", "秒", values=_STAGE_S, **field("staging_s")),
            Number("落盘 NVMe", "秒", values=_STAGE_S, **field("spill_s")),
            Number("上传", "秒", values=_STAGE_S, **field("upload_s")),
            Number("提交", "秒", values=_STAGE_S, **field("commit_s")),
            Number(
                "缓冲份数",
                "份",
                values=(1, 2, 3, 4),
                get=lambda case: case.buffers,
                put=lambda case, value: replace(case, buffers=round(value)),
            ),
            Number(
                "丢节点的时刻",
                "分钟",
                values=[step * 15.0 for step in range(1, 61)],
                scale=60,
                **field("failure_s"),
            ),
        ),
        moved=_failing_after_spill,
        outcome=_outcome,
    )


def _failing_after_spill(case: PipelineCase) -> PipelineCase:
    """Let the node be lost while the second save is on its way from NVMe to its commit."""
    second = saves_of(case)[1]
    spilled, committed = second.spans_s[1][1], second.committed_s
    return replace(case, failure_s=round((spilled + committed) / 2, 1))


def _words(case: PipelineCase) -> Words:
    saves = saves_of(case)
    slowest = max(STAGES, key=lambda stage: case.stage_s[STAGES.index(stage)])
    slow_s = case.stage_s[STAGES.index(slowest)]
    waited = sum(save.waited_s for save in saves)
    if case.sustainable:
        verdict = "跟得上：五次保存都按时开始。"
    elif slow_s > case.interval_s:
        verdict = f"跟不上：最慢的{_NAMES[slowest]}要 {seconds_text(slow_s)}，比间隔长。"
    else:
        verdict = f"跟不上：{case.buffers} 份缓冲都在路上，训练要等提交腾出一份。"
    return Words(
        verdict=verdict,
        detail=_lost(case),
        readouts={
            "每次停顿 δ": seconds_text(case.staging_s),
            "提交滞后": seconds_text(saves[0].committed_s - saves[0].start_s),
            "五次合计等缓冲": seconds_text(waited) if waited else "0",
            "最慢的阶段": f"{_NAMES[slowest]}，{seconds_text(slow_s)}",
        },
    )


def _outcome(_first: PipelineCase, now: PipelineCase) -> str:
    return _lost(now)


def _lost(case: PipelineCase) -> str:
    saves = saves_of(case)
    at = case.failure_s
    back = recovered(saves, at)
    under_way = [save.number for save in saves if save.spans_s[1][1] <= at < save.committed_s]
    spilled = (
        f"那时第 {'、'.join(map(str, under_way))} 次已经落盘、还没有提交；" if under_way else ""
    )
    target = f"回到第 {back.number} 次" if back else "还没有一次提交过，回到起点"
    since = back.start_s if back else 0.0
    return (
        f"在 {seconds_text(at)}丢一个节点：{spilled}{target}，"
        f"丢掉 {seconds_text(at - since)}的训练。"
    )
