"""Random reads and sample epochs: real ones where this platform has them, faked where not."""

from __future__ import annotations

import os
import sys
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lessons.lesson03.experiments import pagecache, readers, ways
from lessons.lesson03.experiments.bench import Request
from lessons.lesson03.experiments.filler import write_filled
from lessons.lesson03.experiments.progress import Silent
from lessons.lesson03.experiments.read_latency import SIZES, run
from lessons.lesson03.experiments.sample_epochs import run as run_samples
from lessons.lesson03.experiments.sampleset import SAMPLE_BYTES, make_samples, shard_samples

LINUX = sys.platform == "linux"


def test_sizes_go_from_4_kib_to_4_mib() -> None:
    assert SIZES == (4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304)


def test_every_way_reads_the_same_bytes(tmp_path: Path) -> None:
    write_filled(tmp_path / "f", 65_536, 3, lambda _share: None)
    content = (tmp_path / "f").read_bytes()
    assert len(set(content)) == 256
    with readers.buffered(tmp_path / "f", 16_384) as (_handle, read):
        assert read(4096, 16_384) == 16_384
        assert read(65_536, 4096) == 0


@pytest.mark.skipif(not LINUX, reason="only Linux can say whether a page is cached")
def test_evicted_pages_are_gone(tmp_path: Path) -> None:
    write_filled(tmp_path / "f", 1 << 20, 3, lambda _share: None)
    with readers.buffered(tmp_path / "f", 4096) as (handle, read):
        read(8192, 4096)
        if pagecache.is_cached(handle, 8192) is None:
            pytest.skip("this file system does not say whether a page is cached")
        assert pagecache.is_cached(handle, 8192)
        # A page that something else holds for a moment, as the writing to disk does, stays.
        deadline = time.monotonic() + 5
        while pagecache.is_cached(handle, 8192) and time.monotonic() < deadline:
            pagecache.evict(handle)
        assert pagecache.is_cached(handle, 8192) is False


def test_a_small_run(tmp_path: Path) -> None:
    record = run(Request(path=tmp_path, megabytes=9, seconds=1, progress=Silent()))
    assert list(tmp_path.iterdir()) == []
    warm = record.of("read", "warm")
    assert [one.at for one in warm] == [float(size) for size in SIZES]
    assert all(len(one.values) >= 40 for one in warm)
    assert any("GDS" in note.zh for note in record.notes) == (
        "gds" not in record.conditions("read")
    )
    if LINUX and record.file_system["kind"] == "local":
        assert record.conditions("read")[:3] == ["cold", "warm", "direct"]
        # A read that waits for a disk is slower than one that does not.
        cold = record.of("read", "cold")[0]
        assert cold.p50 > warm[0].p50


def test_what_a_platform_lacks_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def none(*_asked: object) -> Iterator[Any]:
        raise readers.Unavailable(readers._NO_DIRECT)
        yield

    monkeypatch.setattr(pagecache, "can_evict", lambda: False)
    monkeypatch.setattr(ways, "direct", none)
    record = run(Request(path=tmp_path, megabytes=1, seconds=1, progress=Silent()))
    assert record.conditions("read") == ["warm"]
    said = [note.zh for note in record.notes]
    assert sum("posix_fadvise" in one for one in said) == 1
    assert sum("O_DIRECT" in one for one in said) == 1


def test_without_preadv_reads_seek(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_filled(tmp_path / "f", 8192, 3, lambda _share: None)
    monkeypatch.delattr(os, "preadv")
    with readers.buffered(tmp_path / "f", 4096) as (_handle, read):
        assert read(4096, 4096) == 4096


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no file system in memory here")
def test_in_memory_there_is_neither_cold_nor_direct() -> None:
    record = run(Request(path=Path("/dev/shm"), megabytes=1, seconds=1, progress=Silent()))
    assert record.conditions("read") == ["warm"]
    assert record.file_system["kind"] == "memory"
    assert any("内存" in note.zh for note in record.notes)


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no file system in memory here")
def test_samples_in_memory_are_never_cold_and_the_reason_is_the_right_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    record = run_samples(Request(path=Path("/dev/shm"), megabytes=1, seconds=1, progress=Silent()))
    assert record.conditions("epoch") == ["files-warm", "shards-warm"]
    assert not any("posix_fadvise" in note.zh for note in record.notes)
    assert sum("冷" in note.zh for note in record.notes) == 1


def test_with_kvikio_reads_go_to_the_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """kvikio's interface, faked: a file, pread of a device buffer, a future."""
    asked: list[tuple[int, int]] = []

    class CuFile:
        def __init__(self, path: Path, flags: str) -> None:
            assert flags == "r"
            self.size = path.stat().st_size

        def __enter__(self) -> CuFile:
            return self

        def __exit__(self, *_error: object) -> None:
            return None

        def pread(self, buffer: bytearray, *, size: int, file_offset: int) -> Any:
            asked.append((file_offset, size))
            assert len(buffer) == size
            return SimpleNamespace(get=lambda: size)

    kvikio = SimpleNamespace(CuFile=CuFile)
    cupy = SimpleNamespace(empty=lambda size, **_kind: bytearray(size), uint8="u1")
    monkeypatch.setattr(ways, "has_gds", lambda: True)
    monkeypatch.setattr(
        ways.importlib, "import_module", {"kvikio": kvikio, "cupy": cupy}.__getitem__
    )
    record = run(Request(path=tmp_path, megabytes=1, seconds=1, progress=Silent()))
    assert "gds" in record.conditions("read")
    assert not any("kvikio" in note.zh for note in record.notes)
    assert len(asked) == 1 + sum(len(one.values) for one in record.of("read", "gds"))


def test_samples_are_the_same_in_files_and_shards(tmp_path: Path) -> None:
    made = make_samples(tmp_path, 300, 3, lambda _share: None)
    assert (len(made.files), len(made.shards)) == (300, 2)
    packed = [sample for shard in made.shards for sample in shard_samples(shard)]
    assert packed == [path.read_bytes() for path in made.files]
    assert {len(sample) for sample in packed} == {SAMPLE_BYTES}
    # Python's own reader agrees that these are tar files.
    with tarfile.open(made.shards[1]) as tar:
        assert len(tar.getmembers()) == 50


def test_a_small_run_of_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    record = run_samples(Request(path=tmp_path, megabytes=2, seconds=1, progress=Silent()))
    assert list(tmp_path.iterdir()) == []
    assert record.settings["samples"] == 61  # 1 MB of files, 16,384 B each
    assert len(record.of("sample", "files-warm")[0].values) == 61
    assert any("torch" in note.zh for note in record.notes)
    for epoch, rate in zip(record.of("epoch"), record.of("rate"), strict=True):
        assert rate.values == tuple(61 / one for one in epoch.values)


@pytest.mark.slow
def test_dataloader_reads_every_sample(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    record = run_samples(Request(path=tmp_path, megabytes=4, seconds=20, progress=Silent()))
    assert {"torch-files", "torch-shards"} <= set(record.conditions("epoch"))
    assert len(record.of("epoch", "torch-shards")[0].values) >= 1
    assert list(tmp_path.iterdir()) == []
