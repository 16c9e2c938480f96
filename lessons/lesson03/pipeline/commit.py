"""Stages 4 and 5: every rank reports, then rank 0 writes the manifest, last and on a condition.

Reports go through the store, which keeps the lab small: one object a rank and save. At thousands
of ranks that would be a storm of small objects of its own; there a tree of ranks gathers them.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from lessons.classroom.language import say
from lessons.lesson03.pipeline.errors import (
    AlreadyThere,
    CommitRefused,
    NotThere,
    PipelineError,
)
from lessons.lesson03.pipeline.manifest import Manifest, Part, Report
from lessons.lesson03.pipeline.naming import ShardId, manifest_key, reports_prefix
from lessons.lesson03.pipeline.spill import Spilled, nothing
from lessons.lesson03.pipeline.store import Store

_FIRST_LOOK_S = 0.01
_LONGEST_LOOK_S = 0.5
_CREATES = 5


def report_done(store: Store, spilled: Spilled) -> None:
    """Say that this rank's shard is in the store."""
    part = Part(
        rank=spilled.shard.rank,
        size=spilled.size,
        algorithm=spilled.algorithm,
        digest=spilled.digest,
    )
    store.put(spilled.shard.report_key, Report(part=part).encoded())


def report_failed(store: Store, shard: ShardId, failure: str) -> None:
    """Say that this rank will store no shard, so that rank 0 need not wait for it."""
    store.put(shard.report_key, Report(part=None, failure=failure).encoded())


def gather(
    store: Store,
    shard: ShardId,
    *,
    patience_s: float,
    between: Callable[[], None] = nothing,
) -> tuple[Part, ...]:
    """Wait for every rank's report of a save.

    Args:
        store: Where the reports come.
        shard: Rank 0's own.
        patience_s: How long to wait for the slowest rank.
        between: Called before each look; what it raises ends the wait.

    Raises:
        CommitRefused: A rank failed or was too slow; the step stays uncommitted.
    """
    parts: dict[int, Part] = {}
    end = time.monotonic() + patience_s
    look_s = _FIRST_LOOK_S
    while True:
        between()
        for key in store.keys(reports_prefix(shard.step, shard.attempt)):
            _take(store, key, parts)
        if all(rank in parts for rank in range(shard.ranks)):
            return tuple(parts[rank] for rank in range(shard.ranks))
        left_s = end - time.monotonic()
        if left_s <= 0:
            raise _too_slow(shard, parts, patience_s)
        time.sleep(min(look_s, left_s))
        look_s = min(2 * look_s, _LONGEST_LOOK_S)


def _take(store: Store, key: str, parts: dict[int, Part]) -> None:
    if any(key.endswith(f"rank-{rank:05d}.json") for rank in parts):
        return
    try:
        report = Report.decoded(store.read(key))
    except NotThere:
        return  # cleaned up since it was listed
    if report.part is None:
        name = key.rpartition("/")[2].removesuffix(".json")
        raise CommitRefused(
            say(
                f"{name} 没有存好分片（{report.failure}），这一步不提交。",
                f"{name} stored no shard ({report.failure}); the step is not committed.",
            )
        )
    parts[report.part.rank] = report.part


def _too_slow(shard: ShardId, parts: dict[int, Part], patience_s: float) -> CommitRefused:
    missing = [str(rank) for rank in range(shard.ranks) if rank not in parts]
    return CommitRefused(
        say(
            f"等了 {patience_s:g} 秒，rank {'、'.join(missing)} 仍未报告，"
            f"第 {shard.step} 步不提交。",
            f"No report from rank {', '.join(missing)} in {patience_s:g} s; step {shard.step} is "
            "not committed.",
        )
    )


def commit(store: Store, manifest: Manifest) -> None:
    """PUT the manifest on condition that the step has none; exactly one attempt can win.

    Raises:
        CommitRefused: The step is committed already, by another attempt.
    """
    content = manifest.encoded()
    key = manifest_key(manifest.step)
    for _ in range(_CREATES):
        try:
            store.create(key, content)
        except AlreadyThere:
            # Perhaps our own PUT whose answer was lost: only the object itself can tell.
            try:
                found = store.read(key)
            except NotThere:
                continue  # a conflict that left nothing, or a manifest just removed
            if found != content:
                raise _too_late(manifest, found) from None
        return
    raise CommitRefused(f"{key}: {AlreadyThere.__name__}")


def _too_late(manifest: Manifest, found: bytes) -> CommitRefused:
    try:
        winner = Manifest.decoded(found).attempt
    except PipelineError:  # torn, or of a newer format: it stands all the same
        winner = "?"
    return CommitRefused(
        say(
            f"第 {manifest.step} 步已由另一次启动（{winner}）提交，"
            f"本次（{manifest.attempt}）不再提交。",
            f"Step {manifest.step} was committed by another attempt ({winner}), not by this one "
            f"({manifest.attempt}).",
        )
    )
