"""The explorer of host memory for snapshots."""

from __future__ import annotations

from dataclasses import replace

from lessons.lesson03.explore.controls import Number, Presets, field, round_values
from lessons.lesson03.explore.explorer import Spec, Words
from lessons.lesson03.figures import HostRamCase, HostRamPlot, host_ram_alt
from lessons.lesson03.models import load_models
from lessons.lesson03.readable import bytes_text, seconds_text

FIRST = HostRamCase()
_WARM_BYTES = 4096
_COPY_BPS = 10e9  # the lesson's own choice for a copy in memory


def host_ram_spec() -> Spec[HostRamCase]:
    """Return what the explorer consists of."""
    sizes = {*round_values(1e11, 2e13), *(m.checkpoint_bytes for m in load_models().values())}
    return Spec(
        name="host_ram",
        plot=HostRamPlot,
        alt=host_ram_alt,
        words=_words,
        controls=(
            Presets("模型", {m.name: _sized(m.checkpoint_bytes) for m in load_models().values()}),
            Number("检查点 S", "TB", values=sizes, scale=1e12, **field("checkpoint_bytes")),
            _whole("节点数 n", "个", [2**power for power in range(12)], "nodes"),
            _whole("缓冲份数", "份", [1, 2, 3, 4], "buffers"),
            Number(
                "暂存倍数 h",
                "倍",
                values=(1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0),
                **field("overhead"),
            ),
            Number(
                "每节点空闲内存",
                "GB",
                values=round_values(5e10, 4e12),
                scale=1e9,
                **field("free_bytes"),
            ),
        ),
        moved=lambda case: replace(case, nodes=max(1, case.nodes // 2)),
        outcome=_outcome,
    )


def _sized(size: float):  # type: ignore[no-untyped-def]  # a setter
    return lambda case: replace(case, checkpoint_bytes=size)


def _whole(label: str, unit: str, values: list[int], name: str) -> Number[HostRamCase]:
    parts = field(name)
    return Number(
        label,
        unit,
        values=values,
        get=parts["get"],
        put=lambda case, value: parts["put"](case, max(1, round(value))),
    )


def _words(case: HostRamCase) -> Words:
    fate = "放得下" if case.fits else "放不下，第一次保存就会内存不足"
    return Words(
        verdict=(
            f"{case.nodes:,} 个节点各要 {bytes_text(case.needed_bytes)}，"
            f"空闲 {bytes_text(case.free_bytes)}：{fate}。"
        ),
        detail=f"这些空闲内存至少要 {case.least_nodes:,} 个节点才够。线是模型，方块是引用的实测。",
        readouts={"剩给 page cache 等": bytes_text(max(case.free_bytes - case.needed_bytes, 0.0))},
    )


def _outcome(_first: HostRamCase, now: HostRamCase) -> str:
    left = bytes_text(max(now.free_bytes - now.needed_bytes, 0.0))
    copy = seconds_text(_WARM_BYTES / _COPY_BPS)
    return (
        f"命中内存只要一次系统调用和一次拷贝（4 KiB 按 10 GB/s 拷贝约 {copy}），"
        f"绕过缓存的读要等一次设备 I/O；能命中多少看剩下的内存，"
        f"现在 {now.nodes:,} 个节点各剩 {left}。"
    )
