"""A learner's notebook file as plain JSON: what it holds, cell by cell.

The base install has no nbformat of its own to rely on, and none is needed: a cell has an id, a
source that is a string or a list of strings, and nbgrader's metadata.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

Notebook = dict[str, Any]
Cell = dict[str, Any]


class NoNotebookError(Exception):
    """The bytes are no notebook."""


def parsed(data: bytes) -> Notebook:
    """Return the notebook that the bytes hold.

    Raises:
        NoNotebookError: They hold none of nbformat 4.
    """
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise NoNotebookError from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or any(not isinstance(cell, dict) for cell in cells):
        raise NoNotebookError
    return dict(notebook)


def source_of(cell: Cell) -> str:
    """Return a cell's text."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(map(str, source))


def grading_of(cell: Cell) -> dict[str, Any]:
    """Return a cell's nbgrader metadata, {} without."""
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return marks if isinstance(marks, dict) else {}


def about(notebook: Notebook) -> dict[str, Any]:
    """Return what the course wrote into a notebook's metadata, {} when nothing is there."""
    metadata = notebook.get("metadata")
    course = metadata.get("course") if isinstance(metadata, dict) else None
    return course if isinstance(course, dict) else {}


def role_of(cell: Cell) -> str:
    """Return what the course says a cell is for, "" for the learner's own."""
    return str(about(cell).get("role", ""))


def learners_cells(notebook: Notebook) -> dict[str, Cell]:
    """Return the cells that a learner writes in, by grade id, in their order."""
    return {
        str(grading_of(cell)["grade_id"]): cell
        for cell in notebook["cells"]
        if grading_of(cell).get("solution") and grading_of(cell).get("grade_id")
    }


def dumped(notebook: Notebook) -> bytes:
    """Return a notebook as JupyterLab writes it."""
    return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def digest(data: bytes) -> str:
    """Return the SHA-256 of the bytes, in hex."""
    return hashlib.sha256(data).hexdigest()
