"""Q1: N writers, one small file each with fsync, all at one moment.

Three layouts of the same bytes: all files in one directory, a directory for each writer, and one
writer with one file for all. Layouts take turns within a round, in a shuffled order, so that a
slow minute of the disk hits all of them.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

from lessons.lesson03.experiments.bench import Bench, Request, bench
from lessons.lesson03.experiments.guard import Wish
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.said import Said
from lessons.lesson03.experiments.series import Series
from lessons.lesson03.experiments.writers import Writers, Written, slowest_s

NAME = "small-files"
FILE_BYTES = 16_384
MOST = 64
ONE_DIRECTORY, PER_WRITER, AGGREGATED = "one-directory", "per-writer", "aggregated"
LAYOUTS = (ONE_DIRECTORY, PER_WRITER, AGGREGATED)
SAVE, FILE, CREATE, RATE = "save", "file", "create", "rate"


def run(request: Request) -> Record:
    """Measure saves of N small files for N = 1, 4, 16, ... up to the writers asked for.

    Series: "save", until the slowest of a save is done; "file", one writer's create, write and
    fsync; "create", its create alone; "rate", files of a save by its time, 1/s.

    Raises:
        Refused: It may not run there.
    """
    most = request.writers or MOST
    with bench(Wish(writers=most, bytes=2 * most * FILE_BYTES), request) as here:
        counts = writer_counts(here.wish.writers)
        here.note(
            Said(
                zh="聚合那一组不含把数据汇到一个写者的拷贝；三组都只 fsync 文件，不 fsync 目录。",
                en="Aggregated leaves out the copy to the one writer; in all layouts the files "
                "are fsynced, the directories are not.",
            )
        )
        with Writers(max(counts)) as writers:
            taken = _measure(here, writers, counts)
        return here.record(
            NAME,
            series=taken,
            settings={
                "writers": counts,
                "file_bytes": FILE_BYTES,
                "rounds": {str(count): rounds_for(count) for count in counts},
                "durable": "write + fsync of the file",
            },
        )


def writer_counts(most: int) -> list[int]:
    """Return 1, 4, 16, ... below `most`, and `most`."""
    counts = [1]
    while counts[-1] * 4 < most:
        counts.append(counts[-1] * 4)
    return counts if counts[-1] == most else [*counts, most]


def rounds_for(count: int) -> int:
    """Return how often to save: at least 12 times, and 100 files or more for a p99."""
    return max(12, -(-120 // count))


def schedule(counts: Sequence[int], seed: int) -> list[int]:
    """Return how many writers save in each round: every count once, then all mixed.

    When the time is up early, each count has had its share.
    """
    rest = [count for count in counts for _ in range(rounds_for(count) - 1)]
    random.Random(seed).shuffle(rest)  # noqa: S311 - an order, no secret
    return [*counts, *rest]


def _measure(here: Bench, writers: Writers, counts: Sequence[int]) -> list[Series]:
    rng = random.Random(here.request.seed)  # noqa: S311 - an order, no secret
    rounds = schedule(counts, here.request.seed)
    saves: dict[tuple[str, int], list[list[Written]]] = {}
    for number, count in enumerate(rounds):
        if number >= len(counts) and not here.time_left:
            break
        here.show(number / len(rounds), Said(zh=f"{count} 个写者", en=f"{count} writers"))
        for layout in rng.sample(LAYOUTS, len(LAYOUTS)):
            save = _save(here.folder / "step", writers, count, layout)
            saves.setdefault((layout, count), []).append(save)
    return [
        one
        for count in counts
        for layout in LAYOUTS
        for one in _series(layout, count, saves[layout, count])
    ]


def _save(step: Path, writers: Writers, count: int, layout: str) -> list[Written]:
    """Save once; making and removing directories is not timed."""
    step.mkdir()
    try:
        if layout == AGGREGATED:
            return writers.save([step / "all"], FILE_BYTES * count)
        paths = [step / f"rank-{rank:05d}" for rank in range(count)]
        if layout == PER_WRITER:
            for path in paths:
                path.mkdir()
            paths = [path / "part" for path in paths]
        return writers.save(paths, FILE_BYTES)
    finally:
        shutil.rmtree(step)


def _series(layout: str, count: int, saves: Sequence[Sequence[Written]]) -> list[Series]:
    slowest = [slowest_s(save) for save in saves]
    files = [one for save in saves for one in save]
    values = {
        SAVE: slowest,
        FILE: [one.took_s for one in files],
        CREATE: [one.created_s for one in files],
    }
    found = [
        Series(what=what, how=layout, at=count, values=tuple(of)) for what, of in values.items()
    ]
    rates = tuple(count / one for one in slowest)
    return [*found, Series(what=RATE, how=layout, at=count, values=rates, unit="1/s")]
