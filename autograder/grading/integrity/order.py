"""The order in which a submission's cells and the master's tests run.

A test runs at its own place or, if that is above its answer or gone, right after the last present
one of the master's cells before it. A cell of the master's that is gone stands at the same place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from autograder.grading.integrity.cells import MasterCell

Key = tuple[int, int, int]
"""(index in the submission that it stands at, 1 when right after it, index in the master)."""

# Moving these changes nothing that is graded.
_LOOSE = {"prose", "widget", "lab", "predict", "hint"}


def places(master: Sequence[MasterCell], homes: Mapping[int, int]) -> dict[int, Key]:
    """Return where each of the master's cells stands: index in the master -> sorting key."""
    found: dict[int, Key] = {}
    exercises: dict[str, int] = {}
    for cell in master:
        own = homes.get(cell.index)
        answer = exercises.get(cell.exercise or "", -1)
        if own is not None and own < answer:
            own = None
        if own is None:
            above = found[cell.index - 1][0] if cell.index else -1
            found[cell.index] = (max(above, answer), 1, cell.index)
        else:
            found[cell.index] = (own, 0, cell.index)
        if cell.role == "exercise":
            exercises[cell.grade_id or cell.id] = found[cell.index][0]
    return found


def moved(master: Sequence[MasterCell], homes: Mapping[int, int]) -> bool:
    """Tell whether a graded or read-only cell stands above one that it should stand below."""
    found = [homes[c.index] for c in master if c.role not in _LOOSE and c.index in homes]
    return any(later < earlier for earlier, later in pairwise(found))
