"""A checkpoint plan: what is saved how often to what, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from lessons.lesson03 import bandwidth
from lessons.lesson03.tiers import Level, Scope, Tier, load_tiers


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One choice of checkpoint size, amplification, backend, interval and nodes.

    The defaults are the lesson's worked example.

    Attributes:
        checkpoint_bytes: S of the whole job.
        write_amplification: W; 1 where a bandwidth was measured at the client.
        backend_Bps: What the backend of this plan takes from all nodes together, B/s.
        interval_s: T.
        nodes: Nodes that write.
        gpus_per_node: GPUs of a node; each copies its share to the host and writes it.

    Raises:
        ValueError: A value is not finite and above 0; the message names it.
    """

    checkpoint_bytes: float = 4e12
    write_amplification: float = 1.5
    backend_Bps: float = 10e9  # noqa: N815 - B/s
    interval_s: float = 1800.0
    nodes: int = 64
    gpus_per_node: int = 8

    def __post_init__(self) -> None:
        bandwidth.positive(**vars(self))

    @property
    def written_bytes(self) -> float:
        """S_phy = S * W."""
        return float(bandwidth.physical_bytes(self.checkpoint_bytes, self.write_amplification))

    @property
    def average_Bps(self) -> float:  # noqa: N802 - B/s
        """B_avg = S_phy / T."""
        return float(bandwidth.required_average_Bps(self.written_bytes, self.interval_s))


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What a plan comes to.

    Attributes:
        dump_s: T_dump at the effective bandwidth.
        effective_Bps: The least of the three limits.
        tightest: Which limit that is: "writers", "nics" or "aggregate".
        feasible: T_dump <= T.
        slack: T / T_dump, which is B / B_avg; below 1 the plan cannot keep up.
    """

    dump_s: float
    effective_Bps: float  # noqa: N815 - B/s
    tightest: str
    feasible: bool
    slack: float


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


def outlook(plan: Plan, tiers: dict[str, Tier] | None = None) -> Outlook:
    """Return what the plan comes to, with typical figures for GPU copy and NIC."""
    tiers = load_tiers() if tiers is None else tiers
    limits = bandwidth.bandwidth_limits_Bps(
        writers=plan.nodes * plan.gpus_per_node,
        writer_Bps=tiers["d2h"].typical.Bps,
        nodes=plan.nodes,
        nic_Bps=tiers["peer"].typical.Bps,
        aggregate_Bps=plan.backend_Bps,
    )
    effective = float(bandwidth.effective_bandwidth_Bps(limits))
    dump_s = float(bandwidth.dump_time_s(plan.written_bytes, effective))
    return Outlook(
        dump_s=dump_s,
        effective_Bps=effective,
        tightest=min(limits, key=lambda name: float(limits[name])),
        feasible=bool(bandwidth.is_feasible(dump_s, plan.interval_s)),
        slack=plan.interval_s / dump_s,
    )


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
    written = plan.checkpoint_bytes * node.amplification(plan.write_amplification)

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
