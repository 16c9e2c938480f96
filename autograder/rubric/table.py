"""A lesson's rubric.toml as it stands: its tables, and the line of each."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.errors import CourseError


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One `[[parts]]`, `[[questions]]`, `[[levels]]` or `[[vetoes]]` table."""

    line: int
    values: Mapping[str, Any]

    def number(self, key: str) -> float | None:
        """A number, None where there is none."""
        value = self.values.get(key)
        return float(value) if isinstance(value, int | float) else None


@dataclass(frozen=True, kw_only=True, slots=True)
class RubricTable:
    """A rubric, unread.

    Attributes:
        path: As the user knows it.
        text: The file.
        values: All of it.
    """

    path: str
    text: str
    values: Mapping[str, Any]

    def entries(self, kind: str) -> Iterator[Entry]:
        """The tables `[[kind]]`, each with the line of its head."""
        lines = self.text.split("\n")
        heads = [n for n, line in enumerate(lines, start=1) if line.strip() == f"[[{kind}]]"]
        tables = self.values.get(kind, [])
        for number, table in enumerate(tables if isinstance(tables, list) else []):
            if isinstance(table, dict):
                yield Entry(line=heads[number] if number < len(heads) else 0, values=table)

    @property
    def rule(self) -> Entry:
        """The table `[pass]`."""
        lines = [line.strip() for line in self.text.split("\n")]
        values = self.values.get("pass", {})
        return Entry(
            line=lines.index("[pass]") + 1 if "[pass]" in lines else 0,
            values=values if isinstance(values, dict) else {},
        )

    def line_of(self, words: str) -> int:
        """The first line that holds these words, as TOML would write them."""
        for number, line in enumerate(self.text.split("\n"), start=1):
            if words in line:
                return number
        return 0


def read_table(path: Path, known_as: str) -> RubricTable | None:
    """A rubric; None where a lesson has none.

    Raises:
        CourseError: It is no TOML.
    """
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except FileNotFoundError:
        return None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{known_as}: This is no TOML: {error}. Mend it.") from error
    return RubricTable(path=known_as, text=text, values=values)
