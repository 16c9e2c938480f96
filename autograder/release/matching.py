"""Many fixed strings sought in one text at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

# 512 K entries stay in the cache; some thousands of strings fill a hundredth of them.
_BITS = 19
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_SHORT, _LONG = 8, 12


class Matcher:
    """Finds which of many strings a text holds.

    A rolling hash over every 8 and every 12 characters of the text is looked up in a bit table of
    how the strings begin; the few places that hit are compared to the letter. The cost does not
    grow with the number of strings.

    Args:
        strings: What to seek; each has at least 8 characters.
        whole_words: A hit may not begin or end within a word.
    """

    def __init__(self, strings: Iterable[str], *, whole_words: bool = False) -> None:
        self._whole_words = whole_words
        self._beginnings: dict[int, dict[str, list[str]]] = {
            _SHORT: defaultdict(list),
            _LONG: defaultdict(list),
        }
        for string in dict.fromkeys(strings):
            if len(string) < _SHORT:
                raise ValueError(f"{string!r} is too short to be sought")
            length = _LONG if len(string) >= _LONG else _SHORT
            self._beginnings[length][string[:length]].append(string)
        self._tables = {
            length: _table(known, length) for length, known in self._beginnings.items() if known
        }

    def find(self, text: str) -> set[str]:
        """The strings that `text` holds."""
        found: set[str] = set()
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        for length, table in self._tables.items():
            if len(points) < length:
                continue
            known = self._beginnings[length]
            places = np.flatnonzero(table[_hashes(points, length)])
            for place in map(int, places):
                for string in known.get(text[place : place + length], ()):
                    if string not in found and self._stands(text, place, string):
                        found.add(string)
        return found

    def _stands(self, text: str, place: int, string: str) -> bool:
        if not text.startswith(string, place):
            return False
        end = place + len(string)
        return not self._whole_words or not (
            _joins(text[place - 1 : place], string[0]) or _joins(string[-1], text[end : end + 1])
        )


def _joins(before: str, after: str) -> bool:
    """Whether two neighbouring characters belong to one ASCII word."""
    return all(c.isascii() and (c.isalnum() or c == "_") for c in (before, after) if c) and bool(
        before and after
    )


def _table(known: Iterable[str], length: int) -> NDArray[np.bool_]:
    table = np.zeros(1 << _BITS, dtype=np.bool_)
    joined = "".join(known)
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    table[_hashes(points, length)[::length]] = True
    return table


def _hashes(points: NDArray[np.uint32], length: int) -> NDArray[np.uint64]:
    """The hash of each run of `length` code points, as an index into a table."""
    with np.errstate(over="ignore"):
        wide = points.astype(np.uint64)
        count = len(points) - length + 1
        total = np.zeros(count, dtype=np.uint64)
        for offset in range(length):
            total *= _PRIME
            total += wide[offset : offset + count]
        # The high bits of one more product depend on every code point.
        total *= _PRIME
    return total >> np.uint64(64 - _BITS)
