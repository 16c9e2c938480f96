"""Stage 1: copy the state into host memory that is taken once and used again and again.

While the copy runs the optimizer may not change the state: this is the time that training stands
still. New memory would cost more than the copy, since the system hands out zeroed pages one fault
at a time; so the buffer is touched once when it is made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lessons.lesson03.pipeline.checksums import best_algorithm
from lessons.lesson03.pipeline.image import ALIGN, Header, aligned
from lessons.lesson03.pipeline.naming import ShardId
from lessons.lesson03.pipeline.tensors import Bytes, State, copy_in, layout_of


@dataclass(frozen=True, kw_only=True)
class Image:
    """A shard in host memory: all of its file but the trailer.

    Attributes:
        header: What it is.
        body: The bytes, a multiple of 4,096, aligned to a page.
    """

    header: Header
    body: Bytes


class HostBuffer:
    """Page-aligned memory for one snapshot; it grows when a state does not fit."""

    def __init__(self) -> None:
        self._memory: Bytes = np.empty(0, np.uint8)

    @property
    def size(self) -> int:
        """Return the bytes held."""
        return self._memory.size

    def reserve(self, size: int) -> None:
        """Hold at least `size` bytes, touched."""
        if size <= self._memory.size:
            return
        # NumPy asks for huge pages, which make the copy a third faster than plain mmap does.
        memory = np.empty(aligned(size) + ALIGN, np.uint8)
        start = -memory.ctypes.data % ALIGN
        self._memory = memory[start : start + aligned(size)]
        self._memory[::ALIGN] = 0

    def reserve_for(self, state: State) -> None:
        """Hold enough for a state, so that the first save is as fast as the others."""
        shard = ShardId(step=0, attempt="x" * 64, rank=0, ranks=1)
        header = Header(shard=shard, algorithm=best_algorithm(), layout=layout_of(state))
        self.reserve(len(header.encoded()) + ALIGN + aligned(header.layout.payload_bytes))

    def snapshot(self, state: State, shard: ShardId) -> Image:
        """Copy a state in; it may change again as soon as this returns.

        Raises:
            BadState: Something in it is no array of plain numbers.
        """
        header = Header(shard=shard, algorithm=best_algorithm(), layout=layout_of(state))
        head = header.encoded()
        payload_bytes = header.layout.payload_bytes
        size = len(head) + aligned(payload_bytes)
        self.reserve(size)
        body = self._memory[:size]
        body[: len(head)] = np.frombuffer(head, np.uint8)
        body[len(head) + payload_bytes :] = 0
        copy_in(state, header.layout, body[len(head) :])
        return Image(header=header, body=body)
