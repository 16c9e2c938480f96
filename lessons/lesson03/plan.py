"""A checkpoint plan: what is saved how often to what, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from lessons.lesson03 import bandwidth, interval
from lessons.lesson03.tiers import Tier, load_tiers

# Llama 3 (arXiv 2407.21783): 419 unexpected interruptions in 54 days on 16,384 GPUs.
REFERENCE_MTBF_S = 54 * 86_400 / 419
REFERENCE_GPUS = 16_384


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One choice of checkpoint size, backend, interval and cluster.

    The defaults are the lesson's worked example; what it leaves open is our choice.

    Attributes:
        checkpoint_bytes: S of the whole job.
        media_amplification: W of the media: what one byte of a client takes there.
        at_client: Whether `backend_Bps` was measured at the client, amplification included.
        backend_Bps: What the backend takes from all nodes together, B/s.
        contention: Share of the backend that other tenants use, in [0, 1).
        interval_s: T.
        nodes: Nodes that write.
        gpus_per_node: GPUs of a node; each copies its share to the host and writes it.
        mtbf_s: M of the job; None scales Llama 3's record to the GPUs of this plan.
        start_s: Scheduling and initialisation of a restart, before anything is read.
        kept: Checkpoints kept at a time.
        buffers: Snapshots in flight in host memory.
        overhead: Staging overhead, at least 1 for one clean copy.

    Raises:
        ValueError: A value is not finite or out of its range; the message names it.
    """

    checkpoint_bytes: float = 4e12
    media_amplification: float = 1.5
    at_client: bool = False
    backend_Bps: float = 10e9  # noqa: N815 - B/s
    contention: float = 0.0
    interval_s: float = 1800.0
    nodes: int = 64
    gpus_per_node: int = 8
    mtbf_s: float | None = None
    start_s: float = 300.0
    kept: int = 3
    buffers: int = 1
    overhead: float = 1.0

    def __post_init__(self) -> None:
        may_be_none = {"mtbf_s": self.job_mtbf_s}
        checked = {k: v for k, v in vars(self).items() if k not in {"at_client", "contention"}}
        bandwidth.positive(**(checked | may_be_none))
        bandwidth.non_negative(contention=self.contention)
        if self.contention >= 1:
            raise ValueError(f"contention must be below 1, not {self.contention}")

    @property
    def write_amplification(self) -> float:
        """W that `backend_Bps` still has to pay: 1 where it was measured at the client."""
        return 1.0 if self.at_client else self.media_amplification

    @property
    def written_bytes(self) -> float:
        """S_phy = S * W."""
        return float(bandwidth.physical_bytes(self.checkpoint_bytes, self.write_amplification))

    @property
    def average_Bps(self) -> float:  # noqa: N802 - B/s
        """B_avg = S_phy / T."""
        return float(bandwidth.required_average_Bps(self.written_bytes, self.interval_s))

    @property
    def gpus(self) -> int:
        """GPUs of the job."""
        return self.nodes * self.gpus_per_node

    @property
    def job_mtbf_s(self) -> float:
        """M of the job, given or scaled from Llama 3's as if failures were independent."""
        if self.mtbf_s is not None:
            return self.mtbf_s
        bandwidth.positive(nodes=self.nodes, gpus_per_node=self.gpus_per_node)
        return float(interval.job_mtbf_s(REFERENCE_MTBF_S, REFERENCE_GPUS, self.gpus))


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What a plan comes to.

    Attributes:
        dump_s: T_dump at the effective bandwidth.
        effective_Bps: The least of the three limits.
        tightest: Which limit that is: "writers", "nics" or "aggregate".
        feasible: T_dump <= T.
        slack: T / T_dump, which is B / B_avg; below 1 the plan cannot keep up.
        blocked_s: Delta, the time to stage one GPU's share at the typical copy bandwidth.
        best_interval_s: Young's interval for `blocked_s`, but no shorter than T_dump.
        restart_s: R, with the checkpoint read as fast as it is written.
        waste: Lost share of time with commit lag and restart; `short_waste` without them.
        recovery_point_s: The most work a failure loses, T + T_commit.
        retained_bytes: Space on the media for the checkpoints kept.
        host_ram_bytes: Host memory of a node for the snapshots in flight.
    """

    dump_s: float
    effective_Bps: float  # noqa: N815 - B/s
    tightest: str
    feasible: bool
    slack: float
    blocked_s: float
    best_interval_s: float
    restart_s: float
    waste: float
    short_waste: float
    recovery_point_s: float
    retained_bytes: float
    host_ram_bytes: float


def outlook(plan: Plan, tiers: dict[str, Tier] | None = None) -> Outlook:
    """Return what the plan comes to, with typical figures for GPU copy and NIC.

    T_commit is taken as T_dump: the barrier and the manifest are small beside it.
    """
    tiers = load_tiers() if tiers is None else tiers
    copy_Bps = tiers["d2h"].typical.Bps  # noqa: N806 - B/s
    limits = bandwidth.bandwidth_limits_Bps(
        writers=plan.gpus,
        writer_Bps=copy_Bps,
        nodes=plan.nodes,
        nic_Bps=tiers["peer"].typical.Bps,
        aggregate_Bps=plan.backend_Bps,
        contention=plan.contention,
    )
    effective = float(bandwidth.effective_bandwidth_Bps(limits))
    dump_s = float(bandwidth.dump_time_s(plan.written_bytes, effective))
    blocked_s = bandwidth.blocked_time_s(plan.checkpoint_bytes / plan.gpus, copy_Bps)
    restart_s = float(bandwidth.restart_time_s(plan.checkpoint_bytes, effective, plan.start_s))
    mtbf_s = plan.job_mtbf_s
    young = interval.young_interval_s(blocked_s, mtbf_s)
    wasted = interval.waste(
        blocked_s, plan.interval_s, mtbf_s, commit_s=dump_s, restart_s=restart_s
    )
    on_media = bandwidth.physical_bytes(plan.checkpoint_bytes, plan.media_amplification)
    return Outlook(
        dump_s=dump_s,
        effective_Bps=effective,
        tightest=min(limits, key=lambda name: float(limits[name])),
        feasible=bool(bandwidth.is_feasible(dump_s, plan.interval_s)),
        slack=plan.interval_s / dump_s,
        blocked_s=blocked_s,
        best_interval_s=float(bandwidth.interval_floor_s(young, dump_s)),
        restart_s=restart_s,
        waste=float(wasted),
        short_waste=float(interval.short_waste(blocked_s, plan.interval_s, mtbf_s)),
        recovery_point_s=float(bandwidth.recovery_point_s(plan.interval_s, dump_s)),
        retained_bytes=float(bandwidth.retained_bytes(plan.kept, on_media)),
        host_ram_bytes=float(
            bandwidth.host_ram_bytes(plan.checkpoint_bytes, plan.nodes, plan.buffers, plan.overhead)
        ),
    )
