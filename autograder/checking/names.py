"""The names that tests ask for: somebody has to define each."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator

from autograder.checking.report import Finding, Severity
from autograder.editions.preparation import setup_source
from autograder.editions.words import words_for
from autograder.model import Audience, Cell, Lesson, Role
from autograder.source.code import BLANK, parse_code
from autograder.source.faults import did_you_mean

_GIVEN = frozenset(dir(builtins)) | {BLANK, "__name__", "__doc__", "get_ipython", "display"}


def unknown_names(lesson: Lesson) -> Iterator[Finding]:
    """Tests that ask for what no edition defines, or for a helper on the learner's side."""
    public = [cell for cell in lesson.cells() if cell.audience is Audience.PUBLIC]
    exercises = _defined(cell for cell in public if cell.role is Role.EXERCISE)
    code = [cell for cell in public if cell.role is Role.CODE and cell.options.get("eval", True)]
    imported = _defined(code, imports=True)
    if lesson.modules is not None:
        first = setup_source(words_for(lesson.lang), lesson.modules, lesson.lang)
        imported |= _imported_by(first)
    helpers = _defined(code) - imported - exercises
    for cell in lesson.cells(Role.TESTS):
        for name, line in asked(cell.source).items():
            if name in _GIVEN | exercises | imported:
                continue
            place = cell.source_line + line - 1
            if name in helpers:
                yield _helper(lesson.path, place, name, cell)
            else:
                yield Finding(
                    path=lesson.path,
                    line=place,
                    what=f"The tests {cell.grade_id!r} ask for {name!r}, which no cell that a "
                    "learner runs defines.",
                    mend=did_you_mean(name, exercises | imported | helpers)
                    if exercises | imported | helpers
                    else "Define it in the tests.",
                )


def shadowing_names(lesson: Lesson) -> Iterator[Finding]:
    """Exercises that take the name of what the notebook's first cell imports, such as `check`."""
    if lesson.modules is None:
        return
    verbs = _imported_by(setup_source(words_for(lesson.lang), lesson.modules, lesson.lang))
    for cell in lesson.cells(Role.EXERCISE):
        for name in sorted(_defined([cell]) & verbs):
            yield Finding(
                path=lesson.path,
                line=cell.line,
                what=f"The exercise {cell.grade_id!r} defines {name!r}, and after it the "
                f"classroom's own {name}() is gone.",
                mend="Give it another name.",
            )


def asked(source: str) -> dict[str, int]:
    """Names that a tests cell takes from elsewhere, each with its first line."""
    try:
        tree = parse_code(source)
    except SyntaxError:
        return {}
    table = symtable.symtable(source, "tests", "exec")
    own = {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
    wanted: set[str] = set()
    for scope in _scopes(table):
        for symbol in scope.get_symbols():
            if symbol.is_declared_global() and symbol.is_assigned():
                own.add(symbol.get_name())
            if symbol.is_referenced() and (scope is table or symbol.is_global()):
                wanted.add(symbol.get_name())
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in wanted - own:
            lines[node.id] = min(node.lineno, lines.get(node.id, node.lineno))
    return lines


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _defined(cells: Iterable[Cell], *, imports: bool = False) -> set[str]:
    """Names that cells bind at top level; with `imports`, those that imports bind."""
    names: set[str] = set()
    for cell in cells:
        names |= _imported_by(cell.source)
        if not imports:
            names |= {symbol.get_name() for symbol in _symbols(cell.source) if symbol.is_assigned()}
    return names


def _imported_by(source: str) -> set[str]:
    return {symbol.get_name() for symbol in _symbols(source) if symbol.is_imported()}


def _symbols(source: str) -> list[symtable.Symbol]:
    """The names of a cell's top level; none when it holds magics."""
    try:
        return list(symtable.symtable(source, "cell", "exec").get_symbols())
    except (SyntaxError, ValueError):
        return []


def _helper(path: str, line: int, name: str, cell: Cell) -> Finding:
    return Finding(
        path=path,
        line=line,
        what=f"The tests {cell.grade_id!r} use {name!r} of a plain cell, which a learner may "
        "change.",
        mend="Define it in the tests, or import it from the lesson's modules.",
        severity=Severity.WARNING,
    )
