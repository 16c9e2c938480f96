"""Where an exercise stands among a lesson's cells: what runs before it, what up to its tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.checking import likeness, probe
from autograder.model import Cell, Lesson, Role
from autograder.source.code import main_name, parse_code
from autograder.source.markers import public_part, regions

# What a grader runs; widgets and labs that equal the master's are not run there either.
_RUN = frozenset({"setup", "code", "exercise"})
# Parents first: an import finds what is there already.
_LOAD = """
def course_load(sys, types, texts):
    for name, text in texts.items():
        module = sys.modules.setdefault(name, types.ModuleType(name))
        exec(compile(text, name, "exec"), module.__dict__)
    return module
_course = course_load(__import__("sys"), __import__("types"), {texts!r})
del course_load
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class After:
    """A cell between an exercise and the last of its tests, or one of these tests."""

    is_test: bool
    id: str
    source: str
    points: float | None = None
    hidden_only: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One exercise in its place.

    Attributes:
        exercise: The stub's cell.
        name: What the exercise defines; None when that is more or less than one name.
        reference: Source of the reference.
        before: Sources that run before it, with the references of earlier exercises.
        after: What runs after it, up to the last of its tests.
        tests: The lesson's cells of these tests.
    """

    exercise: Cell
    name: str | None
    reference: str
    before: tuple[str, ...]
    after: tuple[After, ...]
    tests: tuple[Cell, ...]


def stages(lesson: Lesson, notebook: Any) -> list[Stage]:
    """All exercises of a lesson, in order."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    exercises = {cell.grade_id: cell for cell in lesson.cells(Role.EXERCISE)}
    found = []
    for place, cell in enumerate(cells):
        if cell.metadata.course.role != "exercise":
            continue
        exercise = exercises[cell.id]
        tests = tuple(one for one in lesson.cells(Role.TESTS) if one.exercise == cell.id)
        before = (one.source for one in cells[:place] if one.metadata.course.role in _RUN)
        found.append(
            Stage(
                exercise=exercise,
                name=main_name(parse_code(exercise.source)),
                reference=cell.source,
                before=tuple(before),
                after=tuple(_after(cells[place + 1 :], {test.grade_id: test for test in tests})),
                tests=tests,
            )
        )
    return found


def load_probe() -> str:
    """A cell that brings the probe into the learner's process as `_course`."""
    texts = {"autograder": "", "autograder.checking": ""}
    for module in (likeness, probe):
        texts[module.__name__] = Path(str(module.__file__)).read_text(encoding="utf-8")
    return _LOAD.replace("{texts!r}", repr(texts))


def _after(cells: list[Any], tests: dict[str | None, Cell]) -> Iterator[After]:
    places = [place for place, cell in enumerate(cells) if cell.id in tests]
    for cell in cells[: max(places, default=-1) + 1]:
        test = tests.get(cell.id)
        if test is not None:
            yield After(
                is_test=True,
                id=cell.id,
                source=cell.source,
                points=test.points,
                hidden_only=without_shown_asserts(cell.source),
            )
        elif cell.metadata.course.role in _RUN:
            yield After(is_test=False, id=cell.id, source=cell.source)


def without_shown_asserts(source: str) -> str | None:
    """A tests cell whose visible asserts are gone; None where it has nothing hidden."""
    if public_part(source) == source:
        return None
    hidden = {n for n, (_, is_hidden) in enumerate(regions(source), start=1) if is_hidden}
    tree = parse_code(source)
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                kept = [
                    one
                    for one in value
                    if not (isinstance(one, ast.Assert) and one.lineno not in hidden)
                ]
                if kept != value:
                    setattr(node, field, kept or [ast.Pass()])
    return ast.unparse(ast.fix_missing_locations(tree))
