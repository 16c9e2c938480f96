"""The same small samples twice: a file each, and packed in tar shards."""

from __future__ import annotations

import io
import os
import random
import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLE_BYTES = 16_384
_PER_SHARD = 250
_PER_FOLDER = 250
_BLOCK = 512
_READ_AHEAD = 1 << 20
_SIZE_FIELD = slice(124, 136)


@dataclass(frozen=True, kw_only=True)
class SampleSet:
    """Samples on a disk.

    Attributes:
        files: A file for each sample, 250 to a folder.
        shards: Tar files with the same bytes in the same order, 250 samples each.
    """

    files: tuple[Path, ...]
    shards: tuple[Path, ...]


def make_samples(folder: Path, count: int, seed: int, show: Callable[[float], None]) -> SampleSet:
    """Write `count` samples both ways, and fsync them; `show` is told the share that is done."""
    rng = random.Random(seed)  # noqa: S311 - filler, no secret
    files: list[Path] = []
    shards: list[Path] = []
    for first in range(0, count, _PER_SHARD):
        samples = [rng.randbytes(SAMPLE_BYTES) for _ in range(min(_PER_SHARD, count - first))]
        shards.append(_write_shard(folder / f"shard-{first // _PER_SHARD:05d}.tar", samples))
        files += _write_files(folder / f"files-{first // _PER_FOLDER:05d}", samples)
        show(0.5 * len(files) / count)
    for number, path in enumerate((*shards, *files)):
        _sync(path)  # pages that are not on the disk yet cannot be dropped from the cache
        show(0.5 + 0.5 * number / (len(shards) + count))
    return SampleSet(files=tuple(files), shards=tuple(shards))


def read_file(path: Path) -> bytes:
    """Return a sample that is a file: open, read, close."""
    with path.open("rb", buffering=0) as file:
        return file.read()


def shard_samples(path: Path) -> Iterator[bytes]:
    """Yield the samples of a shard, read from front to back with 1 MiB a read.

    Only what `make_samples` writes is read: plain files, their size in octal.
    """
    with path.open("rb", buffering=_READ_AHEAD) as file:
        while True:
            header = file.read(_BLOCK)
            if len(header) < _BLOCK or not header.strip(b"\0"):
                return
            size = int(header[_SIZE_FIELD].strip(b" \0"), 8)
            sample = file.read(size)
            file.read(-size % _BLOCK)
            yield sample


def _write_shard(path: Path, samples: Sequence[bytes]) -> Path:
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for number, sample in enumerate(samples):
            about = tarfile.TarInfo(f"{number:06d}.bin")
            about.size = len(sample)
            tar.addfile(about, io.BytesIO(sample))
    return path


def _write_files(folder: Path, samples: Sequence[bytes]) -> list[Path]:
    folder.mkdir()
    paths = [folder / f"{number:06d}.bin" for number in range(len(samples))]
    for path, sample in zip(paths, samples, strict=True):
        path.write_bytes(sample)
    return paths


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
