"""One rank's saver: training calls `save` and goes on; a background thread does the rest."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal

from lessons.classroom.language import say
from lessons.lesson03.pipeline.commit import report_failed
from lessons.lesson03.pipeline.errors import BadState, PipelineError, SaverBusy
from lessons.lesson03.pipeline.files import Files
from lessons.lesson03.pipeline.naming import ShardId
from lessons.lesson03.pipeline.retention import tidy_node, tidy_store
from lessons.lesson03.pipeline.spill import BLOCK_BYTES
from lessons.lesson03.pipeline.stages import Way, run_stages
from lessons.lesson03.pipeline.staging import HostBuffer, Image
from lessons.lesson03.pipeline.store import Store
from lessons.lesson03.pipeline.tensors import State
from lessons.lesson03.pipeline.ticket import Ticket


@dataclass(frozen=True, kw_only=True)
class SaveOptions:
    """How to save.

    Attributes:
        in_flight: Saves under way at most, and so snapshot buffers: each is as large as the
            rank's state. With one, a save that comes too early meets backpressure.
        when_busy: Backpressure: "wait" makes training stand still until a buffer is free (it
            counts as blocked), "refuse" raises `SaverBusy` and training goes on unsaved,
            "cancel" gives the older save up for the newer one. Each rank decides for itself; a
            step that one rank has not saved is not committed.
        block_bytes: Bytes of one write to the local disk.
        patience_s: How long rank 0 waits for the slowest rank's report.
        keep: Committed steps that stay in the store; older ones go. None: all stay.
        keep_local: The same on the node's disk; spills go only once the store has a newer step.
        verify_kept: Before older steps go from the store, read the newest one back to the end.
    """

    in_flight: int = 1
    when_busy: Literal["wait", "refuse", "cancel"] = "wait"
    block_bytes: int = BLOCK_BYTES
    patience_s: float = 600.0
    keep: int | None = 2
    keep_local: int = 1
    verify_kept: bool = True

    def __post_init__(self) -> None:
        least = {"in_flight": 1, "block_bytes": 4096, "keep_local": 1, "keep": 1}
        for name, low in least.items():
            value = getattr(self, name)
            if value is not None and value < low:
                raise ValueError(f"{name} must be at least {low}, not {value}")
        if self.block_bytes % 4096:
            raise ValueError(f"block_bytes must be a multiple of 4096, not {self.block_bytes}")
        if self.when_busy not in {"wait", "refuse", "cancel"}:
            raise ValueError(f"when_busy is wait, refuse or cancel, not {self.when_busy!r}")


@dataclass(kw_only=True)
class Saver:
    """Saves one rank's state again and again.

    Attributes:
        rank: This rank, from 0; rank 0 commits.
        ranks: How many there are.
        node: The node's directory for spills, as the store for one job alone: retention takes
            every step in them for this job's.
        store: The object store; None stops after the spill.
        attempt: The launch of the job, the same on all ranks, see `new_attempt`.
        options: How.
        files: The file operations of the spill.
        untidy: Why the last cleaning up failed; None when it did not.
    """

    rank: int
    ranks: int
    node: Path
    store: Store | None
    attempt: str
    options: SaveOptions = field(default_factory=SaveOptions)
    files: Files = field(default_factory=Files)
    untidy: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._way = Way(
            node=self.node,
            store=self.store,
            files=self.files,
            block_bytes=self.options.block_bytes,
            patience_s=self.options.patience_s,
        )
        self._free: queue.Queue[HostBuffer] = queue.Queue()
        for _ in range(self.options.in_flight):
            self._free.put(HostBuffer())
        self._work: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._open: list[Ticket] = []
        self._last = -1
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=f"saver-{self.rank}", daemon=True)
        self._thread.start()

    def reserve(self, state: State) -> None:
        """Take the snapshot buffers now, so that the first save blocks no longer than others."""
        buffers = [self._free.get() for _ in range(self.options.in_flight)]
        for buffer in buffers:
            buffer.reserve_for(state)
            self._free.put(buffer)

    def save(self, step: int, state: State) -> Ticket:
        """Copy a state and return; the rest happens in the background.

        Args:
            step: Training step, above that of the save before.
            state: Arrays by name; they may change again as soon as this returns.

        Raises:
            BadState: Something in the state cannot be saved.
            SaverBusy: No buffer is free and the options say "refuse".
        """
        began = time.perf_counter()
        shard = ShardId(step=step, attempt=self.attempt, rank=self.rank, ranks=self.ranks)
        if self._closed:
            raise PipelineError(
                say("Saver 已关闭，不再保存。", "The saver is closed; it saves no more.")
            )
        if step <= self._last:
            raise BadState(
                say(
                    f"第 {step} 步不晚于上次保存的第 {self._last} 步。",
                    f"Step {step} is not after step {self._last}, which was saved before.",
                )
            )
        ticket = Ticket(shard=shard)
        buffer = self._buffer(shard)
        ticket.waited_s = time.perf_counter() - began
        try:
            image = buffer.snapshot(state, shard)
        except BaseException:
            self._free.put(buffer)
            raise
        self._last = step
        ticket.snapshot_s = time.perf_counter() - began - ticket.waited_s
        self._open = [one for one in self._open if not one.done] + [ticket]
        self._work.put(lambda: self._carry(ticket, image, buffer, began))
        return ticket

    def close(self) -> None:
        """Wait for the saves under way and stop the background thread."""
        self._closed = True
        self._work.put(None)
        self._thread.join()

    def __enter__(self) -> Saver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _buffer(self, shard: ShardId) -> HostBuffer:
        with contextlib.suppress(queue.Empty):
            return self._free.get_nowait()
        if self.options.when_busy == "refuse":
            busy = SaverBusy(
                say(
                    "上一次保存还没有结束，这一步没有保存：请加大间隔，或把 when_busy 设为 wait。",
                    "The save before has not ended; this step was not saved.",
                )
            )
            self._work.put(lambda: self._tell(shard, busy))
            raise busy
        if self.options.when_busy == "cancel":
            for ticket in self._open:
                ticket.cancel()
        return self._free.get()

    def _run(self) -> None:
        while (job := self._work.get()) is not None:
            job()

    def _carry(self, ticket: Ticket, image: Image, buffer: HostBuffer, began: float) -> None:
        """Take one save through its stages; the buffer is free only when the save has ended.

        That is what "one in flight" means: uploads of two saves would share the same bandwidth,
        and both would be committed later.
        """
        try:
            saved = run_stages(ticket, image, self._way, began)
        except BaseException as failure:  # it is raised again where someone waits
            self._tell(ticket.shard, failure)
            self._free.put(buffer)
            ticket.end(failure=failure)
        else:
            self._free.put(buffer)
            ticket.end(saved=saved)
            self._tidy(ticket.shard)

    def _tell(self, shard: ShardId, failure: BaseException) -> None:
        """Let rank 0 know at once; if that fails too, its patience ends the wait."""
        if self.store is not None and shard.rank != 0:
            with contextlib.suppress(Exception):
                report_failed(self.store, shard, str(failure) or type(failure).__name__)

    def _tidy(self, shard: ShardId) -> None:
        """Clean up after a good save; what fails here has no say in whether it was one."""
        self.untidy = None
        keep = self.options.keep
        if self.store is None or keep is None:
            return
        try:
            if shard.rank == 0:
                verify = self.options.verify_kept
                tidy_store(self.store, keep=keep, before=shard.step, verify=verify)
            keep_local = self.options.keep_local
            tidy_node(self.node, self.store, keep=keep_local, saved=shard, files=self.files)
        except Exception as error:  # the thread has the next save to carry
            self.untidy = str(error) or type(error).__name__
