"""A plan with what it comes to, to read, to copy and to keep; no notebook is needed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from lessons.lesson03.models import load_models
from lessons.lesson03.plan import Outlook, Plan, outlook
from lessons.lesson03.readable import (
    bandwidth_text,
    bytes_text,
    factor_text,
    percent_text,
    seconds_text,
)
from lessons.lesson03.verdict import verdict_sentence


@dataclass(frozen=True, kw_only=True, repr=False)
class PlanReport:
    """A plan and what it comes to.

    Attributes:
        plan: What was chosen.
        outlook: What follows, all of it modelled.
        name: What the learner calls it.
    """

    plan: Plan
    outlook: Outlook
    name: str = "方案"

    @property
    def verdict(self) -> str:
        """Whether it is feasible, and the tightest limit, in one sentence."""
        return verdict_sentence(self.plan, self.outlook)

    def __repr__(self) -> str:
        values = "\n".join(
            f"  {name}：{value}" for name, value in readouts(self.plan, self.outlook).items()
        )
        return f"{self.name}（模型）：{self.verdict}\n{choices(self.plan)}\n{values}"

    def to_markdown(self) -> str:
        """Return the plan as Markdown, with every value marked as modelled."""
        rows = "\n".join(
            f"| {name} | {value} | 模型 |"
            for name, value in readouts(self.plan, self.outlook).items()
        )
        return (
            f"**{self.name}**　{choices(self.plan)}\n\n{self.verdict}\n\n"
            f"| 量 | 值 | 性质 |\n|---|---|---|\n{rows}\n"
        )

    def to_json(self) -> str:
        """Return the plan as JSON: numbers in SI units, as the fields are named."""
        content = {
            "name": self.name,
            "kind": "model",
            "plan": asdict(self.plan),
            "outlook": asdict(self.outlook),
        }
        return json.dumps(content, ensure_ascii=False, indent=2)

    def _repr_markdown_(self) -> str:
        return self.to_markdown()


def report(chosen: Plan, name: str = "方案") -> PlanReport:
    """Return a plan with what it comes to."""
    return PlanReport(plan=chosen, outlook=outlook(chosen), name=name)


def plan(  # noqa: PLR0913 - a plan is made of these
    model: str | None = None,
    *,
    size_TB: float | None = None,  # noqa: N803 - TB
    backend_GBps: float = 10.0,  # noqa: N803 - GB/s
    at_client: bool = False,
    amplification: float = 1.5,
    interval_min: float = 30.0,
    gpus: int = 512,
    gpus_per_node: int = 8,
    tenant_share: float = 0.0,
    mtbf_h: float | None = None,
    kept: int = 3,
    buffers: int = 1,
    overhead: float = 1.0,
    name: str = "方案",
) -> PlanReport:
    """Return what a plan comes to, in the units a person thinks in.

    Args:
        model: Id of a model in models.toml, such as "llama3-405b", in place of a size.
        size_TB: S in TB; 4 where neither is given, as in the worked example.
        backend_GBps: B in GB/s.
        at_client: Whether B was measured at the client; then W = 1 for the time.
        amplification: W of the media.
        interval_min: T in minutes.
        gpus: GPUs of the job; a node that is not full counts as a node.
        gpus_per_node: GPUs of a node.
        tenant_share: Share of the backend that other tenants use, in [0, 1).
        mtbf_h: M in hours; scaled from Llama 3's record where not given.
        kept: Checkpoints kept.
        buffers: Snapshots in flight in host memory.
        overhead: Staging overhead h.
        name: What to call it.

    Raises:
        ValueError: A value is out of its range, or both or an unknown model are given.
    """
    return report(
        Plan(
            checkpoint_bytes=_size_bytes(model, size_TB),
            media_amplification=amplification,
            at_client=at_client,
            backend_Bps=backend_GBps * 1e9,
            contention=tenant_share,
            interval_s=interval_min * 60,
            nodes=-(-gpus // gpus_per_node),
            gpus_per_node=gpus_per_node,
            mtbf_s=None if mtbf_h is None else mtbf_h * 3600,
            kept=kept,
            buffers=buffers,
            overhead=overhead,
        ),
        name,
    )


def choices(plan_: Plan) -> str:
    """Return what was chosen, in one line."""
    where = "客户端口径" if plan_.at_client else "裸介质口径"
    shared = f"，别人占 {percent_text(plan_.contention)}" if plan_.contention else ""
    return (
        f"S = {bytes_text(plan_.checkpoint_bytes)}，B = {bandwidth_text(plan_.backend_Bps)}"
        f"（{where}，W = {factor_text(plan_.write_amplification)}{shared}），"
        f"T = {seconds_text(plan_.interval_s)}，{plan_.nodes:,} 节点 × {plan_.gpus_per_node} 卡"
    )


def readouts(plan_: Plan, result: Outlook) -> dict[str, str]:
    """Return what a plan comes to, name by name, as a person reads it."""
    short = percent_text(result.short_waste)
    return {
        "写完 T_dump": seconds_text(result.dump_s),
        "有效带宽": bandwidth_text(result.effective_Bps),
        "平均带宽 B_avg": bandwidth_text(plan_.average_Bps),
        "余量": f"{factor_text(result.slack)} 倍",
        "每次停顿 δ": seconds_text(result.blocked_s),
        "最坏恢复点": seconds_text(result.recovery_point_s),
        "重启 R": seconds_text(result.restart_s),
        "无故障时间 M": seconds_text(plan_.job_mtbf_s),
        "撑得住的最好间隔": seconds_text(result.best_interval_s),
        "浪费": f"{percent_text(result.waste)}（短式只报 {short}）",
        f"保留 {plan_.kept} 份要": bytes_text(result.retained_bytes),
        "每节点快照内存": bytes_text(result.host_ram_bytes),
    }


def _size_bytes(model: str | None, size_TB: float | None) -> float:  # noqa: N803 - TB
    if model is None:
        return Plan().checkpoint_bytes if size_TB is None else size_TB * 1e12
    if size_TB is not None:
        raise ValueError("give a model or size_TB, not both")
    models = load_models()
    if model not in models:
        raise ValueError(f"model must be one of {', '.join(models)}, not {model!r}")
    return models[model].checkpoint_bytes
