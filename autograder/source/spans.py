"""Where a block of several lines ends: a fence, an HTML comment, a formula, an answer place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograder.source.lines import CELL, bare, closes_fence

# What an author leaves below an answer line for a learner to replace.
_PLACEHOLDER = re.compile(
    r"^\s*(?:"
    r"(?:>\s*)+(?:请?(?:在(?:此|这里|下方)|此处|这里).{0,30}|[（(][^（）()]{0,60}[)）])?"
    r"|(?:>\s*)*[*_]{0,2}[（(][^（）()]{0,60}[)）][*_]{0,2}"
    r"|(?:>\s*)*(?:[_…。.]{3,}|&nbsp;|<br\s*/?>|\\)"
    r")\s*$"
)


def fence_end(lines: Sequence[str], at: int, mark: str) -> int | None:
    """Index of the line that closes the fence opened at `at`, or None."""
    return next((n for n in range(at + 1, len(lines)) if closes_fence(lines[n], mark)), None)


def comment_end(lines: Sequence[str], at: int) -> int | None:
    """Index of the line in which the comment begun at `at` ends, or None."""
    return next((n for n in range(at, len(lines)) if "-->" in lines[n]), None)


def formula_end(lines: Sequence[str], at: int) -> int | None:
    """Index of the line that closes the `$$` of line `at`; None when a blank line comes first."""
    for number in range(at + 1, len(lines)):
        if not lines[number].strip():
            return None
        if "$$" in lines[number]:
            return number
    return None


def answer_place_end(lines: Sequence[str], at: int) -> int:
    """Index of the last line of an answer place: the answer line and its placeholder, if any."""
    end, at = at, at + 1
    while at < len(lines):
        if _PLACEHOLDER.match(bare(lines[at])):
            end = at
        elif lines[at].strip():
            break
        at += 1
    return end


def cell_within(mark: str, info: str, body: Sequence[str]) -> int | None:
    """Which line of a cell opens a cell, 0-based: the sign of a fence that was never closed.

    A longer fence around may hold it; None when there is no such line.
    """
    if not CELL.match(info.strip()) or info.startswith("{="):
        return None
    for number, line in enumerate(body):
        text = line.strip()
        rest = text.lstrip(mark[0])
        if len(text) - len(rest) >= len(mark) and CELL.match(rest.strip()):
            return number
    return None
