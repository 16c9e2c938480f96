"""Two launches of a job that both believe they are the one: a step has one manifest."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lessons.lesson03.pipeline import SaveOptions, Saver, recover
from lessons.lesson03.pipeline.commit import commit
from lessons.lesson03.pipeline.directory_store import DirectoryStore
from lessons.lesson03.pipeline.errors import CommitRefused
from lessons.lesson03.pipeline.manifest import Manifest, Part
from lessons.lesson03.pipeline.server import s3_server
from lessons.lesson03.pipeline.sources import manifest_of
from lessons.lesson03.pipeline.store import Store
from tests.pipeline.scenarios import FIRST, RANKS, SECOND, check_found, state

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
    check_races(DirectoryStore(tmp_path), 100)


@pytest.mark.slow
def test_one_coordinator_wins_on_s3() -> None:
    with s3_server() as address:
        check_races(address.open(), 60)


@pytest.mark.slow
def test_two_launches_at_once_share_no_step(tmp_path: Path) -> None:
    """Both save steps 1 to 12 of two ranks with all stages; every step has one winner at most."""
    store = DirectoryStore(tmp_path / "store", survives="zone")
    ends: dict[str, dict[int, str]] = {FIRST: {}, SECOND: {}}

    def launch(attempt: str) -> None:
        savers = [
            Saver(
                rank=rank,
                ranks=RANKS,
                node=tmp_path / attempt / f"node-{rank}",
                store=store,
                attempt=attempt,
                options=SaveOptions(keep=None, patience_s=20),
            )
            for rank in range(RANKS)
        ]
        for step in range(1, 13):
            tickets = [one.save(step, state(step, attempt, one.rank)) for one in savers]
            try:
                ends[attempt][step] = tickets[0].wait(60).stage
            except CommitRefused:
                ends[attempt][step] = "refused"
        for one in savers:
            one.close()

    threads = [threading.Thread(target=launch, args=(attempt,)) for attempt in ends]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for step in range(1, 13):
        assert sorted(ends[attempt][step] for attempt in ends) == ["committed", "refused"]
        winner = next(attempt for attempt in ends if ends[attempt][step] == "committed")
        assert manifest_of(store, step).attempt == winner
    check_found(recover(failure="zone", store=store))
