"""Which of a lesson's own files its checks import, so that a page can carry just these."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Closure:
    """Modules and all that they import of their own package.

    Attributes:
        files: POSIX path from the project's root -> text.
        foreign: Top-level packages outside it and the standard library, sorted.
    """

    files: dict[str, str]
    foreign: tuple[str, ...]


def closure(root: Path, package: str, modules: tuple[str, ...]) -> Closure:
    """Follow the imports of modules, without importing anything.

    Args:
        root: The folder that holds the package.
        package: Top-level package whose files are wanted, e.g. `lessons`.
        modules: Import names to begin with; one that has no file is left out.
    """
    files: dict[str, str] = {}
    foreign: set[str] = set()
    waiting = [name for module in modules for name in _with_parents(module)]
    while waiting:
        path = _file(root, waiting.pop())
        if path is None or path in files:
            continue
        files[path] = (root / path).read_text(encoding="utf-8")
        for name in imported(files[path]):
            top = name.partition(".")[0]
            if top == package:
                waiting += _with_parents(name)
            elif top not in sys.stdlib_module_names:
                foreign.add(top)
    return Closure(files=dict(sorted(files.items())), foreign=tuple(sorted(foreign)))


def imported(source: str) -> Iterator[str]:
    """Yield the names that code imports; of a `from` import, each name as if a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _with_parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[: count + 1]) for count in range(len(parts))]


def _file(root: Path, name: str) -> str | None:
    base = name.replace(".", "/")
    return next(
        (path for path in (f"{base}/__init__.py", f"{base}.py") if (root / path).is_file()), None
    )
