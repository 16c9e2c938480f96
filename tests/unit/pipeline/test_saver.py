"""A saver: what blocks training, what happens when saves come too fast, how a save is stopped."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from lessons.lesson03.pipeline import (
    PipelineError,
    SaveOptions,
    Saver,
    ShardId,
    read_shard,
    recover,
    spill_state,
)
from lessons.lesson03.pipeline.checksums import Block
from lessons.lesson03.pipeline.directory_store import DirectoryStore
from lessons.lesson03.pipeline.errors import (
    BadState,
    CommitRefused,
    SaveCancelled,
    SaverBusy,
    SpillFailed,
)
from lessons.lesson03.pipeline.files import Files
from lessons.lesson03.pipeline.sources import committed_steps


class Gate(Files):
    """Lets no write through until it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()

    def write(self, descriptor: int, data: Block) -> None:
        assert self.open.wait(20)
        super().write(descriptor, data)


def state(step: int) -> dict[str, np.ndarray]:
    return {"weights": np.arange(3000.0) + step, "step": np.array(step)}


def saver(node: Path, files: Files | None = None, **options: object) -> Saver:
    return Saver(
        rank=0,
        ranks=1,
        node=node,
        store=None,
        attempt="a",
        options=SaveOptions(**options),  # type: ignore[arg-type]
        files=files or Files(),
    )


def test_training_goes_on_while_the_disk_is_slow(tmp_path: Path) -> None:
    gate = Gate()
    with saver(tmp_path, gate) as one:
        weights = state(1)
        ticket = one.save(1, weights)
        assert not ticket.done
        weights["weights"] += 100  # the optimizer's next step does not reach the snapshot
        gate.open.set()
        saved = ticket.wait(20)
    assert saved.stage == "spilled"
    assert read_shard(saved.spilled.path)["weights"][0] == 1.0


def test_a_save_too_early_waits_for_the_one_in_flight(tmp_path: Path) -> None:
    gate = Gate()
    with saver(tmp_path, gate) as one:
        one.save(1, state(1))
        threading.Timer(0.3, gate.open.set).start()
        second = one.save(2, state(2))
        assert second.waited_s > 0.2
        assert second.blocked_s == second.waited_s + second.snapshot_s
        assert second.wait(20).shard.step == 2


def test_two_in_flight_need_a_second_buffer_and_no_wait(tmp_path: Path) -> None:
    gate = Gate()
    with saver(tmp_path, gate, in_flight=2) as one:
        first, second = one.save(1, state(1)), one.save(2, state(2))
        assert second.waited_s < 0.2
        gate.open.set()
        paths = [ticket.wait(20).spilled.path for ticket in (first, second)]
    assert [read_shard(path)["step"] for path in paths] == [1, 2]


def test_a_busy_saver_can_refuse(tmp_path: Path) -> None:
    gate = Gate()
    with saver(tmp_path, gate, when_busy="refuse") as one:
        first = one.save(1, state(1))
        with pytest.raises(SaverBusy):
            one.save(2, state(2))
        gate.open.set()
        first.wait(20)
        assert one.save(3, state(3)).wait(20).shard.step == 3


def test_rank_0_does_not_wait_for_a_rank_that_refused(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "store")
    gate = Gate()
    options = SaveOptions(patience_s=60, when_busy="refuse")
    with (
        Saver(rank=0, ranks=2, node=tmp_path, store=store, attempt="a", options=options) as zero,
        Saver(
            rank=1, ranks=2, node=tmp_path, store=store, attempt="a", options=options, files=gate
        ) as one,
    ):
        first, _ = zero.save(1, state(1)), one.save(1, state(1))
        with pytest.raises(SaverBusy):
            one.save(2, state(2))
        gate.open.set()
        assert first.wait(20).stage == "committed"
        with pytest.raises(CommitRefused, match="rank-00001"):
            zero.save(2, state(2)).wait(20)


def test_a_busy_saver_can_give_the_older_save_up(tmp_path: Path) -> None:
    gate = Gate()
    with saver(tmp_path, gate, when_busy="cancel", block_bytes=4096) as one:
        first = one.save(1, state(1))
        threading.Timer(0.2, gate.open.set).start()
        second = one.save(2, state(2))
        with pytest.raises(SaveCancelled):
            first.wait(20)
        second.wait(20)
    assert [path.name.split(".")[0] for path in tmp_path.iterdir()] == ["step-0000000002"]


def test_a_cancelled_save_leaves_nothing_behind(tmp_path: Path) -> None:
    gate = Gate()
    with saver(tmp_path, gate, block_bytes=4096) as one:
        ticket = one.save(1, state(1))
        assert ticket.cancel()
        gate.open.set()
        with pytest.raises(SaveCancelled):
            ticket.wait(20)
        assert not ticket.cancel()
    assert list(tmp_path.iterdir()) == []


