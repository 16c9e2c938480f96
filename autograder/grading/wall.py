"""The codec of the wall between a learner's code and the tests: plain data, and nothing else.

A value crosses as tagged JSON arrays and comes out as an exact built-in type, so it has no
behaviour of the learner's own. Standard library only, and importable alone: the sandbox gets this
one file. NumPy is looked up when an array crosses, never imported up front.

Stated reductions: a subclass of a plain type becomes that type (by the base's own unbound
methods), a `bytearray` becomes `bytes`, an `ndarray` subclass an `ndarray` in C order and
little-endian, an exception class only when it is a built-in one.
"""

from __future__ import annotations

import base64
import builtins
import importlib
import json
import math
import re
import sys
import types
from collections.abc import Callable, Iterable
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

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
_EXCEPTION_NAMES: Final = {item: name for name, item in EXCEPTIONS.items()}
_DTYPES: Final = frozenset(
    "|b1 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8 <f2 <f4 <f8 <c8 <c16".split()  # noqa: SIM905 - a table
)
_INT: Final = re.compile(r"-?[0-9a-f]+")
_FLOAT: Final = re.compile(r"-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}|nan|-?inf")
_DECIMAL: Final = re.compile(r"-?([0-9]+(\.[0-9]+)?(E[+-][0-9]{1,19})?|Infinity|s?NaN[0-9]*)")
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


class _Budget:
    """What is left of the bounds; `over` builds the error for the side that counts."""

    def __init__(self, over: Callable[[Kind], Exception]) -> None:
        self.over = over
        self.nodes = MAX_NODES
        self.bytes = MAX_BYTES

    def spend(self, size: int) -> None:
        self.bytes -= size
        if self.bytes < 0:
            raise self.over(Kind.TOO_LARGE)

    def reserve(self, nodes: int) -> None:
        self.nodes -= nodes
        if self.nodes < 0:
            raise self.over(Kind.TOO_LARGE)
        self.spend(nodes * NODE_BYTES)


def encode(value: object) -> list[Any]:
    """Encode a plain value as tagged JSON arrays.

    Walks with its own stack, so that no depth of nesting can exhaust Python's.

    Raises:
        Unsupported: The value, or one inside it, is not plain data or over a bound.
    """
    budget = _Budget(Unsupported)
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


def _children(item: object, budget: _Budget) -> tuple[str, list[Any]] | None:
    """The tag and members of a container, by its base's own methods; None for a leaf."""
    own = type(item)
    for base, tag, length, members in _CONTAINERS:
        if own is base or issubclass(own, base):
            budget.reserve(length(item) * (2 if base is dict else 1))
            return tag, list(members(item))
    return None


def _leaf(item: Any, budget: _Budget) -> list[Any]:
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


def _float(number: float, budget: _Budget) -> list[Any]:
    budget.spend(24)
    return ["f", float.hex(number)]


def _complex(number: complex, budget: _Budget) -> list[Any]:
    budget.spend(48)
    parts = vars(complex)
    return ["c", *(float.hex(parts[part].__get__(number)) for part in ("real", "imag"))]


def _kind(own: type) -> Kind:
    return next((kind for bases, kind in _KINDS if issubclass(own, bases)), Kind.OBJECT)


