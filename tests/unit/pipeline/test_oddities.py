"""What nobody should do and somebody will: odd states, foreign manifests, races, closed savers."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lessons.lesson03.pipeline.commit import commit, gather, report_done
from lessons.lesson03.pipeline.directory_store import DirectoryStore
from lessons.lesson03.pipeline.errors import (
    BadState,
    CommitRefused,
    NewerFormat,
    NothingToRecover,
    PipelineError,
    ShardDamaged,
    StoreError,
)
from lessons.lesson03.pipeline.manifest import Manifest, Part
from lessons.lesson03.pipeline.naming import ShardId, manifest_key
from lessons.lesson03.pipeline.recovery import recover
from lessons.lesson03.pipeline.retention import tidy_store
from lessons.lesson03.pipeline.saver import SaveOptions, Saver
from lessons.lesson03.pipeline.spill import Spilled, read_shard, spill_state
from lessons.lesson03.pipeline.upload import upload_shard


def shard(step: int, attempt: str = "a", rank: int = 0, ranks: int = 1) -> ShardId:
    return ShardId(step=step, attempt=attempt, rank=rank, ranks=ranks)


def committed(root: Path, store: DirectoryStore, step: int, attempt: str = "a") -> Spilled:
    """Spill, upload and commit one rank's step whose state is its number."""
    spilled = spill_state({"x": np.array(step)}, shard=shard(step, attempt), node=root / "node")
    upload_shard(store, spilled)
    report_done(store, spilled)
    parts = gather(store, spilled.shard, patience_s=0)
    commit(store, Manifest(step=step, attempt=attempt, parts=parts))
    return spilled


def sealed(about: dict[str, Any]) -> bytes:
    text = json.dumps(about).encode()
    return text + f"\n{zlib.crc32(text):08x}\n".encode()


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.ones((3, 4), complex)[::2, ::-1].T, "<c16"),
        (np.float16(3), "<f2"),
        (np.array(True), "|b1"),
        (np.zeros((0, 2**40), np.float32), "<f4"),
        (np.broadcast_to(np.float32(1), (3, 4)), "<f4"),
        (np.arange(3, dtype=">i2"), ">i2"),
    ],
)
def test_odd_arrays_come_back_on_a_path_of_any_language(
    tmp_path: Path, array: Any, dtype: str
) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "节点 é").symlink_to(tmp_path / "disk", target_is_directory=True)
    spilled = spill_state({"": array}, shard=shard(1), node=tmp_path / "节点 é")
    back = read_shard(spilled.path)[""]
    assert (back.dtype.str, back.shape) == (dtype, np.shape(array))
    assert back.tobytes() == np.asarray(array).tobytes()


@pytest.mark.parametrize(
    "state",
    [
        {("a", 1): np.ones(2)},  # JSON would make a list of it, which is no key
        {1: np.ones(2), "a": np.ones(2)},
        {"\ud800": np.ones(2)},
        {"a": np.ma.array([1, 2], mask=[False, True])},  # its mask would be lost
        {"a": np.zeros(3, "V0")},
    ],
)
def test_what_would_not_come_back_is_refused_before_it_is_written(
    tmp_path: Path, state: dict[str, Any]
) -> None:
    with pytest.raises(BadState):
        spill_state(state, shard=shard(1), node=tmp_path / "node")
    assert not (tmp_path / "node").exists()


def test_a_shard_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ShardDamaged, match=r"gone\.shard"):
        read_shard(tmp_path / "gone.shard")


def test_a_file_that_was_swapped_after_the_check_is_not_loaded(tmp_path: Path) -> None:
    nodes = [tmp_path / "n0", tmp_path / "n1"]
    spilled = [
        spill_state({"x": np.array(rank)}, shard=shard(1, rank=rank, ranks=2), node=node)
        for rank, node in enumerate(nodes)
    ]
    found = recover(failure="process", nodes=nodes)
    assert int(found.load(1)["x"]) == 1
    spilled[1].path.write_bytes(spilled[0].path.read_bytes())
    with pytest.raises(ShardDamaged):
        found.load(1)


def test_a_manifest_of_a_newer_format_is_not_passed_over(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "store")
    committed(tmp_path, store, 1)
    committed(tmp_path, store, 2)
    about = {"format": 2, "step": 3, "attempt": "later", "parts": [], "tree": "new"}
    store.put(manifest_key(3), sealed(about))
    with pytest.raises(NewerFormat, match="2"):
        recover(failure="node", store=store)
    with pytest.raises(NewerFormat):
        tidy_store(store, keep=1, before=4)
    assert len(store.keys("manifests/")) == 3  # and nothing went
    part = Part(rank=0, size=8192, algorithm="crc32", digest="00000000")
    with pytest.raises(CommitRefused):
        commit(store, Manifest(step=3, attempt="a", parts=(part,)))


