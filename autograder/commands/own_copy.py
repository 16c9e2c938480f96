"""The learner's own copy of a notebook under work/, which a new edition never overwrites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autograder.commands.carrying import Carried, carried_over
from autograder.commands.notebook_file import (
    NoNotebookError,
    Notebook,
    dumped,
    parsed,
)
from autograder.errors import CourseError
from autograder.wholefile import replace_file


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnCopy:
    """The learner's file, and what was done to it, in both languages.

    Attributes:
        path: The file to open.
        said: One sentence each for what the learner should know; empty when nothing changed.
    """

    path: Path
    said: tuple[str, str] | None = None


def own_copy(released: Path, own: Path, *, today: datetime) -> OwnCopy:
    """Make or bring up to date the learner's copy of a notebook.

    A hidden file beside it keeps the edition that it began as. When the lesson's edition is
    another one, the learner's work is carried over to a new copy and the old one kept.

    Args:
        released: The lesson's notebook as it is now.
        own: Where the learner's copy is or will be.
        today: For the name of the old copy.

    Raises:
        CourseError: A file cannot be read or written.
    """
    try:
        return _own_copy(released, own, today)
    except OSError as error:
        raise CourseError(
            f"{error.filename or own}: cannot be read or written ({error.strerror}). "
            "Make the folder writable, or move the course to a shorter path."
        ) from error


def _own_copy(released: Path, own: Path, today: datetime) -> OwnCopy:
    new = released.read_bytes()
    record = own.with_name(f".{own.stem}.released.ipynb")
    if not own.exists():
        replace_file(record, new)
        replace_file(own, new)
        return OwnCopy(path=own)
    began_as = record.read_bytes() if record.is_file() else None
    if began_as is not None and _without_outputs(began_as) == _without_outputs(new):
        return OwnCopy(path=own)  # at most a figure's picture changed: running the cell shows it
    mine = own.read_bytes()
    if mine in {began_as, new}:
        replace_file(own, new)
        replace_file(record, new)
        name = own.name
        return OwnCopy(
            path=own,
            said=(f"课程更新了，{name} 里还没有你写的内容，已换成新版。",
                  f"The lesson changed; nothing of yours was in {name}, so it is the new one now."),
        ) if mine != new else OwnCopy(path=own)  # fmt: skip
    kept = _dated(own, today)
    copy = _renewed(own, kept, began_as or new, new)
    replace_file(record, new)
    return copy


def _without_outputs(edition: bytes) -> Notebook | bytes:
    try:
        notebook = parsed(edition)
    except NoNotebookError:
        return edition
    for cell in notebook["cells"]:
        cell.pop("outputs", None)
    return notebook


def _renewed(own: Path, kept: Path, began_as: bytes, new: bytes) -> OwnCopy:
    """Carry the learner's work over to the new edition; the old file is kept."""
    mine = own.read_bytes()
    try:
        carried = carried_over(parsed(mine), parsed(began_as), parsed(new))
    except NoNotebookError:
        own.replace(kept)
        replace_file(own, new)
        return OwnCopy(
            path=own,
            said=(f"{own.name} 读不出来，不是完好的笔记本：已改名为 {kept.name}，另给你一份新的。",
                  f"{own.name} is no intact notebook: it is {kept.name} now, and a fresh copy "
                  "stands in its place."),
        )  # fmt: skip
    replace_file(kept, mine)
    replace_file(own, dumped(carried.notebook))
    return OwnCopy(path=own, said=_sentences(own, kept, carried))


def _dated(own: Path, today: datetime) -> Path:
    """Return a free name for the old copy, e.g. `lesson03.2026-11-29.ipynb`."""
    stem = f"{own.stem}.{today:%Y-%m-%d}"
    kept, count = own.with_name(f"{stem}{own.suffix}"), 1
    while kept.exists():
        count += 1
        kept = own.with_name(f"{stem}-{count}{own.suffix}")
    return kept


def _sentences(own: Path, kept: Path, carried: Carried) -> tuple[str, str]:
    what = _listed(carried.answers)
    chinese = f"课程更新了：{own.name} 已换成新版，你的作答搬了过去（{what or '无'}"
    english = f"The lesson changed: {own.name} is the new one with your answers ({what or 'none'}"
    if carried.own_cells:
        chinese += f"，另有你自己的 {carried.own_cells} 格"
        english += f", and {carried.own_cells} cells of your own"
    chinese += f"），旧的一份留在 {kept.name}"
    english += f"), the old one is kept as {kept.name}"
    if carried.changed:
        changed = _listed(carried.changed)
        chinese += f"；{changed} 的题目改了，你的旧答案在新题下面，请自己填进去"
        english += f"; the task of {changed} changed, your old text stands below the new one"
    return f"{chinese}。", f"{english}."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
