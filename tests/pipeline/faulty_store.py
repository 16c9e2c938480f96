"""A store that fails on purpose: before a request, after it, twice, late, or half-way through."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from lessons.lesson03.pipeline.checksums import Block
from lessons.lesson03.pipeline.errors import AlreadyThere, NotThere, StoreTrouble
from lessons.lesson03.pipeline.store import Blocks, Store

FAULTS = ("before", "after", "twice", "late", "half")


@dataclass
class FaultyStore:
    """Passes requests on, with faults.

    Attributes:
        store: The store behind.
        rate: Chance of a fault, for each request.
        seed: Of the choices.
        late: Writes that were told as failed and are still on their way.
        done: How often each fault happened.
    """

    store: Store
    rate: float
    seed: int
    survives: str = "zone"
    late: list[Callable[[], None]] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        # In turn: threads share the chance in any order, and yet every fault comes.
        self._next = itertools.cycle(self._chance.sample(FAULTS, len(FAULTS)))

    def upload(self, key: str, blocks: Blocks) -> None:
        content = b"".join(
            bytes(block) for block in blocks()
        )  # late bytes left their file long ago
        self._write(
            lambda: self.store.upload(key, lambda: iter((content,))),
            lambda: self._half(key, content),
        )

    def put(self, key: str, content: bytes) -> None:
        self._write(lambda: self.store.put(key, content))

    def create(self, key: str, content: bytes) -> None:
        self._write(lambda: self.store.create(key, content))

    def read(self, key: str) -> bytes:
        self._maybe_before()
        return self.store.read(key)

    def stream(self, key: str) -> Iterator[Block]:
        self._maybe_before()
        for block in self.store.stream(key):
            middle = len(block) // 2
            yield memoryview(block)[:middle]
            self._maybe_before()
            yield memoryview(block)[middle:]

    def size(self, key: str) -> int:
        self._maybe_before()
        return self.store.size(key)

    def keys(self, prefix: str) -> list[str]:
        self._maybe_before()
        return self.store.keys(prefix)

    def delete(self, keys: Sequence[str]) -> None:
        self._write(lambda: self.store.delete(keys))

    def deliver(self) -> None:
        """Let everything that is late arrive now."""
        waiting, self.late = self.late, []
        for request in waiting:
            try:
                request()
            except (AlreadyThere, NotThere):
                continue

    def _maybe_before(self) -> None:
        if self._chance.random() < self.rate:
            self.done["before"] += 1
            raise StoreTrouble("503 Slow Down")

    def _write(self, request: Callable[[], None], half: Callable[[], None] | None = None) -> None:
        if self.late and self._chance.random() < self.rate:
            self.deliver()
        if self._chance.random() >= self.rate:
            request()
            return
        fault = next(self._next)
        self.done[fault] += 1
        if fault == "half" and half is not None:
            half()
        if fault in {"after", "twice"}:
            request()
        if fault == "twice":
            request()
            return
        if fault == "late":
            self.late.append(request)
        raise StoreTrouble(f"500 {fault}")

    def _half(self, key: str, content: bytes) -> None:
        """Send half of an object; the connection breaks, and the store drops what it has."""

        def cut() -> Iterator[Block]:
            yield content[: len(content) // 2]
            raise StoreTrouble("connection reset")

        with contextlib.suppress(StoreTrouble):
            self.store.upload(key, cut)
