"""The codec of the wall between a learner's code and the tests: plain data, and nothing else.

A value crosses as tagged JSON arrays and comes out as an exact built-in type, so it has no
behaviour of the learner's own. Standard library only, and importable alone: the sandbox gets this
one folder. NumPy is looked up when an array crosses, never imported up front.

Stated reductions: a subclass of a plain type becomes that type (by the base's own unbound
methods), a `bytearray` becomes `bytes`, an `ndarray` subclass an `ndarray` in C order and
little-endian, an exception class only when it is a built-in one.
"""

from __future__ import annotations

from autograder.grading.wall.bounds import (
    EXCEPTIONS,
    MAX_BYTES,
    MAX_DEPTH,
    MAX_NODES,
    Kind,
    Unsupported,
    WallError,
)
from autograder.grading.wall.decoding import decode
from autograder.grading.wall.encoding import encode

__all__ = [
    "EXCEPTIONS",
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_NODES",
    "Kind",
    "Unsupported",
    "WallError",
    "decode",
    "encode",
]
