"""What fills the blanks of an exercise: found in the reference, put into the stub."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograder.checking.mutants import MOST, expression_mutants, statement_mutants
from autograder.source.code import BLANK, blanks, parse_code

_NOT_COMPARED = frozenset({"ctx", "type_comment", "kind"})


@dataclass(kw_only=True, slots=True)
class Fillings:
    """What the reference has where the stub has blanks.

    Attributes:
        tree: The reference, which the nodes below are parts of.
        expressions: One a blank, in the order of the text.
        statements: Put in above a blank's statement, where the stub has none.
        edited_line: First line of the reference that differs elsewhere; None: none does.
    """

    tree: ast.Module
    expressions: list[ast.expr] = field(default_factory=list)
    statements: list[ast.stmt] = field(default_factory=list)
    edited_line: int | None = None


def filled(stub: str, texts: Sequence[str]) -> str:
    """The stub with an expression in each blank; lines stay where they are."""
    lines = [line.encode() for line in stub.split("\n")]  # ast counts columns in bytes
    places = list(zip(blanks(parse_code(stub)), texts, strict=True))
    for blank, text in reversed(places):
        line = lines[blank.lineno - 1]
        end = blank.col_offset + len(BLANK)
        lines[blank.lineno - 1] = line[: blank.col_offset] + f"({text})".encode() + line[end:]
    return b"\n".join(lines).decode()


def find(stub: str, reference: str) -> Fillings:
    """Lay the reference over the stub."""
    tree = parse_code(reference)
    found = Fillings(tree=tree)
    _lay_lists(parse_code(stub).body, tree.body, found)
    return found


def mutants(found: Fillings) -> Iterator[tuple[str, str]]:
    """Mutants of the fillings: what was changed, in words, and the source of the whole cell."""
    share = MOST // max(1, len(found.expressions))
    for node in found.expressions:
        text = ast.unparse(node)
        for mutant in expression_mutants(text, names_at(found.tree, node), most=share):
            other = ast.parse(mutant.text, mode="eval").body
            yield mutant.text, _source(found.tree, node, other)
    for statement in found.statements:
        text = ast.unparse(statement)
        for changed in statement_mutants(statement, names_at(found.tree, statement)):
            yield f"{ast.unparse(changed)}  (was: {text})", _source(found.tree, statement, changed)


def names_at(tree: ast.Module, node: ast.AST) -> list[str]:
    """Names that the code around a node has by then: parameters and what is assigned above."""
    scope: ast.AST = tree
    for outer in ast.walk(tree):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef) and node in ast.walk(outer):
            scope = outer
    names = [arg.arg for arg in ast.walk(scope) if isinstance(arg, ast.arg)]
    line = getattr(node, "lineno", 0)
    names += [
        other.id
        for other in ast.walk(scope)
        if isinstance(other, ast.Name) and isinstance(other.ctx, ast.Store) and other.lineno < line
    ]
    return list(dict.fromkeys(names))


def _lay(stub: object, own: object, found: Fillings) -> None:
    if isinstance(stub, ast.Name) and stub.id == BLANK and isinstance(own, ast.expr):
        found.expressions.append(own)
    elif isinstance(stub, list) and isinstance(own, list):
        _lay_lists(stub, own, found)
    elif isinstance(stub, ast.AST) and type(stub) is type(own):
        for name in stub._fields:
            if name not in _NOT_COMPARED:
                _lay(getattr(stub, name, None), getattr(own, name, None), found)
                if found.edited_line == 0:  # a plain value differs: this node knows the line
                    found.edited_line = getattr(own, "lineno", 0)
    elif stub != own:
        _note_edit(own, found)


def _lay_lists(stub: Sequence[ast.AST], own: Sequence[ast.AST], found: Fillings) -> None:
    more = len(own) - len(stub)
    if more > 0 and all(isinstance(one, ast.stmt) for one in own):
        at = next((n for n, one in enumerate(stub) if _has_blank(one)), None)
        if at is not None:
            found.statements += [one for one in own[at : at + more] if isinstance(one, ast.stmt)]
            own = [*own[:at], *own[at + more :]]
    if len(stub) != len(own):
        _note_edit(own[-1] if own else None, found)
        return
    for one, other in zip(stub, own, strict=True):
        _lay(one, other, found)


def _note_edit(own: object, found: Fillings) -> None:
    if found.edited_line is None or found.edited_line == 0:
        found.edited_line = getattr(own, "lineno", 0)


def _has_blank(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Name) and one.id == BLANK for one in ast.walk(node))


def _source(tree: ast.Module, old: ast.AST, new: ast.AST) -> str:
    """The cell with one node replaced; the tree is left as it was."""
    memo: dict[int, object] = {id(old): new}
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree, memo)))
