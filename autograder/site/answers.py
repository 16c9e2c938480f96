"""Answer blocks of a page: what each is called, which question it answers, where it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.editions.showing import leading_heading
from autograder.editions.tree import Div, Node, tree
from autograder.model import Audience, Cell, Lesson, Role

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_AFTER_COLON = re.compile(r"[：:]\s*(.+)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerBlock:
    """A folded answer.

    Attributes:
        line: Of its opening in the source, which tells it from the others.
        identifier: The `id` that a link opens.
        title: Its own title, Markdown; None without one.
        answers: Grade ids of the exercises and questions that it answers.
    """

    line: int
    identifier: str
    title: str | None
    answers: frozenset[str]


def answer_blocks(lesson: Lesson) -> list[AnswerBlock]:
    """The outermost answer blocks of a lesson, in order."""
    found: list[AnswerBlock] = []
    taken: set[str] = set()
    for count, div in enumerate(_outermost(tree(lesson.blocks)), start=1):
        title = div.opening.attributes.get("title")
        if title is None and div.callout is not None:
            title, _ = leading_heading(div.children)
        solved = _solved(div.children)
        named = _named(title or "", lesson)
        first = next(iter([*named, *solved]), None)
        name = f"answer-{div.opening.identifier or first or count}"
        while name in taken:
            name = f"{name}-{count}"
        taken.add(name)
        answers = frozenset([*solved, *named])
        found.append(
            AnswerBlock(line=div.opening.line, identifier=name, title=title, answers=answers)
        )
    return found


def _outermost(nodes: Sequence[Node]) -> Iterator[Div]:
    for node in nodes:
        if isinstance(node, Div):
            if node.opening.audience is Audience.ANSWER:
                yield node
            else:
                yield from _outermost(node.children)


def _solved(nodes: Sequence[Node]) -> list[str]:
    """Exercises whose solution is in there, in order."""
    found: list[str] = []
    for node in nodes:
        if isinstance(node, Div):
            found += _solved(node.children)
        elif isinstance(node, Cell) and node.role is Role.SOLUTION and node.exercise:
            found.append(node.exercise)
    return list(dict.fromkeys(found))


def _named(title: str, lesson: Lesson) -> list[str]:
    """Questions that a title names, by their id or by how their own heading begins."""
    words = {word.lower() for word in _WORD.findall(title)}
    subject = _AFTER_COLON.search(title)
    topic = subject[1].strip() if subject else ""
    return [
        one.grade_id
        for one in lesson.answers
        if one.grade_id.lower() in words or (topic and one.title.startswith(topic))
    ]
