"""Crashes at every file operation, with what POSIX lets a power cut take: nothing torn comes back.

Each point replays a recorded run up to one operation (or into the middle of a write), loses what
was not synced, and recovers from each kind of failure.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lessons.lesson03.pipeline.errors import NothingToRecover
from lessons.lesson03.pipeline.files import Files
from tests.pipeline.crashes import Crash, Op, Recorder, acknowledged, replay
from tests.pipeline.scenarios import Small, check_recovery, run_all

SHM = Path("/dev/shm")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Op]:
    root = tmp_path_factory.mktemp("recorded")
    recorder = Recorder(root=root)
    run_all(Small(root=root, files=recorder))
    return recorder.ops


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory where there is one: thousands of files are made in it."""
    if not SHM.is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=SHM, prefix="crash-") as name:
        yield Path(name)


def points(ops: list[Op]) -> list[Crash]:
    """Every boundary after a process's death and after three power cuts, and cuts inside writes."""
    chance = random.Random(8)
    found = []
    for at in range(len(ops) + 1):
        found.append(Crash(at=at))
        for keep in (0.0, 0.5, 0.9):
            found.append(Crash(at=at, power=True, keep=keep, seed=chance.randrange(1 << 30)))
        if at and ops[at - 1].kind == "write":
            for power in (False, True):
                cut = chance.randrange(len(ops[at - 1].data))
                found.append(Crash(at=at, cut=cut, power=power, seed=chance.randrange(1 << 30)))
    return found


def check(ops: list[Op], crash: Crash, root: Path) -> None:
    replay(ops, crash, root)
    spilled = acknowledged(ops, crash, "spilled")
    committed = acknowledged(ops, crash, "committed")
    try:
        check_recovery(root, spilled=spilled, committed=committed)
    except AssertionError as error:
        raise AssertionError(f"{crash}: {error}") from error
    shutil.rmtree(root)


def test_a_sample_of_points(recorded: list[Op], scratch: Path) -> None:
    for number, crash in enumerate(random.Random(1).sample(points(recorded), 40)):
        check(recorded, crash, scratch / str(number))


@pytest.mark.slow
def test_every_point(recorded: list[Op], scratch: Path) -> None:
    every = points(recorded)
    assert len(every) >= 1500
    for number, crash in enumerate(every):
        check(recorded, crash, scratch / str(number))


class NoFolderSync(Recorder):
    """Forgets the folder's fsync: a rename may be lost."""

    def sync_folder(self, folder: Path) -> None:
        Files().sync_folder(folder)


class NoFileSync(Recorder):
    """Forgets the file's fsync: a new name may stand for no data."""

    def sync(self, descriptor: int) -> None:
        Files().sync(descriptor)


@pytest.mark.parametrize("careless", [NoFolderSync, NoFileSync])
def test_the_model_finds_a_pipeline_that_forgets_a_sync(
    careless: type[Recorder], tmp_path: Path, scratch: Path
) -> None:
    recorder = careless(root=tmp_path)
    run_all(Small(root=tmp_path, files=recorder))
    end = Crash(at=len(recorder.ops), power=True, keep=0.0)
    with pytest.raises(NothingToRecover):
        check(recorder.ops, end, scratch / "end")
