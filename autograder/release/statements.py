"""Python code as logical lines: the unit in which code is compared."""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autograder.release.normal import code, units, weights
from autograder.source.code import BLANK, parse_code

SHORTEST = 12
_RUN = 24
_LITERAL_DIGITS = 3
_LITERAL_WEIGHT = 4.0
_COMMON = frozenset(dir(builtins)) | frozenset(keyword.kwlist) | {"self", "cls", BLANK}
# Versions of a lesson share most cells: what was worked out for one serves the others.
_REMEMBERED = 2048
_SKIPPED = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_OPENS = {"FSTRING_START", "TSTRING_START"}
_CLOSES = {"FSTRING_END", "TSTRING_END"}
_NO_PYTHON = (tokenize.TokenError, SyntaxError, ValueError)


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A logical line: a simple statement, or the head of a compound one.

    Attributes:
        text: Its source without comments.
        line: 1-based row of its first token.
        end: 1-based row of its last token.
    """

    text: str
    line: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Remark:
    """A comment or a string within code, which is prose."""

    text: str
    line: int


@lru_cache(maxsize=_REMEMBERED)
def logical_lines(source: str) -> tuple[Line, ...]:
    """The logical lines; the plain lines where the source is not Python (magics, say)."""
    try:
        tokens = list(_tokens(source))
    except _NO_PYTHON:
        return tuple(
            Line(text=text.partition("#")[0].strip(), line=number, end=number)
            for number, text in enumerate(source.split("\n"), start=1)
            if text.partition("#")[0].strip()
        )
    return tuple(_grouped(tokens))


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """Python's tokens. An f-string is one string, which Python 3.12 and later take to pieces."""
    rows = source.split("\n")
    opened: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(source + "\n").readline):
        kind = tokenize.tok_name[token.type]
        if kind in _OPENS:
            opened.append(token)
        elif kind in _CLOSES:
            start = opened.pop().start
            if not opened:
                text = _between(rows, start, token.end)
                yield token._replace(type=tokenize.STRING, string=text, start=start)
        elif not opened:
            yield token


def _grouped(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[Line]:
    first: tokenize.TokenInfo | None = None
    pieces: list[str] = []
    end = (0, 0)
    for token in tokens:
        if token.type == tokenize.NEWLINE and first is not None:
            yield Line(text="".join(pieces), line=first.start[0], end=end[0])
            first, pieces = None, []
        if token.type in _SKIPPED or token.type == tokenize.COMMENT:
            continue
        if first is None:
            first, end = token, token.start
        # The text between two tokens is space, a comment or a line end: a space stands for it.
        pieces.append("" if token.start == end else " ")
        pieces.append(token.string)
        end = token.end


def _between(rows: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return rows[start[0] - 1][start[1] : end[1]]
    middle = rows[start[0] : end[0] - 1]
    return "\n".join([rows[start[0] - 1][start[1] :], *middle, rows[end[0] - 1][: end[1]]])


def filled(stub: str, fill: Sequence[str]) -> list[str]:
    """The stub's statements that hold blanks, with `fill`'s expressions in the blanks' places."""
    waiting = list(fill)
    found = []
    for line in logical_lines(stub):
        count = len(re.findall(rf"\b{BLANK}\b", line.text))
        if not count or len(waiting) < count:
            continue
        text = line.text
        for _ in range(count):
            text = re.sub(rf"\b{BLANK}\b", lambda _: waiting.pop(0), text, count=1)
        found.append("\n".join(one.text for one in logical_lines(text)))
    return found


@lru_cache(maxsize=_REMEMBERED)
def expressions(source: str) -> tuple[tuple[list[str], int], ...]:
    """The fills of a fill cell: each an expression, or the parts of a tuple, and its line."""
    try:
        tree = parse_code(source)
    except SyntaxError:
        return ()
    found = []
    for node in tree.body:
        if isinstance(node, ast.Expr):
            whole = ast.get_source_segment(source, node.value) or ""
            parts = [whole]
            if isinstance(node.value, ast.Tuple):
                parts = [ast.get_source_segment(source, one) or "" for one in node.value.elts]
            found.append((parts, node.lineno))
    return tuple(found)


@lru_cache(maxsize=_REMEMBERED)
def remarks(source: str) -> tuple[Remark, ...]:
    """The comments and strings of some code."""
    return tuple(_remarks(source))


def _remarks(source: str) -> Iterator[Remark]:
    seen = 0
    try:
        for token in _tokens(source):
            seen = token.end[0]
            if token.type in {tokenize.COMMENT, tokenize.STRING}:
                yield Remark(text=token.string, line=token.start[0])
    except _NO_PYTHON:
        for number, text in enumerate(source.split("\n")[seen:], start=seen + 1):
            yield Remark(text=text.partition("#")[2], line=number)


@lru_cache(maxsize=_REMEMBERED)
def names(source: str) -> frozenset[str]:
    """The names that some code uses, without Python's own."""
    try:
        tree = parse_code(source)
    except SyntaxError:
        return frozenset(re.findall(r"[A-Za-z_]\w+", source)) - _COMMON
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found.add(node.name)
    return frozenset(found) - _COMMON


@lru_cache(maxsize=_REMEMBERED)
def fragments(source: str, known: frozenset[str]) -> tuple[Line, ...]:
    """What of some code would give it away, in the normal form of code.

    A logical line is such a fragment when it is specific: it uses a name of the exercise (`known`)
    or holds a number or a text of some length. `return total` could stand anywhere, so a line that
    is not specific counts only together with the next one. Imports never count.
    """
    return tuple(_fragments(source, known))


def _fragments(source: str, known: frozenset[str]) -> Iterator[Line]:
    imports = ("import ", "from ")
    lines = [line for line in logical_lines(source) if not line.text.startswith(imports)]
    normal = [code(line.text).strip() for line in lines]
    special = [_is_specific(line.text, known) for line in lines]
    for index, line in enumerate(lines):
        if special[index] and len(normal[index]) >= SHORTEST:
            yield Line(text=normal[index], line=line.line, end=line.end)
        following = index + 1
        if following < len(lines) and not (special[index] and special[following]):
            pair = code(f"{line.text}\n{lines[following].text}").strip()
            least = _RUN if special[index] or special[following] else 2 * _RUN
            if len(pair) >= least:
                yield Line(text=pair, line=line.line, end=lines[following].end)
        yield from _rows(source, line, known)


def _rows(source: str, line: Line, known: frozenset[str]) -> Iterator[Line]:
    """The rows of a statement over several lines, as far as each is specific by itself."""
    if line.end == line.line:  # one row is the statement itself
        return
    rows = source.split("\n")
    for number in range(line.line, line.end + 1):
        row = re.sub(r"(?:^|\s)#.*$", "", rows[number - 1])
        text = code(row).strip()
        if len(text) >= SHORTEST and _is_specific(row, known):
            yield Line(text=text, line=number, end=number)


def _is_specific(text: str, known: frozenset[str]) -> bool:
    if any(word in known for word in re.findall(r"[A-Za-z_]\w*", text)):
        return True
    for literal in re.findall(r"""(?<![\w.])\d[\w.+]*|"[^"\n]*"|'[^'\n]*'""", text):
        if literal[0] in "\"'":
            if weights(units(literal)) >= _LITERAL_WEIGHT:
                return True
        elif sum(c.isdigit() for c in literal) >= _LITERAL_DIGITS:
            return True
    return False
