"""What a lesson must hold as a whole: places, solutions, blanks, ids."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence

from autograder.model import Answer, Audience, Block, Cell, Role
from autograder.source.code import BLANK, blanks, near_blanks, parse_code, tree_of
from autograder.source.faults import Faults
from autograder.source.known import CELL_OPTIONS
from autograder.source.markers import check_markers, public_part

_ANSWER_SIDE = {Role.SOLUTION, Role.FILL}
_PUBLIC_SIDE = {Role.EXERCISE, Role.TESTS, Role.HINT}
RESERVED = frozenset({"setup"})


def check(blocks: Sequence[Block], faults: Faults) -> None:
    """Add every fault of the whole to `faults`."""
    cells = [block for block in blocks if isinstance(block, Cell)]
    for block in blocks:
        check_markers(block, faults)
    for cell in cells:
        _check_place(cell, faults)
        _warn_of_unknown(cell, faults)
    exercises = [cell for cell in cells if cell.role is Role.EXERCISE]
    counts = {cell.grade_id: _check_exercise(cell, faults) for cell in exercises}
    _check_solutions(exercises, cells, faults)
    for cell in cells:
        _check_code(cell, counts, faults)
    _check_ids(blocks, faults)


def _check_place(cell: Cell, faults: Faults) -> None:
    public = cell.audience is Audience.PUBLIC
    if public and cell.role in _ANSWER_SIDE:
        faults.add(
            cell.line,
            f"This {cell.role.value} cell stands outside an answer block.",
            "Put it into a callout with the class `.answer`.",
            follows=True,
        )
    if not public and cell.role in _PUBLIC_SIDE:
        faults.add(
            cell.line,
            f"This {cell.role.value} cell stands in an answer block, where no learner gets it.",
            "Move it out of the block.",
            follows=True,
        )


def _warn_of_unknown(cell: Cell, faults: Faults) -> None:
    for key in cell.options if cell.audience is Audience.PUBLIC else ():
        if key not in CELL_OPTIONS:
            faults.warn(
                cell.line,
                f"Learners do not get this cell's option {key!r}.",
                "Only options that Quarto or the dialect knows leave with a lesson.",
            )


def _check_exercise(cell: Cell, faults: Faults) -> int:
    """Number of blanks; 0 when the code cannot be read."""
    tree = tree_of(cell, faults)
    if tree is None:
        return 0
    count = len(blanks(tree))
    _refuse_near_blanks(cell, tree, faults)
    if not count and not near_blanks(tree):
        faults.add(
            cell.line,
            f"This exercise has no blank `{BLANK}`.",
            "Put six underscores where the learner writes.",
        )
    return count


def _refuse_near_blanks(cell: Cell, tree: ast.Module, faults: Faults) -> None:
    for node in near_blanks(tree):
        faults.add(
            cell.source_line + node.lineno - 1,
            f"`{node.id}` has {len(node.id)} underscores, a blank has six.",
            f"Write `{BLANK}`.",
        )


def _check_solutions(exercises: Sequence[Cell], cells: Sequence[Cell], faults: Faults) -> None:
    solutions: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.role is Role.SOLUTION and cell.exercise is not None:
            solutions[cell.exercise].append(cell)
    for exercise in exercises:
        if exercise.grade_id is None:
            continue
        found = solutions[exercise.grade_id]
        if not found:
            faults.add(
                exercise.line,
                f"The exercise {exercise.grade_id!r} has no solution.",
                "Add a cell with `#| course_role: solution` in an answer block.",
                follows=True,
            )
        for extra in found[1:]:
            faults.add(
                extra.line,
                f"The exercise {exercise.grade_id!r} already has a solution at line "
                f"{found[0].line}.",
                "Keep one of the two.",
            )


def _check_code(cell: Cell, counts: dict[str | None, int], faults: Faults) -> None:
    if cell.role is Role.SOLUTION:
        _refuse_blanks(cell, tree_of(cell, faults), "This reference still has a blank.", faults)
    elif cell.role is Role.TESTS:
        tree = tree_of(cell, faults)
        _refuse_blanks(cell, tree, "These tests have a blank.", faults)
        _check_visible_tests(cell, tree, faults)
    elif cell.role is Role.FILL:
        _check_fill(cell, tree_of(cell, faults), counts.get(cell.exercise, 0), faults)
    elif cell.role is not Role.EXERCISE:
        _refuse_blanks(cell, _lenient_tree(cell), "A cell with a blank is an exercise.", faults)


def _lenient_tree(cell: Cell) -> ast.Module | None:
    """Plain cells may hold magics, which are IPython's and not Python's."""
    try:
        return parse_code(cell.source)
    except SyntaxError:
        return None


def _refuse_blanks(cell: Cell, tree: ast.Module | None, what: str, faults: Faults) -> None:
    mend = {
        Role.SOLUTION: "Fill it in.",
        Role.TESTS: "Take it out.",
    }.get(cell.role, "Add `#| course_role: exercise` and a solution for it.")
    for node in blanks(tree) if tree is not None else ():
        if isinstance(node.ctx, ast.Load):
            faults.add(cell.source_line + node.lineno - 1, what, mend)


def _check_visible_tests(cell: Cell, tree: ast.Module | None, faults: Faults) -> None:
    if tree is None:
        return
    try:
        parse_code(public_part(cell.source))
    except SyntaxError as error:
        faults.add(
            cell.line,
            f"Without its hidden tests this cell is not valid Python: {error.msg}.",
            "Put the markers around whole statements.",
        )


def _check_fill(cell: Cell, tree: ast.Module | None, count: int, faults: Faults) -> None:
    if tree is None:
        return
    if not tree.body:
        faults.add(cell.line, "This fill holds no expression.", "Write one a line.")
    for node in tree.body:
        line = cell.source_line + node.lineno - 1
        if not isinstance(node, ast.Expr):
            faults.add(line, "A fill is an expression, this is a statement.", "Write its value.")
        elif count > 1 and not (
            isinstance(node.value, ast.Tuple) and len(node.value.elts) == count
        ):
            faults.add(
                line,
                f"The exercise {cell.exercise!r} has {count} blanks and this fill does not.",
                f"Write {count} expressions, with commas between them.",
            )


def _check_ids(blocks: Sequence[Block], faults: Faults) -> None:
    seen: dict[str, int] = {}
    for block in blocks:
        if isinstance(block, Answer):
            grade_id: str | None = block.grade_id
        elif isinstance(block, Cell) and block.role in {Role.EXERCISE, Role.TESTS}:
            grade_id = block.grade_id
        else:
            continue
        if grade_id is None:
            continue
        if grade_id in RESERVED:
            faults.add(
                block.line, f"The id {grade_id!r} is the tools' own.", "Choose another label."
            )
        elif grade_id in seen:
            faults.add(
                block.line,
                f"The grade id {grade_id!r} is already taken at line {seen[grade_id]}.",
                "Give this one another label.",
            )
        seen.setdefault(grade_id, block.line)
