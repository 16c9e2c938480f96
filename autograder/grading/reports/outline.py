"""Titles of a lesson's questions, from the headings of its source notebook."""

from __future__ import annotations

import re
from typing import Any

_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*")
_ATTRIBUTES = re.compile(r"\s*\{[^{}]*\}$")
_FENCE = re.compile(r"\s*(```|~~~)")


def titles_of(master: Any) -> dict[str, str]:
    """The heading above each answer cell: grade_id -> plain text."""
    titles: dict[str, str] = {}
    title = None
    for cell in master.cells:
        if cell.cell_type == "markdown":
            title = _last_heading(cell.source) or title
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution") and title is not None:
            titles[marks["grade_id"]] = title
    return titles


def _last_heading(markdown: str) -> str | None:
    found, fenced = None, False
    for line in markdown.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (match := _HEADING.fullmatch(line.strip())):
            found = _ATTRIBUTES.sub("", match[1]).replace("`", "").replace("**", "")
    return found
