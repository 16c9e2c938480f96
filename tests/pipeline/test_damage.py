"""Bits that flip, files that shrink, grow or vanish, nodes that are gone: the newest whole step."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lessons.lesson03.pipeline.errors import NothingToRecover, ShardDamaged
from lessons.lesson03.pipeline.files import Files
from lessons.lesson03.pipeline.recovery import recover
from lessons.lesson03.pipeline.retention import tidy_store
from lessons.lesson03.pipeline.spill import read_shard, spilled_in
from tests.pipeline.scenarios import (
    FIRST,
    RANKS,
    Small,
    check_found,
    nodes,
    state,
    store_in,
)

STEPS = range(1, 5)


def flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    place = chance.randrange(len(data))
    data[place] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def shorten(path: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data))])


def lengthen(path: Path, chance: random.Random) -> None:
    path.write_bytes(path.read_bytes() + chance.randbytes(chance.choice((1, 4096))))


def blank(path: Path, chance: random.Random) -> None:
    """A page that never reached the disk reads as zeros; there is none that was all zeros."""
    data = bytearray(path.read_bytes())
    start = chance.randrange(0, len(data), 4096) if len(data) > 4096 else 0
    if any(data[start : start + 4096]):
        data[start : start + 4096] = bytes(len(data[start : start + 4096]))
    else:
        data[start] = 1
    path.write_bytes(data)


def vanish(path: Path, _: random.Random) -> None:
    path.unlink()


def misname(path: Path, chance: random.Random) -> None:
    """The content is whole, but of another step, rank or attempt."""
    others = [one for one in path.parent.rglob("*") if one.is_file() and one.name != path.name]
    path.write_bytes(chance.choice(others).read_bytes() if others else b"")


HARMS: tuple[Callable[[Path, random.Random], None], ...] = (
    *(flip, flip, flip, shorten, lengthen, blank, vanish, misname),
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four committed steps, all of them on the nodes and in the store."""
    root = tmp_path_factory.mktemp("whole")
    for step in STEPS:
        small = Small(root=root, files=Files(), keep=10)
        small.save(step, FIRST)
        for node in nodes(root):  # keep what tidying would remove
            shutil.copytree(node, root / f"{node.name}-all", dirs_exist_ok=True)
    for node in nodes(root):
        shutil.copytree(root / f"{node.name}-all", node, dirs_exist_ok=True)
        shutil.rmtree(root / f"{node.name}-all")
    return root


def newest(root: Path, harmed: set[Path], failure: str, lost: int | None) -> int:
    """Work out which step must come back, from which files were harmed."""

    def spill(step: int, rank: int) -> bool:
        if failure == "zone" or rank == lost:
            return False
        name = f"step-{step:010d}.{FIRST}.rank-{rank:05d}-of-{RANKS:05d}.shard"
        return root / f"node-{rank}" / name not in harmed

    def stored(step: int, rank: int) -> bool:
        key = f"shards/{step:010d}/{FIRST}/rank-{rank:05d}-of-{RANKS:05d}.shard"
        return root / "store" / key not in harmed

    for step in reversed(STEPS):
        has_manifest = root / "store" / f"manifests/{step:010d}.json" not in harmed
        ranks = range(RANKS)
        if has_manifest and all(spill(step, one) or stored(step, one) for one in ranks):
            return step
        if failure == "process" and all(spill(step, one) for one in ranks):
            return step
    return -1