@pytest.mark.parametrize("change", [{"parts": []}, {"step": 3.0}, {"step": True}, {"step": "3"}])
def test_a_manifest_of_nothing_is_none(tmp_path: Path, change: dict[str, Any]) -> None:
    store = DirectoryStore(tmp_path / "store")
    committed(tmp_path, store, 2)
    part = {"rank": 0, "size": 8192, "algorithm": "crc32", "digest": "00000000"}
    about = {"format": 1, "step": 3, "attempt": "a", "parts": [part]} | change
    store.put(manifest_key(3), sealed(about))
    assert recover(failure="node", store=store).step == 2


def test_recovery_while_retention_removes_what_it_reads(tmp_path: Path) -> None:
    """Between the listing and the reading of step 1 a running job commits 2 and removes 1."""

    class Busy(DirectoryStore):
        went = False

        def read(self, key: str) -> bytes:
            if not self.went:
                self.went = True
                committed(tmp_path, self, 2)
                assert tidy_store(self, keep=1, before=3) == [1]
            return super().read(key)

    store = Busy(tmp_path / "store")
    store.went = True
    committed(tmp_path, store, 1)
    store.went = False
    assert recover(failure="node", store=store).step == 2


def test_an_object_removed_between_size_and_read_is_a_damaged_shard(tmp_path: Path) -> None:
    class Racing(DirectoryStore):
        def size(self, key: str) -> int:
            size = super().size(key)
            self.delete([key])
            return size

    store = DirectoryStore(tmp_path / "store")
    committed(tmp_path, store, 1)
    with pytest.raises(NothingToRecover):
        recover(failure="node", store=Racing(tmp_path / "store"))


def test_a_store_whose_folder_is_gone_is_not_an_empty_store(tmp_path: Path) -> None:
    """A share that was unmounted: an older spill must not be taken for the newest state."""
    store = DirectoryStore(tmp_path / "store")
    committed(tmp_path, store, 1)
    (tmp_path / "store").rename(tmp_path / "elsewhere")
    with pytest.raises(StoreError):
        recover(failure="process", nodes=[tmp_path / "node"], store=store)


def test_a_folder_of_a_store_that_cannot_be_read_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DirectoryStore(tmp_path / "store")
    committed(tmp_path, store, 1)

    def refuse(*_asked: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(StoreError, match="Permission denied"):
        store.keys("manifests/")


@pytest.mark.parametrize(
    "wrong",
    [
        {"in_flight": 0},  # every save would wait for ever
        {"keep": 0},
        {"keep_local": 0},
        {"block_bytes": 0},
        {"block_bytes": 5000},
        {"when_busy": "later"},
    ],
)
def test_options_that_cannot_work_are_refused_at_once(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SaveOptions(**wrong)


def test_a_failure_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="nodes"):
        recover(failure="nodes")  # type: ignore[arg-type]


def test_a_closed_saver_says_so_instead_of_never_ending(tmp_path: Path) -> None:
    saver = Saver(rank=0, ranks=1, node=tmp_path, store=None, attempt="a")
    saver.close()
    with pytest.raises(PipelineError):
        saver.save(1, {"x": np.ones(1)})
    saver.close()


def test_a_fault_in_cleaning_up_does_not_end_later_saves(tmp_path: Path) -> None:
    class Broken(DirectoryStore):
        def delete(self, keys: Sequence[str]) -> None:
            raise ZeroDivisionError(keys)

    store = Broken(tmp_path / "store")
    options = SaveOptions(keep=1)
    with Saver(rank=0, ranks=1, node=tmp_path, store=store, attempt="a", options=options) as saver:
        for step in (1, 2, 3):
            assert saver.save(step, {"x": np.ones(1)}).wait(timeout_s=20).stage == "committed"
    assert saver.untidy is not None
    assert "manifests/0000000002.json" in saver.untidy


def test_a_report_of_a_rank_that_does_not_exist_is_not_counted(tmp_path: Path) -> None:
    """A launch with another number of ranks under the same name."""
    store = DirectoryStore(tmp_path / "store")
    for rank, ranks in ((0, 2), (7, 8)):
        report_done(
            store,
            spill_state({}, shard=shard(1, rank=rank, ranks=ranks), node=tmp_path / str(rank)),
        )
    with pytest.raises(CommitRefused, match="1"):
        gather(store, shard(1, ranks=2), patience_s=0)
