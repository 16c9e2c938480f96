"""Tagged JSON arrays -> exact built-in types, or a refusal."""

from __future__ import annotations

import base64
import importlib
import math
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from autograder.grading.wall.bounds import (
    DTYPES,
    EXCEPTIONS,
    MAX_AXES,
    MAX_BYTES,
    MAX_DECIMAL_CHARS,
    MAX_DEPTH,
    MAX_FRACTION_DIGITS,
    Budget,
    WallError,
)

_INT: Final = re.compile(r"-?[0-9a-f]+")
_FLOAT: Final = re.compile(r"-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}|nan|-?inf")
_DECIMAL: Final = re.compile(r"-?([0-9]+(\.[0-9]+)?(E[+-][0-9]{1,19})?|Infinity|s?NaN[0-9]*)")


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
        self.budget = Budget(WallError)

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
    if dtype not in DTYPES:
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
