"""The lines that fence hidden tests, and the misspelt ones that would let them out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from autograder.model import Block, Cell, FrontMatter, Role
from autograder.source.faults import Faults

BEGIN = "### BEGIN HIDDEN TESTS"
END = "### END HIDDEN TESTS"
_FOREIGN = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN MARK SCHEME", "END MARK SCHEME")
_OURS = ("BEGIN HIDDEN TESTS", "END HIDDEN TESTS")
_WORDS = re.compile(r"^[\s#/%<!>*=-]*(.*?)[\s#/%<!>*:.=-]*$")
_CLOSE = 0.84


def public_part(source: str) -> str:
    """The source of a tests cell without its hidden regions."""
    return "\n".join(line for line, hidden in regions(source) if not hidden)


def hidden_lines(source: str) -> list[str]:
    """The lines within hidden regions, markers left out."""
    marks = {BEGIN, END}
    return [line for line, hidden in regions(source) if hidden and line.strip() not in marks]


def regions(source: str) -> Iterator[tuple[str, bool]]:
    """Each line with whether it is hidden; the marker lines count as hidden."""
    hidden = False
    for line in source.split("\n"):
        text = line.strip()
        if text == BEGIN:
            hidden = True
        yield line, hidden or text == END
        if text == END:
            hidden = False


def check_markers(block: Block, faults: Faults) -> None:
    """Find unpaired, misplaced, misspelt and foreign markers in a block."""
    if isinstance(block, FrontMatter):
        return
    tests = isinstance(block, Cell) and block.role is Role.TESTS
    opened: int | None = None
    for number, raw in enumerate(block.text.split("\n"), start=block.line):
        line = raw.strip()
        if line not in {BEGIN, END}:
            _refuse_lookalike(line, number, faults)
        elif not tests:
            faults.add(
                number,
                f"`{line}` stands outside a tests cell.",
                "Move it into a cell with `#| course_role: tests`.",
            )
        elif line == BEGIN:
            if opened is not None:
                faults.add(number, f"`{BEGIN}` within a hidden region.", f"Add `{END}` before it.")
            opened = number
        elif opened is None:
            faults.add(number, f"`{END}` without a beginning.", f"Add `{BEGIN}` above it.")
        else:
            opened = None
    if opened is not None:
        faults.add(opened, f"`{BEGIN}` without an end.", f"Add `{END}` below it.")


def _refuse_lookalike(line: str, number: int, faults: Faults) -> None:
    if len(line) > 80:  # noqa: PLR2004  # a marker is a short line; spares a slow comparison
        if any(mark in line for mark in (*_OURS, *_FOREIGN)):
            _add(line[:40] + "...", BEGIN, number, faults)
        return
    found = _WORDS.match(line)
    words = found[1] if found else line
    meant = next((mark for mark in (*_OURS, *_FOREIGN) if mark in line), None)
    if meant is None and line[:1] in {"#", "<", "B", "E", "b", "e", "/", "%"}:
        meant = _closest(words)
    if meant in _FOREIGN:
        faults.add(
            number,
            f"`{line}` is or resembles nbgrader's marker {meant!r}, which hides nothing here.",
            "Put the answer into a cell with `#| course_role: solution` in an answer block.",
        )
    elif meant is not None:
        _add(line, f"### {meant}", number, faults)


def _add(line: str, meant: str, number: int, faults: Faults) -> None:
    faults.add(number, f"`{line}` is no marker and hides nothing.", f"Did you mean `{meant}`?")


def _closest(words: str) -> str | None:
    upper = re.sub(r"[\s_-]+", " ", words.upper())
    best, ratio = None, _CLOSE
    for mark in (*_OURS, *_FOREIGN):
        if abs(len(mark) - len(upper)) > 4:  # noqa: PLR2004  # cannot reach the ratio
            continue
        score = SequenceMatcher(None, upper, mark).ratio()
        if score >= ratio:
            best, ratio = mark, score
    return best
