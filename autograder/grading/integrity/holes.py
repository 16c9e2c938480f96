"""The blanks of an exercise, found again in a learner's cell by unifying the two syntax trees.

A blank is a hole for one expression. A TODO comment directly above the statement of a blank is a
hole for statements. Everything else of the pristine cell must be there again; where it is not, the
two lists of statements are aligned and the statement of the blank is looked for by what it assigns.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from autograder.grading.integrity.alignment import align, signature
from autograder.grading.integrity.trees import (
    Place,
    blanks,
    fields,
    is_blank,
    is_noise,
    place,
    same,
    stores,
)


@dataclass(kw_only=True, slots=True)
class Filling:
    """What a learner put where.

    Attributes:
        holes: Place of a blank -> the expression that fills it.
        before: Place of a statement -> statements put in front of it.
        instead: Place of a statement -> statements that took its place.
        edited: Whether anything but the holes differs.
        blank_is_a_name: The learner assigned to the name ______, so reading it is no blank.
    """

    holes: dict[Place, ast.expr] = field(default_factory=dict)
    before: dict[Place, list[ast.stmt]] = field(default_factory=dict)
    instead: dict[Place, list[ast.stmt]] = field(default_factory=dict)
    edited: bool = False
    blank_is_a_name: bool = False

    def add(self, other: Filling) -> None:
        """Take over everything of another part of the cell."""
        self.holes |= other.holes
        self.before |= other.before
        self.instead |= other.instead
        self.edited |= other.edited

    def nodes(self) -> Iterator[ast.AST]:
        """Yield everything that the learner wrote into holes."""
        yield from self.holes.values()
        for statements in (*self.before.values(), *self.instead.values()):
            yield from statements


def find(pristine: ast.Module, learner: ast.Module, todo_lines: frozenset[int]) -> Filling | None:
    """Unify a learner's cell with the pristine one.

    Args:
        pristine: The exercise with its blanks.
        learner: What was handed in.
        todo_lines: Lines of the pristine cell whose statement has a TODO comment above it.

    Returns:
        None when the statement of a blank is nowhere to be found.
    """
    assigned = any(
        is_blank(node) and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        for node in ast.walk(learner)
    )
    search = _Search(todo_lines=todo_lines, blank_is_a_name=assigned)
    found = search.block(pristine.body, learner.body) or search.rescue(pristine, learner)
    if found is not None:
        found.blank_is_a_name = assigned
    return found


@dataclass(frozen=True, kw_only=True, slots=True)
class _Search:
    todo_lines: frozenset[int]
    blank_is_a_name: bool  # the learner assigned to ______ : then reading it is no blank

    def block(self, pristine: Sequence[ast.stmt], learner: Sequence[ast.stmt]) -> Filling | None:
        """Unify two lists of statements; bare constants and `pass` count as comments."""
        ours = [stmt for stmt in pristine if not is_noise(stmt)]
        theirs = [stmt for stmt in learner if not is_noise(stmt)]
        taken: dict[tuple[int, int], Filling] = {}

        def weight(i: int, j: int) -> int:
            if not blanks(ours[i]):
                return 10 if same(ours[i], theirs[j]) else 3
            found = self.node(ours[i], theirs[j])
            if found is None:
                return 0
            taken[i, j] = found
            if not self.blank_is_a_name and any(blanks(node) for node in found.nodes()):
                return 50
            return 100 if found.edited else 1000

        pairs = align(ours, theirs, weight)
        whole = Filling()
        for i, stmt in enumerate(ours):
            if not blanks(stmt):
                whole.edited |= i not in pairs or not same(stmt, theirs[pairs[i]])
                continue
            low = max((pairs[k] + 1 for k in pairs if k < i), default=0)
            high = min((pairs[k] for k in pairs if k > i), default=len(theirs))
            neighbours = (i == 0 or i - 1 in pairs) and (i + 1 == len(ours) or i + 1 in pairs)
            found = self._statement(
                stmt, theirs[low:high], pairs[i] - low if i in pairs else None, neighbours,
                taken.get((i, pairs.get(i, -1))),
            )  # fmt: skip
            if found is None:
                return None
            whole.add(found)
        return self._extras(theirs, pairs, whole)

    def _statement(
        self,
        stmt: ast.stmt,
        region: Sequence[ast.stmt],
        at: int | None,
        neighbours: bool,
        taken: Filling | None,
    ) -> Filling | None:
        """Unify a statement that holds blanks with the region between its neighbours."""
        simple = not hasattr(stmt, "body")
        if at is None or taken is None:
            if simple and neighbours and _does_the_job(region, stmt):
                return Filling(instead={place(stmt): self._written(region)}, edited=True)
            return self.rescue(stmt, ast.Module(body=list(region), type_ignores=[]))
        if simple and any(stores(later, stmt) for later in region[at + 1 :]):
            return Filling(instead={place(stmt): self._written(region)}, edited=True)
        before = self._written(region[:at])
        if simple and before:
            taken.before[place(stmt)] = before
            taken.edited |= stmt.lineno not in self.todo_lines
        return taken

    @staticmethod
    def _extras(theirs: Sequence[ast.stmt], pairs: dict[int, int], whole: Filling) -> Filling:
        """Note statements of the learner's that are in no hole: they are left out."""
        kept = {id(node) for node in whole.nodes()}
        used = set(pairs.values())
        for j, stmt in enumerate(theirs):
            if j not in used and id(stmt) not in kept and not blanks(stmt):
                whole.edited = True
        return whole

    def node(self, ours: ast.AST, theirs: ast.AST) -> Filling | None:
        """Unify two nodes along the way to the blanks; what differs beside it is an edit."""
        if isinstance(ours, ast.Name) and is_blank(ours):
            if isinstance(theirs, ast.expr) and not isinstance(theirs, ast.Starred | ast.Slice):
                return Filling(holes={place(ours): theirs})
            return None
        if isinstance(ours, ast.Assign) and isinstance(theirs, ast.AnnAssign | ast.Assign):
            return self._assignment(ours, theirs)
        if isinstance(ours, ast.Dict) and isinstance(theirs, ast.Dict):
            return self._dict(ours, theirs)
        if type(ours) is not type(theirs):
            return None
        return self._parts(
            (getattr(ours, name, None), getattr(theirs, name, None)) for name in fields(ours)
        )

    def _parts(self, pairs: Iterable[tuple[object, object]]) -> Filling | None:
        whole = Filling()
        for ours, theirs in pairs:
            part = self._field(ours, theirs)
            if part is None:
                return None
            whole.add(part)
        return whole

    def _field(self, ours: object, theirs: object) -> Filling | None:
        """Unify a field: a node, a list or a plain value."""
        items = ours if isinstance(ours, list) else [ours]
        if not any(isinstance(item, ast.AST) and blanks(item) for item in items):
            return Filling(edited=not same(ours, theirs))
        if isinstance(ours, ast.AST) and isinstance(theirs, ast.AST):
            return self.node(ours, theirs)
        if isinstance(ours, list) and isinstance(theirs, list):
            if isinstance(ours[0], ast.stmt):
                return self.block(ours, theirs)
            if len(ours) == len(theirs):
                return self._parts(zip(ours, theirs, strict=True))
        return None

    def _assignment(self, ours: ast.Assign, theirs: ast.AnnAssign | ast.Assign) -> Filling | None:
        if theirs.value is None:
            return None
        found = self._field(ours.value, theirs.value)
        targets = [theirs.target] if isinstance(theirs, ast.AnnAssign) else theirs.targets
        if found is not None:
            found.edited |= not same(ours.targets, targets)
        return found

    def _dict(self, ours: ast.Dict, theirs: ast.Dict) -> Filling | None:
        """Unify dictionaries by key: their order may differ, an added key is an edit."""
        mine = _entries(ours)
        other = _entries(theirs)
        if any(blanks(value) for key, value in mine.items() if key not in other):
            return None
        whole = self._parts((mine[key], other[key]) for key in mine if key in other)
        if whole is not None:
            whole.edited |= set(mine) != set(other) or len(theirs.keys) != len(other)
        return whole

    def rescue(self, ours: ast.AST, theirs: ast.AST) -> Filling | None:
        """Find each blank's statement anywhere below `theirs`, the last one that fits."""
        whole = Filling(edited=True)
        candidates = [node for node in ast.walk(theirs) if isinstance(node, ast.stmt)]
        candidates.sort(key=place)
        for stmt in ast.walk(ours):
            if not isinstance(stmt, ast.stmt) or hasattr(stmt, "body") or not blanks(stmt):
                continue
            alike = (c for c in reversed(candidates) if signature(c) == signature(stmt))
            found = next((f for f in (self.node(stmt, c) for c in alike) if f is not None), None)
            if found is None:
                return None
            whole.add(found)
        return whole

    def _written(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Leave out statements that still hold the blank: `x = ______` above `x = 1`."""
        return [stmt for stmt in statements if self.blank_is_a_name or not blanks(stmt)]


def _does_the_job(region: Sequence[ast.stmt], stmt: ast.stmt) -> bool:
    if isinstance(stmt, ast.Return):
        return any(isinstance(n, ast.Return) for part in region for n in ast.walk(part))
    return any(stores(part, stmt) for part in region)


def _entries(node: ast.Dict) -> dict[str, ast.expr]:
    pairs = zip(node.keys, node.values, strict=True)
    return {ast.dump(key): value for key, value in pairs if key is not None}
