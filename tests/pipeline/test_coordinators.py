"""Two launches of a job that both believe they are the one: a step has one manifest."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lessons.lesson03.pipeline.commit import commit
from lessons.lesson03.pipeline.directory_store import DirectoryStore
from lessons.lesson03.pipeline.errors import CommitRefused
from lessons.lesson03.pipeline.manifest import Manifest, Part
from lessons.lesson03.pipeline.server import s3_server
from lessons.lesson03.pipeline.store import Store

COORDINATORS = 6


def race(store: Store, step: int) -> list[str]:
    """Let several coordinators commit a step at the same moment; return who believes he won."""
    winners: list[str] = []
    ready = threading.Barrier(COORDINATORS)

    def coordinate(attempt: str) -> None:
        part = Part(rank=0, size=8192, algorithm="crc32", digest=f"{len(attempt):08x}")
        ready.wait()
        try:
            commit(store, Manifest(step=step, attempt=attempt, parts=(part,)))
        except CommitRefused:
            return
        winners.append(attempt)

    threads = [
        threading.Thread(target=coordinate, args=(f"attempt-{number}",))
        for number in range(COORDINATORS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return winners


def check_races(store: Store, count: int) -> None:
    for step in range(count):
        winners = race(store, step)
        assert len(winners) == 1, (step, winners)
        written = Manifest.decoded(store.read(f"manifests/{step:010d}.json"))
        assert written.attempt == winners[0]


def test_one_coordinator_wins_in_a_directory(tmp_path: Path) -> None:
    check_races(DirectoryStore(tmp_path), 15)


class NoLinks(DirectoryStore):
    """A file system without hard links: the exclusive create takes their place."""

    def _link(self, temporary: Path, target: Path, content: bytes) -> None:
        super()._link(temporary.with_name("no-such-file"), target, content)


def test_one_coordinator_wins_where_links_are_missing(tmp_path: Path) -> None:
    for step in range(15):
        assert len(race(NoLinks(tmp_path), step)) == 1


@pytest.mark.slow
def test_one_coordinator_wins_in_a_directory_many_times(tmp_path: Path) -> None:
    check_races(DirectoryStore(tmp_path), 200)


@pytest.mark.slow
def test_one_coordinator_wins_on_s3() -> None:
    with s3_server() as address:
        check_races(address.open(), 100)
