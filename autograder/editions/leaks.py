"""The last look before anything is written: no answer in what learners get."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from autograder.errors import CourseError
from autograder.model import Audience, Block, Cell, DivClose, Lesson, Prose, Role
from autograder.nodes import NotebookNode
from autograder.source.lines import inline_comments, without_comments
from autograder.source.markers import hidden_lines, public_part

_SHORTEST = 8


def refuse_leaks(lesson: Lesson, notebook: NotebookNode, page: str) -> None:
    """Compare the student editions with every line that only the answer side holds.

    Raises:
        CourseError: A line of an answer or of a hidden test is in them.
    """
    told = _normal("\n".join([page, *_texts(notebook)]))
    for line, number in secrets(lesson):
        if line in told:
            raise CourseError(
                f"{lesson.path}:{number}: This line of the answer side is in a student edition, "
                "so nothing was written. Report it as a fault of course build."
            )


def secrets(lesson: Lesson) -> Iterator[tuple[str, int]]:
    """Lines, normalised, of answers and hidden tests that the public side does not hold."""
    shown = _normal("\n".join(_public_text(block) for block in lesson.blocks))
    for block in lesson.blocks:
        for offset, line in enumerate(_secret_text(block).split("\n")):
            normal = _normal(line)
            if len(normal) >= _SHORTEST and normal not in shown:
                yield normal, block.line + offset


def _public_text(block: Block) -> str:
    if block.audience is Audience.ANSWER:
        return ""
    if isinstance(block, Cell) and block.role is Role.TESTS:
        return public_part(block.text)
    if isinstance(block, Prose) and not block.verbatim:
        return "\n".join(without_comments(line) for line in block.text.split("\n"))
    return block.text


def _secret_text(block: Block) -> str:
    if isinstance(block, DivClose):
        return ""
    if block.audience is Audience.ANSWER:
        return block.source if isinstance(block, Cell) else block.text
    if isinstance(block, Cell) and block.role is Role.TESTS:
        return "\n".join(hidden_lines(block.source))
    if isinstance(block, Prose) and not block.verbatim:
        return "\n".join("\n".join(inline_comments(line)) for line in block.text.split("\n"))
    return ""


def _texts(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        if cell.metadata["course"]["role"] != "setup":
            yield cell.source
        yield from _strings(cell.metadata)
        for output in cell.get("outputs", ()):
            yield from _strings(output.metadata)
            yield from _strings(output.data.get("text/plain"))
    yield from _strings(notebook.metadata)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _normal(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).casefold()