def check_seed(whole: Path, root: Path, seed: int) -> int:
    """Harm some files of the newest steps, then recover from every failure."""
    chance = random.Random(seed)
    shutil.copytree(whole, root)
    victims = sorted(
        path for path in root.rglob("*") if path.is_file() and ".incoming" not in str(path)
    )
    victims = [path for path in victims if "reports" not in path.parts]
    harmed = set(chance.sample(victims, chance.choice((1, 2, 4, 8))))
    for path in sorted(harmed):
        chance.choice(HARMS)(path, chance)
    for failure, lost in (("process", None), ("node", 0), ("node", 1), ("zone", None)):
        places = [node for rank, node in enumerate(nodes(root)) if rank != lost]
        due = newest(root, harmed, failure, lost)
        if due < 0:
            with pytest.raises(NothingToRecover):
                recover(failure=failure, nodes=places, store=store_in(root))  # type: ignore[arg-type]
            continue
        found = recover(failure=failure, nodes=places, store=store_in(root))  # type: ignore[arg-type]
        assert found.step == due, (seed, failure, lost, sorted(harmed), found)
        check_found(found)
    shutil.rmtree(root)
    return len(harmed)


def test_harmed_files(whole: Path, tmp_path: Path) -> None:
    for seed in range(12):
        check_seed(whole, tmp_path / str(seed), seed)


@pytest.mark.slow
def test_harmed_files_many_times(whole: Path, tmp_path: Path) -> None:
    assert sum(check_seed(whole, tmp_path / str(seed), seed) for seed in range(100, 400)) >= 1000


@pytest.mark.slow
def test_a_flipped_bit_anywhere_in_a_shard_is_found(whole: Path, tmp_path: Path) -> None:
    _, path = next(iter(spilled_in(nodes(whole)[0])))
    data = path.read_bytes()
    copy = tmp_path / path.name
    for place in range(0, len(data), 3):
        changed = bytearray(data)
        changed[place] ^= 1 << (place % 8)
        copy.write_bytes(changed)
        with pytest.raises(ShardDamaged):
            read_shard(copy)


def test_tidying_never_removes_the_newest_step_that_can_be_read(
    whole: Path, tmp_path: Path
) -> None:
    """Steps 3 and 4 are harmed in the store; with keep=1 step 2 must stay, and only 1 goes."""
    root = tmp_path / "store-only"
    shutil.copytree(whole, root)
    for step in (3, 4):
        key = f"shards/{step:010d}/{FIRST}/rank-00001-of-00002.shard"
        flip(root / "store" / key, random.Random(step))
    store = store_in(root)
    assert tidy_store(store, keep=1, before=5) == [1]
    found = recover(failure="zone", store=store)
    assert found.step == 2
    check_found(found)
    assert len(found.passed_over) == 2


def test_a_quick_tidying_does_not_see_a_flipped_bit(whole: Path, tmp_path: Path) -> None:
    """What `verify=False` saves in reading it may cost: the documented trade."""
    root = tmp_path / "quick"
    shutil.copytree(whole, root)
    flip(root / "store" / f"shards/{4:010d}/{FIRST}/rank-00001-of-00002.shard", random.Random(1))
    store = store_in(root)
    assert tidy_store(store, keep=1, before=5, verify=False) == [3, 2, 1]
    with pytest.raises(NothingToRecover):
        recover(failure="zone", store=store)


def test_all_nodes_gone_leaves_the_store(whole: Path) -> None:
    found = recover(failure="node", nodes=[Path("/no/such/node")], store=store_in(whole))
    assert found.step == 4
    check_found(found)
    assert [source.place.split(":")[0] for source in found.sources] == ["store", "store"]


def test_ranks_of_two_attempts_never_make_a_step(tmp_path: Path) -> None:
    """Rank 0 spilled step 9 in one launch, rank 1 in another: the step never was."""
    small = Small(root=tmp_path, files=Files())
    small.save(8, FIRST)
    small.save(9, FIRST, until="one spill")
    other = Small(root=tmp_path / "other", files=Files())
    other.save(9, "b-second", until="spill")
    name = "step-0000000009.b-second.rank-00001-of-00002.shard"
    shutil.copy(tmp_path / "other" / "node-1" / name, tmp_path / "node-1" / name)
    found = recover(failure="process", nodes=nodes(tmp_path), store=store_in(tmp_path))
    assert found.step == 8
    assert (found.load(1)["weights"] == state(8, FIRST, 1)["weights"]).all()
