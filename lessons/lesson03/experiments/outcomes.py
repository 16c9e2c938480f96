"""One recovery of a drill: from which failure, to which step, and whether the state is right."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from lessons.lesson03.pipeline import DirectoryAddress, recover
from lessons.lesson03.pipeline.errors import NothingToRecover
from lessons.lesson03.pipeline.training import state_of

PROCESS, REBOOT, NODE = "process", "reboot", "node"
UNSYNCED = "reboot-unsynced"
"""A reboot, had the pipeline left every fsync out."""
FAILURES = (PROCESS, REBOOT, UNSYNCED, NODE)
RANKS, PER_NODE = 4, 2
STATE_BYTES = 96_000
_SHARD = re.compile(r"step-(\d{10})\..*\.rank-(\d{5})-of-")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one recovery gave.

    Attributes:
        failure: After which failure.
        begun: Newest step that all ranks had begun to save.
        step: The step that came back, 0 for none.
        took_s: To find it, verify it and load it on all ranks.
        same: Whether all ranks' states are what they must be.
    """

    failure: str
    begun: int
    step: int
    took_s: float
    same: bool


def recovered(home: Path, failure: str, begun: int, seed: int) -> Outcome:
    """Recover from what is left in a folder, and compare every rank's state.

    Args:
        home: Holds the nodes' directories that are left, and the store.
        failure: What happened.
        begun: The newest step that all ranks had begun to save.
        seed: Of the states.
    """
    # After a reboot the disks that are left are what a crash would leave, too.
    scope: Literal["process", "node"] = "node" if failure == NODE else "process"
    nodes = sorted(home.glob("node-*"))
    began = time.perf_counter()
    try:
        found = recover(
            failure=scope, nodes=nodes, store=DirectoryAddress(folder=home / "store").open()
        )
    except NothingToRecover:
        took = time.perf_counter() - began
        return Outcome(failure=failure, begun=begun, step=0, took_s=took, same=True)
    states = [found.load(rank) for rank in range(found.ranks)]
    took = time.perf_counter() - began
    wanted = [state(rank, found.step, seed) for rank in range(RANKS)]
    same = len(states) == RANKS and all(map(_same, states, wanted))
    return Outcome(failure=failure, begun=begun, step=found.step, took_s=took, same=same)


def state(rank: int, step: int, seed: int) -> dict[str, Any]:
    """Return what a rank's state is after a step."""
    return state_of(rank, step, seed=seed, state_bytes=STATE_BYTES)


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype and np.array_equal(one[name], other[name])
        for name in one
    )


def newest_begun(paths: Iterable[Path]) -> int:
    """Return the newest step that all ranks had begun to save, by the names of their files."""
    newest = dict.fromkeys(range(RANKS), 0)
    for path in paths:
        found = _SHARD.match(path.name)
        if found:
            newest[int(found[2])] = max(newest[int(found[2])], int(found[1]))
    return min(newest.values())
