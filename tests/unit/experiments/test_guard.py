"""An experiment never becomes the storm it studies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lessons.lesson03.experiments.bench import Request
from lessons.lesson03.experiments.cgroups import Limits
from lessons.lesson03.experiments.guard import Place, Wish, decide, place_of, settle
from lessons.lesson03.experiments.mounts import Mount
from lessons.lesson03.experiments.said import Refused, Said

SMALL = Wish(writers=8, bytes=10_000_000)
BIG = Wish(writers=512, bytes=1_000_000_000)
SHARED = ("nfs", "nfs4", "lustre", "gpfs", "ceph", "fuse.ceph", "beegfs", "cifs", "fuse.sshfs")


def place(type_: str, *, explicit: bool = True, free: float = 1e12) -> Place:
    return Place(
        path=Path("/there"),
        mount=Mount(point="/there", type=type_),
        explicit=explicit,
        free_bytes=int(free),
        memory_left=64_000_000_000,
    )


@pytest.mark.parametrize("type_", [*SHARED, "neverheardof"])
@pytest.mark.parametrize(("explicit", "own"), [(False, False), (True, False), (False, True)])
def test_a_shared_file_system_needs_a_path_and_a_promise(
    type_: str, explicit: bool, own: bool
) -> None:
    with pytest.raises(Refused) as refused:
        decide(SMALL, place(type_, explicit=explicit), own=own)
    assert type_ in refused.value.said.zh
    assert "--i-own-this" in refused.value.said.zh
    assert "--i-own-this" in refused.value.said.en


@pytest.mark.parametrize("type_", SHARED)
def test_there_it_is_capped_and_says_so(type_: str) -> None:
    permit = decide(BIG, place(type_), own=True)
    assert permit.wish == Wish(writers=64, bytes=256_000_000)
    assert any("64" in note.zh and "256 MB" in note.zh for note in permit.notes)
    assert decide(SMALL, place(type_), own=True).wish == SMALL


def test_a_local_disk_is_not_capped() -> None:
    permit = decide(BIG, place("ext4", explicit=False), own=False)
    assert (permit.wish, permit.notes, permit.question) == (BIG, (), None)


def test_memory_and_layers_are_said() -> None:
    assert "tmpfs" in decide(SMALL, place("tmpfs"), own=False).notes[0].zh
    assert "overlay" in decide(SMALL, place("overlay"), own=False).notes[0].zh


@pytest.mark.parametrize(("size", "asks"), [(2_000_000_000, False), (2_000_000_001, True)])
def test_more_than_2_gb_is_asked_for_anywhere(size: int, asks: bool) -> None:
    question = decide(Wish(writers=1, bytes=size), place("ext4"), own=False).question
    assert (question is not None) == asks


@pytest.mark.parametrize("answer", [True, False])
def test_the_answer_counts(answer: bool) -> None:
    asked: list[Said] = []

    def agree(question: Said) -> bool:
        asked.append(question)
        return answer

    wish = Wish(writers=1, bytes=3_000_000_000)
    if answer:
        assert settle(wish, place("xfs"), own=False, agree=agree).wish == wish
    else:
        with pytest.raises(Refused):
            settle(wish, place("xfs"), own=False, agree=agree)
    assert len(asked) == 1
    assert "3,000 MB" in asked[0].zh


def test_a_cgroups_memory_cuts_the_file_down() -> None:
    limited = replace(place("ext4"), limits=Limits(memory_bytes=100_000_000))
    permit = decide(Wish(writers=1, bytes=256_000_000), limited, own=False)
    assert permit.wish.bytes == 50_000_000
    assert "50 MB" in permit.notes[0].zh


def test_a_limit_of_the_device_is_said() -> None:
    limited = replace(place("ext4"), limits=Limits(io={"wbps": 10_485_760}))
    assert "10,485,760 B/s" in decide(SMALL, limited, own=False).notes[0].zh


def test_a_full_or_read_only_place_is_refused() -> None:
    with pytest.raises(Refused, match="14 MB"):
        decide(SMALL, place("ext4", free=14e6), own=False)
    assert decide(SMALL, place("ext4", free=15e6), own=False).wish == SMALL
    closed = replace(place("ext4"), mount=Mount(point="/there", type="ext4", read_only=True))
    with pytest.raises(Refused, match="只读"):
        decide(SMALL, closed, own=True)


def test_without_a_path_a_local_folder_is_taken_before_a_shared_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def locate(path: Path) -> Mount:
        shared = path == Path.cwd()
        return Mount(point="/", type="lustre" if shared else "ext4")

    found = place_of(None, locate)
    assert (found.mount.type, found.explicit) == ("ext4", False)
    named = place_of(tmp_path, locate)
    assert (named.mount.type, named.explicit) == ("lustre", True)


@pytest.mark.parametrize("name", ["loop/x", "n" * 300, "~nobody-of-that-name/x", "a\0b"])
def test_a_path_that_cannot_be_looked_at_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "back")
    (tmp_path / "back").symlink_to(tmp_path / "loop")
    path = Path(name) if name.startswith("~") else tmp_path / name
    with pytest.raises(Refused, match="--path"):
        place_of(path)


def test_a_working_folder_that_was_removed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here").rmdir()
    with pytest.raises(Refused, match="No such file"):
        place_of(None)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_that_not_every_experiment_can_use_is_refused(seed: int) -> None:
    with pytest.raises(Refused, match="seed"):
        Request(seed=seed)
    assert Request(seed=2**63 - 1).seed == 9_223_372_036_854_775_807
