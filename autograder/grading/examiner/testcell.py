"""A tests cell as text: its statements, and which of its lines learners may see."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

_BEGIN = "BEGIN HIDDEN TESTS"
_END = "END HIDDEN TESTS"


class TestSource:
    """The source of a tests cell.

    Args:
        source: With its hidden tests.
        grade_id: Names the cell in tracebacks.

    Raises:
        SyntaxError: It is not plain Python.
        ValueError: It holds a null byte.
    """

    __test__ = False  # pytest: the name is the field's, not a test

    def __init__(self, source: str, grade_id: str) -> None:
        self.filename = f"<tests {grade_id}>"
        # Lines are counted as the parser does: a form feed or U+2028 ends none, a lone CR does.
        self._lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.source = "\n".join(self._lines)
        self.tree = ast.parse(self.source, self.filename)

    @cached_property
    def hidden_lines(self) -> frozenset[int]:
        """1-based numbers of hidden lines, markers included; an unclosed region never ends."""
        hidden: set[int] = set()
        inside = False
        for number, line in enumerate(self._lines, start=1):
            inside = inside or _BEGIN in line
            if inside:
                hidden.add(number)
            inside = inside and _END not in line
        return frozenset(hidden)

    def statement_at(self, line: int) -> ast.stmt | None:
        """The innermost statement that covers a line, compound ones by their head only."""
        covering = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line)
        ]
        return max(covering, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)

    def text_of(self, statement: ast.stmt) -> str:
        """A statement's source; of a compound one, its head."""
        if _is_compound(statement):
            return "\n".join(self._lines[number - 1] for number in _span(statement))
        return ast.get_source_segment(self.source, statement) or ""

    def is_hidden(self, lines: Iterable[int]) -> bool:
        """Whether a failure on these lines of the cell (a stack) tells of anything hidden."""
        for line in lines:
            statement = self.statement_at(line)
            shown = {line} if statement is None else {line, *_span(statement)}
            if shown & self.hidden_lines:
                return True
        return False

    def is_before_hidden(self, line: int) -> bool:
        """Whether no hidden statement can have run when the top level is at this line."""
        first_hidden = min(self.hidden_lines, default=None)
        if first_hidden is None:
            return True
        ends = [
            node.end_lineno or node.lineno
            for node in self.tree.body
            if node.lineno <= line <= (node.end_lineno or line)
        ]
        return max(ends, default=line) < first_hidden


def _is_compound(statement: ast.stmt) -> bool:
    return bool(getattr(statement, "body", None))


def _span(statement: ast.stmt) -> range:
    """The lines of a statement; of a compound one, those before its first inner statement."""
    end = statement.end_lineno or statement.lineno
    if _is_compound(statement):
        inner: ast.stmt = statement.body[0]  # type: ignore[attr-defined] # checked just above
        end = max(statement.lineno, min(inner.lineno - 1, end))
    return range(statement.lineno, end + 1)
