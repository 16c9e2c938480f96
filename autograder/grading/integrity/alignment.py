"""The alignment of two lists of statements: which statement of one is which of the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence


def signature(stmt: ast.stmt) -> str:  # noqa: PLR0911  # one line for each kind of statement
    """Return what makes two statements versions of the same one: their kind and what they bind."""
    match stmt:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return f"def {name}"
        case ast.ClassDef(name=name):
            return f"class {name}"
        case ast.Assign(targets=targets):
            return "= " + " ".join(ast.dump(target) for target in targets)
        case ast.AnnAssign(target=target):
            return "= " + ast.dump(target)
        case ast.AugAssign(target=target):
            return "+= " + ast.dump(target)
        case ast.Import() | ast.ImportFrom():
            return ast.dump(stmt)
        case ast.Expr(value=ast.Call(func=func)):
            return "call " + ast.dump(func)
        case _:
            return type(stmt).__name__


def align(
    ours: Sequence[ast.stmt],
    theirs: Sequence[ast.stmt],
    weight: Callable[[int, int], int],
) -> dict[int, int]:
    """Pair statements in order so that the weights add up to the most.

    Only statements of the same signature pair. Of equally good pairs the later one of `theirs`
    wins, as the later assignment does when Python runs.

    Args:
        ours: Statements of the pristine cell.
        theirs: Statements of the learner's.
        weight: Index of ours, index of theirs -> how much the pair is worth, 0 for no pair.

    Returns:
        Index of ours -> index of theirs.
    """
    mine, other = [signature(stmt) for stmt in ours], [signature(stmt) for stmt in theirs]
    weights = {
        (i, j): weight(i, j)
        for i, left in enumerate(mine)
        for j, right in enumerate(other)
        if left == right
    }
    best = [[0] * (len(other) + 1)]
    for i in range(len(mine)):
        above, row = best[-1], [0]
        for j in range(len(other)):
            value = max(above[j + 1], row[j])
            worth = weights.get((i, j), 0)
            row.append(max(value, above[j] + worth) if worth else value)
        best.append(row)
    pairs: dict[int, int] = {}
    i, j = len(mine), len(other)
    while i and j:
        worth = weights.get((i - 1, j - 1), 0)
        if worth and best[i][j] == best[i - 1][j - 1] + worth:
            i, j = i - 1, j - 1
            pairs[i] = j
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i -= 1
    return pairs
