"""What a worker says while it runs a submission's cells, believed within bounds.

The worker is the learner's process and its frames may be forged: only the plan's own cells count,
each once, in known shapes, and all of it together is bounded, since the grader keeps it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from autograder.grading.outputs import size_of, well_formed
from autograder.grading.records import CellRun, Flag, Outcome, Plan, StepKind

MAX_CHARS = 64 * 2**20
"""Characters of outputs kept of one submission, pictures included; an honest worker sends less."""

_MOST_COUNT = 2**31
_MESSAGE_CHARS = 2_000
_STATUSES = frozenset({"ok", "error", Outcome.TIMEOUT.value, Outcome.CRASHED.value})
# What only the worker can see; the other flags are the grader's own findings.
_WORKERS = frozenset(
    {
        Flag.OUTPUT_TRUNCATED,
        Flag.TIMEOUT,
        Flag.MEMORY,
        Flag.CRASHED,
        Flag.NETWORK_ATTEMPT,
        Flag.READS_INPUT,
    }
)


class Transcript:
    """One worker's run.

    Args:
        plan: What it was told to run.

    Attributes:
        cells: What became of each cell.
        snapshots: The tests for which it says that it keeps a snapshot.
        flags: Of all its cells.
    """

    def __init__(self, plan: Plan) -> None:
        self._expected = {step.id for step in plan.steps if step.kind is StepKind.CELL}
        self._left = MAX_CHARS
        self.cells: dict[str, CellRun] = {}
        self.snapshots: set[str] = set()
        self.flags: set[Flag] = set()

    def note(self, event: Mapping[str, Any]) -> None:
        """Take one event; what is not of a known shape is nothing."""
        match event:
            case {"event": "cell", "id": str(cell), "status": str(status)} if (
                cell in self._expected and cell not in self.cells and status in _STATUSES
            ):
                self._cell(cell, status, event)
            case {"event": "test", "id": str(test)} if len(test) <= _MESSAGE_CHARS:
                self.snapshots.add(test)

    def _cell(self, cell: str, status: str, event: Mapping[str, Any]) -> None:
        flags = set(_flags(event.get("flags")))
        outputs = tuple(well_formed(event.get("outputs")))
        size = sum(map(size_of, outputs))
        if size > self._left:
            outputs, size = (), 0
            flags.add(Flag.OUTPUT_TRUNCATED)
        self._left -= size
        self.flags |= flags
        self.cells[cell] = CellRun(
            id=cell,
            status=status,
            outputs=outputs,
            execution_count=_count(event.get("execution_count")),
            error=_error(event.get("error")),
            flags=frozenset(flags),
        )


def _flags(names: Any) -> Iterable[Flag]:
    listed = names if isinstance(names, list) else ()
    return (flag for flag in _WORKERS if flag.value in listed)


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < _MOST_COUNT else None


def _error(error: Any) -> Mapping[str, Any] | None:
    """Name, message and line of what a cell raised."""
    match error:
        case {"name": str(name), "message": str(message)}:
            line = _count(error.get("line"))
            return {"name": name[:200], "message": message[:_MESSAGE_CHARS], "line": line}
    return None
