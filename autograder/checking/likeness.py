"""Whether two functions do the same, as far as inputs like a test's show.

The text of this module is run inside the sandbox: standard library only, nothing of this project.
"""

from __future__ import annotations

import contextlib
import copy
import math
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

NEARBY = 200
COMPARE_S = 1.0
SHOWN_CHARS = 160
CLOSE = 1e-12
_STAYS = 0.3  # how often an argument is kept as a test had it
_LARGEST = 2**1000


def nearby(
    inputs: Sequence[tuple[tuple[Any, ...], dict[str, Any]]], rng: random.Random
) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Random inputs like the given ones: arguments of several mixed, numbers scaled."""
    made = []
    for _ in range(NEARBY if inputs else 0):
        args, kwargs = rng.choice(inputs)
        others = [one for one, _ in inputs if len(one) == len(args)]
        mixed = (rng.choice(others)[place] for place in range(len(args)))
        made.append((tuple(_moved(value, rng) for value in mixed), kwargs))
    return made


def _moved(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or rng.random() < _STAYS:
        return value
    factor = 10 ** rng.uniform(-1, 1)
    if isinstance(value, int):
        return round(value * factor) if abs(value) < _LARGEST else value
    return value * factor


def departure(
    reference: Callable[..., Any],
    own: Callable[..., Any],
    inputs: Sequence[tuple[tuple[Any, ...], dict[str, Any]]],
) -> str:
    """The first input where two functions differ, in words; "" when none of them shows it."""
    until = time.monotonic() + COMPARE_S
    for args, kwargs in inputs:
        wanted, got = called(reference, args, kwargs), called(own, args, kwargs)
        if wanted[0] != got[0] or not alike(wanted[1], got[1]):
            words = ", ".join([shown(arg) for arg in args])
            return f"at ({words}) it gives {shown(got[1])}, the reference {shown(wanted[1])}"
        if time.monotonic() > until:
            break
    return ""


def called(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call came to: whether it returned, and the value or the exception's name."""
    try:
        return True, function(*copy.deepcopy(args), **copy.deepcopy(kwargs))
    except Exception as error:
        return False, type(error).__name__


def alike(one: Any, other: Any) -> bool:
    """Equal values; numbers to the last few bits, whatever their type."""
    one, other = _plain(one), _plain(other)
    if _is_number(one) and _is_number(other):
        return _close(one, other)
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[key], other[key]) for key in one)
    with contextlib.suppress(Exception):
        return bool(one == other)
    return False


def _close(one: float, other: float) -> bool:
    if one == other or (one != one and other != other):  # noqa: PLR0124  # NaN
        return True
    with contextlib.suppress(OverflowError):
        return math.isclose(one, other, rel_tol=CLOSE)
    return False


def _plain(value: Any) -> Any:
    """NumPy's arrays and numbers as Python's."""
    listed = getattr(value, "tolist", None)
    return listed() if listed is not None and type(value).__module__ == "numpy" else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def shown(value: Any) -> str:
    """A value in a few characters."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "..."
