"""The explorer of a whole plan: dump time against interval, and all that follows from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil
from typing import Any

from lessons.lesson03.bands import bands
from lessons.lesson03.clusters import Cluster, load_clusters
from lessons.lesson03.explore.controls import (
    TIMES_S,
    Control,
    Number,
    Presets,
    Toggle,
    field,
    round_values,
)
from lessons.lesson03.explore.explorer import Explorer, Spec, Words
from lessons.lesson03.explore.predictions import Predictions
from lessons.lesson03.explore.scenarios import PlanBar, Scenarios
from lessons.lesson03.figures import DumpTimePlot, dump_time_alt
from lessons.lesson03.models import load_models
from lessons.lesson03.plan import Plan, outlook
from lessons.lesson03.readable import bandwidth_text, factor_text, seconds_text
from lessons.lesson03.report import readouts
from lessons.lesson03.tiers import Basis, Level, Scope, load_tiers
from lessons.lesson03.verdict import tiers_sentence, verdict_sentence

_LEVELS = {Level.LOW: "低", Level.TYPICAL: "典型", Level.HIGH: "高"}


class DumpTimeExplorer(Explorer[Plan]):
    """The explorer of a plan, with a bar to save, copy and compare plans.

    Attributes:
        bar: The bar below the figure.
    """

    def __init__(self, plan: Plan, predictions: Predictions, scenarios: Scenarios) -> None:
        super().__init__(plan_spec(), plan, predictions)
        self.bar = PlanBar(lambda: self.inputs, scenarios)
        self.widget.children = [*self.widget.children, self.bar.widget]

    @property
    def plan(self) -> Plan:
        """The plan that the controls stand for."""
        return self.inputs


def plan_spec() -> Spec[Plan]:
    """Return what the explorer of a plan consists of."""
    return Spec(
        name="dump_time",
        plot=DumpTimePlot,
        alt=dump_time_alt,
        words=plan_words,
        controls=(
            Presets("模型", model_presets()),
            number_size(),
            number_interval(),
            Number("保留份数 K", "份", values=range(1, 21), **_whole("kept")),
            Presets("集群", cluster_presets()),
            _gpus(),
            Number("每节点 GPU", "张", values=(1, 2, 4, 8, 16), get=_per_node, put=_put_per_node),
            Presets("后端", backend_presets()),
            number_backend(),
            toggle_at_client(),
            number_amplification(),
            number_share(),
            toggle_scaled_mtbf(),
            number_mtbf(),
        ),
        moved=lambda plan: replace(plan, media_amplification=3.0, at_client=False),
        outcome=_outcome,
    )


def plan_words(plan: Plan) -> Words:
    """Return the plan's verdict, with its tightest limit, and its readouts."""
    result, tiers = outlook(plan), load_tiers()
    return Words(
        verdict=verdict_sentence(plan, result),
        detail=tiers_sentence(plan, bands(plan, tiers)),
        readouts=readouts(plan, result),
    )


def number_size() -> Number[Plan]:
    """Return the control of S."""
    sizes = {*round_values(1e11, 2e13), *(m.checkpoint_bytes for m in load_models().values())}
    return Number("检查点 S", "TB", values=sizes, scale=1e12, **field("checkpoint_bytes"))


def number_interval() -> Number[Plan]:
    """Return the control of T."""
    stops = [at for at in TIMES_S if at >= 10]  # noqa: PLR2004 - the figure's least interval
    return Number("间隔 T", "分钟", values=stops, scale=60, **field("interval_s"))


def number_backend() -> Number[Plan]:
    """Return the control of B."""
    return Number(
        "后端带宽 B", "GB/s", values=round_values(5e8, 2e12), scale=1e9, **field("backend_Bps")
    )


def number_amplification() -> Number[Plan]:
    """Return the control of W, which shows 1 where the bandwidth was measured at the client."""
    return Number(
        "写放大 W",
        "倍",
        values=[1 + step / 8 for step in range(25)],
        get=lambda plan: plan.write_amplification,
        put=lambda plan, value: replace(plan, media_amplification=value),
        locked=lambda plan: plan.at_client,
    )


def number_share() -> Number[Plan]:
    """Return the control of the share that other tenants use."""
    shares = [step / 20 for step in range(20)]
    return Number("别的租户占", "%", values=shares, scale=0.01, **field("contention"))


