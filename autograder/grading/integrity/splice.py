"""The pristine cell with a learner's filling in it.

The text of the pristine cell stays. Whatever text comes out is parsed again and must be the
pristine tree with exactly the learner's nodes in the holes, so no text in a hole, however it is
written, changes what stands around it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache

from autograder.grading.integrity.holes import Filling
from autograder.grading.integrity.syntax import UnparsableError, parse
from autograder.grading.integrity.trees import BLANK, place


def splice(pristine: str, filling: Filling, learner: str) -> str | None:
    """Put a filling into the pristine cell.

    Args:
        pristine: Source of the exercise with its blanks, parsable.
        filling: What `holes.find` found.
        learner: The source that the filling's nodes were parsed from.

    Returns:
        None when no text gives the tree (a filling that cannot stand there).
    """
    wanted = parse(pristine)
    _Fill(filling).generic_visit(wanted)
    dumped = ast.dump(wanted)
    writers: tuple[Callable[[ast.expr], str], ...] = (
        lambda node: segment(learner, node),
        lambda node: f"({segment(learner, node)})",
        lambda node: f"({ast.unparse(node)})",
    )
    for write in writers:
        for verbatim in (True, False):
            text = _text(pristine, filling, write, learner if verbatim else None)
            if _dump(text) == dumped:
                return text
    text = ast.unparse(ast.fix_missing_locations(wanted)) + "\n"
    return text if _dump(text) == dumped else None


def segment(source: str, node: ast.expr | ast.stmt) -> str:
    """Return a node's own text.

    ast.get_source_segment splits the whole source anew for each node, which makes thousands of
    statements take minutes.
    """
    lines = _byte_lines(source)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    found = [*lines[first:last], lines[last][: node.end_col_offset]]
    found[0] = found[0][node.col_offset :]
    return b"\n".join(found).decode("utf-8", "replace")


@lru_cache(maxsize=8)
def _byte_lines(source: str) -> tuple[bytes, ...]:
    """Split into lines of UTF-8, in whose bytes ast counts its columns."""
    return tuple(line.encode("utf-8", "replace") for line in source.split("\n"))


class _Fill(ast.NodeTransformer):
    """Builds the tree that the spliced text must have."""

    def __init__(self, filling: Filling) -> None:
        self._filling = filling

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        filling = self._filling
        if isinstance(node, ast.Name) and node.id == BLANK:
            return filling.holes.get(place(node), node)
        if isinstance(node, ast.stmt):
            where = place(node)
            if where in filling.instead:
                return filling.instead[where] or node
            filled = self.generic_visit(node)
            if where in filling.before and isinstance(filled, ast.stmt):
                return [*filling.before[where], filled]
            return filled
        return self.generic_visit(node)


def _text(
    pristine: str, filling: Filling, write: Callable[[ast.expr], str], learner: str | None
) -> str:
    lines = list(_byte_lines(pristine))
    for (line, column), node in sorted(filling.holes.items(), reverse=True):
        old = lines[line - 1]
        new = write(node).encode("utf-8", "replace")
        lines[line - 1] = old[:column] + new + old[column + len(BLANK) :]
    ends = {place(stmt): stmt.end_lineno for stmt in _statements(parse(pristine))}
    blocks = {**filling.before, **filling.instead}
    for where in sorted(blocks, reverse=True):
        line, column = where
        margin = lines[line - 1][:column].decode("utf-8", "replace")
        new_lines = [
            text.encode("utf-8", "replace")
            for stmt in blocks[where]
            for text in _statement(stmt, margin, learner)
        ]
        last = (ends[where] or line) if where in filling.instead else line - 1
        lines[line - 1 : last] = new_lines
    return b"\n".join(lines).decode("utf-8", "replace")


def _statement(stmt: ast.stmt, margin: str, learner: str | None) -> list[str]:
    """Return a statement's lines at another indentation."""
    if learner is None:
        return [margin + line for line in ast.unparse(stmt).split("\n")]
    first, *rest = segment(learner, stmt).split("\n")
    line = _byte_lines(learner)[stmt.lineno - 1].decode("utf-8", "replace")
    own = line[: len(line) - len(line.lstrip())]
    # A line that starts left of its statement is inside a string or brackets: it stays.
    return [
        margin + first,
        *(margin + text.removeprefix(own) if text.startswith(own) else text for text in rest),
    ]


def _statements(tree: ast.Module) -> list[ast.stmt]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def _dump(text: str) -> str | None:
    try:
        return ast.dump(parse(text))
    except UnparsableError:
        return None
