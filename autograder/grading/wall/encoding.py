"""Plain values -> tagged JSON arrays, on the side that is not believed."""

from __future__ import annotations

import base64
import json
import sys
import types
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from autograder.grading.wall.bounds import (
    DTYPES,
    EXCEPTIONS,
    MAX_DECIMAL_CHARS,
    MAX_DEPTH,
    MAX_FRACTION_DIGITS,
    Budget,
    Kind,
    Unsupported,
)

_EXCEPTION_NAMES: Final = {item: name for name, item in EXCEPTIONS.items()}
_NUMERATOR: Final = vars(Fraction)["_numerator"]
_DENOMINATOR: Final = vars(Fraction)["_denominator"]
_KINDS: Final[tuple[tuple[tuple[type, ...], Kind], ...]] = (
    ((types.GeneratorType, types.AsyncGeneratorType), Kind.GENERATOR),
    ((types.CoroutineType,), Kind.COROUTINE),
    ((map, zip, filter, enumerate, reversed), Kind.ITERATOR),
    (
        tuple(type(iterator) for iterator in map(iter, ([], (), {}, set(), "", b"", range(0)))),
        Kind.ITERATOR,
    ),
    ((type({}.keys()), type({}.values()), type({}.items())), Kind.VIEW),
    ((range,), Kind.RANGE),
    ((types.FunctionType, types.BuiltinFunctionType, types.MethodType), Kind.FUNCTION),
    ((type,), Kind.CLASS),
    ((types.ModuleType,), Kind.MODULE),
    ((BaseException,), Kind.EXCEPTION),
)


def encode(value: object) -> list[Any]:
    """Encode a plain value as tagged JSON arrays.

    Walks with its own stack, so that no depth of nesting can exhaust Python's.

    Raises:
        Unsupported: The value, or one inside it, is not plain data or over a bound.
    """
    budget = Budget(Unsupported)
    budget.reserve(1)
    root: list[Any] = []
    stack: list[tuple[object, list[Any], int]] = [(value, root, 0)]
    while stack:
        item, out, depth = stack.pop()
        children = _children(item, budget)
        if children is None:
            out.append(_leaf(item, budget))
            continue
        if depth >= MAX_DEPTH:
            raise Unsupported(Kind.TOO_DEEP)
        tag, members = children
        held: list[Any] = []
        out.append([tag, held])
        # Pushed last to first, so that each is popped, and appended, in its own order.
        if tag == "d":
            pairs: list[list[Any]] = [[] for _ in members]
            held.extend(pairs)
            for (key, entry), pair in zip(reversed(members), reversed(pairs), strict=True):
                stack += ((entry, pair, depth + 1), (key, pair, depth + 1))
        else:
            stack += ((member, held, depth + 1) for member in reversed(members))
    encoded: list[Any] = root[0]
    return encoded


_CONTAINERS: Final[
    tuple[tuple[type, str, Callable[[Any], int], Callable[[Any], Iterable[Any]]], ...]
] = (
    (tuple, "t", tuple.__len__, tuple.__iter__),
    (list, "l", list.__len__, list.__iter__),
    (dict, "d", dict.__len__, dict.items),
    (set, "S", set.__len__, set.__iter__),
    (frozenset, "F", frozenset.__len__, frozenset.__iter__),
)


def _children(item: object, budget: Budget) -> tuple[str, list[Any]] | None:
    """The tag and members of a container, by its base's own methods; None for a leaf."""
    own = type(item)
    for base, tag, length, members in _CONTAINERS:
        if own is base or issubclass(own, base):
            budget.reserve(length(item) * (2 if base is dict else 1))
            return tag, list(members(item))
    return None