def toggle_at_client() -> Toggle[Plan]:
    """Return the box that forces W = 1."""
    return Toggle("B 是客户端实测（放大已含在内，W = 1）", **field("at_client"))


def toggle_scaled_mtbf() -> Toggle[Plan]:
    """Return the box that takes M from Llama 3's record."""
    return Toggle(
        "M 按 Llama 3 的记录折算到这些 GPU",
        get=lambda plan: plan.mtbf_s is None,
        put=lambda plan, scaled: replace(plan, mtbf_s=None if scaled else plan.job_mtbf_s),
    )


def number_mtbf() -> Number[Plan]:
    """Return the control of M."""
    hours = [*round_values(0.1, 10_000)]
    return Number(
        "无故障时间 M",
        "小时",
        values=[3600 * value for value in hours],
        scale=3600,
        get=lambda plan: plan.job_mtbf_s,
        put=lambda plan, value: replace(plan, mtbf_s=value),
        locked=lambda plan: plan.mtbf_s is None,
    )


def model_presets() -> dict[str, Callable[[Plan], Plan]]:
    """Return checkpoint sizes by model."""
    sizes = {"例题：4 TB": Plan().checkpoint_bytes}
    sizes |= {model.name: model.checkpoint_bytes for model in load_models().values()}
    return {name: _setter(checkpoint_bytes=size) for name, size in sizes.items()}


def cluster_presets() -> dict[str, Callable[[Plan], Plan]]:
    """Return shapes of clusters by name."""

    def shape(cluster: Cluster) -> Callable[[Plan], Plan]:
        return _setter(nodes=cluster.nodes, gpus_per_node=cluster.gpus_per_node)

    return {cluster.name: shape(cluster) for cluster in load_clusters().values()}


def backend_presets() -> dict[str, Callable[[Plan], Plan]]:
    """Return backends by tier and level; tiers seen by a client force W = 1."""
    choices = {"例题：10 GB/s（裸介质）": _setter(backend_Bps=10e9, at_client=False)}
    for tier in load_tiers().values():
        if tier.basis is Basis.CLIENT and tier.scope is Scope.CLUSTER:
            for level, name in _LEVELS.items():
                value = tier.Bps(level)
                choices[f"{tier.name}，{name}：{bandwidth_text(value)}"] = _setter(
                    backend_Bps=value, at_client=True
                )
    each = load_tiers()["object-store"].typical.Bps
    choices[f"对象存储，典型：每节点 {bandwidth_text(each)}"] = lambda plan: replace(
        plan, backend_Bps=each * plan.nodes, at_client=True
    )
    return choices


def _outcome(first: Plan, now: Plan) -> str:
    before, after = outlook(first), outlook(now)
    times, average = after.dump_s / before.dump_s, now.average_Bps / first.average_Bps
    return (
        f"开始时 W = {factor_text(first.write_amplification)}，现在 "
        f"{factor_text(now.write_amplification)}。写完：{seconds_text(before.dump_s)} → "
        f"{seconds_text(after.dump_s)}（{factor_text(times)} 倍）；平均带宽："
        f"{bandwidth_text(first.average_Bps)} → {bandwidth_text(now.average_Bps)}"
        f"（{factor_text(average)} 倍）。"
    )


def _setter(**fields: float | bool) -> Callable[[Plan], Plan]:
    return lambda plan: replace(plan, **fields)  # type: ignore[arg-type]  # names of its fields


def _whole(name: str) -> dict[str, Any]:
    parts = field(name)
    return {"get": parts["get"], "put": lambda plan, value: parts["put"](plan, round(value))}


def _gpus() -> Control[Plan]:
    stops = [2**power for power in range(3, 15)]
    stops += [384, 8960]
    return Number("GPU 总数", "张", values=stops, get=lambda plan: plan.gpus, put=_put_gpus)


def _put_gpus(plan: Plan, gpus: float) -> Plan:
    return replace(plan, nodes=max(1, ceil(gpus / plan.gpus_per_node)))


def _per_node(plan: Plan) -> int:
    return plan.gpus_per_node


def _put_per_node(plan: Plan, each: float) -> Plan:
    """Keep the GPUs and change how many share a node."""
    each = round(each)
    return replace(plan, gpus_per_node=each, nodes=max(1, ceil(plan.gpus / each)))
