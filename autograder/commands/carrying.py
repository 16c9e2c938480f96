"""A learner's work carried over from an old edition of a lesson to a new one, by grade id."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.commands.notebook_file import (
    Cell,
    Notebook,
    learners_cells,
    source_of,
)

BLANK = "______"


@dataclass(frozen=True, kw_only=True, slots=True)
class Carried:
    """The new notebook with the learner's work in it.

    Attributes:
        notebook: With the new edition's outputs alone: cells have to be run again.
        answers: Grade ids whose work was carried over.
        own_cells: How many cells of the learner's own were.
        changed: Grade ids whose task is no longer the same: the old text stands below the new.
    """

    notebook: Notebook
    answers: tuple[str, ...]
    own_cells: int
    changed: tuple[str, ...]


def carried_over(own: Notebook, old: Notebook, new: Notebook) -> Carried:
    """Put a learner's work into a new edition.

    Args:
        own: The learner's notebook.
        old: The edition that it began as.
        new: The edition that the lesson is now.
    """
    notebook = copy.deepcopy(new)
    mine, stubs = learners_cells(own), learners_cells(old)
    answers, changed = [], []
    below: list[tuple[str, Cell]] = []
    for grade_id, cell in learners_cells(notebook).items():
        if grade_id not in mine:
            continue
        text = source_of(mine[grade_id])
        stub = source_of(stubs[grade_id]) if grade_id in stubs else ""
        if _plain(text) == _plain(stub):
            continue
        merged = _merged(text, stub, source_of(cell))
        answers.append(grade_id)
        if merged is None:
            changed.append(grade_id)
            below.append((str(cell.get("id")), _kept(grade_id, text)))
        else:
            cell["source"] = merged
            if mine[grade_id].get("attachments"):
                cell["attachments"] = copy.deepcopy(mine[grade_id]["attachments"])
    extra = _own_cells(own, old)
    _place(notebook, below + extra)
    return Carried(
        notebook=notebook, answers=tuple(answers), own_cells=len(extra), changed=tuple(changed)
    )


def _merged(text: str, stub: str, new_stub: str) -> str | None:
    """Return the learner's text for the new stub, None when it cannot be told how."""
    if _plain(stub) == _plain(new_stub):
        return text
    if BLANK not in stub:
        head = stub.rstrip()
        return new_stub.rstrip() + text[len(head) :] if text.startswith(head) else None
    fills = _fills(text, stub)
    pieces = new_stub.split(BLANK)
    if fills is None or len(fills) != len(pieces) - 1:
        return None
    return pieces[0] + "".join(fill + piece for fill, piece in zip(fills, pieces[1:], strict=True))


def _fills(text: str, stub: str) -> Sequence[str] | None:
    """Return what stands in the stub's blanks, None when something else was changed, too."""
    pattern = "(.+?)".join(re.escape(piece) for piece in stub.split(BLANK))
    match = re.fullmatch(pattern, text, re.DOTALL)
    return match.groups() if match else None


def _own_cells(own: Notebook, old: Notebook) -> list[tuple[str, Cell]]:
    """Return the learner's own cells and typed-in texts, each with the cell id it stands below."""
    known = {str(cell.get("id")): cell for cell in old["cells"]}
    above, found = "", []
    for cell in own["cells"]:
        name, text = str(cell.get("id")), source_of(cell)
        if name not in known:
            if text.strip():
                found.append((above, _fresh(cell)))
            continue
        above = name
        pristine = source_of(known[name])
        if cell.get("cell_type") == "markdown" and name not in _graded(own):
            typed = text[len(pristine.rstrip()) :] if text.startswith(pristine.rstrip()) else ""
            if typed.strip():
                kept = {**copy.deepcopy(cell), "id": f"{name}-mine", "source": typed.strip()}
                found.append((name, _fresh(kept)))
    return found


def _graded(notebook: Notebook) -> set[str]:
    return {str(cell.get("id")) for cell in learners_cells(notebook).values()}


def _place(notebook: Notebook, extra: Sequence[tuple[str, Cell]]) -> None:
    """Insert cells below those they stood below; at the end where those are gone."""
    cells = notebook["cells"]
    used = {str(cell.get("id")) for cell in cells}
    followers: dict[str, list[Cell]] = {}
    for above, cell in extra:
        while str(cell.get("id")) in used:
            cell["id"] = f"{cell.get('id')}-2"
        used.add(str(cell["id"]))
        followers.setdefault(above, []).append(cell)
    placed: list[Cell] = followers.pop("", [])
    for cell in cells:
        placed += [cell, *followers.pop(str(cell.get("id")), [])]
    notebook["cells"] = placed + [cell for rest in followers.values() for cell in rest]


def _kept(grade_id: str, text: str) -> Cell:
    """Return a Markdown cell that shows the learner's old text, run by nobody."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    source = f"{grade_id}:\n\n{fence}\n{text}\n{fence}"
    return {"cell_type": "markdown", "id": f"{grade_id}-old", "metadata": {}, "source": source}


def _fresh(cell: Cell) -> Cell:
    """Return a copy of a learner's own cell, without outputs and without claims to be graded."""
    made = copy.deepcopy(cell)
    made["metadata"] = {}
    if made.get("cell_type") == "code":
        made |= {"outputs": [], "execution_count": None}
    return made


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()
