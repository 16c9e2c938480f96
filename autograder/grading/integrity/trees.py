"""Syntax trees compared as a grader compares them: what a learner may change does not count."""

from __future__ import annotations

import ast

BLANK = "______"

Place = tuple[int, int]
"""Line and column of a node of the pristine cell: names the node whatever tree it is in."""


def place(node: ast.expr | ast.stmt) -> Place:
    """Return where a node of the pristine cell stands."""
    return node.lineno, node.col_offset


def is_blank(node: object) -> bool:
    """Tell whether a node is a blank to fill."""
    return isinstance(node, ast.Name) and node.id == BLANK


def blanks(node: ast.AST) -> list[ast.Name]:
    """Return the blanks in a tree that are read, not assigned."""
    return [
        found
        for found in ast.walk(node)
        if isinstance(found, ast.Name) and found.id == BLANK and isinstance(found.ctx, ast.Load)
    ]


def fields(node: ast.AST) -> list[str]:
    """Return the names of the fields that say something about the code."""
    return [name for name in node._fields if name not in {"ctx", "type_comment", "kind"}]


def is_noise(stmt: ast.stmt) -> bool:
    """Tell whether a statement does nothing, as a comment: `pass`, a docstring, `...`."""
    return isinstance(stmt, ast.Pass) or (
        isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
    )


def same(ours: object, theirs: object) -> bool:
    """Compare trees: layout, quotes, comments, docstrings and annotations of names do not count."""
    if isinstance(ours, list):
        if not isinstance(theirs, list):
            return False
        mine = [item for item in ours if not (isinstance(item, ast.stmt) and is_noise(item))]
        other = [item for item in theirs if not (isinstance(item, ast.stmt) and is_noise(item))]
        return len(mine) == len(other) and all(map(same, mine, other))
    if isinstance(ours, ast.Assign) and isinstance(theirs, ast.AnnAssign):
        return same(ours.targets, [theirs.target]) and same(ours.value, theirs.value)
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, ast.AST):
        return all(same(getattr(ours, f, None), getattr(theirs, f, None)) for f in fields(ours))
    return ours == theirs


def stores(node: ast.AST, stmt: ast.stmt) -> bool:
    """Tell whether a node assigns a name that the statement assigns."""
    names = {
        n.id for n in ast.walk(stmt) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return any(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in names
        for n in ast.walk(node)
    )
