"""Which texts of many are nearly the same: pure.

Two texts are alike when their sets of three-character pieces overlap by `ALIKE` (Jaccard), spaces,
punctuation and case left out.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

ALIKE = 0.8
_PIECE = 3
# Shorter answers are alike because the question has only so many short answers.
MIN_CHARACTERS = 20
# Of a larger group only so many members are compared with each other to say how alike they are.
_COMPARED = 50

_Pieces = Mapping[str, frozenset[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Who wrote nearly the same; `least` is the smallest likeness of two that are alike."""

    members: tuple[str, ...]
    least: float


def alike(texts: Mapping[str, str]) -> list[Group]:
    """The groups of near-identical texts, the largest first.

    Args:
        texts: Name -> text.
    """
    pieces = {name: found for name, text in sorted(texts.items()) if (found := _pieces(text))}
    groups = [
        Group(members=tuple(members), least=round(_least(members[:_COMPARED], pieces), 2))
        for members in _joined(pieces)
        if len(members) > 1
    ]
    return sorted(groups, key=lambda group: (-len(group.members), group.members))


def _pieces(text: str) -> frozenset[str]:
    letters = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
    if len(letters) < MIN_CHARACTERS:
        return frozenset()
    return frozenset(letters[at : at + _PIECE] for at in range(len(letters) - _PIECE + 1))


def _joined(pieces: _Pieces) -> Iterable[list[str]]:
    """The names in groups, without comparing every pair.

    Two sets that overlap by `ALIKE` share one of the first few of their pieces when both are
    sorted by rarity (prefix filtering), so only those that do are compared; and nobody is compared
    with a group that it is in already, as in a class that hands in one text a thousand times.
    """
    common = Counter(piece for found in pieces.values() for piece in found)
    groups = _Groups(pieces)
    # Piece -> the first of a group -> those of the group that have the piece.
    holders: dict[str, dict[str, list[str]]] = {}
    for name, found in pieces.items():
        rarest = sorted(found, key=lambda piece: (common[piece], piece))
        telling = rarest[: len(found) - math.ceil(ALIKE * len(found)) + 1]
        met: set[str] = set()
        for piece in telling:
            for leader, names in holders.get(piece, {}).items():
                if groups.first(leader) != groups.first(name):
                    new = [one for one in names if one not in met]
                    met.update(new)
                    if any(_likeness(found, pieces[one]) >= ALIKE for one in new):
                        groups.join(leader, name)
        for piece in telling:
            holders.setdefault(piece, {}).setdefault(groups.first(name), []).append(name)
    return groups.members()


class _Groups:
    """Names, each in a group, which goes by the first of its names."""

    def __init__(self, names: Iterable[str]) -> None:
        self._before = {name: name for name in names}

    def first(self, name: str) -> str:
        """The first name of a name's group."""
        before = self._before
        while before[name] != name:
            before[name] = before[before[name]]
            name = before[name]
        return name

    def join(self, one: str, other: str) -> None:
        """Make the groups of two names one."""
        low, high = sorted((self.first(one), self.first(other)))
        self._before[high] = low

    def members(self) -> Iterable[list[str]]:
        """The groups."""
        found: dict[str, list[str]] = {}
        for name in self._before:
            found.setdefault(self.first(name), []).append(name)
        return found.values()


def _least(members: Sequence[str], pieces: _Pieces) -> float:
    pairs = combinations((pieces[name] for name in members), 2)
    likenesses = (_likeness(one, other) for one, other in pairs)
    return min((found for found in likenesses if found >= ALIKE), default=ALIKE)


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
