"""One table of a rubric.toml: its keys, taken one by one and checked."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from autograder.errors import CourseError

_Made = TypeVar("_Made")


class RubricError(CourseError):
    """A rubric's key is missing, unknown or of another kind."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A TOML table being read.

    Attributes:
        path: The file, as the user knows it.
        name: As its head has it, e.g. `[[questions.links]]`; empty for the whole file.
        values: Its keys.
        taken: Those that were asked for: any other is unknown.
    """

    path: str
    name: str
    values: Mapping[str, Any]
    taken: set[str] = field(default_factory=set)

    def error(self, place: str, what: str, mend: str) -> RubricError:
        """An error that reads `path:[[table]] key: what. How to mend it`."""
        return RubricError(f"{self.path}:{place}: {what} {mend}")

    def text(self, key: str, default: str | None = None) -> str:
        """A text; `default` when the key is absent, and required without one."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise self._kind(key, "a text in quotation marks")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, empty when the key is absent; one text is a list of one."""
        value = self._value(key, [])
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self._kind(key, "a list of texts")
        return tuple(found)

    def one_of(self, key: str, choices: tuple[str, ...]) -> str:
        """A text out of a closed list, the first one when the key is absent."""
        value = self.text(key, choices[0])
        if value not in choices:
            raise self._kind(key, f"one of {', '.join(choices)}")
        return value

    def truth(self, key: str, *, default: bool | None = None) -> bool:
        """A truth value, required without a default."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self._kind(key, "true or false")
        return value

    def whole(self, key: str) -> int:
        """A count, 0 when the key is absent."""
        value = self._value(key, 0)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._kind(key, "a whole number")
        return value

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        above: float | None = None,
        below: float = 1e6,
    ) -> float:
        """A number from 0 to `below` and not `above` itself; required without a default."""
        value = self._value(key, default)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._kind(key, "a number")
        if not 0 <= value <= below or value == above:
            raise self._kind(key, "a number that makes sense here")
        return float(value)

    def number_or_none(self, key: str) -> float | None:
        """A number; None when the key is absent."""
        self.taken.add(key)
        return self.number(key) if key in self.values else None

    def inner(self, key: str) -> Table:
        """The table `[key]`, empty when absent."""
        self.taken.add(key)
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self._kind(key, "a table")
        name = self.name.strip("[]")
        return Table(path=self.path, name=f"[{name}.{key}]" if name else f"[{key}]", values=value)

    def done(self, made: _Made) -> _Made:
        """What was made of the table, once every key of it is known."""
        self.nothing_else()
        return made

    def nothing_else(self) -> None:
        """Refuse keys that nothing asked for.

        Raises:
            RubricError: There is one.
        """
        for key in self.values:
            if key in self.taken:
                continue
            near = difflib.get_close_matches(key, self.taken, 1)
            mend = f"Did you mean {near[0]!r}?" if near else "Delete it."
            raise self.error(self._place(key), "No such key is known.", mend)

    def _value(self, key: str, default: object) -> object:
        self.taken.add(key)
        if key not in self.values and default is None:
            raise self.error(self._place(key), "This key is missing.", "Add it.")
        value: object = self.values.get(key, default)
        return value

    def _kind(self, key: str, wanted: str) -> RubricError:
        what = f"This is {self.values.get(key)!r}."
        return self.error(self._place(key), what, f"Write {wanted}.")

    def _place(self, key: str) -> str:
        owner = self.values.get("id")
        where = f" of {owner!r}" if isinstance(owner, str) and key != "id" else ""
        return f"{self.name} {key}{where}".strip()


def tables(outer: Table, key: str) -> Iterator[Table]:
    """The tables `[[key]]` of a table, none when absent."""
    outer.taken.add(key)
    found = outer.values.get(key, [])
    prefix = outer.name.strip("[]")
    name = f"[[{prefix}.{key}]]" if prefix else f"[[{key}]]"
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise outer.error(name, "This is no list of tables.", f"Begin each with {name}.")
    for one in found:
        yield Table(path=outer.path, name=name, values=one)
