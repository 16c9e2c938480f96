"""Tables of a TOML file, read key by key with errors that name the place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class DataError(ValueError):
    """A data file does not say what it should; the message names file, table and key."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a figure comes from: a source with the month it was looked up, or our choice.

    Attributes:
        source: Who states it; None where it is our choice.
        looked_up: "YYYY-MM"; None where it is our choice.
        our_choice: True where no source states the figure.
    """

    source: str | None
    looked_up: str | None
    our_choice: bool


class Table:
    """One table of a data file; each `take_...` reads a key, `finish` refuses what is left.

    Args:
        place: File and table, as an error shows them.
        values: The table.
    """

    def __init__(self, place: str, values: object) -> None:
        self.place = place
        if not isinstance(values, dict):
            raise DataError(f"{place}: must be a table")
        self._left: dict[str, Any] = dict(values)

    def error(self, key: str, what: str) -> DataError:
        """Return the error that `key` of this table `what`."""
        return DataError(f"{self.place}: `{key}` {what}")

    def take_text(self, key: str, choices: Sequence[str] | None = None) -> str:
        """Return a text that is not empty and, where given, one of the choices."""
        value = self._take(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, "must be a text")
        if choices is not None and value not in choices:
            raise self.error(key, f"must be one of {', '.join(choices)}, not {value!r}")
        return value

    def take_positive(self, key: str) -> float:
        """Return a finite number above 0."""
        value = self._take(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 < value < float("inf"):
            raise self.error(key, f"must be a finite number above 0, not {value!r}")
        return float(value)

    def take_table(self, key: str) -> Table:
        """Return the table under `key`."""
        return Table(f"{self.place}: {key}", self._take(key))

    def take_note(self) -> str | None:
        """Return the optional `note`."""
        return self.take_text("note") if "note" in self._left else None

    def take_origin(self) -> Origin:
        """Return the origin: `source` with `looked_up`, or `our_choice = true`, never both."""
        if "our_choice" in self._left:
            if self._take("our_choice") is not True:
                raise self.error("our_choice", "must be true or be left out")
            if {"source", "looked_up"} & self._left.keys():
                raise self.error("our_choice", "excludes `source` and `looked_up`")
            return Origin(source=None, looked_up=None, our_choice=True)
        source, looked_up = self.take_text("source"), self.take_text("looked_up")
        if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", looked_up):
            raise self.error("looked_up", f"must be a month like 2026-11, not {looked_up!r}")
        return Origin(source=source, looked_up=looked_up, our_choice=False)

    def finish(self) -> None:
        """Raise `DataError` for a key that nobody took: most likely it is misspelt."""
        for key in self._left:
            raise self.error(key, "is not a key of this table")

    def _take(self, key: str) -> Any:
        if key not in self._left:
            raise self.error(key, "is missing")
        return self._left.pop(key)


def read_tables(path: Path, key: str) -> list[Table]:
    """Return the tables of the array `key`, each with a unique `id`.

    Raises:
        DataError: The file is not TOML, holds something else, or an id comes twice.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path.name}: is not TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name}: is not UTF-8: {error.reason}") from error
    rows = document.pop(key, None)
    if not isinstance(rows, list) or not rows:
        raise DataError(f"{path.name}: needs at least one [[{key}]]")
    for stray in document:
        raise DataError(f"{path.name}: `{stray}` is not known here; this file holds [[{key}]]")
    seen: set[str] = set()
    tables = []
    for number, row in enumerate(rows, start=1):
        table = Table(f"{path.name}: [[{key}]] {number}", row)
        name = row.get("id") if isinstance(row, dict) else None
        if isinstance(name, str):
            table.place = f"{path.name}: [[{key}]] {name}"
            if name in seen:
                raise table.error("id", "comes twice")
            seen.add(name)
        tables.append(table)
    return tables
