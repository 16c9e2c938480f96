"""Stage 3: stream a spilled shard to the object store, hashing it on the way.

The file is read, not the snapshot: what the store gets is what a restart of this node would read,
and a shard that changed on the local disk is found before the store counts it as an object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lessons.lesson03.pipeline.checksums import Block
from lessons.lesson03.pipeline.errors import ShardDamaged, StoreTrouble
from lessons.lesson03.pipeline.files import blocks_of
from lessons.lesson03.pipeline.image import Checker
from lessons.lesson03.pipeline.spill import BLOCK_BYTES, Spilled, nothing
from lessons.lesson03.pipeline.store import Store


def upload_shard(store: Store, spilled: Spilled, *, between: Callable[[], None] = nothing) -> None:
    """Upload a shard; when this returns the store has exactly the bytes that were spilled.

    Args:
        store: Where to; it verifies what it receives by a checksum of its own.
        spilled: The shard's file.
        between: Called before each block; what it raises breaks the upload off.

    Raises:
        ShardDamaged: The local file is gone or no longer what was spilled.
        StoreError: The store did not take it.
    """

    def blocks() -> Iterator[Block]:
        try:
            checker = Checker(spilled.path.stat().st_size)
            for block in blocks_of(spilled.path, BLOCK_BYTES):
                between()
                checker.take(block)
                yield bytes(block)  # the client sends it while the next one is read
            if checker.end().digest != spilled.digest:
                raise ShardDamaged(f"{spilled.path.name}: {spilled.digest}")
        except OSError as error:
            raise ShardDamaged(f"{spilled.path.name}: {error.strerror or error}") from error

    store.upload(spilled.shard.key, blocks)
    if store.size(spilled.shard.key) != spilled.size:
        raise StoreTrouble(f"{spilled.shard.key}: size")