def test_a_committed_save_cannot_be_cancelled(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "store")
    with Saver(rank=0, ranks=1, node=tmp_path / "node", store=store, attempt="a") as one:
        ticket = one.save(1, state(1))
        assert ticket.wait(20).stage == "committed"
        assert not ticket.cancel()


def test_steps_only_go_up(tmp_path: Path) -> None:
    with saver(tmp_path) as one:
        one.save(5, state(5)).wait(20)
        with pytest.raises(BadState, match="5"):
            one.save(5, state(5))


def test_a_state_that_cannot_be_saved_frees_its_buffer(tmp_path: Path) -> None:
    with saver(tmp_path) as one:
        with pytest.raises(BadState, match="'notes'"):
            one.save(1, {"notes": "text"})
        assert one.save(1, state(1)).wait(20).stage == "spilled"


def test_a_slow_rank_costs_the_commit_not_the_training(tmp_path: Path) -> None:
    """Rank 1 never reports: rank 0 gives up after its patience, and the step is not committed."""
    store = DirectoryStore(tmp_path / "store")
    options = SaveOptions(patience_s=0.2)
    with (
        Saver(
            rank=0, ranks=2, node=tmp_path / "node", store=store, attempt="a", options=options
        ) as one,
        pytest.raises(CommitRefused, match="rank 1"),
    ):
        one.save(1, state(1)).wait(20)
    assert committed_steps(store) == []


def test_a_rank_that_fails_ends_the_wait_at_once(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "store")
    options = SaveOptions(patience_s=60)
    full = FullDisk(after_bytes=10_000)
    with (
        Saver(
            rank=0, ranks=2, node=tmp_path / "0", store=store, attempt="a", options=options
        ) as zero,
        Saver(rank=1, ranks=2, node=tmp_path / "1", store=store, attempt="a", files=full) as one,
    ):
        waiting = zero.save(1, state(1))
        with pytest.raises(SpillFailed):
            one.save(1, state(1)).wait(20)
        with pytest.raises(CommitRefused, match="rank-00001"):
            waiting.wait(20)


class FullDisk(Files):
    """Has room for so many bytes more; what did not fit is written in part, as disks do."""

    def __init__(self, after_bytes: int) -> None:
        self.left = after_bytes

    def write(self, descriptor: int, data: Block) -> None:
        room = min(self.left, len(data))
        super().write(descriptor, memoryview(data).cast("B")[:room])
        self.left -= room
        if room < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("after_bytes", [0, 1, 4096, 20_000, 24_576, 28_671])
def test_a_full_disk_keeps_the_step_before(tmp_path: Path, after_bytes: int) -> None:
    spill_state(state(1), shard=ShardId(step=1, attempt="a", rank=0, ranks=1), node=tmp_path)
    with saver(tmp_path, FullDisk(after_bytes)) as one:
        with pytest.raises(SpillFailed, match="剩余空间"):
            one.save(2, state(2)).wait(20)
        one.files.left = 1 << 30  # type: ignore[attr-defined]  # someone cleaned up
        assert recover(failure="process", nodes=[tmp_path]).step == 1
        one.save(3, state(3)).wait(20)
    assert recover(failure="process", nodes=[tmp_path]).step == 3
    assert not list(tmp_path.glob("*.tmp"))


class BadFsync(Files):
    """fsync fails once and then says yes, as Linux does although the pages are lost."""

    calls = 0

    def sync(self, descriptor: int) -> None:
        self.calls += 1
        if self.calls == 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().sync(descriptor)


def test_a_failed_fsync_is_not_tried_again(tmp_path: Path) -> None:
    files = BadFsync()
    with saver(tmp_path, files) as one, pytest.raises(SpillFailed):
        one.save(1, state(1)).wait(20)
    assert files.calls == 1
    assert list(tmp_path.iterdir()) == []


def test_tidying_leaves_the_newest_two_steps(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "store")
    with Saver(rank=0, ranks=1, node=tmp_path / "node", store=store, attempt="a") as one:
        for step in range(1, 6):
            one.save(step, state(step)).wait(20)
    assert one.untidy is None
    assert committed_steps(store) == [5, 4]
    assert [key.split("/")[1] for key in store.keys("shards/")] == ["0000000004", "0000000005"]
    assert [key.split("/")[1] for key in store.keys("reports/")] == ["0000000004", "0000000005"]
    assert [path.name.split(".")[0] for path in (tmp_path / "node").iterdir()] == [
        "step-0000000005"
    ]


def test_one_sentence_when_nothing_can_be_recovered(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"^发生 process 级故障后.*。$"):
        recover(failure="process", nodes=[tmp_path / "gone"])
    with pytest.raises(PipelineError, match="可用区"):
        recover(failure="zone", store=DirectoryStore(tmp_path, survives="node"))
