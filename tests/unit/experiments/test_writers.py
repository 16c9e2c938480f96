"""Writers begin together, write what they are told, and end with their pool."""

from __future__ import annotations

from pathlib import Path

import pytest

from lessons.lesson03.experiments.bench import Request
from lessons.lesson03.experiments.progress import Silent
from lessons.lesson03.experiments.small_file_saves import (
    rounds_for,
    run,
    schedule,
    writer_counts,
)
from lessons.lesson03.experiments.writers import Writers, Written, slowest_s


@pytest.mark.parametrize(
    ("most", "counts"),
    [(1, [1]), (3, [1, 3]), (4, [1, 4]), (64, [1, 4, 16, 64]), (65, [1, 4, 16, 64, 65])],
)
def test_counts_of_writers(most: int, counts: list[int]) -> None:
    assert writer_counts(most) == counts


@pytest.mark.parametrize(("count", "rounds"), [(1, 120), (4, 30), (7, 18), (16, 12), (64, 12)])
def test_rounds_give_a_hundred_files(count: int, rounds: int) -> None:
    assert rounds_for(count) == rounds


def test_every_count_comes_first_and_the_rest_is_mixed() -> None:
    rounds = schedule([1, 4], seed=3)
    assert rounds[:2] == [1, 4]
    assert (rounds.count(1), rounds.count(4)) == (120, 30)
    assert rounds != schedule([1, 4], seed=4)


def test_writers_write_all_bytes_and_the_slowest_counts(tmp_path: Path) -> None:
    paths = [tmp_path / str(number) for number in range(3)]
    with Writers(3) as writers:
        written = writers.save(paths, 5000)
        with pytest.raises(FileExistsError):
            writers.save(paths[:1], 10)
        processes = writers._processes
    assert [path.stat().st_size for path in paths] == [5000] * 3
    assert all(0 < one.created_s < one.took_s <= one.done_s for one in written)
    assert all(one.began_s >= 0 for one in written)
    assert slowest_s(written) == max(one.done_s for one in written)
    assert all(process.returncode is not None for process in processes)


def test_the_slowest_of_known_times() -> None:
    def done(seconds: float) -> Written:
        return Written(began_s=0.0, created_s=0.1, took_s=seconds, done_s=seconds)

    assert slowest_s([done(0.2), done(0.9), done(0.3)]) == 0.9


def test_a_small_run_measures_every_layout_and_leaves_nothing(tmp_path: Path) -> None:
    request = Request(path=tmp_path, writers=2, seconds=1, seed=5, progress=Silent())
    record = run(request)
    assert list(tmp_path.iterdir()) == []
    assert record.conditions("save") == ["one-directory", "per-writer", "aggregated"]
    for layout, files in (("one-directory", 2), ("per-writer", 2), ("aggregated", 1)):
        save = record.of("save", layout)[-1]
        assert save.at == 2
        assert len(record.of("file", layout)[-1].values) == files * len(save.values)
        rate = record.of("rate", layout)[-1]
        assert rate.values == tuple(2 / one for one in save.values)
    assert record.settings["seed"] == 5
    assert record.machine["cores"] >= 1
    assert record.file_system["type"]
