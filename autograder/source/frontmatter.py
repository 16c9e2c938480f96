"""The YAML at the top of a source: where it ends and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import yaml

from autograder.source.faults import Faults
from autograder.source.lines import bare


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A front matter: the number of lines it takes and its table."""

    lines: int
    data: dict[str, object] = field(default_factory=dict)


def find_front_matter(lines: Sequence[str], faults: Faults) -> Found | None:
    """The front matter that a source begins with, or None."""
    if not lines or bare(lines[0]).removeprefix("\ufeff").rstrip() != "---":
        return None
    if not "".join(lines[1:2]).strip():
        return None  # a horizontal rule
    for number, line in enumerate(lines[1:], start=1):
        if bare(line).rstrip() in {"---", "..."}:
            return Found(lines=number + 1, data=_table("".join(lines[1:number]), faults))
    faults.broken(1, "The front matter is never closed.", "Add a line `---` where the YAML ends.")
    return None


def _table(inner: str, faults: Faults) -> dict[str, object]:
    try:
        data = yaml.safe_load(inner)
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "a character or value is not allowed"
        faults.add(
            2 + (mark.line if mark else 0),
            f"The front matter is not valid YAML: {problem}.",
            "Quote values that hold a colon, and indent with spaces.",
        )
        return {}
    if data is not None and not isinstance(data, dict):
        faults.add(2, "The front matter is not a table.", "Write `name: value` lines.")
    return data if isinstance(data, dict) else {}
