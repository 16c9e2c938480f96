"""Flat blocks -> a tree of divs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.model import Audience, Block, DivClose, DivOpen


@dataclass(frozen=True, kw_only=True, slots=True)
class Div:
    """A fenced div and what it holds."""

    opening: DivOpen
    children: tuple[Node, ...]

    @property
    def callout(self) -> str | None:
        """The kind of callout it is: note, tip, important, warning, caution; or None."""
        for name in self.opening.classes:
            if name.startswith("callout-"):
                return name.removeprefix("callout-")
        return None


Node = Block | Div


def tree(blocks: Sequence[Block]) -> list[Node]:
    """Nest the blocks of a valid lesson."""
    stack: list[tuple[DivOpen | None, list[Node]]] = [(None, [])]
    for block in blocks:
        if isinstance(block, DivOpen):
            stack.append((block, []))
        elif isinstance(block, DivClose):
            opening, children = stack.pop()
            if opening is not None:
                stack[-1][1].append(Div(opening=opening, children=tuple(children)))
        else:
            stack[-1][1].append(block)
    return stack[0][1]


def public(blocks: Sequence[Block]) -> list[Block]:
    """What learners may see."""
    return [block for block in blocks if block.audience is Audience.PUBLIC]
