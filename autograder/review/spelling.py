"""Misspelt words of a lesson: Chinese by sound, English by one wrong letter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.review.characters import homophones
from autograder.review.plain import Plain

_LATIN = re.compile(r"[a-z]{5,}")
_ENDINGS = ("s", "es", "d", "ed", "ing", "er", "ers", "ly")


@dataclass(frozen=True, kw_only=True, slots=True)
class Speller:
    """Reads misspelt words as the words they sound or look like.

    Attributes:
        sounds: Misspelt Chinese word -> word of the same length.
        lengths: The lengths of those, longest first.
        words: English words.
        shortened: A word without one letter -> the words that it may be.
    """

    sounds: dict[str, str]
    lengths: tuple[int, ...]
    words: frozenset[str]
    shortened: dict[str, tuple[str, ...]]

    def mend(self, given: Plain) -> Plain:
        """The text with its misspelt words mended; offsets still lead to the text as given."""
        return self._mend_latin(self._mend_chinese(given))

    def _mend_chinese(self, given: Plain) -> Plain:
        text = given.text
        for length in self.lengths:
            for at in range(len(text) - length + 1):
                word = self.sounds.get(text[at : at + length])
                if word is not None:
                    text = text[:at] + word + text[at + length :]
        return Plain(text=text, origin=given.origin, length=given.length)

    def _mend_latin(self, given: Plain) -> Plain:
        pieces: list[str] = []
        origin: list[int] = []
        done = 0
        for found in _LATIN.finditer(given.text):
            word = self._word(found[0])
            if word is None:
                continue
            start, end = found.span()
            pieces += [given.text[done:start], word]
            origin += given.origin[done:start]
            places = given.origin[start:end]
            origin += [places[min(at, len(places) - 1)] for at in range(len(word))]
            done = end
        pieces.append(given.text[done:])
        origin += given.origin[done:]
        return Plain(text="".join(pieces), origin=tuple(origin), length=given.length)

    def _word(self, token: str) -> str | None:
        if token in self.words or any(
            token.endswith(ending) and token[: -len(ending)] in self.words for ending in _ENDINGS
        ):
            return None
        for key in (token, *_without_one(token)):
            for word in self.shortened.get(key, ()):
                if _one_apart(token, word):
                    return word
        return None


def speller(entries: Iterable[str]) -> Speller:
    """A speller for words.

    Args:
        entries: Words; `word not other other` names words that are no misspelling of it.
    """
    words, spared = set(), set()
    for entry in entries:
        word, _, others = entry.partition(" not ")
        words.add(word)
        spared |= set(others.split())
    chinese = {word for word in words if not word.isascii()}
    latin = frozenset(words - chinese)
    sounds = {
        variant: word
        for word in sorted(chinese)
        for variant in _sounding_alike(word)
        if variant not in chinese and variant not in spared
    }
    shortened: dict[str, tuple[str, ...]] = {}
    for word in sorted(latin):
        for key in (word, *_without_one(word)):
            shortened[key] = (*shortened.get(key, ()), word)
    lengths = tuple(sorted({len(word) for word in sounds}, reverse=True))
    return Speller(sounds=sounds, lengths=lengths, words=latin | spared, shortened=shortened)


def _sounding_alike(word: str) -> Iterator[str]:
    """The word with one character that sounds the same: what an input method gets wrong."""
    known = homophones()
    for at, character in enumerate(word):
        for other in known.get(character, ""):
            if other != character:
                yield word[:at] + other + word[at + 1 :]


def _without_one(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1 :] for at in range(len(word)))


def _one_apart(one: str, other: str) -> bool:
    """One letter more, less or different, or two neighbours swapped."""
    if abs(len(one) - len(other)) > 1 or one[0] != other[0]:
        return False
    if len(one) == len(other):
        apart = [at for at in range(len(one)) if one[at] != other[at]]
        swapped = len(apart) == 2 and apart[1] == apart[0] + 1  # noqa: PLR2004  (a pair)
        return len(apart) == 1 or (
            swapped and one[apart[0]] == other[apart[1]] and one[apart[1]] == other[apart[0]]
        )
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return shorter in _without_one(longer)
