"""A save under way: how long training stood still, how far the save has come, how to stop it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from lessons.classroom.language import say
from lessons.lesson03.pipeline.errors import PipelineError, SaveCancelled
from lessons.lesson03.pipeline.naming import ShardId
from lessons.lesson03.pipeline.spill import Spilled


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A finished save, as one rank saw it. All times in seconds.

    Attributes:
        shard: Which.
        stage: How far this rank took it: "spilled" (no store), "reported" (other ranks), or
            "committed" (rank 0).
        spilled: The shard on the node's disk.
        waited_s: Backpressure: training waited for a snapshot buffer.
        snapshot_s: Training stood still for the copy.
        spill_s: Writing and flushing.
        upload_s: Streaming to the store.
        commit_s: Reporting; on rank 0 also waiting for the others and the manifest.
        total_s: From the call of `save` to the end.
    """

    shard: ShardId
    stage: str
    spilled: Spilled
    waited_s: float
    snapshot_s: float
    spill_s: float
    upload_s: float
    commit_s: float
    total_s: float

    @property
    def blocked_s(self) -> float:
        """Return how long training stood still."""
        return self.waited_s + self.snapshot_s


@dataclass(kw_only=True)
class Ticket:
    """What `Saver.save` gives back at once.

    Attributes:
        shard: Which shard is being saved.
        waited_s: Seconds that training waited for a free buffer.
        snapshot_s: Seconds that the copy took.
        stage: The stage under way: "snapshot", "spill", "upload", "commit", then "done".
    """

    shard: ShardId
    waited_s: float = 0.0
    snapshot_s: float = 0.0
    stage: str = "snapshot"
    _saved: Saved | None = field(default=None, repr=False)
    _failure: BaseException | None = field(default=None, repr=False)
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _cancelled: bool = False
    _closing: bool = False

    @property
    def blocked_s(self) -> float:
        """Return how long training stood still."""
        return self.waited_s + self.snapshot_s

    @property
    def done(self) -> bool:
        """Return whether the save has ended, well or not."""
        return self._ended.is_set()

    def wait(self, timeout_s: float | None = None) -> Saved:
        """Wait for the end of the save.

        Raises:
            PipelineError: Why it was not finished; `SaveCancelled` after `cancel`.
            TimeoutError: It has not ended in time.
        """
        if not self._ended.wait(timeout_s):
            raise TimeoutError(say(f"保存仍在 {self.stage} 阶段。", f"Still in {self.stage}."))
        if self._failure is not None:
            raise self._failure
        if self._saved is None:
            raise PipelineError(f"{self.shard}: {self.stage}")
        return self._saved

    def cancel(self) -> bool:
        """Stop the save between two blocks.

        Returns:
            False when it is too late: the manifest is on its way, or the save has ended.
        """
        with self._lock:
            if self._closing or self._ended.is_set():
                return False
            self._cancelled = True
            return True

    def check(self) -> None:
        """Raise `SaveCancelled` once the save is cancelled: called between blocks."""
        if self._cancelled:
            raise SaveCancelled(
                say(f"第 {self.shard.step} 步的保存已取消。", f"Step {self.shard.step}: cancelled.")
            )

    def close_door(self) -> None:
        """From here on the save cannot be cancelled; `SaveCancelled` if it was."""
        with self._lock:
            self.check()
            self._closing = True

    def end(self, *, saved: Saved | None = None, failure: BaseException | None = None) -> None:
        """Let everyone who waits know how it went."""
        self._saved, self._failure = saved, failure
        self.stage = "done"
        self._ended.set()
