"""The student .qmd: the public blocks to the letter, hidden tests taken out."""

from __future__ import annotations

import re

from autograder.editions.tree import public
from autograder.editions.words import words_for
from autograder.model import Block, Cell, FrontMatter, Lesson, Role
from autograder.source.markers import regions

_EVAL = re.compile(r"^[ \t]*#\|[ \t]*eval[ \t]*:")
# Without the blank filled in, the tests find no name to test: neither runs on the page.
_NOT_RUN = {Role.EXERCISE, Role.TESTS}


def student_page(lesson: Lesson) -> str:
    """The public side of the source; LF line ends, no byte-order mark."""
    blocks = public(lesson.blocks)
    text = "".join(_text(block) for block in blocks)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    note = f"# {words_for(lesson.lang).derived.format(source=lesson.path)}\n"
    if blocks and isinstance(blocks[0], FrontMatter):
        first, rest = text.split("\n", 1)
        return f"{first}\n{note}{rest}"
    return f"---\n{note}---\n\n{text}"


def _text(block: Block) -> str:
    if not isinstance(block, Cell):
        return block.text
    text = block.text
    if block.role is Role.TESTS:
        text = "\n".join(line for line, hidden in regions(text) if not hidden)
    return _unevaluated(text, block.indent) if block.role in _NOT_RUN else text


def _unevaluated(text: str, indent: str) -> str:
    """Put `#| eval: false` first among the options, in the place of any other `eval`."""
    first, *rest = text.split("\n")
    kept = [line for line in rest if not _EVAL.match(line)]
    return "\n".join([first, f"{indent}#| eval: false", *kept])
