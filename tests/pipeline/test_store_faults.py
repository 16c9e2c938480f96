"""A store in trouble: retries, lost answers, doubled and late writes, broken uploads."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lessons.lesson03.pipeline.commit import commit
from lessons.lesson03.pipeline.errors import CommitRefused, PipelineError, StoreTrouble
from lessons.lesson03.pipeline.manifest import Manifest, Part
from lessons.lesson03.pipeline.recovery import recover
from lessons.lesson03.pipeline.saver import SaveOptions, Saver
from lessons.lesson03.pipeline.store import Backoff, PatientStore
from lessons.lesson03.pipeline.ticket import Ticket
from tests.pipeline.faulty_store import FaultyStore
from tests.pipeline.scenarios import FIRST, RANKS, SECOND, check_recovery, nodes, state, store_in

OPTIONS = SaveOptions(patience_s=5, keep=1)
FAULTS = ("before", "after", "twice", "late", "half")


def patient(store: FaultyStore, tries: int = 6) -> PatientStore:
    """Retry at once: what is tested is what is repeated, not how long it waits."""
    return PatientStore(store, Backoff(tries=tries), sleep=lambda _: None)


def run(root: Path, store: FaultyStore, attempt: str, steps: range) -> int:
    """Save some steps on all ranks at once; return the newest one that rank 0 committed."""
    savers = [
        Saver(
            rank=rank,
            ranks=RANKS,
            node=nodes(root)[rank],
            store=patient(store),
            attempt=attempt,
            options=OPTIONS,
        )
        for rank in range(RANKS)
    ]
    committed = -1
    for step in steps:
        tickets: list[Ticket] = [
            saver.save(step, state(step, attempt, saver.rank)) for saver in savers
        ]
        ends = [_end(ticket) for ticket in tickets]
        committed = step if ends[0] == "committed" else committed
    for saver in savers:
        saver.close()
    return committed


def _end(ticket: Ticket) -> str:
    try:
        return ticket.wait(timeout_s=60).stage
    except PipelineError as error:
        return type(error).__name__


def check_seed(root: Path, seed: int) -> tuple[int, FaultyStore]:
    """Two launches after one another, on a store whose requests fail at some rate."""
    rate = random.Random(seed).choice((0.05, 0.2, 0.4))
    store = FaultyStore(store_in(root), rate=rate, seed=seed)
    newest = run(root, store, FIRST, range(1, 4))
    newest = max(newest, run(root, store, SECOND, range(3, 6)))
    check_recovery(root, spilled=5, committed=newest)
    store.deliver()
    check_recovery(root, spilled=5, committed=newest)
    store.rate = 0.1  # the store is still in trouble when it is read
    check_recovery(root, spilled=5, committed=newest, store=patient(store, tries=20))
    return newest, store


def test_a_store_in_trouble(tmp_path: Path) -> None:
    done = [check_seed(tmp_path / str(seed), seed) for seed in range(4)]
    assert sum(newest > 0 for newest, _ in done) >= 3  # retries carried most of them through
    # Which request meets which fault depends on the threads: each kind has to have come.
    for seed in range(4, 16):
        if all(happened(done, fault) for fault in FAULTS):
            break
        done.append(check_seed(tmp_path / str(seed), seed))
    assert [fault for fault in FAULTS if not happened(done, fault)] == []


def happened(done: list[tuple[int, FaultyStore]], fault: str) -> int:
    return sum(store.done[fault] for _, store in done)


@pytest.mark.slow
def test_a_store_in_trouble_many_times(tmp_path: Path) -> None:
    points = 0
    for seed in range(100, 180):
        _, store = check_seed(tmp_path / str(seed), seed)
        points += sum(store.done.values())
    assert points >= 1000  # faults that really happened


def test_an_older_step_is_no_answer_to_a_store_that_cannot_be_read(tmp_path: Path) -> None:
    store = FaultyStore(store_in(tmp_path), rate=0.0, seed=1)
    assert run(tmp_path, store, FIRST, range(1, 3)) == 2
    store.rate = 1.0
    with pytest.raises(StoreTrouble):
        recover(failure="zone", store=patient(store))
    with pytest.raises(StoreTrouble):
        recover(failure="process", nodes=nodes(tmp_path), store=patient(store))


def manifest(attempt: str, step: int = 7) -> Manifest:
    part = Part(rank=0, size=8192, algorithm="crc32", digest="00000000")
    return Manifest(step=step, attempt=attempt, parts=(part,))


def test_a_lost_answer_to_the_manifest_is_no_failure(tmp_path: Path) -> None:
    """The PUT won, its answer was lost, the retry finds the key taken: by our own manifest."""

    class Lost(FaultyStore):
        def create(self, key: str, content: bytes) -> None:
            self.store.create(key, content)
            raise StoreTrouble("timeout")

    store = Lost(store_in(tmp_path), rate=0.0, seed=1)
    commit(PatientStore(store, Backoff(tries=2), sleep=lambda _: None), manifest(FIRST))
    assert Manifest.decoded(store.read("manifests/0000000007.json")).attempt == FIRST


def test_a_late_manifest_does_not_replace_the_winner(tmp_path: Path) -> None:
    store = FaultyStore(store_in(tmp_path), rate=0.0, seed=1)
    late = manifest(FIRST).encoded()
    store.late.append(lambda: store.store.create("manifests/0000000007.json", late))
    commit(store, manifest(SECOND))
    store.deliver()
    assert Manifest.decoded(store.read("manifests/0000000007.json")).attempt == SECOND
    with pytest.raises(CommitRefused, match=SECOND):
        commit(store, manifest(FIRST))


def test_waits_double_and_are_random_below_their_bound() -> None:
    backoff = Backoff(tries=5, first_s=0.1, longest_s=0.5)
    chance = random.Random(0)
    waits = [[backoff.wait_s(failures, chance) for _ in range(400)] for failures in (1, 2, 3, 4)]
    for bound, some in zip((0.1, 0.2, 0.4, 0.5), waits, strict=True):
        assert 0.9 * bound < max(some) <= bound
        assert min(some) < 0.1 * bound
