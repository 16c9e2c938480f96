"""A whole training job in small: rank processes that change a state and save it on the way.

A job that goes on loads what was recovered and trains on from that, see `training`.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import time
from dataclasses import dataclass, field
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from lessons.classroom.language import say
from lessons.lesson03.pipeline.addresses import Address
from lessons.lesson03.pipeline.errors import NothingToRecover, PipelineError
from lessons.lesson03.pipeline.naming import new_attempt
from lessons.lesson03.pipeline.rank_process import Task, journal_name, run_rank
from lessons.lesson03.pipeline.recovery import Failure, Recovery, recover
from lessons.lesson03.pipeline.saver import SaveOptions
from lessons.lesson03.pipeline.sources import StoredObject
from lessons.lesson03.pipeline.training import state_of


@dataclass(kw_only=True)
class Job:
    """Rank processes on some "nodes", each node a directory below `folder`.

    Attributes:
        folder: Where nodes and journals go.
        ranks: How many processes.
        ranks_per_node: How many of them share a node.
        store: The object store's address; None: spills only.
        steps: Last step.
        save_every: Save each so many steps.
        step_s: Seconds that a step's computing takes.
        state_bytes: Of one rank's state, about.
        seed: Of the state's numbers.
        options: How to save.
        attempt: This launch; a new job has a new one.
    """

    folder: Path
    ranks: int = 4
    ranks_per_node: int = 2
    store: Address | None = None
    steps: int = 20
    save_every: int = 5
    step_s: float = 0.02
    state_bytes: int = 4_000_000
    seed: int = 3
    options: SaveOptions = field(default_factory=SaveOptions)
    attempt: str = field(default_factory=new_attempt, init=False)

    def __post_init__(self) -> None:
        self._processes: list[SpawnProcess] = []

    @property
    def nodes(self) -> list[Path]:
        """Return the nodes' directories."""
        count = -(-self.ranks // self.ranks_per_node)
        return [self.folder / f"node-{number:03d}" for number in range(count)]

    def start(self, *, resume: Failure | None = None) -> int:
        """Start all ranks and return at once.

        Args:
            resume: Go on from what is left after this failure; None begins anew.

        Returns:
            The step they go on from, 0 for a new job.

        Raises:
            PipelineError: What is left was saved by another number of ranks.
        """
        found = None
        if resume is not None:
            with contextlib.suppress(NothingToRecover):
                found = self.recover(resume)
        if found is not None and found.ranks != self.ranks:
            raise PipelineError(
                say(
                    f"第 {found.step} 步是 {found.ranks} 个 rank 存的，这里有 {self.ranks} 个：重新"
                    "切分状态不归这条流水线管，请用同样的 rank 数。",
                    f"Step {found.step} was saved by {found.ranks} ranks, here are {self.ranks}: "
                    "this pipeline does not reshard; use as many ranks.",
                )
            )
        for node in self.nodes:
            node.mkdir(parents=True, exist_ok=True)
        context = multiprocessing.get_context("spawn")
        self._processes = [
            context.Process(target=run_rank, args=(self._task(rank, found),), daemon=True)
            for rank in range(self.ranks)
        ]
        for process in self._processes:
            process.start()
        return found.step if found is not None else 0

    def _task(self, rank: int, found: Recovery | None) -> Task:
        source = found.sources[rank] if found is not None else None
        return Task(
            rank=rank,
            ranks=self.ranks,
            node=self.nodes[rank // self.ranks_per_node],
            store=self.store,
            attempt=self.attempt,
            # An open store cannot be sent to another process; its address can.
            resume=source.shard if isinstance(source, StoredObject) else source,
            steps=self.steps,
            save_every=self.save_every,
            step_s=self.step_s,
            state_bytes=self.state_bytes,
            seed=self.seed,
            options=self.options,
        )

    def kill(self, *, rank: int | None = None) -> None:
        """Kill one rank, or all, without a warning: no handler runs, nothing is flushed."""
        for process in self._processes if rank is None else [self._processes[rank]]:
            if process.pid is not None and process.is_alive():
                if os.name == "nt":
                    process.terminate()
                else:
                    os.kill(process.pid, signal.SIGKILL)
            process.join()

    def join(self, timeout_s: float | None = None) -> list[int | None]:
        """Wait for all ranks; return their exit codes, None for those that still run."""
        end = None if timeout_s is None else time.monotonic() + timeout_s
        for process in self._processes:
            process.join(None if end is None else max(0.0, end - time.monotonic()))
        return [process.exitcode for process in self._processes]

    def recover(self, failure: Failure) -> Recovery:
        """Find what is left after a failure, see `recover`."""
        store = self.store.open() if self.store is not None else None
        return recover(failure=failure, nodes=self.nodes, store=store)

    def states_at(self, step: int) -> list[dict[str, NDArray[Any]]]:
        """Return what every rank's state must be after a step."""
        return [
            state_of(rank, step, seed=self.seed, state_bytes=self.state_bytes)
            for rank in range(self.ranks)
        ]

    def journal(self) -> list[dict[str, Any]]:
        """Return what the ranks wrote down of their saves, by step and rank."""
        rows = []
        for rank in range(self.ranks):
            path = self.folder / journal_name(self.attempt, rank)
            if path.exists():
                lines = path.read_text(encoding="utf-8").splitlines()
                rows += [json.loads(line) | {"rank": rank} for line in lines]
        return sorted(rows, key=lambda row: (row["step"], row["rank"]))
