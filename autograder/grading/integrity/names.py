"""The names that an exercise defines, and who else binds them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

from autograder.grading.integrity.cells import SentCell
from autograder.grading.integrity.syntax import MAX_SOURCE_CHARS, UnparsableError, parse, tidy
from autograder.grading.integrity.trees import blanks

# Code that is read for such a binding: a bound on time, far above any honest notebook.
_MAX_READ_CHARS = 1_000_000


@lru_cache(maxsize=64)  # the master's exercises
def bound_names(source: str) -> frozenset[str]:
    """Return the names that the statements with blanks bind at the top of an exercise."""
    names = set()
    for stmt in parse(tidy(source)).body:
        if not blanks(stmt):
            continue
        if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(stmt.name)
        else:
            names |= {
                node.id
                for node in ast.walk(stmt)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
    return frozenset(names)


def rebound(cells: Iterable[SentCell], names: frozenset[str]) -> bool:
    """Tell whether a cell defines or assigns one of the names, or there is too much to read."""
    left = _MAX_READ_CHARS
    for cell in cells:
        if not any(name in cell.source for name in names):
            continue
        left -= min(len(cell.source), MAX_SOURCE_CHARS)
        if left < 0 or not names.isdisjoint(_bound(cell.source)):
            return True
    return False


def _bound(source: str) -> Iterator[str | None]:
    """Yield what a cell binds at any depth."""
    try:
        tree = parse(tidy(source))
    except UnparsableError:
        return
    for node in ast.walk(tree):
        bound = getattr(node, "name", None)  # def, class, import alias, except, match
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound = node.id
        if isinstance(node, ast.alias):
            bound = node.asname or node.name
        yield bound
