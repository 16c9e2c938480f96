"""The exercises of a lesson as the page carries them: cells, visible checks, the lesson's code."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.editions.hints import FILE as HINTS
from autograder.editions.preparation import setup_source
from autograder.editions.tree import public
from autograder.editions.words import words_for
from autograder.model import Cell, Lesson, Role
from autograder.site.live.closure import closure, imported
from autograder.source.markers import public_part

_RUNNER = Path(__file__).with_name("runner.py")


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveExercise:
    """One exercise of the page.

    Attributes:
        id: Its grade id.
        cell: The code that the reader starts from.
        hinted: Whether it has hints, which the page folds under it.
        foreign: Packages that it or its checks need and the page's Python lacks.
    """

    id: str
    cell: str
    hinted: bool
    foreign: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveExercises:
    """All exercises of a lesson.

    Attributes:
        found: In the lesson's order.
        carried: What the page's Python gets: `files` by path, `runner`, `setup`, `lang`, and the
            `cells` that run, with the `tests` of an exercise and its `name` for `check`.
    """

    found: tuple[LiveExercise, ...]
    carried: dict[str, Any]


def live_exercises(lesson: Lesson, root: Path) -> LiveExercises:
    """Return the exercises of a lesson: its public side alone, hidden tests left out.

    Args:
        lesson: The lesson.
        root: The course's root, which holds the lesson's modules.
    """
    blocks = [block for block in public(lesson.blocks) if isinstance(block, Cell)]
    tests = [cell for cell in blocks if cell.role is Role.TESTS]
    asked = {name for cell in blocks if cell.role is Role.CODE for name in _checked(cell.source)}
    files, lacking = _course_files(lesson, root)
    cells: list[dict[str, Any]] = []
    hinted = {hint.exercise for hint in lesson.cells(Role.HINT)}
    found = []
    for cell in blocks:
        if cell.role is Role.CODE:
            cells.append({"id": None, "source": cell.source})
        if cell.role is not Role.EXERCISE:
            continue
        visible = [
            {"label": test.grade_id or "", "source": public_part(test.source)}
            for test in tests
            if test.exercise == cell.grade_id
        ]
        name = cell.grade_id if cell.grade_id in asked else None
        cells.append({"id": cell.grade_id, "source": cell.source, "name": name, "tests": visible})
        sources = [cell.source, *(test["source"] for test in visible)]
        foreign = {*_foreign(sources, lesson), *(lacking if name else ())}
        found.append(
            LiveExercise(
                id=str(cell.grade_id),
                cell=cell.source,
                hinted=cell.grade_id in hinted,
                foreign=tuple(sorted(foreign)),
            )
        )
    carried = {
        "files": files,
        "runner": _RUNNER.read_text(encoding="utf-8"),
        "setup": _setup(lesson),
        "lang": lesson.lang,
        "cells": cells,
    }
    return LiveExercises(found=tuple(found), carried=carried)


def _setup(lesson: Lesson) -> str:
    if lesson.modules is None:
        return ""
    return setup_source(words_for(lesson.lang), lesson.modules, lesson.lang)


def _course_files(lesson: Lesson, root: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the lesson's files that `check` and `hint` read, and packages the checks lack."""
    if lesson.modules is None:
        return {}, ()
    package = lesson.modules.partition(".")[0]
    begin = (f"{package}.classroom", lesson.modules, f"{lesson.modules}.exercises")
    needed = closure(root, package, begin)
    # `again` needs the lesson's practice problems; with NumPy in them they stay behind.
    with_practice = closure(root, package, (*begin, f"{lesson.modules}.practice"))
    files = with_practice.files if not with_practice.foreign else needed.files
    hints = f"{lesson.modules.replace('.', '/')}/{HINTS}"
    if (root / hints).is_file():
        files = files | {hints: (root / hints).read_text(encoding="utf-8")}
    return files, needed.foreign


def _checked(source: str) -> Iterator[str]:
    """Yield what a cell of the notebook calls `check` with."""
    for node in _tree(source):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            first = node.args[0]
            if node.func.id == "check" and isinstance(first, ast.Constant):
                yield str(first.value)


def _foreign(sources: Sequence[str], lesson: Lesson) -> set[str]:
    own = (lesson.modules or "").partition(".")[0]
    tops = {name.partition(".")[0] for source in sources for name in _imports(source)}
    return {top for top in tops if top != own and top not in sys.stdlib_module_names}


def _imports(source: str) -> list[str]:
    return list(imported(source)) if list(_tree(source)) else []


def _tree(source: str) -> Iterator[ast.AST]:
    """Yield the nodes of a cell; magics are no Python, and then there are none."""
    try:
        yield from ast.walk(ast.parse(source))
    except SyntaxError:
        return
