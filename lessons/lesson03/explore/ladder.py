"""The explorer of the tier ladder."""

from __future__ import annotations

from dataclasses import replace

from lessons.lesson03.clusters import load_clusters
from lessons.lesson03.explore.controls import Number, Presets, Toggle, field
from lessons.lesson03.explore.explorer import Spec, Words
from lessons.lesson03.figures import LadderCase, LadderPlot, ladder_alt
from lessons.lesson03.figures.ladder import TIER_NAMES, sums
from lessons.lesson03.readable import bandwidth_text, factor_text

FIRST = LadderCase()


def ladder_spec() -> Spec[LadderCase]:
    """Return what the explorer consists of."""
    return Spec(
        name="ladder",
        plot=LadderPlot,
        alt=ladder_alt,
        words=_words,
        controls=(
            Presets(
                "集群",
                {
                    cluster.name: _shaped(cluster.nodes, cluster.gpus_per_node)
                    for cluster in load_clusters().values()
                },
            ),
            Toggle("看读方向（重启要等的）", **field("reading")),
            _whole("节点数 n", "个", [2**power for power in range(12)], "nodes"),
            _whole("每节点 GPU", "张", [1, 2, 4, 8, 16], "gpus_per_node"),
        ),
        moved=lambda case: replace(case, nodes=case.nodes * 2),
        outcome=_outcome,
    )


def _shaped(nodes: int, gpus_per_node: int):  # type: ignore[no-untyped-def]  # a setter
    return lambda case: replace(case, nodes=nodes, gpus_per_node=gpus_per_node)


def _whole(label: str, unit: str, values: list[int], name: str) -> Number[LadderCase]:
    parts = field(name)
    return Number(
        label,
        unit,
        values=values,
        get=parts["get"],
        put=lambda case, value: parts["put"](case, max(1, round(value))),
    )


def _words(case: LadderCase) -> Words:
    totals = sums(case)
    capped = [TIER_NAMES[name] for name, total in totals.items() if total.capped]
    side = "读" if case.reading else "写"
    verdict = (
        f"{case.nodes:,} 个节点一起{side}："
        f"{'、'.join(capped)}已经到了集群自己的上限，再添节点也不会更快。"
        if capped
        else f"{case.nodes:,} 个节点一起{side}：各层都还随节点数增加。"
    )
    return Words(
        verdict=verdict,
        detail="合计是模型；没有写上限的层，只是数据表里没有给它上限。",
        readouts={TIER_NAMES[n]: bandwidth_text(t.typical_Bps) for n, t in totals.items()},
    )


def _outcome(first: LadderCase, now: LadderCase) -> str:
    before, after = sums(first), sums(now)
    ratios = "，".join(
        f"{TIER_NAMES[name]} {factor_text(before[name].typical_Bps / after[name].typical_Bps)}"
        for name in after
    )
    return f"节点 {first.nodes:,} → {now.nodes:,}，写完的时间变成原来的：{ratios} 倍。"
