"""Stills: what stands for a widget where nothing runs, as stored outputs of the widget cells.

A code host and `jupyter nbconvert` show them; JupyterLab replaces one when its cell runs. Their
pixels depend on the machine's fonts and matplotlib, so each says in `metadata.course` what it was
drawn from, and only that, not the pixels, is compared later; see `pixels`. What was drawn before
from the same files comes from the user's cache; see `kept`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.editions import kept
from autograder.editions.figures import figure_of, figures_shown
from autograder.editions.stilldrawing import SAID
from autograder.errors import CourseError
from autograder.model import Lesson, Role
from autograder.nodes import NotebookNode, from_dict
from autograder.project import Project

_MODULE = "autograder.editions.stilldrawing"
_LIMIT_S = 240
# Another number when stills of the same figure come to look different.
_LOOK = 2
# Compiled code, and what a build itself writes: no figure is drawn from them.
_UNREAD = frozenset({".pyc", ".pyo", ".ipynb", ".qmd"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Still:
    """A picture: a PNG file, and what it shows in words."""

    png: bytes
    alt: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Stills:
    """The stills of a lesson.

    Attributes:
        pictures: Name of a figure -> its still.
        files: What they were drawn from: path below the project -> content.
    """

    pictures: Mapping[str, Still] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


def stills(project: Project, lesson: Lesson) -> Stills:
    """Draw the figures of a lesson's widget cells in the state that they open on.

    Raises:
        CourseError: A figure cannot be drawn.
    """
    names = figures_shown(project, lesson)
    if not names:
        return Stills()
    entry = kept.name_of("stills", repr((lesson.modules, tuple(names))), *_package(project, lesson))
    said = kept.recall(entry)
    if said is None:
        said = _said(project, lesson, names)
        # What the entry's name does not say may change without it.
        if not said["beside"] and not any(Path(one).suffix in _UNREAD for one in said["read"]):
            kept.keep(entry, said)
    pictures = {
        name: Still(png=base64.b64decode(said["pngs"][name]), alt=alt)
        for name, alt in said["alts"].items()
    }
    files = {name: (project.root / name).read_bytes() for name in said["read"]}
    return Stills(pictures=pictures, files=files)


def _package(project: Project, lesson: Lesson) -> Iterator[str | bytes]:
    """All that a figure may be drawn from: names and contents below the lesson's top package."""
    top = project.root / str(lesson.modules).partition(".")[0]
    for path in sorted(top.rglob("*")):
        if path.suffix not in _UNREAD and path.is_file():
            yield path.relative_to(top).as_posix()
            yield path.read_bytes()


def _said(project: Project, lesson: Lesson, names: Sequence[str]) -> dict[str, Any]:
    """Draw; what the drawing process said, and the pictures in base64."""
    with tempfile.TemporaryDirectory(prefix="course-stills-") as made:
        folder = Path(made)
        said = _drawn(project, lesson, folder, names)
        pngs = {name: (folder / f"{name}.png").read_bytes() for name in said["alts"]}
    return said | {"pngs": {name: base64.b64encode(png).decode() for name, png in pngs.items()}}


def put_stills(notebook: NotebookNode, drawn: Stills) -> None:
    """Give the widget cells of a notebook their stills, in place of any outputs."""
    for cell in notebook.cells:
        if cell.metadata["course"]["role"] != Role.WIDGET.value or cell.cell_type != "code":
            continue
        still = drawn.pictures.get(figure_of(cell.source) or "")
        cell.outputs = [] if still is None else [_output(still, _digest(drawn, cell.source))]


def _drawn(project: Project, lesson: Lesson, folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """Draw into a folder; what the drawing process said."""
    where = (str(project.root), str(lesson.modules), str(folder))
    try:
        # A process of its own: importing a lesson may set what matplotlib or Python share.
        done = subprocess.run(  # noqa: S603  # this Python, and names of the lesson
            [sys.executable, "-m", _MODULE, *where, *names],
            capture_output=True,
            timeout=_LIMIT_S,
            cwd=folder,
            env={**os.environ, "MPLBACKEND": "agg", "PYTHONIOENCODING": "utf-8:replace"},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CourseError(
            f"{lesson.path}: drawing the figures of {lesson.modules} took more than {_LIMIT_S} s. "
            "Make them cheaper to draw."
        ) from error
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CourseError(
            f"{lesson.path}: a figure of {lesson.modules} cannot be drawn: {last}. "
            f"Mend it, or look at `python -m {_MODULE}`."
        )
    said: dict[str, Any] = json.loads((folder / SAID).read_text(encoding="utf-8"))
    return said


def _digest(drawn: Stills, source: str) -> str:
    """SHA-256 of all that a still is drawn from; line ends do not count."""
    digest = hashlib.sha256(f"{_LOOK}\0{source}".encode())
    for name, data in sorted(drawn.files.items()):
        text = data.replace(b"\r\n", b"\n")
        digest.update(f"\0{name}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


def _output(still: Still, drawn_from: str) -> NotebookNode:
    # nbformat is typed in part only
    return from_dict(  # type: ignore[no-untyped-call,no-any-return]
        {
            "output_type": "display_data",
            "data": {
                "image/png": base64.b64encode(still.png).decode("ascii"),
                "text/plain": still.alt,
            },
            "metadata": {
                "course": {"drawn_from_sha256": drawn_from},
                "image/png": {"alt": still.alt},
            },
        }
    )
