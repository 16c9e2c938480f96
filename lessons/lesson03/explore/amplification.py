"""The explorer of write amplification."""

from __future__ import annotations

from dataclasses import replace

from lessons.lesson03.explore.controls import Number, Toggle, field, round_values
from lessons.lesson03.explore.explorer import Spec, Words
from lessons.lesson03.figures import AmplificationCase, AmplificationPlot, amplification_alt
from lessons.lesson03.figures.amplification import MOST_COPIES, MOST_DATA, MOST_PARITY
from lessons.lesson03.readable import factor_text, seconds_text

FIRST = AmplificationCase()


def amplification_spec() -> Spec[AmplificationCase]:
    """Return what the explorer consists of."""
    return Spec(
        name="amplification",
        plot=AmplificationPlot,
        alt=amplification_alt,
        words=_words,
        controls=(
            Number(
                "文件 S", "TB", values=round_values(1e9, 2e13), scale=1e12, **field("file_bytes")
            ),
            Number(
                "带宽 B",
                "GB/s",
                values=round_values(5e8, 2e12),
                scale=1e9,
                **field("bandwidth_Bps"),
            ),
            Toggle("B 是客户端实测（放大已含在内，W = 1）", **field("at_client")),
            _whole("副本数", "份", MOST_COPIES, "copies"),
            _whole("数据块 k", "块", MOST_DATA, "data_chunks"),
            _whole("校验块 m", "块", MOST_PARITY, "parity_chunks"),
        ),
        moved=lambda case: replace(case, at_client=True),
        outcome=_outcome,
    )


def _whole(label: str, unit: str, most: int, name: str) -> Number[AmplificationCase]:
    parts = field(name)
    return Number(
        label,
        unit,
        values=range(1, most + 1),
        get=parts["get"],
        put=lambda case, value: parts["put"](case, round(value)),
    )


def _words(case: AmplificationCase) -> Words:
    by_copies, by_erasure = case.amplifications
    if case.at_client:
        verdict = "B 在客户端量得：放大已经付过，算时间用 W = 1；再乘一次就算了两遍。"
    else:
        verdict = "B 是裸介质带宽：介质上写多少倍，时间就长多少倍。"
    return Words(
        verdict=verdict,
        detail="占的空间总按介质算，与 B 在哪里量的无关。全部是模型。",
        readouts={
            f"{case.copies} 副本": f"{factor_text(by_copies)} 倍，"
            f"写完 {seconds_text(case.dump_s(by_copies))}",
            f"纠删码 {case.data_chunks}+{case.parity_chunks}": f"{factor_text(by_erasure)} 倍，"
            f"写完 {seconds_text(case.dump_s(by_erasure))}",
        },
    )


def _outcome(first: AmplificationCase, now: AmplificationCase) -> str:
    before, after = (case.dump_s(case.amplifications[1]) for case in (first, now))
    paid = 1.0 if now.at_client else now.amplifications[1]
    where = "客户端口径" if now.at_client else "裸介质口径"
    return (
        f"{where}，纠删码那一行算时间用 W = {factor_text(paid)}；"
        f"写完：{seconds_text(before)} → {seconds_text(after)}。"
    )
