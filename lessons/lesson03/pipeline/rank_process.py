"""What one rank's process does: train, save on the way, write down what each save cost."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lessons.lesson03.pipeline.addresses import Address
from lessons.lesson03.pipeline.errors import PipelineError
from lessons.lesson03.pipeline.naming import ShardId
from lessons.lesson03.pipeline.saver import SaveOptions, Saver
from lessons.lesson03.pipeline.sources import NodeFile, StoredObject
from lessons.lesson03.pipeline.store import Store
from lessons.lesson03.pipeline.ticket import Ticket
from lessons.lesson03.pipeline.training import after_step, state_of


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a rank's process is told; it can be sent to another process.

    Attributes:
        rank: From 0.
        ranks: How many.
        node: The node's directory.
        store: The object store's address; None: spills only.
        attempt: The launch of the job.
        resume: Where its state is: a file, or an object of the store; None begins anew.
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
    resume: NodeFile | ShardId | None
    steps: int
    save_every: int
    step_s: float
    state_bytes: int
    seed: int
    options: SaveOptions


def run_rank(task: Task) -> None:
    """Be one rank: train, save on the way, write down what each save cost."""
    store = task.store.open() if task.store is not None else None
    journal = task.node.parent / journal_name(task.attempt, task.rank)
    state = _first_state(task, store)
    first = int(state["step"])
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
        for step in range(first + 1, task.steps + 1):
            time.sleep(task.step_s)
            state = after_step(state, task.rank)
            if step % task.save_every == 0:
                tickets.append(saver.save(step, state))
            tickets = [one for one in tickets if not _noted(one, lines)]
        for ticket in tickets:
            _noted(ticket, lines, wait=True)


def _first_state(task: Task, store: Store | None) -> dict[str, Any]:
    """Return what training goes on from: what was recovered, read and verified, or a new state."""
    if isinstance(task.resume, NodeFile):
        return task.resume.load()
    if task.resume is not None and store is not None:
        return StoredObject(shard=task.resume, store=store).load()
    return state_of(task.rank, 0, seed=task.seed, state_bytes=task.state_bytes)


def journal_name(attempt: str, rank: int) -> str:
    """Return the name of the file in which a rank writes down its saves."""
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