def _hex(number: int, budget: _Budget) -> str:
    budget.spend(int.bit_length(number) // 4 + 2)
    return f"{int.__index__(number):x}"


def _text(text: str, budget: _Budget) -> str:
    budget.spend(str.__len__(text))  # at least; before anything is copied
    plain = str.__str__(text)
    budget.spend(len(json.dumps(plain)) - len(plain))
    try:
        plain.encode()
    except UnicodeEncodeError:
        raise Unsupported(Kind.BROKEN_TEXT) from None
    return plain


def _base64(data: bytes | bytearray, budget: _Budget) -> str:
    budget.spend(len(data) * 4 // 3 + 4)
    return base64.b64encode(data).decode("ascii")


def _decimal(number: Decimal, budget: _Budget) -> list[Any]:
    text = Decimal.__str__(number)
    if len(text) > MAX_DECIMAL_CHARS:
        raise Unsupported(Kind.TOO_LARGE)
    budget.spend(len(text))
    return ["D", text]


def _fraction(number: Fraction, budget: _Budget) -> list[Any]:
    # A fraction's slots can be overwritten with anything: only exact ints are believed.
    parts = _NUMERATOR.__get__(number), _DENOMINATOR.__get__(number)
    if any(type(part) is not int for part in parts) or parts[1] <= 0:
        raise Unsupported(Kind.OBJECT)
    encoded = [_hex(part, budget) for part in parts]
    if max(map(len, encoded)) > MAX_FRACTION_DIGITS:
        raise Unsupported(Kind.TOO_LARGE)
    return ["Q", *encoded]


def _array(item: Any, budget: _Budget) -> list[Any] | None:
    """Encode an ndarray or a NumPy scalar; None for anything else."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None or not issubclass(type(item), (numpy.ndarray, numpy.generic)):
        return None
    scalar = issubclass(type(item), numpy.generic)
    if scalar and issubclass(type(item), (numpy.str_, numpy.bytes_)):
        return None  # subclasses of str and bytes: reduced as such
    plain = numpy.asarray(item) if scalar else numpy.ndarray.view(item, numpy.ndarray)
    dtype = plain.dtype.newbyteorder("<")
    if dtype.str not in _DTYPES:
        raise Unsupported(Kind.ARRAY)
    budget.spend(plain.nbytes * 4 // 3 + 16 * plain.ndim + 16)  # before a broadcast is copied
    data = base64.b64encode(plain.astype(dtype).tobytes()).decode("ascii")
    return ["a", dtype.str, None if scalar else list(plain.shape), data]


_LEAVES: Final[tuple[tuple[type, Callable[[Any, _Budget], list[Any]]], ...]] = (
    (int, lambda number, budget: ["i", _hex(number, budget)]),
    (float, _float),
    (str, lambda text, budget: ["s", _text(text, budget)]),
    (bytes, lambda data, budget: ["B", _base64(bytes.__getitem__(data, slice(None)), budget)]),
    (bytearray, lambda data, budget: ["B", _base64(bytearray.copy(data), budget)]),
    (complex, _complex),
    (Fraction, _fraction),
    (Decimal, _decimal),
)


def decode(data: object) -> Any:
    """Decode what `encode` made, or refuse it.

    Raises:
        WallError: The data has a wrong shape, an unknown tag, or is over a bound.
    """
    try:
        return _Decoder().value(data, 0)
    except RecursionError:
        raise WallError("too deep") from None


class _Decoder:
    """One decoding, with what is left of the bounds."""

    def __init__(self) -> None:
        self.budget = _Budget(WallError)

    def value(self, data: object, depth: int) -> Any:
        if type(data) is not list or not data or type(data[0]) is not str:
            raise WallError("not a tagged array")
        self.budget.reserve(1)
        tag, *rest = data
        read = _READERS.get(tag)
        if read is None:
            raise WallError("unknown tag")
        reader, shape = read
        if len(rest) != len(shape) or any(
            type(part) not in wanted for part, wanted in zip(rest, shape, strict=True)
        ):
            raise WallError(f"wrong shape for {tag}")
        for part in rest:
            if type(part) is str:
                self.budget.spend(len(part))
        if tag in "tlSFd" and depth >= MAX_DEPTH:
            raise WallError("too deep")
        try:
            return reader(self, depth, *rest)
        except (ValueError, TypeError, ArithmeticError):
            # An unhashable member, a number out of range, a shape that does not fit.
            raise WallError(f"no value of {tag}") from None

    def members(self, items: list[Any], depth: int) -> Iterable[Any]:
        return (self.value(item, depth + 1) for item in items)

    def pairs(self, items: list[Any], depth: int) -> Iterable[tuple[Any, Any]]:
        for pair in items:
            if type(pair) is not list or len(pair) != 2:  # noqa: PLR2004 - key and value
                raise WallError("not a pair")
            yield self.value(pair[0], depth + 1), self.value(pair[1], depth + 1)


def _matching(pattern: re.Pattern[str], text: str) -> str:
    if pattern.fullmatch(text) is None:
        raise WallError("malformed number")
    return text


def _read_float(text: str) -> float:
    return float.fromhex(_matching(_FLOAT, text))


def _read_int(text: str) -> int:
    return int(_matching(_INT, text), 16)


def _read_text(text: str) -> str:
    text.encode()  # lone surrogates are refused here as they are on the other side
    return text


def _read_decimal(text: str) -> Decimal:
    if len(text) > MAX_DECIMAL_CHARS:
        raise WallError("decimal too long")
    return Decimal(_matching(_DECIMAL, text))


def _read_fraction(numerator: str, denominator: str) -> Fraction:
    if max(len(numerator), len(denominator)) > MAX_FRACTION_DIGITS:
        raise WallError("fraction too long")
    below = _read_int(denominator)
    if below <= 0:
        raise WallError("denominator not positive")
    return Fraction(_read_int(numerator), below)


def _read_exception(name: str) -> type[BaseException]:
    if name not in EXCEPTIONS:
        raise WallError("not a built-in exception")
    return EXCEPTIONS[name]


def _read_array(dtype: str, shape: list[Any] | None, text: str) -> Any:
    if dtype not in _DTYPES:
        raise WallError("dtype not allowed")
    axes = [] if shape is None else shape
    if len(axes) > MAX_AXES or any(
        type(axis) is not int or not 0 <= axis <= MAX_BYTES for axis in axes
    ):
        raise WallError("no shape")
    try:
        numpy: Any = importlib.import_module("numpy")
    except ImportError:
        raise WallError("no NumPy on this side") from None
    data = base64.b64decode(text, validate=True)
    if len(data) != math.prod(axes) * numpy.dtype(dtype).itemsize:
        raise WallError("shape and data differ")
    if dtype == "|b1" and data.strip(b"\0\1"):
        raise WallError("neither true nor false")  # NumPy would believe such a byte half-way
    flat = numpy.frombuffer(data, dtype=dtype)
    return flat[0] if shape is None else flat.reshape(axes).copy()


_Reader = Callable[..., Any]
_STR: Final = (str,)
_LIST: Final = (list,)
# tag -> how to read it, and the JSON types that must follow the tag
_READERS: Final[dict[str, tuple[_Reader, tuple[tuple[type, ...], ...]]]] = {
    "n": (lambda _s, _d: None, ()),
    "b": (lambda _s, _d, truth: truth, ((bool,),)),
    "i": (lambda _s, _d, text: _read_int(text), (_STR,)),
    "f": (lambda _s, _d, text: _read_float(text), (_STR,)),
    "s": (lambda _s, _d, text: _read_text(text), (_STR,)),
    "B": (lambda _s, _d, text: base64.b64decode(text, validate=True), (_STR,)),
    "c": (lambda _s, _d, re_, im: complex(_read_float(re_), _read_float(im)), (_STR, _STR)),
    "t": (lambda s, d, items: tuple(s.members(items, d)), (_LIST,)),
    "l": (lambda s, d, items: list(s.members(items, d)), (_LIST,)),
    "S": (lambda s, d, items: set(s.members(items, d)), (_LIST,)),
    "F": (lambda s, d, items: frozenset(s.members(items, d)), (_LIST,)),
    "d": (lambda s, d, items: dict(s.pairs(items, d)), (_LIST,)),
    "a": (
        lambda _s, _d, dtype, shape, text: _read_array(dtype, shape, text),
        (_STR, (list, type(None)), _STR),
    ),
    "x": (lambda _s, _d, name: _read_exception(name), (_STR,)),
    "Q": (lambda _s, _d, above, below: _read_fraction(above, below), (_STR, _STR)),
    "D": (lambda _s, _d, text: _read_decimal(text), (_STR,)),
}
