"""Real processes, killed with SIGKILL at file operations and at random moments."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lessons.lesson03.pipeline import DirectoryAddress, Job, SaveOptions, recover
from tests.pipeline.scenarios import check_recovery, same

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def victims() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.pipeline.victim"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def kill_at(
    victims: subprocess.Popen[str], root: Path, at: int, share: float = 0.5
) -> dict[str, int]:
    root.mkdir()
    assert victims.stdin is not None
    assert victims.stdout is not None
    victims.stdin.write(json.dumps({"root": str(root), "at": at, "share": share}) + "\n")
    victims.stdin.flush()
    ended: dict[str, int] = json.loads(victims.stdout.readline())
    return ended


def check_points(
    victims: subprocess.Popen[str], root: Path, points: list[int], seed: int
) -> list[dict[str, int]]:
    chance = random.Random(seed)
    ends = []
    for at in points:
        place = root / f"{at}"
        ends.append(kill_at(victims, place, at, chance.random()))
        committed = ends[-1]["committed"]
        try:
            check_recovery(place, spilled=committed, committed=committed)
        except AssertionError as error:
            raise AssertionError(f"killed at operation {at}: {error}") from error
    return ends


def test_killed_at_a_sample_of_operations(victims: subprocess.Popen[str], tmp_path: Path) -> None:
    ends = check_points(victims, tmp_path, [3, 75, 130, 190], seed=4)
    assert all(end["killed"] for end in ends)
    assert ends[0]["committed"] == -1
    assert ends[-1]["committed"] >= 1


@pytest.mark.slow
def test_killed_at_every_operation(victims: subprocess.Popen[str], tmp_path: Path) -> None:
    ends = check_points(victims, tmp_path, list(range(1, 230)), seed=5)
    assert sum(end["killed"] for end in ends) >= 200
    assert {end["committed"] for end in ends} >= {-1, 1, 2, 3}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_job_whose_ranks_are_killed_goes_on(tmp_path: Path, seed: int) -> None:
    """Kill one rank or all at a random moment, recover, start again, reach the end."""
    chance = random.Random(seed)
    job = Job(
        folder=tmp_path,
        store=DirectoryAddress(folder=tmp_path / "store", survives="zone"),
        ranks=3,
        ranks_per_node=2,
        steps=12,
        save_every=2,
        step_s=0.05,
        state_bytes=300_000,
        options=SaveOptions(patience_s=2, keep=2),
    )
    job.start()
    time.sleep(chance.uniform(1.0, 2.5))
    if seed % 2:
        job.kill(rank=chance.randrange(3))
    job.kill() if seed % 3 else job.join(60)
    acked = max((row["step"] for row in job.journal() if row["stage"] == "committed"), default=0)
    again = Job(
        **{
            name: getattr(job, name)
            for name in vars(job)
            if not name.startswith("_") and name != "attempt"
        }
    )
    first = again.start(resume="process")
    assert first >= acked
    assert again.join(60) == [0, 0, 0]
    found = recover(failure="zone", store=again.store.open() if again.store else None)
    assert found.step == 12
    for rank, due in enumerate(again.states_at(12)):
        assert same(found.load(rank), due)
