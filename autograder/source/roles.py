"""Cells get their role, their grade id, their exercise and their points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.model import Block, Category, Cell, Role
from autograder.source.code import main_name, parse_code, top_level_names
from autograder.source.faults import Faults, did_you_mean

GRADE_ID = re.compile(r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")
_WRITTEN_ROLES = tuple(role.value for role in Role if role is not Role.CODE)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Exercise:
    grade_id: str
    name: str | None
    names: frozenset[str]


def with_roles(blocks: Sequence[Block], faults: Faults) -> list[Block]:
    """Give every cell what its options and the cells around it say it is."""
    roled = [_with_role(b, faults) if isinstance(b, Cell) else b for b in blocks]
    count = 0
    named: list[Block] = []
    for block in roled:
        if isinstance(block, Cell) and block.role is Role.EXERCISE:
            count += 1
            block = _with_exercise_id(block, count, faults)  # noqa: PLW2901  # same place, complete
        named.append(block)
    exercises = [
        _Exercise(grade_id=b.grade_id, name=_name(b.source), names=_names(b.source))
        for b in named
        if isinstance(b, Cell) and b.role is Role.EXERCISE and b.grade_id
    ]
    return [_complete(b, exercises, faults) if isinstance(b, Cell) else b for b in named]


def _with_role(cell: Cell, faults: Faults) -> Cell:
    written = cell.options.get("course_role")
    if written is None and "course_role" not in cell.options:
        return cell
    if written not in _WRITTEN_ROLES:
        faults.add(
            _line(cell, "course_role"),
            f"There is no course_role {written!r}.",
            did_you_mean(str(written), _WRITTEN_ROLES),
        )
        return cell
    return replace(cell, role=Role(written))


def _line(cell: Cell, option: str) -> int:
    """The line of an option within its cell."""
    for number, line in enumerate(cell.text.split("\n")):
        if re.match(rf"\s*#\|\s*[\"']?{re.escape(option)}\b", line):
            return cell.line + number
    return cell.line


def _name(source: str) -> str | None:
    try:
        return main_name(parse_code(source))
    except SyntaxError:  # reported where the code is checked; the name avoids errors that follow
        match = re.search(r"^def[ \t]+(\w+)", source, re.MULTILINE)
        return match[1] if match else None


def _with_exercise_id(block: Cell, count: int, faults: Faults) -> Cell:
    label = block.options.get("label")
    name = _name(block.source)
    grade_id = str(label) if label is not None else name
    if label is not None and name is not None and not GRADE_ID.match(str(label)):
        faults.warn(
            _line(block, "label"),
            f"{label!r} cannot be a grade id, so the exercise goes by {name!r}.",
            "Write at most 64 letters, digits, `-` and `_`, a letter first.",
        )
        grade_id = name
    if grade_id is None:
        grade_id = f"exercise-{count}"
        faults.warn(
            block.line,
            f"This exercise defines more or less than one name, so its id is {grade_id!r}.",
            "Give it another with `#| label:`.",
        )
    return replace(block, grade_id=_checked(block, grade_id, faults))


def _names(source: str) -> frozenset[str]:
    try:
        functions, assigned = top_level_names(parse_code(source))
    except SyntaxError:
        return frozenset()
    return frozenset((*functions, *assigned))


def _checked(cell: Cell, grade_id: str | None, faults: Faults) -> str | None:
    if grade_id is not None and not GRADE_ID.match(grade_id):
        faults.add(
            _line(cell, "label"),
            f"{grade_id!r} cannot be a grade id.",
            "Use `#| label:` with at most 64 letters, digits, `-` and `_`, a letter first.",
        )
    return grade_id


def _complete(cell: Cell, exercises: Sequence[_Exercise], faults: Faults) -> Cell:
    if cell.role is Role.TESTS:
        cell = _with_points(_with_category(cell, faults), faults)
        label = cell.options.get("label")
        default = cell.category.value if cell.category else None
        grade_id = str(label) if label is not None else default
        cell = replace(cell, grade_id=_checked(cell, grade_id, faults))
    if cell.role is Role.FILL:
        cell = _with_expectation(cell, faults)
    if cell.role in {Role.TESTS, Role.FILL, Role.HINT, Role.SOLUTION}:
        cell = replace(cell, exercise=_exercise(cell, exercises, faults))
    return cell


def _with_category(cell: Cell, faults: Faults) -> Cell:
    written = cell.options.get("category")
    values = [category.value for category in Category]
    if written in values:
        return replace(cell, category=Category(written))
    if written is None:
        faults.add(
            cell.line,
            "These tests have no category.",
            "Add `#| category: normal` or `#| category: boundary`.",
        )
    else:
        faults.add(
            _line(cell, "category"),
            f"There is no category {written!r}.",
            did_you_mean(str(written), values),
        )
    return cell


def _with_points(cell: Cell, faults: Faults) -> Cell:
    points = cell.options.get("points")
    if isinstance(points, int | float) and not isinstance(points, bool) and 0 <= points < 1e6:  # noqa: PLR2004  # also shuts out nan and inf
        return replace(cell, points=float(points))
    if points is None:
        faults.add(cell.line, "These tests have no points.", "Add `#| points: 1`, say.")
    else:
        faults.add(
            _line(cell, "points"),
            f"{points!r} is no number of points.",
            "Write a number of at least 0.",
        )
    return cell


def _with_expectation(cell: Cell, faults: Faults) -> Cell:
    expect = cell.options.get("expect")
    if expect not in {"right", "wrong"}:
        faults.add(
            _line(cell, "expect"),
            "This fill does not say whether it is right.",
            "Add `#| expect: right` or `#| expect: wrong`.",
        )
    if cell.options.get("eval") is not False:
        faults.add(
            cell.line,
            "This fill would be run when the page is rendered.",
            "Add `#| eval: false`.",
        )
    return replace(cell, expect_right=expect == "right")


def _exercise(cell: Cell, exercises: Sequence[_Exercise], faults: Faults) -> str | None:
    known = [exercise.grade_id for exercise in exercises]
    written = cell.options.get("exercise")
    if written is not None:
        if written in known:
            return str(written)
        faults.add(
            _line(cell, "exercise"),
            f"There is no exercise {written!r}.",
            did_you_mean(str(written), known) if known else "Add an exercise cell.",
            follows=True,
        )
        return None
    if cell.role is Role.SOLUTION:
        matched = _matching(cell, exercises)
        if len(matched) == 1:
            return matched[0]
    if len(known) == 1:
        return known[0]
    faults.add(
        cell.line,
        f"This {cell.role.value} cell does not say which exercise it belongs to.",
        "Add `#| exercise:` with that exercise's id." if known else "Add an exercise cell.",
        follows=True,
    )
    return None


def _matching(cell: Cell, exercises: Sequence[_Exercise]) -> list[str]:
    try:
        functions, assigned = top_level_names(parse_code(cell.source))
    except SyntaxError:
        return []
    given = {*functions, *assigned}
    by_name = [exercise.grade_id for exercise in exercises if exercise.name in given]
    if by_name:
        return by_name
    return [
        exercise.grade_id for exercise in exercises if exercise.names and exercise.names <= given
    ]