def _leaf(item: Any, budget: Budget) -> list[Any]:
    own = type(item)
    if item is None:
        return ["n"]
    if own is bool:
        return ["b", item]
    if own is type and item in _EXCEPTION_NAMES:
        return ["x", _EXCEPTION_NAMES[item]]
    array = _array(item, budget)  # before the numbers: numpy.float64 is a float
    if array is not None:
        return array
    for base, write in _LEAVES:
        # Not issubclass: anything can be registered as a virtual subclass of Fraction.
        if type.__subclasscheck__(base, own):
            return write(item, budget)
    raise Unsupported(_kind(own))


def _float(number: float, budget: Budget) -> list[Any]:
    budget.spend(24)
    return ["f", float.hex(number)]


def _complex(number: complex, budget: Budget) -> list[Any]:
    budget.spend(48)
    parts = vars(complex)
    return ["c", *(float.hex(parts[part].__get__(number)) for part in ("real", "imag"))]


def _kind(own: type) -> Kind:
    return next((kind for bases, kind in _KINDS if issubclass(own, bases)), Kind.OBJECT)


def _hex(number: int, budget: Budget) -> str:
    budget.spend(int.bit_length(number) // 4 + 2)
    return f"{int.__index__(number):x}"


def _text(text: str, budget: Budget) -> str:
    budget.spend(str.__len__(text))  # at least; before anything is copied
    plain = str.__str__(text)
    budget.spend(len(json.dumps(plain)) - len(plain))
    try:
        plain.encode()
    except UnicodeEncodeError:
        raise Unsupported(Kind.BROKEN_TEXT) from None
    return plain


def _base64(data: bytes | bytearray, budget: Budget) -> str:
    budget.spend(len(data) * 4 // 3 + 4)
    return base64.b64encode(data).decode("ascii")


def _decimal(number: Decimal, budget: Budget) -> list[Any]:
    text = Decimal.__str__(number)
    if len(text) > MAX_DECIMAL_CHARS:
        raise Unsupported(Kind.TOO_LARGE)
    budget.spend(len(text))
    return ["D", text]


def _fraction(number: Fraction, budget: Budget) -> list[Any]:
    # A fraction's slots can be overwritten with anything: only exact ints are believed.
    parts = _NUMERATOR.__get__(number), _DENOMINATOR.__get__(number)
    if any(type(part) is not int for part in parts) or parts[1] <= 0:
        raise Unsupported(Kind.OBJECT)
    encoded = [_hex(part, budget) for part in parts]
    if max(map(len, encoded)) > MAX_FRACTION_DIGITS:
        raise Unsupported(Kind.TOO_LARGE)
    return ["Q", *encoded]


def _array(item: Any, budget: Budget) -> list[Any] | None:
    """Encode an ndarray or a NumPy scalar; None for anything else."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None or not issubclass(type(item), (numpy.ndarray, numpy.generic)):
        return None
    scalar = issubclass(type(item), numpy.generic)
    if scalar and issubclass(type(item), (numpy.str_, numpy.bytes_)):
        return None  # subclasses of str and bytes: reduced as such
    plain = numpy.asarray(item) if scalar else numpy.ndarray.view(item, numpy.ndarray)
    dtype = plain.dtype.newbyteorder("<")
    if dtype.str not in DTYPES:
        raise Unsupported(Kind.ARRAY)
    budget.spend(plain.nbytes * 4 // 3 + 16 * plain.ndim + 16)  # before a broadcast is copied
    data = base64.b64encode(plain.astype(dtype).tobytes()).decode("ascii")
    return ["a", dtype.str, None if scalar else list(plain.shape), data]


_LEAVES: Final[tuple[tuple[type, Callable[[Any, Budget], list[Any]]], ...]] = (
    (int, lambda number, budget: ["i", _hex(number, budget)]),
    (float, _float),
    (str, lambda text, budget: ["s", _text(text, budget)]),
    (bytes, lambda data, budget: ["B", _base64(bytes.__getitem__(data, slice(None)), budget)]),
    (bytearray, lambda data, budget: ["B", _base64(bytearray.copy(data), budget)]),
    (complex, _complex),
    (Fraction, _fraction),
    (Decimal, _decimal),
)
