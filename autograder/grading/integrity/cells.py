"""Cells of the master and of a submission, side by side in the same terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_BEGIN_HIDDEN = "### BEGIN HIDDEN TESTS"
_END_HIDDEN = "### END HIDDEN TESTS"
_FENCE = re.compile(r"`{3,}|~{3,}")
# Most texts of a submission are the master's: read once, they are known for the whole class.
_KNOWN_TEXTS = 1024
_KNOWN_CHARS = 10_000
_MARKS = ("grade_id", "grade", "solution", "locked", "task", "points")


@dataclass(frozen=True, kw_only=True, slots=True)
class MasterCell:
    """A cell of the source notebook.

    Attributes:
        role: metadata.course.role: prose, setup, code, exercise, tests, answer, widget, lab ...
        grade_id: Its nbgrader grade_id, None for prose.
        source: With the reference or the hidden tests.
        shown: What the student edition shows.
        marks: Its nbgrader metadata.
        exercise: For tests, the exercise they examine.
    """

    index: int
    id: str
    kind: str
    role: str
    grade_id: str | None
    source: str
    shown: str
    marks: Mapping[str, Any]
    exercise: str | None
    node: Any


@dataclass(frozen=True, kw_only=True, slots=True)
class SentCell:
    """A cell of a submission; nothing in it is believed."""

    index: int
    id: str
    kind: str
    source: str
    marks: Mapping[str, Any]
    attachments: Mapping[str, Any]

    @property
    def grade_id(self) -> str | None:
        """The grade_id that the cell claims."""
        claimed = self.marks.get("grade_id")
        return claimed if isinstance(claimed, str) else None


def master_cells(notebook: Any) -> tuple[MasterCell, ...]:
    """Read the cells of a source notebook."""
    cells: list[MasterCell] = []
    exercise = None
    for index, node in enumerate(notebook.cells):
        course = node.metadata.get("course", {})
        marks = node.metadata.get("nbgrader", {})
        role = course.get("role") or _role(node.cell_type, marks)
        if role == "exercise":
            exercise = marks["grade_id"]
        cells.append(
            MasterCell(
                index=index,
                id=node.id,
                kind=node.cell_type,
                role=role,
                grade_id=marks.get("grade_id"),
                source=node.source,
                shown=_shown(node.source, role, course.get("stub")),
                marks=marks,
                exercise=course.get("exercise", exercise) if role == "tests" else None,
                node=node,
            )
        )
    return tuple(cells)


def sent_cells(notebook: Any) -> tuple[SentCell, ...]:
    """Read the cells of a submission, as `reading` repaired it."""
    return tuple(
        SentCell(
            index=index,
            id=node.get("id", ""),
            kind=node.cell_type,
            source=node.source,
            marks=node.metadata.get("nbgrader", {}),
            attachments=node.get("attachments", {}),
        )
        for index, node in enumerate(notebook.cells)
    )


def normal(source: str) -> str:
    """Return a source as it is compared: LF, no trailing white space, no empty edge lines."""
    return (_known_normal if len(source) <= _KNOWN_CHARS else _normal)(source)


def _normal(source: str) -> str:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def code_of(cell: SentCell) -> str:
    """Return the code in a cell, also when it was retyped to a Markdown cell with a fence."""
    if cell.kind == "code":
        return cell.source
    lines = cell.source.strip().split("\n")
    fence = _FENCE.match(lines[0])
    closed = fence is not None and len(lines) > 1 and lines[-1].strip() == fence[0]
    return "\n".join(lines[1:-1]) if closed else cell.source


def lines_of(source: str) -> frozenset[str]:
    """Return a source's lines without their indentation, empty ones left out."""
    return (_known_lines if len(source) <= _KNOWN_CHARS else _lines)(source)


def _lines(source: str) -> frozenset[str]:
    return frozenset(line.strip() for line in source.split("\n") if line.strip())


def likeness(shown: frozenset[str], sent: frozenset[str]) -> float:
    """Return the share of the master's lines that a cell still has, 0 to 1."""
    return len(shown & sent) / len(shown) if shown else 0.0


def tampered(master: MasterCell, sent: SentCell) -> bool:
    """Tell whether a cell's nbgrader metadata is there and not the master's."""
    if not sent.marks:
        return False
    return any((sent.marks.get(k) or False) != (master.marks.get(k) or False) for k in _MARKS)


def _role(kind: str, marks: Mapping[str, Any]) -> str:
    """Return the role of a cell that a plain nbgrader source notebook has."""
    if marks.get("grade"):
        return "answer" if marks.get("solution") else "tests"
    if marks.get("solution"):
        return "exercise"
    return "code" if kind == "code" else "prose"


def _shown(source: str, role: str, stub: str | None) -> str:
    if role in {"exercise", "answer"} and stub is not None:
        return stub
    if role != "tests":
        return source
    kept, hidden = [], False
    for line in source.split("\n"):  # as nbgrader's ClearHiddenTests does it
        if _BEGIN_HIDDEN in line:
            hidden = True
        elif _END_HIDDEN in line:
            hidden = False
        elif not hidden:
            kept.append(line)
    return "\n".join(kept)


_known_normal = lru_cache(maxsize=_KNOWN_TEXTS)(_normal)
_known_lines = lru_cache(maxsize=_KNOWN_TEXTS)(_lines)
