"""The stages of a save after the snapshot, one after the other, each with its time."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from pathlib import Path

from lessons.lesson03.pipeline.commit import commit, gather, report_done
from lessons.lesson03.pipeline.files import Files
from lessons.lesson03.pipeline.manifest import Manifest
from lessons.lesson03.pipeline.spill import Spilled, spill_image
from lessons.lesson03.pipeline.staging import Image
from lessons.lesson03.pipeline.store import Store
from lessons.lesson03.pipeline.ticket import Saved, Ticket
from lessons.lesson03.pipeline.upload import upload_shard


@dataclass(frozen=True, kw_only=True)
class Way:
    """Where a rank's saves go.

    Attributes:
        node: The node's directory.
        store: The object store; None stops after the spill.
        files: The file operations of the spill.
        block_bytes: Bytes of one write.
        patience_s: How long rank 0 waits for the slowest rank's report.
    """

    node: Path
    store: Store | None
    files: Files
    block_bytes: int
    patience_s: float


def run_stages(ticket: Ticket, image: Image, way: Way, began: float) -> Saved:
    """Spill, upload, report; on rank 0 gather and commit too.

    Args:
        ticket: The save; it can be cancelled until its manifest is on the way.
        image: The snapshot.
        way: Where to.
        began: When `save` was called, by `time.perf_counter`.

    Raises:
        PipelineError: A stage failed or the save was cancelled; later stages did not run.
    """
    times = [time.perf_counter()]
    ticket.stage = "spill"
    spilled = spill_image(
        image,
        way.node,
        files=way.files,
        block_bytes=way.block_bytes,
        between=ticket.check,
    )
    times.append(time.perf_counter())
    stage = "spilled"
    if way.store is not None:
        ticket.stage = "upload"
        upload_shard(way.store, spilled, between=ticket.check)
        times.append(time.perf_counter())
        ticket.stage = "commit"
        stage = _commit(way.store, ticket, spilled, way.patience_s)
    times += [time.perf_counter()] * (4 - len(times))
    spill_s, upload_s, commit_s = (after - before for before, after in itertools.pairwise(times))
    return Saved(
        shard=ticket.shard,
        stage=stage,
        spilled=spilled,
        waited_s=ticket.waited_s,
        snapshot_s=ticket.snapshot_s,
        spill_s=spill_s,
        upload_s=upload_s,
        commit_s=commit_s,
        total_s=times[-1] - began,
    )


def _commit(store: Store, ticket: Ticket, spilled: Spilled, patience_s: float) -> str:
    shard = ticket.shard
    if shard.rank != 0:
        ticket.close_door()
        report_done(store, spilled)
        return "reported"
    report_done(store, spilled)
    parts = gather(store, shard, patience_s=patience_s, between=ticket.check)
    ticket.close_door()
    commit(store, Manifest(step=shard.step, attempt=shard.attempt, parts=parts))
    return "committed"
