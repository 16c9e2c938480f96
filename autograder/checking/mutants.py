"""Mutants of what fills a blank: each is a slip that a learner could make.

An expression's mutants are texts of expressions: another operator, another name in scope, an
operand dropped, swapped or added, a constant off by one, a comparison turned, the whole rounded,
negated or cut off at another value. Power is never put in: `a ** b` of large integers does not end.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MOST = 400
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_OPPOSITE_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sum": "len"}
_WHOLE = (
    "int({0})",
    "round({0})",
    "abs({0})",
    "-({0})",
    "float(__import__('numpy').float32({0}))",
    "({0}) + 1",
    "({0}) - 1",
    "({0}) * 2",
    "({0}) * 1.000001",
    "str({0})",
    "[{0}]",
    "not ({0})",
    "None",
    "0",
    "1",
)
_WITH_NAME = ("({0}) * {1}", "({0}) / {1}", "min({0}, {1})", "max({0}, {1})")
_OFF_SHARE = 1.01
# One more is no slip in a float this large: it is less than any test compares.
_LARGE = 1e6


@dataclass(frozen=True, kw_only=True, slots=True)
class Mutant:
    """One mutant of an expression.

    Attributes:
        text: The expression.
        order: How many slips it takes: 1 or 2.
    """

    text: str
    order: int


def expression_mutants(text: str, names: Sequence[str] = (), *, most: int = MOST) -> list[Mutant]:
    """Mutants of an expression, each once, never the expression itself.

    Args:
        text: The expression.
        names: Names in scope, to take for one another.
        most: How many at most; those with two slips fill what is left.

    Returns:
        First all with one slip, then those with two slips in its operators and operands.
    """
    original = _normal(text)
    found = {original: 0}
    first = list(dict.fromkeys(_slips(original, names)))
    whole = [form.format(original) for form in _WHOLE]
    whole += [form.format(original, name) for form in _WITH_NAME for name in names]
    for slip in (*first, *map(_normal, whole)):
        found.setdefault(slip, 1)
    for slip in first:
        for second in _slips(slip, names):
            if len(found) > most:
                break
            found.setdefault(second, 2)
    made = [Mutant(text=text, order=order) for text, order in found.items() if order]
    return made[:most]


def statement_mutants(statement: ast.stmt, names: Sequence[str] = ()) -> Iterator[ast.stmt]:
    """A statement dropped, or with one slip in one of its expressions."""
    yield ast.Pass()
    for node in ast.walk(statement):
        for field, value in ast.iter_fields(node):
            if not isinstance(node, ast.stmt) or not isinstance(value, ast.expr):
                continue
            if field in {"target", "annotation"}:
                continue
            for slip in dict.fromkeys(_slips(ast.unparse(value), names)):
                setattr(node, field, ast.parse(slip, mode="eval").body)
                yield copy.deepcopy(statement)
            setattr(node, field, value)


def _normal(text: str) -> str:
    return ast.unparse(ast.parse(text, mode="eval"))


def _slips(text: str, names: Sequence[str]) -> Iterator[str]:
    """Every expression that is one slip away."""
    tree = ast.parse(text, mode="eval")
    own = _bound(tree)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in list(ast.walk(tree)):
        if not isinstance(node, ast.expr):
            continue
        choices: list[ast.expr] = [slip for make in _MAKERS for slip in make(node)]
        if isinstance(node, ast.Name) and id(node) not in called and node.id not in own:
            choices += [ast.Name(other, ast.Load()) for other in names if other != node.id]
        for choice in choices:
            slipped = _with(tree, node, choice)
            if slipped != text and "--" not in slipped:  # negated twice is no slip
                yield slipped


def _bound(tree: ast.AST) -> set[str]:
    """Names that the expression itself binds: of lambdas and comprehensions."""
    stored = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    return stored | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


def _with(tree: ast.Expression, old: ast.expr, new: ast.expr) -> str:
    """The text with one node replaced; the tree is left as it was."""
    memo: dict[int, object] = {id(old): new}
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree, memo)))


def _operators(node: ast.expr) -> Iterator[ast.expr]:
    if not isinstance(node, ast.BinOp):
        return
    left, right = node.left, node.right
    for kind in _ARITHMETIC:
        if not isinstance(node.op, kind):
            yield ast.BinOp(left, kind(), right)
    yield from (left, right)
    yield ast.BinOp(right, node.op, left)


def _comparisons(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare):
        for place, old in enumerate(node.ops):
            for kind in _COMPARISONS:
                if not isinstance(old, kind):
                    ops = [*node.ops[:place], kind(), *node.ops[place + 1 :]]
                    yield ast.Compare(node.left, ops, node.comparators)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.BoolOp(other, node.values)
        yield from node.values
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
        yield ast.IfExp(node.test, node.orelse, node.body)


def _constants(node: ast.expr) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    changed: tuple[object, ...] = ()
    if isinstance(value, bool):
        changed = (not value,)
    elif isinstance(value, int):
        changed = (value + 1, value - 1, 0)
    elif isinstance(value, float):
        changed = (value * _OFF_SHARE, 0.0, *((value + 1,) if abs(value) < _LARGE else ()))
    elif isinstance(value, str):
        changed = (value + "x", "")
    for other in changed:
        if other != value:
            yield ast.Constant(other)  # type: ignore[arg-type]  # of the constants' own types
    if isinstance(value, int | float) and not isinstance(value, bool) and value:
        yield ast.UnaryOp(ast.USub(), ast.Constant(value))


def _calls(node: ast.expr) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Name) and node.func.id in _OPPOSITE_CALLS:
        yield ast.Call(ast.Name(_OPPOSITE_CALLS[node.func.id]), node.args, node.keywords)
    if isinstance(node.func, ast.Attribute):
        yield node.func.value
    yield from (arg for arg in node.args if not isinstance(arg, ast.Starred))
    yield from (
        ast.Call(node.func, args, node.keywords)
        for args in _reordered(node.args)
        if args or len(node.args) > 1
    )


def _members(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for members in _reordered(node.elts):
            changed = copy.copy(node)
            changed.elts = members
            if members or not isinstance(node, ast.Set):
                yield changed
    elif isinstance(node, ast.Dict):
        for place in range(len(node.keys)):
            keys = node.keys[:place] + node.keys[place + 1 :]
            yield ast.Dict(keys, node.values[:place] + node.values[place + 1 :])
    elif isinstance(node, ast.Subscript):
        yield node.value
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        for generator in node.generators:
            for place in range(len(generator.ifs)):
                kept = generator.ifs
                generator.ifs = kept[:place] + kept[place + 1 :]
                yield copy.deepcopy(node)
                generator.ifs = kept


def _reordered(items: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """One item left out, or two neighbours swapped."""
    for place in range(len(items)):
        yield items[:place] + items[place + 1 :]
    for place in range(len(items) - 1):
        swapped = list(items)
        swapped[place], swapped[place + 1] = swapped[place + 1], swapped[place]
        yield swapped


_MAKERS: tuple[Callable[[ast.expr], Iterator[ast.expr]], ...] = (
    _operators,
    _comparisons,
    _constants,
    _calls,
    _members,
)
