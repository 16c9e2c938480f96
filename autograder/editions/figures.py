"""The figures that a lesson's widget cells show, by their names."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autograder.model import Lesson, Role
from autograder.project import Project


def figure_of(source: str) -> str | None:
    """The figure that a widget cell opens: `ladder` for `explore.ladder()`.

    A call with arguments opens on something of its own, which no picture of ours shows.
    """
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return None
    last = body[-1].value if body and isinstance(body[-1], ast.Expr) else None
    if not isinstance(last, ast.Call) or not isinstance(last.func, ast.Attribute):
        return None
    if last.args or last.keywords:
        return None
    of = last.func.value
    return last.func.attr if isinstance(of, ast.Name) and of.id == "explore" else None


def figures_shown(project: Project, lesson: Lesson) -> Sequence[str]:
    """The figures of the widget cells that the lesson's `figures` module has, each once."""
    if lesson.modules is None:
        return ()
    wanted = [name for cell in lesson.cells(Role.WIDGET) if (name := figure_of(cell.source))]
    folder = project.root.joinpath(*lesson.modules.split("."))
    package = folder / "figures" / "__init__.py"
    module = package if package.is_file() else folder / "figures.py"
    if not module.is_file():
        return ()
    known = _public_names(module.read_text(encoding="utf-8"))
    return [name for name in dict.fromkeys(wanted) if {f"{name}_figure", f"{name}_alt"} <= known]


def _public_names(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
    return names
