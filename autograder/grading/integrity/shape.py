"""The graded notebook: a submission in the master's shape, for `autograded/`.

Each cell of the master's is there exactly once, with the master's metadata and the checksum that
nbgrader expects there (of the cell as released: an untouched answer has it). Solution cells hold
the learner's text, the others the master's. The learner's own cells stand where they stood, without
metadata. There are no outputs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.grading.intake.repair import new_cell, node
from autograder.grading.integrity.cells import MasterCell, SentCell


@dataclass(frozen=True, kw_only=True, slots=True)
class Slot:
    """A cell of the graded notebook.

    Attributes:
        id: Unique in the notebook.
        cell: The master's cell, or the learner's own.
        source: Its text there.
        attachments: Pictures of the learner's in it.
    """

    id: str
    cell: MasterCell | SentCell
    source: str
    attachments: Mapping[str, Any] = field(default_factory=dict)


def shaped(master: Any, slots: Sequence[Slot]) -> Any:
    """Return the graded notebook (nbformat 4.5) with its cells in the given order.

    Its metadata are the master's own, not copies.
    """
    metadata = {k: v for k, v in master.metadata.items() if k != "widgets"}
    return node(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": metadata,
            "cells": [_cell(slot) for slot in slots],
        }
    )


def _cell(slot: Slot) -> dict[str, Any]:
    made = new_cell(slot.cell.kind, slot.id, slot.source)
    attachments = slot.attachments
    if isinstance(slot.cell, MasterCell):
        metadata = made["metadata"] = slot.cell.node.metadata
        if slot.cell.marks:
            marks = {**metadata["nbgrader"], "checksum": _checksum(slot.cell)}
            made["metadata"] = {**metadata, "nbgrader": marks}
        attachments = {**slot.cell.node.get("attachments", {}), **attachments}
    if attachments and made["cell_type"] != "code":
        made["attachments"] = dict(attachments)
    return made


def _checksum(cell: MasterCell) -> str:
    """Return nbgrader's checksum of a cell before its hidden tests are taken out.

    As nbgrader.utils.compute_checksum has it, whose import takes longer than a submission.
    """
    marks = cell.marks
    grade, solution = marks.get("grade", False), marks.get("solution", False)
    locked = False if solution else True if grade else marks.get("locked", False)
    parts = [cell.source if cell.role == "tests" else cell.shown, cell.kind]
    parts += [str(grade), str(solution), str(locked), marks["grade_id"]]
    if grade:
        parts.append(str(float(marks["points"])))
    return hashlib.md5("".join(parts).encode(), usedforsecurity=False).hexdigest()
