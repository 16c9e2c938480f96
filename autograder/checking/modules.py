"""Names of the lesson's own modules, such as `explore.dump_time`: the modules must have them.

The modules are read, never imported: a check runs nothing of the project's outside the sandbox.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder.checking.report import Finding
from autograder.checking.text import text_lines
from autograder.model import Cell, Lesson, Role
from autograder.project import Project
from autograder.source.code import parse_code
from autograder.source.faults import did_you_mean

_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_DOTTED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\.([A-Za-z_]\w*)")
_SUFFIXES = frozenset({"py", "toml", "ipynb", "qmd"})


def missing_functions(project: Project, lesson: Lesson) -> Iterator[Finding]:
    """Names of the lesson's modules, in cells or in the text, that these do not have."""
    modules = _Modules(project=project, lesson=lesson)
    for cell in lesson.cells():
        if cell.role is not Role.FILL:
            for line, what, mend in modules.faults(cell):
                yield Finding(path=lesson.path, line=line, what=what, mend=mend)
    for line_ in text_lines(lesson, code=True):
        for span in _SPAN.finditer(line_.text):
            for alias, name in _DOTTED.findall(span[2]):
                known = modules.names_of(alias)
                if known is not None and name not in known and name not in _SUFFIXES:
                    yield Finding(
                        path=lesson.path,
                        line=line_.number,
                        what=f"`{alias}.{name}` does not exist.",
                        mend=did_you_mean(name, known),
                    )


@dataclass(kw_only=True, slots=True)
class _Modules:
    """The project's modules that a lesson's cells import, read and never run."""

    project: Project
    lesson: Lesson
    aliases: dict[str, Path] = field(default_factory=dict)

    def faults(self, cell: Cell) -> Iterator[tuple[int, str, str]]:
        """Line, what and mend for each import and attribute that is not there."""
        try:
            tree = parse_code(cell.source)
        except SyntaxError:
            return
        for node in ast.walk(tree):
            line = cell.source_line + getattr(node, "lineno", 1) - 1
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lessons"):
                yield from ((line, *fault) for fault in self._imported(node))
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] == "lessons" and self.file(alias.name) is None:
                        yield line, f"There is no module {alias.name!r}.", "Write it, or mend it."
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                known = self.names_of(node.value.id, imported=True)
                if known is not None and node.attr not in known:
                    line = cell.source_line + node.lineno - 1
                    what = f"`{node.value.id}.{node.attr}` does not exist."
                    yield line, what, did_you_mean(node.attr, known)

    def _imported(self, node: ast.ImportFrom) -> Iterator[tuple[str, str]]:
        file = self.file(str(node.module))
        if file is None:
            yield f"There is no module {node.module!r}.", "Write it, or mend the import."
            return
        names = defined_in(file)
        for alias in node.names:
            module = self.file(f"{node.module}.{alias.name}")
            if module is not None:
                self.aliases[alias.asname or alias.name] = module
            elif names is not None and alias.name not in names and alias.name != "*":
                yield (
                    f"{node.module!r} has no {alias.name!r}.",
                    did_you_mean(alias.name, names) if names else "Write it.",
                )

    def names_of(self, alias: str, *, imported: bool = False) -> set[str] | None:
        """Names of a module by what the lesson calls it; None when it is no module of ours."""
        file = self.aliases.get(alias)
        if file is None and not imported and self.lesson.modules:
            file = self.file(f"{self.lesson.modules}.{alias}")
        return None if file is None else defined_in(file)

    def file(self, module: str) -> Path | None:
        """Where a module's text is."""
        base = self.project.root.joinpath(*module.split("."))
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return path
        return base if base.is_dir() else None


def defined_in(file: Path) -> set[str] | None:
    """Names that a module's top level binds; None where its text does not tell."""
    if file.is_dir():
        return None
    try:
        tree = parse_code(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
    names: set[str] = set()
    for node in _top_level(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(one.asname or one.name).split(".")[0] for one in node.names}
        else:
            names |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    if file.name == "__init__.py":
        names |= {one.stem for one in file.parent.iterdir() if one.suffix in {".py", ""}}
    return None if {"*", "__getattr__"} & names or not names else names


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If | ast.Try | ast.With):
            inner = [*node.body, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
            inner += [one for handler in getattr(node, "handlers", []) for one in handler.body]
            yield from _top_level(inner)
        else:
            yield node
