"""Find the newest step that is complete on all ranks after a failure, and verify it.

What can be read depends on what failed:

    process   every node's disk, also of ranks that only spilled: a step counts once all its
              ranks' spills of one attempt are there. Also every committed step.
    node      committed steps only; surviving disks are read first, the store for the rest.
    zone      committed steps only, from the store alone, which must outlive its zone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from lessons.classroom.language import say
from lessons.lesson03.pipeline.errors import NothingToRecover, ShardDamaged
from lessons.lesson03.pipeline.manifest import Manifest
from lessons.lesson03.pipeline.naming import ShardId
from lessons.lesson03.pipeline.sources import (
    NodeFile,
    Source,
    StoredObject,
    committed_steps,
    manifest_of,
)
from lessons.lesson03.pipeline.spill import spilled_in
from lessons.lesson03.pipeline.store import Store

Failure = Literal["process", "node", "zone"]
_LOOKS = 10


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """The step to go on from.

    Attributes:
        step: Training step.
        attempt: The launch of the job that saved it.
        ranks: How many ranks it has.
        committed: Whether its manifest is in the store.
        sources: Where each rank's shard was found whole, in order.
        passed_over: Newer steps and why each could not be used, newest first.
    """

    step: int
    attempt: str
    ranks: int
    committed: bool
    sources: tuple[Source, ...]
    passed_over: tuple[str, ...]

    def load(self, rank: int) -> dict[str, Any]:
        """Return a rank's state, verified once more while it is read."""
        return self.sources[rank].load()


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    """A step that may be complete: for each rank the places to look, best first."""

    step: int
    attempt: str
    manifest: Manifest | None
    places: tuple[tuple[Source, ...], ...]

    @property
    def order(self) -> tuple[int, bool, str]:
        """Newest step first; of one step what is committed, then the later attempt."""
        return self.step, self.manifest is not None, self.attempt


def recover(
    *, failure: Failure, nodes: Sequence[Path] = (), store: Store | None = None
) -> Recovery:
    """Find the newest step that is complete on all ranks after `failure`, and verify it.

    Args:
        failure: What was lost, see the top of this module.
        nodes: The nodes' directories; those that are gone count as lost.
        store: The object store, where there is one.

    Raises:
        ValueError: There is no such failure.
        NothingToRecover: No step is complete.
        NewerFormat: A committed step is of a format that is not known here.
        StoreError: The store cannot be read now. An older step is not an answer to that.
    """
    if failure not in get_args(Failure):
        raise ValueError(f"failure is one of {', '.join(get_args(Failure))}, not {failure!r}")
    if failure == "zone" and (store is None or store.survives != "zone"):
        raise NothingToRecover(
            say(
                "没有能在整个可用区故障后存活的对象存储，可用区故障后无法恢复。",
                "No store outlives the zone, so nothing can be recovered after its loss.",
            )
        )
    passed_over: list[str] = []
    for _ in range(_LOOKS):
        listed = committed_steps(store) if store is not None else []
        passed_over = []
        found = _look(failure, () if failure == "zone" else nodes, store, passed_over)
        # A job that still runs may commit newer steps, and remove the one that is being read.
        if store is None or not passed_over or committed_steps(store) == listed:
            break
    if found is None:
        raise NothingToRecover(_nothing(failure, passed_over))
    return found


def _look(
    failure: Failure, nodes: Sequence[Path], store: Store | None, passed_over: list[str]
) -> Recovery | None:
    """Find and verify once; what could not be used goes to `passed_over`."""
    disks = _spills(nodes)
    candidates = [*_committed(store, disks, passed_over)] if store is not None else []
    if failure == "process":
        candidates += _spilled(disks, {(one.step, one.attempt) for one in candidates})
    for candidate in sorted(candidates, key=lambda one: one.order, reverse=True):
        try:
            sources = tuple(_whole(candidate, rank) for rank in range(len(candidate.places)))
        except ShardDamaged as error:
            passed_over.append(f"{candidate.step} ({candidate.attempt}): {error}")
            continue
        return Recovery(
            step=candidate.step,
            attempt=candidate.attempt,
            ranks=len(sources),
            committed=candidate.manifest is not None,
            sources=sources,
            passed_over=tuple(passed_over),
        )
    return None


def _nothing(failure: Failure, passed_over: Sequence[str]) -> str:
    why = "；".join(passed_over[:3])
    return say(
        f"发生 {failure} 级故障后，没有一个步在所有 rank 上都完整（{why or '没有任何检查点'}）。",
        f"After the loss of a {failure} no step is complete on all ranks "
        f"({why or 'there is no checkpoint'}).",
    )


def _spills(nodes: Sequence[Path]) -> dict[ShardId, list[Source]]:
    found: dict[ShardId, list[Source]] = {}
    for node in nodes:
        for shard, path in spilled_in(node):
            found.setdefault(shard, []).append(NodeFile(shard=shard, path=path))
    return found


def _committed(
    store: Store, disks: dict[ShardId, list[Source]], passed_over: list[str]
) -> Iterator[_Candidate]:
    for step in committed_steps(store):
        try:
            manifest = manifest_of(store, step)
        except ShardDamaged as error:
            passed_over.append(f"{step}: {error}")
            continue
        shards = [manifest.shard(rank) for rank in range(manifest.ranks)]
        yield _Candidate(
            step=step,
            attempt=manifest.attempt,
            manifest=manifest,
            places=tuple(
                (*disks.get(one, ()), StoredObject(shard=one, store=store)) for one in shards
            ),
        )


def _spilled(
    disks: dict[ShardId, list[Source]], known: set[tuple[int, str]]
) -> Iterator[_Candidate]:
    for step, attempt, ranks in {(one.step, one.attempt, one.ranks) for one in disks}:
        shards = [
            ShardId(step=step, attempt=attempt, rank=rank, ranks=ranks) for rank in range(ranks)
        ]
        if (step, attempt) not in known and all(one in disks for one in shards):
            yield _Candidate(
                step=step,
                attempt=attempt,
                manifest=None,
                places=tuple(tuple(disks[one]) for one in shards),
            )


def _whole(candidate: _Candidate, rank: int) -> Source:
    """Return the first place where a rank's shard is whole and the one that was committed."""
    reasons = []
    for source in candidate.places[rank]:
        try:
            checked = source.check()
        except ShardDamaged as error:
            reasons.append(f"{source.place}: {error}")
            continue
        if candidate.manifest is None or candidate.manifest.parts[rank].digest == checked.digest:
            return source
        reasons.append(f"{source.place}: {checked.digest}")
    raise ShardDamaged(f"rank {rank}: {', '.join(reasons)}")
