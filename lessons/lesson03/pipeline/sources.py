"""Where a shard can be read after a failure, and whether it is whole there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lessons.lesson03.pipeline.errors import NotThere, ShardDamaged
from lessons.lesson03.pipeline.image import Checked, Checker
from lessons.lesson03.pipeline.manifest import Manifest
from lessons.lesson03.pipeline.naming import MANIFESTS, ShardId, manifest_key, step_of_manifest
from lessons.lesson03.pipeline.spill import check_file, expect, read_shard, unpack
from lessons.lesson03.pipeline.store import Store


@dataclass(frozen=True, kw_only=True)
class NodeFile:
    """A spill on a node's disk."""

    shard: ShardId
    path: Path

    @property
    def place(self) -> str:
        """Return where it is, for people."""
        return str(self.path.parent)

    def check(self) -> Checked:
        """Read it to its end; `ShardDamaged` when it is not whole."""
        return check_file(self.path, self.shard)

    def load(self) -> dict[str, Any]:
        """Return the state in it, verified."""
        return read_shard(self.path, self.shard)


@dataclass(frozen=True, kw_only=True)
class StoredObject:
    """A shard in the object store."""

    shard: ShardId
    store: Store

    @property
    def place(self) -> str:
        """Return where it is, for people."""
        return f"store:{self.shard.key}"

    def check(self) -> Checked:
        """Read it to its end; `ShardDamaged` when it is gone or not whole.

        Raises:
            StoreError: The store cannot be read now, which says nothing about the shard.
        """
        return self._read(keep=False)[0]

    def load(self) -> dict[str, Any]:
        """Return the state in it, verified."""
        return unpack(self._read(keep=True)[1])

    def _read(self, *, keep: bool) -> tuple[Checked, bytearray]:
        try:
            checker = Checker(self.store.size(self.shard.key), keep=keep)
            checked = checker.feed(self.store.stream(self.shard.key))
            return expect(checked, self.shard), checker.kept
        except NotThere as error:
            raise ShardDamaged(f"{self.shard.key}: not there") from error


Source = NodeFile | StoredObject


def committed_steps(store: Store) -> list[int]:
    """Return the steps that have a commit marker, the newest first."""
    steps = (step_of_manifest(key) for key in store.keys(MANIFESTS))
    return sorted((step for step in steps if step is not None), reverse=True)


def manifest_of(store: Store, step: int) -> Manifest:
    """Return a step's manifest.

    Raises:
        ShardDamaged: It is torn, gone, or another step's.
    """
    try:
        manifest = Manifest.decoded(store.read(manifest_key(step)))
    except NotThere as error:
        raise ShardDamaged(f"{manifest_key(step)}: not there") from error
    if manifest.step != step:
        raise ShardDamaged(f"{manifest_key(step)}: step {manifest.step}")
    return manifest
