"""What a cut log leaves: all of it for processes, only what was synced for a reboot."""

from __future__ import annotations

from pathlib import Path

import pytest

from lessons.lesson03.experiments.filelog import Did, LoggedFiles, Operation, disk_after, lay_out

A, B = Path("/d/a"), Path("/d/b")
FOLDER = Path("/d")


def op(did: Did, path: Path = A, *, target: Path | None = None, data: bytes = b"") -> Operation:
    return Operation(did=did, path=path, target=target, data=data)


CREATE, SYNC = op(Did.CREATE), op(Did.SYNC)
WRITE = op(Did.WRITE, data=b"new")
RENAME = op(Did.REPLACE, target=B)
SYNC_FOLDER = op(Did.SYNC_FOLDER, FOLDER)


@pytest.mark.parametrize(
    ("log", "seen", "survived"),
    [
        ([], {}, {}),
        ([CREATE, WRITE], {A: b"new"}, {}),
        ([CREATE, WRITE, SYNC], {A: b"new"}, {}),  # its name was never synced
        ([CREATE, WRITE, SYNC, RENAME], {B: b"new"}, {}),
        ([CREATE, WRITE, SYNC, RENAME, SYNC_FOLDER], {B: b"new"}, {B: b"new"}),
        # Without the file's fsync the durable name has no data behind it.
        ([CREATE, WRITE, RENAME, SYNC_FOLDER], {B: b"new"}, {B: b""}),
        ([CREATE, WRITE, SYNC, WRITE, RENAME, SYNC_FOLDER], {B: b"newnew"}, {B: b"new"}),
        # A removal that was not synced may come back.
        ([CREATE, WRITE, SYNC, SYNC_FOLDER, op(Did.REMOVE)], {}, {A: b"new"}),
        ([CREATE, WRITE, op(Did.LINK, target=B)], {A: b"new", B: b"new"}, {}),
        # A rename that was not synced: the old name is what a reboot finds.
        ([CREATE, WRITE, SYNC, SYNC_FOLDER, RENAME], {B: b"new"}, {A: b"new"}),
    ],
)
def test_what_is_left(
    log: list[Operation], seen: dict[Path, bytes], survived: dict[Path, bytes]
) -> None:
    disk = disk_after(log)
    assert disk.seen() == seen
    assert disk.survived() == survived


@pytest.mark.parametrize("syncs", [True, False])
def test_operations_are_done_and_logged(tmp_path: Path, syncs: bool) -> None:
    files = LoggedFiles(syncs=syncs)
    descriptor = files.create(tmp_path / "x")
    files.write(descriptor, b"12")
    files.sync(descriptor)
    files.close(descriptor)
    files.replace(tmp_path / "x", tmp_path / "y")
    files.link(tmp_path / "y", tmp_path / "z")
    files.remove(tmp_path / "y")
    files.remove(tmp_path / "not-there")
    files.sync_folder(tmp_path)
    kinds = [Did.CREATE, Did.WRITE, Did.SYNC, Did.REPLACE, Did.LINK, Did.REMOVE, Did.SYNC_FOLDER]
    wanted = [kind for kind in kinds if syncs or kind not in {Did.SYNC, Did.SYNC_FOLDER}]
    assert [one.did for one in files.log] == wanted
    assert [path.name for path in tmp_path.iterdir()] == ["z"]
    assert disk_after(files.log).seen() == {tmp_path / "z": b"12"}


def test_a_disk_is_laid_out_elsewhere(tmp_path: Path) -> None:
    lay_out({A: b"1", B: b"2"}, lambda path: tmp_path / "n" / path.name if path == A else None)
    assert [path.name for path in tmp_path.rglob("*")] == ["n", "a"]
    assert (tmp_path / "n" / "a").read_bytes() == b"1"
