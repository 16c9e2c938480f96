"""What reading a submission shows that a person should look at: its flags."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.grading.integrity.cells import MasterCell, SentCell, normal, tampered
from autograder.grading.integrity.matching import Matching
from autograder.grading.integrity.names import bound_names, rebound
from autograder.grading.integrity.order import moved
from autograder.grading.records import Flag

_UNSEEN = {"prose", "widget", "lab", "predict", "hint"}  # their loss or change costs nothing


def found(
    master: Sequence[MasterCell], sent: Sequence[SentCell], matching: Matching
) -> frozenset[Flag]:
    """Return the flags of a submission, those of its fills included."""
    flags = _own_cells(master, sent, matching)
    for cell in master:
        home = matching.homes.get(cell.index)
        flags |= _of_cell(cell, None if home is None else sent[home])
    for choice in matching.choices.values():
        flags |= choice.flags | choice.fill.flags
    if moved(master, matching.homes):
        flags.add(Flag.MOVED_CELL)
    return frozenset(flags)


def _of_cell(cell: MasterCell, home: SentCell | None) -> set[Flag]:
    """Compare a cell with what stands in its place."""
    if home is None:
        return set() if cell.role in _UNSEEN else {Flag.MISSING_CELL}
    flags = set()
    if tampered(cell, home):
        flags.add(Flag.FOREIGN_METADATA)
    if home.kind != cell.kind and cell.role != "prose":
        flags.add(Flag.RETYPED_CELL)
    if normal(home.source) != normal(cell.shown):
        if cell.role == "tests":
            flags.add(Flag.EDITED_TEST)
        elif cell.role not in {*_UNSEEN, "exercise", "answer"}:
            flags.add(Flag.EDITED_OUTSIDE_BLANK)
    return flags


def _own_cells(
    master: Sequence[MasterCell], sent: Sequence[SentCell], matching: Matching
) -> set[Flag]:
    """Look for copies, forged ids and the exercise's name among the cells that are no home."""
    names = frozenset[str]().union(
        *(bound_names(cell.shown) for cell in master if cell.role == "exercise")
    )
    known = {cell.grade_id for cell in master if cell.grade_id}
    homes = set(matching.homes.values())
    homes.update(*(choice.rest for choice in matching.choices.values()))
    flags = {Flag.DUPLICATE_CELL} if matching.copies else set()
    for cell in sent:
        if cell.index in homes:
            continue
        copied = cell.index in matching.copies
        if cell.marks and not (copied and cell.grade_id in known):
            flags.add(Flag.FOREIGN_METADATA)
    added = (c for c in sent if c.kind == "code" and c.index not in homes | set(matching.copies))
    if rebound(added, names):
        flags.add(Flag.EDITED_OUTSIDE_BLANK)
    return flags
