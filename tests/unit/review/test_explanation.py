"""The explanation: which of its three parts are there, and that 0.5 is no guess at correctness."""

from __future__ import annotations

import pytest

from autograder.review.records import Suggestion
from autograder.review.suggest import Suggester

LONG = (
    "$T_{\\mathrm{dump}} = T$，占空比 100%，结果是 (600, 1e10)。"
    "越过它在途份数会一直增加，结论不再成立；"
    "边界条件是 $T_{\\mathrm{dump}} \\le T$。把间隔加长可以降低后端压力，代价是故障时多丢训练。"
)
ENGLISH = (
    "T equals T_dump so there is no slack; the function returns 600 s and 10 GB/s. Correctness "
    "boundary: a step without a commit marker must never be restored. Trade-off: a shorter "
    "interval loses less work but keeps the backend busier."
)


def read(suggester: Suggester, answer: str) -> Suggestion:
    question = suggester.rubric.question("explanation")
    assert question is not None
    return suggester.suggest(question, answer)


@pytest.mark.parametrize(
    ("answer", "score", "links"),
    [
        (LONG, 1, {"boundary", "correctness_boundary", "tradeoff"}),
        (ENGLISH, 1, {"boundary", "correctness_boundary", "tradeoff"}),
        ("T 传了 0，守卫抛出 ValueError。", 0.5, {"boundary"}),
        ("T_dump 等于 T，恰好写满，算出来带宽等于 10 GB/s，没有余量。", 0.5, {"boundary"}),
        (
            "正确性边界：没有提交标记的一步不得用于恢复。取舍：间隔短，少丢训练，但后端更忙。",
            0.5,
            {"correctness_boundary", "tradeoff"},
        ),
        ("取舍：聚合之后元数据压力小，但多一步汇集，还多了单点。", 0, {"tradeoff"}),
        ("正确性边界是 W 和 B 必须同一口径，不然数字没有意义。", 0, {"correctness_boundary"}),
        ("今天天气不错，我们去爬山吧。", 0, set()),
        ("", 0, set()),
        ("用几句话说明：这组输入为什么在边界上，函数为什么应当给出你写的结果。", 0, set()),
        ("周期要比写出时间长。", None, set()),
    ],
)
def test_parts(suggester: Suggester, answer: str, score: float | None, links: set[str]) -> None:
    found = read(suggester, answer)
    assert found.score == score
    assert {link.id for link in found.links if link.present} == links


def test_nobody_counted_how_often_it_is_right(suggester: Suggester) -> None:
    assert read(suggester, LONG).confidence == 0.5
    assert read(suggester, LONG).case == "explanation-level-1"
