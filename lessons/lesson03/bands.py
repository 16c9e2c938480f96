"""How long each tier would take for the whole checkpoint of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from lessons.lesson03 import bandwidth
from lessons.lesson03.plan import Plan
from lessons.lesson03.tiers import Level, Scope, Tier, load_tiers


@dataclass(frozen=True, kw_only=True)
class Band:
    """The time that one tier takes for the whole checkpoint of a plan.

    Attributes:
        id: The tier's id; "pfs" for the file system, whose two scopes are combined.
        capped: Whether, at the typical figures, the cluster's aggregate is the limit rather
            than the sum over the nodes.
        slow_s: With the tier's low figures; `typical_s` and `fast_s` likewise.
    """

    id: str
    capped: bool
    slow_s: float
    typical_s: float
    fast_s: float


def bands(plan: Plan, tiers: dict[str, Tier] | None = None) -> tuple[Band, ...]:
    """Return the tiers that can take a whole checkpoint, fastest to most durable.

    Per-node figures are summed over the nodes and capped by the aggregate where a tier has one:
    min(N * per-node, aggregate). Write amplification is paid only on raw media.
    """
    tiers = load_tiers() if tiers is None else tiers
    return (
        _band("host", plan, tiers["host-dram"], gpu=tiers["d2h"]),
        _band("peer", plan, tiers["peer"]),
        _band("nvme", plan, tiers["nvme"]),
        _band("pfs", plan, tiers["pfs-node"], cluster=tiers["pfs-cluster"]),
        _band("object", plan, tiers["object-store"]),
    )


def _band(
    name: str, plan: Plan, node: Tier, *, gpu: Tier | None = None, cluster: Tier | None = None
) -> Band:
    for tier, scope in ((node, Scope.NODE), (gpu, Scope.GPU), (cluster, Scope.CLUSTER)):
        if tier is not None and tier.scope is not scope:
            raise ValueError(f"tier {tier.id} must have the scope {scope}, not {tier.scope}")
    written = plan.checkpoint_bytes * node.amplification(plan.media_amplification)

    def summed_Bps(level: Level) -> float:  # noqa: N802 - B/s
        each = node.Bps(level)
        # What leaves the GPUs of a node cannot reach its memory faster than they copy.
        return plan.nodes * (min(each, plan.gpus_per_node * gpu.Bps(level)) if gpu else each)

    def dump_s(level: Level) -> float:
        total = min(summed_Bps(level), cluster.Bps(level)) if cluster else summed_Bps(level)
        return float(bandwidth.dump_time_s(written, total))

    return Band(
        id=name,
        capped=cluster is not None and summed_Bps(Level.TYPICAL) > cluster.typical.Bps,
        slow_s=dump_s(Level.LOW),
        typical_s=dump_s(Level.TYPICAL),
        fast_s=dump_s(Level.HIGH),
    )
