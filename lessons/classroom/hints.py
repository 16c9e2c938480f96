"""Hints of a lesson: levels that say more and more, in a file that `course build` derives.

hints.toml: `[[hint]]` tables with `exercise`, `level` (1, 2, 3 ...) and the text by language.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from lessons.classroom.language import say


def hints_of(lesson: str | None, exercise: str, lang: str) -> list[str]:
    """Return an exercise's hints, level 1 first; none when the lesson has no such file."""
    return [_text(entry, lang) for entry in _entries(lesson) if entry["exercise"] == exercise]


def hinted_exercises(lesson: str | None) -> list[str]:
    """Return the exercises that have hints, in the lesson's order."""
    return list(dict.fromkeys(str(entry["exercise"]) for entry in _entries(lesson)))


def _entries(lesson: str | None) -> list[dict[str, Any]]:
    if lesson is None:
        return []
    try:
        text = files(lesson).joinpath("hints.toml").read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError):
        return []
    entries: list[dict[str, Any]] = tomllib.loads(text)["hint"]
    return sorted(entries, key=lambda entry: int(entry["level"]))


def _text(entry: dict[str, Any], lang: str) -> str:
    chinese, english = entry.get("zh"), entry.get("en")
    return say(str(chinese or english), str(english or chinese), lang)
