"""The explorer of commit time against ranks."""

from __future__ import annotations

from dataclasses import replace

from lessons.lesson03.explore.controls import Number
from lessons.lesson03.explore.explorer import Spec, Words
from lessons.lesson03.figures import StragglerCase, StragglerPlot, stragglers_alt
from lessons.lesson03.figures.stragglers import MOST_RANKS
from lessons.lesson03.ranks import share_beyond_p99
from lessons.lesson03.readable import factor_text, percent_text, seconds_text

FIRST = StragglerCase(ranks=8)
_LEAST_RATIO = 1.01


def stragglers_spec() -> Spec[StragglerCase]:
    """Return what the explorer consists of."""
    ratios = (1.01, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 7.5, 10.0)
    return Spec(
        name="stragglers",
        plot=StragglerPlot,
        alt=stragglers_alt,
        words=_words,
        controls=(
            Number(
                "rank 数 N",
                "个",
                values=[2**power for power in range(15)],
                get=lambda case: case.ranks,
                put=lambda case, value: replace(case, ranks=min(max(round(value), 1), MOST_RANKS)),
            ),
            Number(
                "单个 rank 的 p50",
                "秒",
                values=(1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 40.0, 60.0, 120.0, 300.0, 600.0),
                get=lambda case: case.median_s,
                put=lambda case, value: replace(
                    case, median_s=value, p99_s=value * case.p99_s / case.median_s
                ),
            ),
            Number(
                "p99 是 p50 的",
                "倍",
                values=ratios,
                get=lambda case: case.p99_s / case.median_s,
                put=lambda case, value: replace(
                    case, p99_s=case.median_s * max(value, _LEAST_RATIO)
                ),
            ),
            Number(
                "另抽一批（模拟）",
                "号",
                values=range(1, 11),
                get=lambda case: case.seed,
                put=lambda case, value: replace(case, seed=round(value)),
            ),
        ),
        moved=lambda case: replace(case, ranks=4096),
        outcome=_outcome,
    )


def _words(case: StragglerCase) -> Words:
    middle = float(case.times.slowest_s(case.ranks, 0.5))
    mean = case.times.mean_s
    return Words(
        verdict=(
            f"{case.ranks:,} 个 rank：整次保存通常要 {seconds_text(middle)}，"
            f"是均值 {seconds_text(mean)}的 {factor_text(middle / mean)} 倍。"
        ),
        detail="均值与 p99 都不随 N 变，最大值随 N 变：监控要看最大值。独立同分布是假设。",
        readouts={
            "最慢者的 p95": seconds_text(float(case.times.slowest_s(case.ranks, 0.95))),
            "有人慢过 p99 的概率": percent_text(float(share_beyond_p99(case.ranks))),
        },
    )


def _outcome(_first: StragglerCase, now: StragglerCase) -> str:
    middle = float(now.times.slowest_s(now.ranks, 0.5))
    return (
        f"DCP 每个 rank 至少写一个：{now.ranks:,} 个 rank 就不少于 {now.ranks:,} 个文件。"
        f"最慢的那个写完才算数：通常 {seconds_text(middle)}，"
        f"而均值一直是 {seconds_text(now.times.mean_s)}。"
    )
