"""The `#|` (Python) and `%%|` (mermaid) option lines at the top of a cell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import yaml

from autograder.source.faults import Faults
from autograder.source.known import CELL_OPTIONS, OWN_OPTIONS

_ALIASES = {"role": "course_role", "id": "label", "score": "points"}
_ROLE = re.compile(r"^\s*#[\s|#]*course[_ -]?role\s*[:=]", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """A cell's options and the number of lines they took."""

    values: Mapping[str, Any] = field(default_factory=dict)
    lines: int = 0


def split_options(body: Sequence[str], mark: str, line: int, faults: Faults) -> Options:
    """Read the option lines that `body` begins with.

    Args:
        body: The cell's lines without line ends and fence indentation.
        mark: `#|` or `%%|`.
        line: 1-based source line of the first of them.
        faults: Takes bad YAML and misspelt options.
    """
    count = 0
    while count < len(body) and body[count].startswith(mark):
        count += 1
    _refuse_stray(body, count, mark, line, faults)
    text = "\n".join(one[len(mark) :].removeprefix(" ") for one in body[:count])
    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:
        _bad_yaml(error, line, faults)
        values = None
    if values is not None and not isinstance(values, dict):
        faults.add(
            line,
            f"The `{mark}` lines are not `name: value` options.",
            f"Write each as `{mark} name: value`.",
        )
        values = None
    named = {str(key): value for key, value in (values or {}).items()}
    _refuse_misspelt(named, body, mark, line, faults)
    return Options(values=named, lines=count)


def _bad_yaml(error: Exception, line: int, faults: Faults) -> None:
    mark = getattr(error, "problem_mark", None)
    offset = mark.line if mark is not None else 0
    problem = getattr(error, "problem", None) or "a value is not valid"
    faults.add(
        line + offset,
        f"The options are not valid YAML: {problem}.",
        "Quote values that hold a colon, and indent with spaces.",
    )


def _refuse_stray(body: Sequence[str], count: int, mark: str, line: int, faults: Faults) -> None:
    for number, one in enumerate(body[count:], start=count):
        option = re.match(re.escape(mark) + r"\s*([\w-]+)\s*:", one.lstrip())
        ours = _ROLE.match(one) or (option and (option[1] in OWN_OPTIONS or _meant(option[1])))
        if not option and not ours:
            continue
        note = faults.add if ours else faults.warn
        note(
            line + number,
            "This line is a mere comment and no option of the cell.",
            f"Write `{mark} name: value` at the top, with nothing before it.",
        )


def _refuse_misspelt(
    values: Mapping[str, Any], body: Sequence[str], mark: str, line: int, faults: Faults
) -> None:
    for key in values:
        meant = _meant(key)
        if meant is None:
            continue
        place = next((n for n, one in enumerate(body) if key in one), 0)
        faults.add(
            line + place, f"There is no cell option {key!r}.", f"Did you mean `{mark} {meant}:`?"
        )


def _meant(key: str) -> str | None:
    if key in CELL_OPTIONS:
        return None
    if key.lower() in _ALIASES:
        return _ALIASES[key.lower()]
    close = get_close_matches(key.lower().replace("-", "_"), OWN_OPTIONS, n=1, cutoff=0.78)
    return close[0] if close else None
