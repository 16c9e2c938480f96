"""The names a test cell sees, in order: its own, imported ones, built-in ones, the learner's."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from typing import Any

from autograder.grading.examiner.remote import Remote


class Builtins(dict[str, Any]):
    """The built-in names of a test cell, and behind them the learner's.

    Python looks in a `__builtins__` that is not a plain dict by its `__getitem__`, from every kind
    of scope; globals with a `__missing__` would be passed over in class bodies. What crosses is
    kept, so that a value stays the same object throughout one test.
    """

    def __init__(self, remote: Remote) -> None:
        super().__init__(vars(builtins))
        self._remote = remote

    def __missing__(self, name: str) -> Any:
        # Python's own double-underscore names are never the learner's to give. A name of nothing
        # but underscores is the blank.
        if name.startswith("__") and name.endswith("__") and name.strip("_"):
            raise KeyError(name)
        value = self._remote.get(name)
        self[name] = value
        return value


def cell_globals(remote: Remote) -> dict[str, Any]:
    """Fresh globals for a test cell, which finds the learner's names behind the built-in ones."""
    return {"__builtins__": Builtins(remote), "__name__": "__main__"}


def read_only_imports(sources: Iterable[str]) -> list[str]:
    """The import statements at the top level of cells, also those in their `try` blocks.

    Args:
        sources: Sources of the master's read-only code cells; one that is not plain Python (a
            magic, a syntax error) gives none.

    Returns:
        Statements in order, each once. What stood in a `try` comes as a `try` of its own that
        passes over an ImportError.
    """
    found: dict[str, None] = {}
    for source in sources:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        for statement in tree.body:
            if isinstance(statement, ast.Try):
                for tried in filter(_is_import, statement.body):
                    found.setdefault(
                        f"try:\n    {ast.unparse(tried)}\nexcept ImportError:\n    pass"
                    )
            elif _is_import(statement):
                found.setdefault(ast.unparse(statement))
    return list(found)


def _is_import(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import():
            return True
        case ast.ImportFrom(module=module, level=0):
            return module != "__future__"
    return False
