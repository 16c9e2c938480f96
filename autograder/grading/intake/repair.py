"""A notebook of any version made a valid nbformat 4.5 one, where the repair is certain.

Kept: each cell's type, source, id, nbgrader metadata and pasted pictures. Left out: outputs
(grading runs the code itself), execution counts, widget state and all other metadata; grading reads
none of them, and they are where damaged notebooks are damaged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import nbformat

MAX_CELLS = 5_000
"""Cells of a notebook; a course notebook has under a hundred."""

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TYPES = {"code", "markdown", "raw"}
_OLD_SOURCES = {"code": "input"}
_OLD_TYPES = {"heading": "markdown", "html": "markdown"}


class DamagedError(Exception):
    """No certain repair.

    Attributes:
        key: Which sentence says so (autograder.grading.phrases).
        values: What stands in it.
    """

    def __init__(self, key: str, **values: object) -> None:
        self.key = key
        self.values = values
        super().__init__(key)


def repaired(document: object) -> Any:
    """Return a valid nbformat 4.5 NotebookNode for a parsed notebook document.

    Cell ids are kept, also where their nbformat (4.0 to 4.4) has none. An id that is missing,
    invalid or taken by an earlier cell is made from the cell's number.

    Raises:
        DamagedError: It is no notebook, or which cell cannot be repaired.
    """
    cells = _cells(document)
    if len(cells) > MAX_CELLS:
        raise DamagedError("too-many-cells", count=len(cells), cap=MAX_CELLS)
    wanted = [cell.get("id") if isinstance(cell, dict) else None for cell in cells]
    ids = _unique(wanted)
    return node(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {},
            "cells": [_cell(at, cell, ids[at - 1]) for at, cell in enumerate(cells, start=1)],
        }
    )


def node(value: Any) -> Any:
    """Return plain data as nbformat's NotebookNode; what is one already is shared, not copied.

    nbformat's own `from_dict` copies that too, and calls itself for every text: 0.5 ms a
    submission more.
    """
    if isinstance(value, dict) and not isinstance(value, nbformat.NotebookNode):
        items = {key: node(v) if isinstance(v, dict | list) else v for key, v in value.items()}
        return nbformat.NotebookNode(items)  # type: ignore[no-untyped-call]  # it has no types
    return [node(item) for item in value] if isinstance(value, list) else value


def new_cell(kind: str, cell_id: str, source: str) -> dict[str, Any]:
    """Return a cell of nbformat 4.5 without outputs, as plain data."""
    cell: dict[str, Any] = {"cell_type": kind, "id": cell_id, "metadata": {}, "source": source}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _cells(document: object) -> Sequence[object]:
    if not isinstance(document, dict):
        raise DamagedError("not-notebook")
    version = document.get("nbformat")
    if isinstance(version, int) and not 1 <= version <= nbformat.current_nbformat:
        raise DamagedError("future-format", version=version)
    cells = document.get("cells")
    if isinstance(cells, list):
        return cells
    sheets = document.get("worksheets")  # nbformat 2 and 3
    if not isinstance(sheets, list):
        raise DamagedError("not-notebook")
    lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    return [cell for found in lists if isinstance(found, list) for cell in found]


def _cell(number: int, cell: object, cell_id: str) -> dict[str, Any]:
    if not isinstance(cell, dict):
        raise DamagedError("bad-cell", number=number, what=type(cell).__name__)
    kind = cell.get("cell_type")
    if not isinstance(kind, str):
        raise DamagedError("bad-cell", number=number, what="cell_type")
    source = _text(cell.get("source", cell.get(_OLD_SOURCES.get(kind, ""), "")))
    if source is None:
        raise DamagedError("bad-cell", number=number, what="source")
    if kind == "heading":
        level = cell.get("level")
        level = level if isinstance(level, int) and 1 <= level <= 6 else 1  # noqa: PLR2004  # h1-h6
        source = "#" * level + " " + " ".join(source.split("\n"))
    kind = _OLD_TYPES.get(kind, kind)
    made = new_cell(kind if kind in _TYPES else "raw", cell_id, source)
    metadata = cell.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("nbgrader"), dict):
        made["metadata"]["nbgrader"] = _scalars(metadata["nbgrader"])
    pictures = _attachments(cell.get("attachments"))
    if pictures and made["cell_type"] != "code":
        made["attachments"] = pictures
    return made


def _text(source: object) -> str | None:
    if source is None:
        return ""
    if isinstance(source, str):
        return source
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        return "".join(source)
    return None


def _scalars(metadata: Mapping[object, object]) -> dict[str, object]:
    return {
        key: value
        for key, value in metadata.items()
        if isinstance(key, str) and isinstance(value, str | int | float | bool | None)
    }


def _attachments(attachments: object) -> dict[str, dict[str, str]]:
    """Return pictures pasted into a cell: name -> type -> base64."""
    if not isinstance(attachments, dict):
        return {}
    found: dict[str, dict[str, str]] = {}
    for name, bundle in attachments.items():
        if isinstance(name, str) and isinstance(bundle, dict):
            texts = {kind: _text(data) for kind, data in bundle.items() if isinstance(kind, str)}
            found[name] = {kind: text for kind, text in texts.items() if text}
    return found


def _unique(wanted: Sequence[object]) -> list[str]:
    valid = [name if isinstance(name, str) and _ID.fullmatch(name) else None for name in wanted]
    taken = {name for name in valid if name}
    used: set[str] = set()
    ids = []
    for number, name in enumerate(valid, start=1):
        chosen, extra = name, 0
        while chosen is None or chosen in used or (chosen != name and chosen in taken):
            extra += 1
            chosen = f"cell-{number}" if extra == 1 else f"cell-{number}-{extra}"
        used.add(chosen)
        ids.append(chosen)
    return ids
