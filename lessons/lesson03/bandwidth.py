"""The bandwidth model of a checkpoint: pure functions of numbers or NumPy arrays.

Bytes, seconds and bytes per second throughout, in SI (1 TB = 1e12 B). A `Quantity` is a number
or an array; arguments broadcast against each other, and numbers in give a float out. Every
function raises `ValueError` for an argument that is not finite or is out of its range, and
names it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Quantity = float | NDArray[np.float64]


def physical_bytes(checkpoint_bytes: Quantity, write_amplification: Quantity) -> Quantity:
    """Return S_phy = S * W, the bytes that reach the media for one checkpoint.

    W depends on what the bandwidth means: see `replication_amplification` and
    `erasure_amplification` for raw media; where it was measured at the client, W = 1.
    """
    size, amplification = positive(
        checkpoint_bytes=checkpoint_bytes, write_amplification=write_amplification
    )
    return as_plain(size * amplification)


def replication_amplification(copies: Quantity) -> Quantity:
    """Return W of raw media that keep `copies` full copies: 3 replicas give 3.0."""
    return as_plain(_checked("copies", copies, 1.0, strict=False))


def erasure_amplification(data_chunks: Quantity, parity_chunks: Quantity) -> Quantity:
    """Return W = (k + m) / k of raw media under an erasure code: 8+4 gives 1.5."""
    data = _checked("data_chunks", data_chunks, 1.0, strict=False)
    (parity,) = non_negative(parity_chunks=parity_chunks)
    return as_plain((data + parity) / data)


def dump_time_s(written_bytes: Quantity, bandwidth_Bps: Quantity) -> Quantity:  # noqa: N803 - B/s
    """Return T_dump = S_phy / B in seconds, for S_phy = `written_bytes`."""
    written, bandwidth = positive(written_bytes=written_bytes, bandwidth_Bps=bandwidth_Bps)
    return as_plain(written / bandwidth)


def required_average_Bps(written_bytes: Quantity, interval_s: Quantity) -> Quantity:  # noqa: N802
    """Return B_avg = S_phy / T in B/s: the least bandwidth that keeps up with the interval."""
    written, interval = positive(written_bytes=written_bytes, interval_s=interval_s)
    return as_plain(written / interval)


def is_feasible(dump_s: Quantity, interval_s: Quantity) -> bool | NDArray[np.bool_]:
    """Return whether T_dump <= T.

    B_avg <= B says the same on paper; at equality rounding makes it wrong in about one case
    of twenty, so it is never the test.
    """
    dump, interval = positive(dump_s=dump_s, interval_s=interval_s)
    feasible = dump <= interval
    return bool(feasible) if np.ndim(feasible) == 0 else feasible


def bandwidth_limits_Bps(  # noqa: N802, PLR0913 - B/s; the formula has these terms
    *,
    writers: Quantity,
    writer_Bps: Quantity,  # noqa: N803 - B/s
    nodes: Quantity,
    nic_Bps: Quantity,  # noqa: N803 - B/s
    aggregate_Bps: Quantity,  # noqa: N803 - B/s
    contention: Quantity = 0.0,
) -> dict[str, Quantity]:
    """Return the three limits that a write meets, in B/s, keyed `writers`, `nics`, `aggregate`.

    Args:
        writers: Processes that write at the same time.
        writer_Bps: What one of them can write.
        nodes: Nodes that they run on.
        nic_Bps: What the storage network of one node carries.
        aggregate_Bps: What the backend takes from all clients together.
        contention: Share of the aggregate that other tenants use, in [0, 1).
    """
    count, each, machines, nic, total = positive(
        writers=writers,
        writer_Bps=writer_Bps,
        nodes=nodes,
        nic_Bps=nic_Bps,
        aggregate_Bps=aggregate_Bps,
    )
    (share,) = non_negative(contention=contention)
    if np.any(share >= 1):
        raise ValueError("contention must be below 1")
    return {
        "writers": as_plain(count * each),
        "nics": as_plain(machines * nic),
        "aggregate": as_plain(total * (1 - share)),
    }


def effective_bandwidth_Bps(limits_Bps: dict[str, Quantity]) -> Quantity:  # noqa: N802, N803 - B/s
    """Return the least of `bandwidth_limits_Bps`, in B/s."""
    return as_plain(np.minimum.reduce(np.broadcast_arrays(*positive(**limits_Bps))))


def blocked_time_s(rank_bytes: Quantity, copy_Bps: Quantity) -> float:  # noqa: N803 - B/s
    """Return the seconds that training stands still: staging, until the slowest rank is done.

    Args:
        rank_bytes: Bytes each GPU copies to the host; a number, or shape (ranks,).
        copy_Bps: Device-to-host bandwidth of one GPU; a number, or shape (ranks,).
    """
    size, rate = positive(rank_bytes=rank_bytes, copy_Bps=copy_Bps)
    return float(np.max(size / rate))


def commit_time_s(rank_s: Quantity, barrier_s: float = 0.0, manifest_s: float = 0.0) -> float:
    """Return T_commit: the slowest rank's write, the barrier, and the manifest's write.

    Args:
        rank_s: Seconds each rank's upload takes; a number, or shape (ranks,).
        barrier_s: Seconds from the last upload until everyone knows.
        manifest_s: Seconds to publish the manifest, which comes last.
    """
    (ranks,) = positive(rank_s=rank_s)
    barrier, manifest = non_negative(barrier_s=barrier_s, manifest_s=manifest_s)
    return float(np.max(ranks) + barrier + manifest)


def commit_lag_s(stage_s: Sequence[float], *, streamed: bool) -> float:
    """Return the seconds from a snapshot to its commit through the stages of a pipeline.

    A stage that waits for the one before adds its time; streamed stages overlap within one
    save, and about the slowest of them remains.
    """
    (stages,) = positive(stage_s=np.asarray(stage_s, dtype=float))
    return float(np.max(stages) if streamed else np.sum(stages))


def interval_floor_s(best_interval_s: Quantity, slowest_stage_s: Quantity) -> Quantity:
    """Return the least interval a pipeline sustains: the wished one, but no stage may be slower.

    Saving asynchronously does not make small intervals free.
    """
    best, slowest = positive(best_interval_s=best_interval_s, slowest_stage_s=slowest_stage_s)
    return as_plain(np.maximum(best, slowest))


def recovery_point_s(interval_s: Quantity, commit_s: Quantity) -> Quantity:
    """Return the worst loss of work, T + T_commit: the failure strikes just before a commit."""
    (interval,) = positive(interval_s=interval_s)
    (commit,) = non_negative(commit_s=commit_s)
    return as_plain(interval + commit)


def restart_time_s(
    checkpoint_bytes: Quantity,
    read_Bps: Quantity,  # noqa: N803 - B/s
    scheduling_s: Quantity = 0.0,
    initialisation_s: Quantity = 0.0,
) -> Quantity:
    """Return R = S / B_read + scheduling + initialisation, in seconds."""
    size, rate = positive(checkpoint_bytes=checkpoint_bytes, read_Bps=read_Bps)
    wait, start = non_negative(scheduling_s=scheduling_s, initialisation_s=initialisation_s)
    return as_plain(size / rate + wait + start)


def retained_bytes(kept: Quantity, written_bytes: Quantity) -> Quantity:
    """Return the capacity that `kept` checkpoints of S_phy = `written_bytes` take."""
    number, written = positive(kept=kept, written_bytes=written_bytes)
    return as_plain(number * written)


def host_ram_bytes(
    checkpoint_bytes: Quantity, nodes: Quantity, buffers: Quantity = 1.0, overhead: Quantity = 1.0
) -> Quantity:
    """Return the host memory that snapshots take on each node.

    Args:
        checkpoint_bytes: S of the whole job.
        nodes: Nodes it is spread over evenly.
        buffers: Snapshots in flight at a time.
        overhead: Staging overhead, at least 1 for one clean copy.
    """
    size, machines, flight, factor = positive(
        checkpoint_bytes=checkpoint_bytes, nodes=nodes, buffers=buffers, overhead=overhead
    )
    return as_plain(size / machines * flight * factor)


def positive(**quantities: Quantity) -> list[NDArray[np.float64]]:
    """Return the quantities as float64 arrays; raise `ValueError` unless all are above 0."""
    return [_checked(name, value, 0.0, strict=True) for name, value in quantities.items()]


def non_negative(**quantities: Quantity) -> list[NDArray[np.float64]]:
    """Return the quantities as float64 arrays; raise `ValueError` where one is below 0."""
    return [_checked(name, value, 0.0, strict=False) for name, value in quantities.items()]


def _checked(name: str, value: Quantity, least: float, *, strict: bool) -> NDArray[np.float64]:
    # A shortcut: an explorer checks a hundred single numbers at each move.
    if (
        isinstance(value, int | float)
        and (value > least if strict else value >= least)
        and math.isfinite(value)
    ):
        return np.asarray(value, dtype=np.float64)
    # float64 first: integer arrays would overflow in silence.
    array = np.asarray(value, dtype=np.float64)
    fits = array > least if strict else array >= least
    if not np.all(fits & np.isfinite(array)):
        bound = "above" if strict else "at least"
        raise ValueError(f"{name} must be finite and {bound} {least:g}, not {value}")
    return array


def as_plain(value: NDArray[np.float64] | np.float64) -> Quantity:
    """Return a 0-d value as a float, anything else as a float64 array."""
    return float(value) if np.ndim(value) == 0 else np.asarray(value, dtype=np.float64)
