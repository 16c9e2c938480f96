"""A shard's file image: header, tensors, trailer, every part aligned to 4 KiB.

    0            magic, header length, header (JSON), zeros up to the next 4,096
    payload      tensors, each at a multiple of 64 bytes; zeros up to the next 4,096
    last 4,096   magic, number of bytes before, digest of all bytes before, zeros

The digest is known only when everything before has been written, so it stands at the end: one
sequential pass, no seek. A file without a right trailer is not a shard.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lessons.classroom.language import say
from lessons.lesson03.pipeline.checksums import Block, new_digest
from lessons.lesson03.pipeline.errors import ShardDamaged
from lessons.lesson03.pipeline.naming import ShardId
from lessons.lesson03.pipeline.tensors import Layout, Tensor

ALIGN = 4096
_MAGIC = b"L3SHARD1"
_END = b"L3TRAIL1"
_PREFIX = len(_MAGIC) + 8
_LONGEST_HEADER = 1 << 30


def aligned(size: int, to: int = ALIGN) -> int:
    """Return the next multiple of `to` at or above `size`."""
    return -(-size // to) * to


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a shard says about itself.

    Attributes:
        shard: Which shard it is.
        algorithm: Of its digest.
        layout: The tensors, with offsets from the start of the payload.
    """

    shard: ShardId
    algorithm: str
    layout: Layout

    def encoded(self) -> bytes:
        """Return the aligned head of the file."""
        about = asdict(self.shard) | {"algorithm": self.algorithm}
        about["tensors"] = [asdict(one) for one in self.layout.tensors]
        text = json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode()
        head = _MAGIC + len(text).to_bytes(8, "little") + text
        return head.ljust(aligned(len(head)), b"\0")


def decode_header(data: Block) -> tuple[Header, int]:
    """Return a shard's header and the offset of its payload.

    Args:
        data: At least the whole head of the file.

    Raises:
        ShardDamaged: It is none.
    """
    size = header_bytes(data)
    try:
        length = int.from_bytes(data[len(_MAGIC) : _PREFIX], "little")
        about: Mapping[str, Any] = json.loads(bytes(data[_PREFIX : _PREFIX + length]))
        shard = ShardId(**{name: about[name] for name in ("step", "attempt", "rank", "ranks")})
        tensors = tuple(Tensor(**one | {"shape": tuple(one["shape"])}) for one in about["tensors"])
        header = Header(shard=shard, algorithm=about["algorithm"], layout=Layout(tensors=tensors))
    except (ValueError, KeyError, TypeError) as error:
        raise damaged() from error
    return header, size


def header_bytes(data: Block) -> int:
    """Return how long the aligned head of a file is, from its first 16 bytes."""
    length = int.from_bytes(data[len(_MAGIC) : _PREFIX], "little")
    if bytes(data[: len(_MAGIC)]) != _MAGIC or length > _LONGEST_HEADER:
        raise damaged()
    return aligned(_PREFIX + length)


def trailer(size: int, digest: str) -> bytes:
    """Return the last block of a file with `size` bytes before it."""
    return (_END + size.to_bytes(8, "little") + digest.encode()).ljust(ALIGN, b"\0")


def damaged() -> ShardDamaged:
    """Return the error of a file that is torn or changed."""
    return ShardDamaged(
        say(
            "分片不完整或内容已改变：校验值对不上。",
            "The shard is torn or changed: its checksum does not match.",
        )
    )


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A shard that was read to its end and found whole."""

    header: Header
    digest: str
    size: int


class Checker:
    """Reads a shard block by block, whatever the blocks' sizes, and tells whether it is whole.

    Args:
        size: Bytes of the whole shard, as its place states them.
        keep: Keep the bytes, for loading; otherwise only the head is kept.
    """

    def __init__(self, size: int, *, keep: bool = False) -> None:
        if size < 2 * ALIGN or size % ALIGN:
            raise damaged()
        self._size = size
        self._body = size - ALIGN
        self._seen = 0
        self._keep = keep
        self.kept = bytearray(size if keep else 0)
        self._head = bytearray()
        self._tail = bytearray()
        self._header: Header | None = None
        self._digest = new_digest("crc32")

    def feed(self, blocks: Iterable[Block]) -> Checked:
        """Take all blocks of the shard and end.

        Raises:
            ShardDamaged: It is torn, too long, or changed.
        """
        for block in blocks:
            self.take(block)
        return self.end()

    def end(self) -> Checked:
        """Say that no more comes and return what the shard is.

        Raises:
            ShardDamaged: It is torn or changed.
        """
        digest = self._digest.hexdigest()
        if self._header is None or self._seen != self._size:
            raise damaged()
        if bytes(self._tail) != trailer(self._body, digest):
            raise damaged()
        return Checked(header=self._header, digest=digest, size=self._size)

    def take(self, data: Block) -> None:
        """Take the next block; `ShardDamaged` as soon as it cannot be part of a shard."""
        block = memoryview(data).cast("B")
        if self._seen + len(block) > self._size:
            raise damaged()
        if self._keep:
            self.kept[self._seen : self._seen + len(block)] = block
        body = block[: max(0, self._body - self._seen)]
        self._tail += block[len(body) :]
        self._seen += len(block)
        if self._header is None:
            self._head += body
            self._read_head()
        else:
            self._digest.update(body)

    def _read_head(self) -> None:
        if len(self._head) < _PREFIX or len(self._head) < header_bytes(self._head):
            return
        self._header, _ = decode_header(self._head)
        self._digest = new_digest(self._header.algorithm)
        self._digest.update(self._head)
        self._head.clear()
