"""What a cell's Python says: its names, its blanks, its syntax."""

from __future__ import annotations

import ast
import warnings

from autograder.model import Cell
from autograder.source.faults import Faults

BLANK = "______"


def parse_code(source: str) -> ast.Module:
    """Parse without the compiler's own warnings on standard error.

    Raises:
        SyntaxError: It is not Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(f"cannot be read: {error}") from error


def tree_of(cell: Cell, faults: Faults) -> ast.Module | None:
    """The cell's syntax tree; None, and a fault at the line of the code, when it has none."""
    try:
        return parse_code(cell.source)
    except SyntaxError as error:
        line = cell.source_line + max((error.lineno or 1) - 1, 0)
        faults.add(line, f"The code is not valid Python: {error.msg}.", "Mend the code.")
        return None


def top_level_names(tree: ast.Module) -> tuple[list[str], list[str]]:
    """Names of the functions defined and of the variables assigned at top level."""
    functions, assigned = [], []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            functions.append(node.name)
        elif isinstance(node, ast.Assign):
            assigned += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            assigned.append(node.target.id)
    return functions, assigned


def main_name(tree: ast.Module) -> str | None:
    """The single top-level function, else the single assigned name, else what holds the blank."""
    for names in top_level_names(tree):
        if len(names) == 1:
            return names[0]
        if names:
            break
    holding = [node for node in tree.body if blanks(node)]
    functions, assigned = top_level_names(ast.Module(body=holding, type_ignores=[]))
    names = functions or assigned
    return names[0] if len(names) == 1 else None


def blanks(tree: ast.AST) -> list[ast.Name]:
    """The `______` of a cell in the order of the text."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == BLANK]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def near_blanks(tree: ast.Module) -> list[ast.Name]:
    """Names of three or more underscores that are not the blank."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Name)
        and node.id != BLANK
        and len(node.id) > 2  # noqa: PLR2004  # `_` and `__` are names people use
        and set(node.id) == {"_"}
    ]
