"""Stage 2: write a snapshot to the node's own disk so that a crash or a reboot cannot take it.

Write under a temporary name, fsync the file, rename, fsync the folder. Without the first fsync
the new name may point to a file without its data; without the second the name itself may be gone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lessons.classroom.language import say
from lessons.lesson03.pipeline.checksums import new_digest
from lessons.lesson03.pipeline.errors import ShardDamaged, SpillFailed
from lessons.lesson03.pipeline.files import Files, blocks_of
from lessons.lesson03.pipeline.image import ALIGN, Checked, Checker, decode_header, trailer
from lessons.lesson03.pipeline.naming import TEMPORARY, ShardId, shard_of_file
from lessons.lesson03.pipeline.staging import HostBuffer, Image
from lessons.lesson03.pipeline.tensors import State, copy_out

BLOCK_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Spilled:
    """A shard on a node's disk.

    Attributes:
        shard: Which.
        path: Its file.
        size: Bytes of the file.
        algorithm: Of the digest.
        digest: Of all bytes before the trailer.
    """

    shard: ShardId
    path: Path
    size: int
    algorithm: str
    digest: str


def nothing() -> None:
    """Do nothing between two blocks: the save that nobody can cancel."""


def spill_image(
    image: Image,
    node: Path,
    *,
    files: Files | None = None,
    block_bytes: int = BLOCK_BYTES,
    between: Callable[[], None] = nothing,
) -> Spilled:
    """Write a snapshot durably into a node's directory.

    Args:
        image: The snapshot.
        node: The directory; it is made when it is missing.
        files: The file operations.
        block_bytes: Bytes of one write, a multiple of 4,096.
        between: Called before each write; what it raises ends the spill.

    Raises:
        SpillFailed: The disk refused (full, gone, broken); nothing is left but what was there.
    """
    files = files or Files()
    shard = image.header.shard
    path = node / shard.file_name
    temporary = path.with_name(path.name + TEMPORARY)
    try:
        files.make_folder(node)
        files.remove(temporary)
        digest = _write(files, temporary, image, block_bytes, between)
        files.replace(temporary, path)
        files.sync_folder(node)
    except OSError as error:
        _forget(files, temporary)
        raise SpillFailed(
            say(
                f"无法写入 {node}：{error.strerror or error}，请检查剩余空间与写权限。",
                f"Cannot write to {node}: {error.strerror or error}; check space and access.",
            )
        ) from error
    except BaseException:
        _forget(files, temporary)
        raise
    size = image.body.size + ALIGN
    algorithm = image.header.algorithm
    return Spilled(shard=shard, path=path, size=size, algorithm=algorithm, digest=digest)


def _write(
    files: Files, path: Path, image: Image, block_bytes: int, between: Callable[[], None]
) -> str:
    digest = new_digest(image.header.algorithm)
    body = image.body.data
    descriptor = files.create(path)
    try:
        for start in range(0, len(body), block_bytes):
            between()
            block = body[start : start + block_bytes]
            files.write(descriptor, block)
            digest.update(block)
        files.write(descriptor, trailer(len(body), digest.hexdigest()))
        between()
        # Once only: after a failed fsync Linux may call the lost pages clean and say yes.
        files.sync(descriptor)
    finally:
        files.close(descriptor)
    return digest.hexdigest()


def _forget(files: Files, temporary: Path) -> None:
    with contextlib.suppress(OSError):
        files.remove(temporary)


def spill_state(state: State, *, shard: ShardId, node: Path) -> Spilled:
    """Snapshot a state and write it durably into a node's directory: stages 1 and 2 alone."""
    return spill_image(HostBuffer().snapshot(state, shard), node)


def spilled_in(node: Path) -> Iterator[tuple[ShardId, Path]]:
    """Name the finished shards of a node's directory; none when it is gone."""
    with contextlib.suppress(OSError):
        for path in sorted(node.iterdir()):
            shard = shard_of_file(path.name)
            if shard is not None:
                yield shard, path


def check_file(path: Path, shard: ShardId) -> Checked:
    """Read a shard's file to its end.

    Raises:
        ShardDamaged: It is torn, changed, gone, unreadable, or another shard.
    """
    return expect(_read(path, keep=False)[1], shard)


def expect(checked: Checked, shard: ShardId) -> Checked:
    """Return what was checked when it is the shard that its name says."""
    if checked.header.shard != shard:
        raise ShardDamaged(
            say(
                f"{shard.file_name} 里装的是另一个分片。",
                f"{shard.file_name} holds another shard.",
            )
        )
    return checked


def read_shard(path: Path, shard: ShardId | None = None) -> dict[str, Any]:
    """Return the state in a shard's file, verified.

    Args:
        path: The file.
        shard: Which it must be; None: whichever.

    Raises:
        ShardDamaged: The file is torn, changed, gone, or another shard.
    """
    checker, checked = _read(path, keep=True)
    expect(checked, shard or checked.header.shard)
    return unpack(checker.kept)


def _read(path: Path, *, keep: bool) -> tuple[Checker, Checked]:
    try:
        checker = Checker(path.stat().st_size, keep=keep)
        return checker, checker.feed(blocks_of(path, BLOCK_BYTES))
    except OSError as error:
        raise ShardDamaged(f"{path.name}: {error.strerror or error}") from error


def unpack(kept: bytearray) -> dict[str, Any]:
    """Return the state in the bytes of a verified shard."""
    header, start = decode_header(kept)
    return copy_out(header.layout, memoryview(kept)[start:])
