"""Q1, the reading side: an epoch over many small samples, as files and packed in tar shards.

Files are read in a shuffled order, as training does. Shards are read in a shuffled order, each
from front to back with 1 MiB a read. Plain Python always; torch's DataLoader beside it, with the
same reads, where torch is installed.
"""

from __future__ import annotations

import importlib.util
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from lessons.lesson03.experiments import pagecache
from lessons.lesson03.experiments.bench import Bench, Request, bench
from lessons.lesson03.experiments.guard import Wish
from lessons.lesson03.experiments.mounts import Kind
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.said import Said
from lessons.lesson03.experiments.sampleset import (
    SAMPLE_BYTES,
    SampleSet,
    make_samples,
    read_file,
    shard_samples,
)
from lessons.lesson03.experiments.series import Series

NAME = "samples"
MEGABYTES = 64
EPOCH, SAMPLE, RATE = "epoch", "sample", "rate"
_EPOCHS = 7
_NO_TORCH = Said(
    zh="这里没有装 torch，DataLoader 那一组没有量；纯 Python 的读法照常。",
    en="torch is not installed here, so no DataLoader was measured; plain Python was.",
)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """One way to go through all samples.

    Attributes:
        name: Of its series.
        epoch: Yields the size of each sample, in an order that the generator shuffles.
        cold: Whether the cache is emptied before.
        per_sample: Whether the time of one sample means something.
    """

    name: str
    epoch: Callable[[random.Random], Iterator[int]]
    cold: bool
    per_sample: bool = True


def run(request: Request) -> Record:
    """Measure epochs over small samples, and the waiting time for each sample.

    Series, all with `at` = number of samples: "epoch", seconds of a whole one; "sample", seconds
    of one; "rate", samples a second. Conditions: "files-cold", "files-warm", "shards-cold",
    "shards-warm", and the two of "torch-files", "torch-shards" where torch is installed.

    Raises:
        Refused: It may not run there.
    """
    asked = (request.megabytes or MEGABYTES) * 1_000_000
    with bench(Wish(writers=1, bytes=asked), request) as here:
        # Half of the bytes are files, half are the same bytes in shards.
        count = max(here.wish.bytes // 2 // SAMPLE_BYTES, 1)
        made = make_samples(
            here.folder,
            count,
            here.request.seed,
            lambda share: here.show(share / 3, Said(zh="做样本", en="making samples")),
        )
        with _torch_readers(here, made) as more:
            series = _measure(here, _readers(here, made) + more, made)
        return here.record(
            NAME,
            series=series,
            settings={
                "samples": count,
                "sample_bytes": SAMPLE_BYTES,
                "shards": len(made.shards),
                "epochs": _EPOCHS,
                "dropped_caches": here.request.drop_caches,
            },
        )


def _readers(here: Bench, made: SampleSet) -> list[Reader]:
    readers = [
        Reader(name="files-warm", epoch=lambda rng: _files(made, rng), cold=False),
        Reader(name="shards-warm", epoch=lambda rng: _shards(made, rng), cold=False),
    ]
    if here.place.kind is Kind.MEMORY:
        here.note(pagecache.IN_MEMORY)
    elif pagecache.can_evict():
        here.note(pagecache.COLD_IN_GUEST)
        readers += [
            Reader(name="files-cold", epoch=lambda rng: _files(made, rng), cold=True),
            Reader(name="shards-cold", epoch=lambda rng: _shards(made, rng), cold=True),
        ]
    else:
        here.note(pagecache.NO_EVICTION)
    return readers


@contextmanager
def _torch_readers(here: Bench, made: SampleSet) -> Iterator[list[Reader]]:
    """Yield the readers that need torch, none without it; their workers end with the block."""
    if importlib.util.find_spec("torch") is None:
        here.note(_NO_TORCH)
        yield []
        return
    from lessons.lesson03.experiments.loaders import WORKERS, loaders  # noqa: PLC0415 - slow

    here.note(
        Said(
            zh=f"DataLoader 用 {WORKERS} 个 worker 进程，样本要经进程间传递。",
            en=f"The DataLoader has {WORKERS} worker processes, which hand the samples over.",
        )
    )
    found = loaders(made, here.request.seed)
    try:
        yield [
            Reader(name=name, epoch=loader.epoch, cold=False, per_sample=False)
            for name, loader in found.items()
        ]
    finally:
        for loader in found.values():
            loader.close()


def _files(made: SampleSet, rng: random.Random) -> Iterator[int]:
    for path in rng.sample(made.files, len(made.files)):
        yield len(read_file(path))


def _shards(made: SampleSet, rng: random.Random) -> Iterator[int]:
    for path in rng.sample(made.shards, len(made.shards)):
        for sample in shard_samples(path):
            yield len(sample)


def _measure(here: Bench, readers: Sequence[Reader], made: SampleSet) -> list[Series]:
    rng = random.Random(here.request.seed)  # noqa: S311 - an order, no secret
    epochs: dict[str, list[float]] = {reader.name: [] for reader in readers}
    samples: dict[str, list[float]] = {reader.name: [] for reader in readers}
    for reader in readers:
        if not reader.cold:
            list(reader.epoch(rng))  # the first epoch warms the cache and starts workers
    for number in range(_EPOCHS):
        if number and not here.time_left:
            break
        for place, reader in enumerate(rng.sample(readers, len(readers))):
            done = (number + place / len(readers)) / _EPOCHS
            here.show(1 / 3 + done * 2 / 3, Said(zh="读样本", en="reading samples"))
            if reader.cold:
                _empty(here, made)
            waits = _epoch(reader.epoch(rng), len(made.files))
            epochs[reader.name].append(sum(waits))
            if reader.per_sample and number == 0:
                samples[reader.name] = waits
    count = len(made.files)
    found = []
    for name, times in epochs.items():
        found.append(Series(what=EPOCH, how=name, at=count, values=tuple(times)))
        rates = tuple(count / one for one in times)
        found.append(Series(what=RATE, how=name, at=count, values=rates, unit="1/s"))
        if samples[name]:
            found.append(Series(what=SAMPLE, how=name, at=count, values=tuple(samples[name])))
    return found


def _epoch(samples: Iterator[int], count: int) -> list[float]:
    """Return how long each sample was waited for.

    Raises:
        OSError: Bytes or samples are missing.
    """
    waits = []
    before = time.perf_counter()
    for size in samples:
        now = time.perf_counter()
        if size != SAMPLE_BYTES:
            raise OSError(0, f"a sample of {size} bytes came back, not {SAMPLE_BYTES}")
        waits.append(now - before)
        before = now
    if len(waits) != count:
        raise OSError(0, f"{len(waits)} of {count} samples came back")
    return waits


def _empty(here: Bench, made: SampleSet) -> None:
    if here.request.drop_caches:
        here.note(pagecache.drop_everything())
    for path in (*made.files, *made.shards):
        pagecache.evict_file(path)
