"""What is known of Chinese characters: their readings, and the simplified of a traditional one."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def homophones() -> dict[str, str]:
    """Character -> all characters that share one of its readings, tones aside."""
    found: dict[str, str] = {}
    for line in _lines("readings.txt"):
        characters = line.split(" ", 1)[1]
        for character in characters:
            found[character] = found.get(character, "") + characters
    return found


@cache
def simplified() -> dict[str, str]:
    """Traditional character -> its simplified one."""
    return {
        line[at]: line[at + 1] for line in _lines("simplified.txt") for at in range(0, len(line), 2)
    }


def _lines(name: str) -> list[str]:
    text = resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]
