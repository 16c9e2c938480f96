"""Failure paths of an exercise: `if ...: raise ...`, and `assert` inside a function.

An `assert` outside every function is the visible check, not a failure path of the code: deleting it
is an edit, not a removed guard.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def guard_removed(pristine: ast.Module, learner: ast.Module) -> bool:
    """Tell whether a guard of the pristine cell is gone or weaker in the learner's.

    A guard is kept when the same function still has it at the top level of its body, before any
    new `return`, with the same kind of exception and with the same condition or one that refuses
    more (`old or new`). Its message may change. Every function of that name must have it: a second
    definition without the guard is the one that counts when Python runs.
    """
    if any(not _kept(guard, learner.body) for guard in _guards(pristine.body, asserts=False)):
        return True
    for function in _functions(pristine):
        versions = [other for other in _functions(learner) if other.name == function.name]
        for guard in _guards(function.body, asserts=True):
            if any(not _kept(guard, version.body) for version in versions):
                return True
    return False


def _functions(tree: ast.Module) -> list[_Function]:
    return [node for node in ast.walk(tree) if isinstance(node, _Function)]


def _guards(body: Sequence[ast.stmt], *, asserts: bool) -> Iterator[ast.stmt]:
    for stmt in body:
        raises = isinstance(stmt, ast.If) and _raised(stmt) is not None
        if raises or (asserts and isinstance(stmt, ast.Assert)):
            yield stmt


def _kept(guard: ast.stmt, body: Sequence[ast.stmt]) -> bool:
    for stmt in body:
        if _covers(stmt, guard):
            return True
        if any(isinstance(node, ast.Return) for node in ast.walk(stmt)):
            return False
    return False


def _covers(stmt: ast.stmt, guard: ast.stmt) -> bool:
    if isinstance(guard, ast.If) and isinstance(stmt, ast.If):
        return _raised(stmt) == _raised(guard) and _as_strict(guard.test, stmt.test)
    if isinstance(guard, ast.Assert) and isinstance(stmt, ast.Assert):
        return ast.dump(guard.test) == ast.dump(stmt.test)
    return False


def _raised(stmt: ast.If) -> str | None:
    """Return the class that an `if` raises, None when it does not end in a raise."""
    last = stmt.body[-1]
    if not isinstance(last, ast.Raise) or last.exc is None:
        return None
    error = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
    return ast.dump(error)


def _as_strict(old: ast.expr, new: ast.expr) -> bool:
    if ast.dump(old) == ast.dump(new):
        return True
    return (
        isinstance(new, ast.BoolOp)
        and isinstance(new.op, ast.Or)
        and any(_as_strict(old, value) for value in new.values)
    )
