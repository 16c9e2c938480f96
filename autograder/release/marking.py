"""The secrets of a lesson's tables: what the rubric tells markers, and the sample hand-ins."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from autograder.errors import CourseError
from autograder.model import Lesson
from autograder.release.secrets import (
    Secret,
    code_secrets,
    fill_secrets,
    known_names,
    prose_secrets,
)

# The keys of a rubric that learners may read; whatever else it holds is for markers only.
# `prompts` are other wordings of a question, which gives nothing away.
_OPEN_RUBRIC = frozenset(
    {"lesson", "lang", "pass", "criteria", "parts", "public", "prompts", "id", "graded"}
)
_PROSE_SAMPLE_KEYS = frozenset({"about", "answers"})


def table_secrets(path: str, text: str, lesson: Lesson) -> Iterator[Secret]:
    """The secrets of a rubric.toml, a samples.toml or another table beside a lesson's source.

    Raises:
        CourseError: It is not TOML.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path}: not valid TOML: {error}. Mend the file.") from error
    if path.endswith("/samples.toml"):
        yield from _of_samples(table, text, path, lesson)
        return
    for value in _strings(table, without=_OPEN_RUBRIC):
        yield from prose_secrets(value, path, line_of(value, text))


def _of_samples(table: Mapping[str, Any], text: str, path: str, lesson: Lesson) -> Iterator[Secret]:
    known = known_names(lesson)
    for sample in table.get("samples", ()):
        for key, value in sample.items():
            if key == "fill":
                for exercise, parts in value.items():
                    line = line_of(parts[0], text) if parts else 1
                    yield from fill_secrets(lesson, exercise, parts, path, line)
            elif key in _PROSE_SAMPLE_KEYS:
                for one in _strings(value):
                    yield from prose_secrets(one, path, line_of(one, text))
            elif key != "student":
                for one in _strings(value):
                    yield from code_secrets(one, known, path, line_of(one, text))


def line_of(value: str, text: str) -> int:
    """The 1-based line in `text` of what a value begins with; 1 when it is written otherwise."""
    row = next((row.strip() for row in value.split("\n") if row.strip()), "")
    place = text.find(row) if row else -1
    return text.count("\n", 0, place) + 1 if place >= 0 else 1


def _strings(value: object, without: frozenset[str] = frozenset()) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in without:
                yield from _strings(inner, without)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, without)
