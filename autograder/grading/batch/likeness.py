"""Which texts of many are nearly the same: pure.

Two texts are alike when their sets of three-character pieces overlap by `ALIKE` (Jaccard), spaces,
punctuation and case left out.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

ALIKE = 0.8
_PIECE = 3
# Shorter answers are alike because the question has only so many short answers.
MIN_CHARACTERS = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Who wrote nearly the same; `least` is the smallest likeness of two that were linked."""

    members: tuple[str, ...]
    least: float


def alike(texts: Mapping[str, str]) -> list[Group]:
    """The groups of near-identical texts, the largest first.

    Args:
        texts: Name -> text.
    """
    pieces = {name: found for name, text in sorted(texts.items()) if (found := _pieces(text))}
    links = _links(pieces)
    leader = {name: name for name in pieces}

    def first(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for one, other in links:
        low, high = sorted((first(one), first(other)))
        leader[high] = low
    groups: dict[str, list[str]] = {}
    for name in pieces:
        groups.setdefault(first(name), []).append(name)
    least: dict[str, float] = {}
    for (one, _), likeness in links.items():
        least[first(one)] = min(likeness, least.get(first(one), 1.0))
    groups_found = [
        Group(members=tuple(members), least=round(least[name], 2))
        for name, members in groups.items()
        if len(members) > 1
    ]
    return sorted(groups_found, key=lambda group: (-len(group.members), group.members))


def _pieces(text: str) -> frozenset[str]:
    letters = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
    if len(letters) < MIN_CHARACTERS:
        return frozenset()
    return frozenset(letters[at : at + _PIECE] for at in range(len(letters) - _PIECE + 1))


def _links(pieces: Mapping[str, frozenset[str]]) -> dict[tuple[str, str], float]:
    """Every pair that is alike, without comparing every pair.

    Two sets that overlap by `ALIKE` share one of the first few of their pieces when both are
    sorted by rarity (prefix filtering), so only those that do are compared.
    """
    common = Counter(piece for found in pieces.values() for piece in found)
    seen: dict[str, list[str]] = {}
    links = {}
    for name, found in pieces.items():
        rarest = sorted(found, key=lambda piece: (common[piece], piece))
        rivals: dict[str, None] = {}
        for piece in rarest[: len(found) - math.ceil(ALIKE * len(found)) + 1]:
            rivals |= dict.fromkeys(seen.get(piece, ()))
            seen.setdefault(piece, []).append(name)
        for rival in rivals:
            other = pieces[rival]
            shared = len(found & other)
            likeness = shared / (len(found) + len(other) - shared)
            if likeness >= ALIKE:
                links[rival, name] = likeness
    return links
