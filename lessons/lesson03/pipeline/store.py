"""What the pipeline asks of an object store, and how it asks again after passing trouble.

An object store has no rename and no transaction over several keys. What it has: an object appears
whole or not at all, and a conditional PUT (`If-None-Match: *`) of which exactly one can win.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from lessons.lesson03.pipeline.checksums import Block
from lessons.lesson03.pipeline.errors import StoreTrouble

_T = TypeVar("_T")
Blocks = Callable[[], Iterator[Block]]


class Store(Protocol):
    """An object store.

    Attributes:
        survives: "node" when it outlives any node, "zone" when it outlives its zone as well.
    """

    survives: str

    def upload(self, key: str, blocks: Blocks) -> None:
        """Stream an object in bounded memory; it appears whole and verified, or not at all.

        Args:
            key: Its key; an object of that key is replaced.
            blocks: Called once for each try; each gives the whole content anew.
        """

    def put(self, key: str, content: bytes) -> None:
        """Write a small object; one of that key is replaced."""

    def create(self, key: str, content: bytes) -> None:
        """Write a small object if the key is free; raises `AlreadyThere` when it is not."""

    def read(self, key: str) -> bytes:
        """Return a small object; raises `NotThere`."""

    def stream(self, key: str) -> Iterator[Block]:
        """Read an object in blocks; raises `NotThere`."""

    def size(self, key: str) -> int:
        """Return an object's bytes; raises `NotThere`."""

    def keys(self, prefix: str) -> list[str]:
        """Return the keys that begin with `prefix`, in order. It ends with a slash."""

    def delete(self, keys: Sequence[str]) -> None:
        """Delete objects; fine when they are gone."""


@dataclass(frozen=True, kw_only=True)
class Backoff:
    """When to ask again: after a random part of a doubling time ("full jitter").

    Without the random part all ranks that failed together would come back together.

    Attributes:
        tries: How often to ask in all.
        first_s: The longest wait after the first failure.
        longest_s: The longest wait at all.
    """

    tries: int = 6
    first_s: float = 0.1
    longest_s: float = 5.0

    def wait_s(self, failures: int, chance: random.Random) -> float:
        """Return how long to wait after so many failures, the first being 1."""
        return chance.uniform(0, min(self.longest_s, self.first_s * 2 ** (failures - 1)))


class PatientStore:
    """A store whose passing trouble is met with retries; anything else goes through at once.

    Args:
        store: The store asked.
        backoff: When to ask again.
        chance: Where the jitter comes from.
        sleep: Waits so many seconds.
    """

    def __init__(
        self,
        store: Store,
        backoff: Backoff | None = None,
        *,
        chance: random.Random | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.survives = store.survives
        self._store = store
        self._backoff = backoff or Backoff()
        self._chance = chance or random.Random()  # noqa: S311  jitter is no secret
        self._sleep = sleep

    def upload(self, key: str, blocks: Blocks) -> None:
        """See `Store.upload`."""
        self._ask(lambda: self._store.upload(key, blocks))

    def put(self, key: str, content: bytes) -> None:
        """See `Store.put`."""
        self._ask(lambda: self._store.put(key, content))

    def create(self, key: str, content: bytes) -> None:
        """See `Store.create`.

        A try whose answer was lost may have won: `AlreadyThere` from a later one may be our own
        object, which is for the caller to find out.
        """
        self._ask(lambda: self._store.create(key, content))

    def read(self, key: str) -> bytes:
        """See `Store.read`."""
        return self._ask(lambda: self._store.read(key))

    def stream(self, key: str) -> Iterator[Block]:
        """See `Store.stream`; a stream that breaks half-way goes on where it broke."""
        seen = failures = 0
        while True:
            place = 0
            try:
                for block in self._store.stream(key):
                    fresh = memoryview(block).cast("B")[max(0, seen - place) :]
                    place += len(block)
                    if len(fresh):
                        seen += len(fresh)
                        yield fresh
            except StoreTrouble as trouble:
                failures += 1
                self._pause(failures, trouble)
            else:
                return

    def size(self, key: str) -> int:
        """See `Store.size`."""
        return self._ask(lambda: self._store.size(key))

    def keys(self, prefix: str) -> list[str]:
        """See `Store.keys`."""
        return self._ask(lambda: self._store.keys(prefix))

    def delete(self, keys: Sequence[str]) -> None:
        """See `Store.delete`."""
        self._ask(lambda: self._store.delete(keys))

    def _ask(self, request: Callable[[], _T]) -> _T:
        failures = 0
        while True:
            try:
                return request()
            except StoreTrouble as trouble:
                failures += 1
                self._pause(failures, trouble)

    def _pause(self, failures: int, trouble: StoreTrouble) -> None:
        if failures >= self._backoff.tries:
            raise trouble
        self._sleep(self._backoff.wait_s(failures, self._chance))
