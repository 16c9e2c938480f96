"""Q3: random reads of 4 KiB to 4 MiB, cold, warm, past the page cache, and straight to a GPU."""

from __future__ import annotations

import mmap
import random
import time
from collections.abc import Sequence
from pathlib import Path

from lessons.lesson03.experiments import pagecache
from lessons.lesson03.experiments.bench import Bench, Request, bench
from lessons.lesson03.experiments.filler import write_filled
from lessons.lesson03.experiments.guard import Wish
from lessons.lesson03.experiments.readers import buffered
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.said import Said
from lessons.lesson03.experiments.series import Series
from lessons.lesson03.experiments.ways import COLD, Way, ways_here

NAME = "random-reads"
MEGABYTES = 256
SIZES = tuple(4096 << shift for shift in range(0, 11, 2))  # 4 KiB, 16 KiB, ... 4 MiB
READ = "read"
REPEATS = 200
_ROUNDS = 5


def run(request: Request) -> Record:
    """Measure how long one random read takes, for each size and each way.

    Series: "read" under "cold", "warm", "direct" and, with a GPU and kvikio, "gds"; `at` is the
    size in bytes. The ways take turns at the same offsets in a shuffled order.

    Raises:
        Refused: It may not run there.
    """
    asked = (request.megabytes or MEGABYTES) * 1_000_000
    with bench(Wish(writers=1, bytes=asked), request) as here:
        file_bytes = here.wish.bytes // mmap.PAGESIZE * mmap.PAGESIZE
        sizes = [size for size in SIZES if size * 2 <= file_bytes]
        path = here.folder / "data"
        write_filled(
            path,
            file_bytes,
            here.request.seed,
            lambda share: here.show(share / 4, Said(zh="写测试文件", en="writing the test file")),
        )
        with ways_here(here, path, max(sizes)) as ways:
            resident = _check_cold(here, path) if any(w.name == COLD for w in ways) else None
            series = _measure(here, ways, sizes, file_bytes)
        return here.record(
            NAME,
            series=series,
            settings={
                "file_bytes": file_bytes,
                "sizes": sizes,
                "repeats": REPEATS,
                "cold_pages_still_cached": resident,
                "at_a_time": 1,
            },
        )


def _measure(
    here: Bench, ways: Sequence[Way], sizes: Sequence[int], file_bytes: int
) -> list[Series]:
    rng = random.Random(here.request.seed)  # noqa: S311 - offsets, no secret
    taken: dict[tuple[str, int], list[float]] = {}
    total = _ROUNDS * len(sizes)
    for number in range(_ROUNDS):
        for place, size in enumerate(sizes):
            if number and not here.time_left:
                break
            share = (number * len(sizes) + place) / total
            doing = f"{size // 1024} KiB"
            here.show(0.25 + 0.75 * share, Said(zh=f"随机读 {doing}", en=f"random reads, {doing}"))
            for _ in range(REPEATS // _ROUNDS):
                offset = rng.randrange(file_bytes // size) * size
                for way in rng.sample(ways, len(ways)):
                    taken.setdefault((way.name, size), []).append(_timed(way, offset, size))
    return [
        Series(what=READ, how=way.name, at=size, values=tuple(taken[way.name, size]))
        for way in ways
        for size in sizes
    ]


def _timed(way: Way, offset: int, size: int) -> float:
    way.prepare(offset, size)
    began = time.perf_counter()
    count = way.read(offset, size)
    took = time.perf_counter() - began
    if count != size:
        raise OSError(0, f"{count} of {size} bytes came back")
    return took


def _check_cold(here: Bench, path: Path, probes: int = 64) -> str:
    """Drop the file's pages, and count how many of some probed ones are still there."""
    rng = random.Random(here.request.seed + 1)  # noqa: S311 - offsets, no secret
    if here.request.drop_caches:
        here.note(pagecache.drop_everything())
    with buffered(path, pagecache.PAGE) as (handle, _read):
        pagecache.evict(handle)
        pages = path.stat().st_size // pagecache.PAGE
        offsets = [rng.randrange(pages) * pagecache.PAGE for _ in range(probes)]
        found = [pagecache.is_cached(handle, offset) for offset in offsets]
    if None in found:
        return "unknown"
    return f"{sum(map(bool, found))} of {probes}"
