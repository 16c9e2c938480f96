"""What may go: never the newest step that can be recovered, nor anything newer.

In the store the newest step that really can be read back to its end is looked for first; only
steps older than it, and than the `keep` newest, go. A manifest goes before its shards, so that no
commit marker ever stands for shards that are being removed. On a node's disk a spill goes only
when the store has committed a newer step: until then it may be needed together with spills that
this node cannot see.

"Newest" is the highest step. Whoever goes back on purpose, to train on from an older step, saves
to a new place: here the newer steps would win.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from lessons.lesson03.pipeline.errors import NotThere, ShardDamaged
from lessons.lesson03.pipeline.files import Files
from lessons.lesson03.pipeline.manifest import Manifest
from lessons.lesson03.pipeline.naming import (
    REPORTS,
    SHARDS,
    TEMPORARY,
    ShardId,
    manifest_key,
    shard_of_file,
    step_of_key,
)
from lessons.lesson03.pipeline.sources import StoredObject, committed_steps, manifest_of
from lessons.lesson03.pipeline.spill import spilled_in
from lessons.lesson03.pipeline.store import Store


def tidy_store(store: Store, *, keep: int, before: int, verify: bool = True) -> list[int]:
    """Remove old steps and leftovers of broken saves from the store; rank 0 calls it.

    Args:
        store: The object store.
        keep: Committed steps that stay, at least 1.
        before: The step just saved: only older ones go. Other ranks may be saving a later one.
        verify: Read the newest step to its end, instead of comparing sizes alone, before
            anything older goes. It costs reading one checkpoint.

    Returns:
        The steps that went.
    """
    if keep < 1:
        raise ValueError(f"keep must be at least 1, not {keep}")
    steps = committed_steps(store)
    if len(steps) <= keep:
        return []
    sound = next((one for one in steps if _recoverable(store, one, verify=verify)), None)
    if sound is None:
        return []
    bound = min(sound, before)
    going = [step for step in steps[keep:] if step < bound]
    for step in going:
        store.delete([manifest_key(step)])
    _sweep(store, bound=bound, staying=set(steps) - set(going))
    return going


def _sweep(store: Store, *, bound: int, staying: set[int]) -> None:
    """Remove shards and reports of older steps that have no manifest.

    Of a step that stays, what lost the race for its commit stays too, and goes with it.
    """
    for prefix in (SHARDS, REPORTS):
        keys = [(key, step_of_key(key)) for key in store.keys(prefix)]
        gone = [
            key for key, step in keys if step is not None and step < bound and step not in staying
        ]
        if gone:
            store.delete(gone)


def _recoverable(store: Store, step: int, *, verify: bool) -> bool:
    try:
        manifest = manifest_of(store, step)
        return all(_whole(store, manifest, rank, verify=verify) for rank in range(manifest.ranks))
    except ShardDamaged:
        return False


def _whole(store: Store, manifest: Manifest, rank: int, *, verify: bool) -> bool:
    shard, part = manifest.shard(rank), manifest.parts[rank]
    if verify:
        return StoredObject(shard=shard, store=store).check().digest == part.digest
    try:
        return store.size(shard.key) == part.size
    except NotThere:
        return False


def tidy_node(
    node: Path, store: Store, *, keep: int, saved: ShardId, files: Files | None = None
) -> list[Path]:
    """Remove spills that the store has made superfluous, and what earlier attempts left torn.

    Args:
        node: The node's directory.
        store: The object store that has the commit markers.
        keep: Committed steps whose spills stay, at least 1.
        saved: The shard just saved: only older steps go.
        files: The file operations.

    Returns:
        The files that went.
    """
    if keep < 1:
        raise ValueError(f"keep must be at least 1, not {keep}")
    files = files or Files()
    going = list(_torn(node, saved.attempt))
    committed = committed_steps(store)
    if len(committed) >= keep:
        bound = min(committed[keep - 1], saved.step)
        going += [path for shard, path in spilled_in(node) if shard.step < bound]
    for path in going:
        files.remove(path)
    return going


def _torn(node: Path, attempt: str) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        for path in sorted(node.glob(f"*{TEMPORARY}")):
            shard = shard_of_file(path.name.removesuffix(TEMPORARY))
            if shard is not None and shard.attempt != attempt:
                yield path
