"""What may cross the wall: the kinds, the bounds and what is left of them."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from enum import StrEnum
from typing import Final

MAX_DEPTH: Final = 64
MAX_NODES: Final = 1_000_000
MAX_BYTES: Final = 16 * 1024 * 1024
# Reducing a fraction and hashing a decimal are quadratic; these keep both under a millisecond.
MAX_FRACTION_DIGITS: Final = 10_000
MAX_DECIMAL_CHARS: Final = 10_000
MAX_AXES: Final = 32
NODE_BYTES: Final = 8  # what `["x",""],` adds in JSON


class Kind(StrEnum):
    """The closed list of what cannot cross."""

    GENERATOR = "generator"
    COROUTINE = "coroutine"
    ITERATOR = "iterator"
    VIEW = "view"
    RANGE = "range"
    FUNCTION = "function"
    CLASS = "class"
    MODULE = "module"
    EXCEPTION = "exception"
    ARRAY = "array"
    BROKEN_TEXT = "broken-text"
    TOO_DEEP = "too-deep"
    TOO_LARGE = "too-large"
    OBJECT = "object"


class Unsupported(Exception):  # noqa: N818 - names what the value is, as the contract does
    """A value that cannot cross the wall; `kind` says why, from the closed list."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        super().__init__(str(kind))


class WallError(Exception):
    """Data from across the wall that is no encoding of a value."""


EXCEPTIONS: Final[dict[str, type[BaseException]]] = {
    item.__name__: item
    for item in vars(builtins).values()
    if isinstance(item, type) and issubclass(item, BaseException)
}
DTYPES: Final = frozenset(
    "|b1 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8 <f2 <f4 <f8 <c8 <c16".split()  # noqa: SIM905 - a table
)


class Budget:
    """What is left of the bounds; `over` builds the error for the side that counts."""

    def __init__(self, over: Callable[[Kind], Exception]) -> None:
        self.over = over
        self.nodes = MAX_NODES
        self.bytes = MAX_BYTES

    def spend(self, size: int) -> None:
        """Take `size` bytes of JSON."""
        self.bytes -= size
        if self.bytes < 0:
            raise self.over(Kind.TOO_LARGE)

    def reserve(self, nodes: int) -> None:
        """Take that many values, each with the bytes that it has at least."""
        self.nodes -= nodes
        if self.nodes < 0:
            raise self.over(Kind.TOO_LARGE)
        self.spend(nodes * NODE_BYTES)
