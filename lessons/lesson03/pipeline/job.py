"""A whole training job in small: rank processes that change a state and save it on the way.

The "training" adds known numbers to the arrays of a rank, so that what any step's state must be
can be worked out anew, byte for byte, and compared with what was recovered.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from dataclasses import asdict, dataclass, field
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lessons.lesson03.pipeline.addresses import Address
from lessons.lesson03.pipeline.errors import NothingToRecover, PipelineError
from lessons.lesson03.pipeline.naming import new_attempt
from lessons.lesson03.pipeline.recovery import Failure, Recovery, recover
from lessons.lesson03.pipeline.saver import SaveOptions, Saver
from lessons.lesson03.pipeline.ticket import Ticket


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a rank's process is told; it can be sent to another process.

    Attributes:
        rank: From 0.
        ranks: How many.
        node: The node's directory.
        store: The object store's address; None: spills only.
        attempt: The launch of the job.
        first_step: Where it goes on; 0 for a new job.
        steps: Last step.
        save_every: Save each so many steps.
        step_s: Seconds that a step's computing takes.
        state_bytes: Of one rank's state.
        seed: Of the numbers.
        options: How to save.
    """

    rank: int
    ranks: int
    node: Path
    store: Address | None
    attempt: str
    first_step: int
    steps: int
    save_every: int
    step_s: float
    state_bytes: int
    seed: int
    options: SaveOptions


def state_of(rank: int, step: int, *, seed: int, state_bytes: int) -> dict[str, NDArray[Any]]:
    """Return a rank's state after a step: weights that each step adds to, and the step itself.

    Args:
        rank: Which rank.
        step: After which step.
        seed: Of the first weights.
        state_bytes: About how many bytes.
    """
    count = max(1, state_bytes // 12)
    first = np.random.default_rng([seed, rank]).integers(0, 1 << 30, count, dtype=np.int64)
    return {
        "weights": first + np.int64(step) * (rank + 1),
        "moments": (first[:count].astype(np.float32) * np.float32(step + 1)).astype(np.float32),
        "step": np.array(step),
    }


def run_rank(task: Task) -> None:
    """Be one rank: train, save on the way, write down what each save cost."""
    store = task.store.open() if task.store is not None else None
    journal = task.node.parent / _journal(task.attempt, task.rank)
    sizes = {"seed": task.seed, "state_bytes": task.state_bytes}
    state = state_of(task.rank, task.first_step, **sizes)
    with (
        Saver(
            rank=task.rank,
            ranks=task.ranks,
            node=task.node,
            store=store,
            attempt=task.attempt,
            options=task.options,
        ) as saver,
        journal.open("a", encoding="utf-8") as lines,
    ):
        saver.reserve(state)
        tickets: list[Ticket] = []
        for step in range(task.first_step + 1, task.steps + 1):
            time.sleep(task.step_s)
            state = state_of(task.rank, step, **sizes)
            if step % task.save_every == 0:
                tickets.append(saver.save(step, state))
            tickets = [one for one in tickets if not _noted(one, lines)]
        for ticket in tickets:
            _noted(ticket, lines, wait=True)


def _journal(attempt: str, rank: int) -> str:
    return f"journal-{attempt}-rank-{rank:05d}.jsonl"


def _noted(ticket: Ticket, lines: Any, *, wait: bool = False) -> bool:
    """Write a finished save down; return whether it has finished."""
    if not wait and not ticket.done:
        return False
    about: dict[str, Any] = {"step": ticket.shard.step, "blocked_s": ticket.blocked_s}
    try:
        saved = ticket.wait()
    except PipelineError as failure:
        about |= {"stage": "failed", "reason": str(failure)}
    else:
        timed = asdict(saved)
        about |= {key: timed[key] for key in timed if key.endswith("_s")} | {"stage": saved.stage}
    lines.write(json.dumps(about, ensure_ascii=False) + "\n")
    lines.flush()
    return True


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
        """
        first = 0
        if resume is not None:
            try:
                first = self.recover(resume).step
            except NothingToRecover:
                first = 0
        for node in self.nodes:
            node.mkdir(parents=True, exist_ok=True)
        context = multiprocessing.get_context("spawn")
        self._processes = [
            context.Process(target=run_rank, args=(self._task(rank, first),), daemon=True)
            for rank in range(self.ranks)
        ]
        for process in self._processes:
            process.start()
        return first

    def _task(self, rank: int, first_step: int) -> Task:
        return Task(
            rank=rank,
            ranks=self.ranks,
            node=self.nodes[rank // self.ranks_per_node],
            store=self.store,
            attempt=self.attempt,
            first_step=first_step,
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
            path = self.folder / _journal(self.attempt, rank)
            if path.exists():
                lines = path.read_text(encoding="utf-8").splitlines()
                rows += [json.loads(line) | {"rank": rank} for line in lines]
        return sorted(rows, key=lambda row: (row["step"], row["rank"]))
