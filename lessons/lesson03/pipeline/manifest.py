"""The commit marker: which shards make up a step, and under which digests.

A step without one does not exist for recovery after the loss of a node, whatever shards lie
around. It ends with a digest of itself, since a torn manifest must read as none.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from typing import Any

from lessons.classroom.language import say
from lessons.lesson03.pipeline.errors import NewerFormat, ShardDamaged
from lessons.lesson03.pipeline.naming import ShardId

FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Part:
    """One shard as its rank stored it.

    Attributes:
        rank: Whose.
        size: Bytes of the object.
        algorithm: Of the digest.
        digest: Of the shard.
    """

    rank: int
    size: int
    algorithm: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a rank says about its part of a save.

    Attributes:
        part: What it stored; None when it could not.
        failure: Why not, one sentence.
    """

    part: Part | None
    failure: str | None = None

    def encoded(self) -> bytes:
        """Return the report's object."""
        return _sealed(asdict(self))

    @classmethod
    def decoded(cls, content: bytes) -> Report:
        """Return the report in an object; `ShardDamaged` when it holds none."""
        about = _opened(content)
        try:
            part = Part(**about["part"]) if about["part"] is not None else None
            return cls(part=part, failure=about["failure"])
        except (KeyError, TypeError) as error:
            raise _torn() from error


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A committed step.

    Attributes:
        step: Training step.
        attempt: The launch of the job whose shards these are.
        parts: One for each rank, in order.
    """

    step: int
    attempt: str
    parts: tuple[Part, ...]

    @property
    def ranks(self) -> int:
        """Return how many ranks the step has."""
        return len(self.parts)

    def shard(self, rank: int) -> ShardId:
        """Return which shard is a rank's."""
        return ShardId(step=self.step, attempt=self.attempt, rank=rank, ranks=self.ranks)

    def encoded(self) -> bytes:
        """Return the manifest's object."""
        return _sealed(asdict(self) | {"format": FORMAT})

    @classmethod
    def decoded(cls, content: bytes) -> Manifest:
        """Return the manifest in an object.

        Raises:
            ShardDamaged: It holds none.
            NewerFormat: It is whole, and of a format that is not known here.
        """
        about = _opened(content)
        if about.get("format") != FORMAT:
            raise _newer(about.get("format"))
        try:
            parts = tuple(Part(**one) for one in about["parts"])
            made = cls(step=about["step"], attempt=about["attempt"], parts=parts)
            if not parts or type(made.step) is not int:
                raise _torn()
            for rank, part in enumerate(parts):
                if part.rank != rank or made.shard(rank).rank != rank:
                    raise _torn()
        except (KeyError, TypeError, ValueError) as error:
            raise _torn() from error
        return made


def _sealed(about: dict[str, Any]) -> bytes:
    text = json.dumps(about, ensure_ascii=False).encode()
    return text + f"\n{zlib.crc32(text):08x}\n".encode()


def _opened(content: bytes) -> dict[str, Any]:
    text, _, seal = content.removesuffix(b"\n").rpartition(b"\n")
    if not content.endswith(b"\n") or seal != f"{zlib.crc32(text):08x}".encode():
        raise _torn()
    try:
        about = json.loads(text)
    except ValueError as error:
        raise _torn() from error
    if not isinstance(about, dict):
        raise _torn()
    return about


def _newer(found: object) -> NewerFormat:
    return NewerFormat(
        say(
            f"清单的格式是 {found}，这个版本只认得 {FORMAT}：请用写它的版本或更新的版本恢复。",
            f"The manifest has format {found}, this version knows {FORMAT} alone: recover with the "
            "version that wrote it, or a newer one.",
        )
    )


def _torn() -> ShardDamaged:
    return ShardDamaged(say("清单不完整，按未提交处理。", "The manifest is torn: not committed."))
