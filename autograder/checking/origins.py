"""Where the figures in a lesson's data files come from, and when somebody looked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from autograder.checking.report import Finding
from autograder.model import Lesson
from autograder.project import Project

_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")


def undated_sources(project: Project, lesson: Lesson) -> Iterator[Finding]:
    """Tables with a `source` and no `looked_up`, in the .toml files of the lesson's modules."""
    if lesson.modules is None:
        return
    folder = project.root.joinpath(*lesson.modules.split("."))
    for file in sorted(folder.rglob("*.toml")):
        name = file.relative_to(project.root).as_posix()
        try:
            text = file.read_text(encoding="utf-8")
            tables = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            yield Finding(path=name, line=0, what=f"This is no TOML: {error}.", mend="Mend it.")
            continue
        used: list[int] = []
        for table in _tables(tables):
            line = _line(text, str(table["source"]), used)
            yield from _fault(name, line, table)


def _fault(path: str, line: int, table: dict[str, Any]) -> Iterator[Finding]:
    date = table.get("looked_up")
    if date is None:
        yield Finding(
            path=path,
            line=line,
            what="This source does not say when it was looked up.",
            mend='Add `looked_up = "YYYY-MM"`, or `our_choice = true` in its place.',
        )
    elif not _DATE.fullmatch(str(date)):
        yield Finding(
            path=path,
            line=line,
            what=f"{str(date)!r} is no month.",
            mend='Write `looked_up = "YYYY-MM"`.',
        )


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "source" in value:
            yield value
        for inner in value.values():
            yield from _tables(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _tables(inner)


def _line(text: str, source: str, used: list[int]) -> int:
    """The next line that holds this source; tables come in the order of the text."""
    for number, line in enumerate(text.split("\n"), start=1):
        if source in line and number not in used:
            used.append(number)
            return number
    return 0
