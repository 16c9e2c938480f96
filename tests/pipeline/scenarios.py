"""Saves of a small job, step by step in one thread, so that every file operation has its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lessons.lesson03.pipeline.commit import commit, gather, report_done
from lessons.lesson03.pipeline.directory_store import DirectoryStore
from lessons.lesson03.pipeline.errors import NothingToRecover
from lessons.lesson03.pipeline.files import Files
from lessons.lesson03.pipeline.manifest import Manifest
from lessons.lesson03.pipeline.naming import ShardId
from lessons.lesson03.pipeline.recovery import Failure, Recovery, recover
from lessons.lesson03.pipeline.retention import tidy_node, tidy_store
from lessons.lesson03.pipeline.spill import spill_image
from lessons.lesson03.pipeline.staging import HostBuffer
from lessons.lesson03.pipeline.store import Store
from lessons.lesson03.pipeline.upload import upload_shard

RANKS = 2
FIRST, SECOND = "a-first", "b-second"


def state(step: int, attempt: str, rank: int) -> dict[str, Any]:
    """Return what a rank holds at a step of an attempt: no two of them alike, 3 pages or so."""
    numbers = np.random.default_rng([step, ord(attempt[0]), rank])
    return {
        "weights": numbers.standard_normal(1100 + 37 * rank),
        "step": np.array(step),
        "tokens": numbers.integers(0, 255, (5, 7), dtype=np.uint8),
    }


def nodes(root: Path) -> list[Path]:
    return [root / f"node-{rank}" for rank in range(RANKS)]


def store_in(root: Path, files: Files | None = None) -> DirectoryStore:
    return DirectoryStore(root / "store", survives="zone", files=files)


@dataclass(frozen=True, kw_only=True)
class Small:
    """A job of two ranks on two nodes.

    Attributes:
        root: Nodes and store lie below.
        files: Every file operation goes through them.
        keep: Committed steps kept.
    """

    root: Path
    files: Files
    keep: int = 1

    def save(self, step: int, attempt: str, *, until: str = "tidy") -> None:
        """Save a step on all ranks, up to and with a stage."""
        told = getattr(self.files, "acknowledge", lambda *_: None)
        spilled = []
        for rank in range(RANKS):
            shard = ShardId(step=step, attempt=attempt, rank=rank, ranks=RANKS)
            image = HostBuffer().snapshot(state(step, attempt, rank), shard)
            node = nodes(self.root)[rank]
            spilled.append(spill_image(image, node, files=self.files, block_bytes=8192))
            if until == "one spill":
                return
        told("spilled", step)
        if until == "spill":
            return
        store = store_in(self.root, self.files)
        for one in spilled:
            upload_shard(store, one)
            report_done(store, one)
        if until == "report":
            return
        parts = gather(store, spilled[0].shard, patience_s=0)
        commit(store, Manifest(step=step, attempt=attempt, parts=parts))
        told("committed", step)
        tidy_store(store, keep=self.keep, before=step)
        for rank, one in enumerate(spilled):
            node = nodes(self.root)[rank]
            tidy_node(node, store, keep=1, saved=one.shard, files=self.files)


def run_all(small: Small) -> None:
    """Two launches: some saves are given up half-way, one step is saved by both."""
    small.save(1, FIRST)
    small.save(2, FIRST, until="spill")
    small.save(3, FIRST)
    small.save(4, FIRST, until="one spill")
    small.save(4, SECOND)
    small.save(5, SECOND, until="report")
    small.save(6, SECOND)


def same(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Tell whether two states are the same, byte for byte."""
    return left.keys() == right.keys() and all(
        left[name].tobytes() == right[name].tobytes()
        and left[name].dtype == right[name].dtype
        and left[name].shape == right[name].shape
        for name in left
    )


def check_found(found: Recovery) -> None:
    """The state must be exactly the one that this attempt had at this step, on all ranks."""
    assert found.ranks == RANKS
    for rank in range(RANKS):
        assert same(found.load(rank), state(found.step, found.attempt, rank)), found


def check_recovery(root: Path, *, spilled: int, committed: int, store: Store | None = None) -> None:
    """Recover from every failure; each must give the newest acknowledged step or a newer one.

    Args:
        root: Where nodes and store lie.
        spilled: Newest step that all ranks had spilled, -1 for none.
        committed: Newest committed step, -1 for none.
        store: The store, if not the directory below `root`.
    """
    store = store or store_in(root)
    all_nodes = nodes(root)
    cases: list[tuple[Failure, Sequence[Path], int]] = [
        ("process", all_nodes, max(spilled, committed)),
        ("node", all_nodes[1:], committed),
        ("node", all_nodes[:1], committed),
        ("zone", (), committed),
    ]
    for failure, left, least in cases:
        if least < 0:
            try:
                check_found(recover(failure=failure, nodes=left, store=store))
            except NothingToRecover:
                continue
        else:
            found = recover(failure=failure, nodes=left, store=store)
            assert found.step >= least, (failure, found)
            check_found(found)


def nothing_left(failure: Failure, left: Sequence[Path], store: Store) -> None:
    with pytest.raises(NothingToRecover):
        recover(failure=failure, nodes=left, store=store)
