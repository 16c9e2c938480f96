"""A lesson's running text, line by line, without what is no Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.model import Answer, Audience, DivClose, DivOpen, Lesson, Prose

_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_FORMULA = re.compile(r"(?<![\\$])\$(?!\s)(?:\\.|[^$\\])+?(?<!\s)\$(?!\d)")
_RAW_HTML = re.compile(r"^\s*(?:`{3,}|~{3,})\s*\{=html\}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of text.

    Attributes:
        number: In the source, 1-based.
        pagination: It stands in a `.course-pagination` block.
    """

    text: str
    number: int
    audience: Audience
    pagination: bool = False


def text_lines(lesson: Lesson, *, raw: bool = False, code: bool = False) -> Iterator[Line]:
    """The lines of all prose.

    Args:
        lesson: What to read.
        raw: Raw HTML blocks, too.
        code: Leave code spans in.
    """
    divs: list[bool] = []
    for block in lesson.blocks:
        if isinstance(block, DivOpen):
            divs.append("course-pagination" in block.classes)
        elif isinstance(block, DivClose) and divs:
            divs.pop()
        verbatim = isinstance(block, Prose) and block.verbatim
        if not isinstance(block, Prose | Answer) or (
            verbatim and not (raw and _RAW_HTML.match(block.text))
        ):
            continue
        for number, text in enumerate(block.text.split("\n"), start=block.line):
            yield Line(
                text=_FORMULA.sub("", text if code else _CODE.sub("", text)),
                number=number,
                audience=block.audience,
                pagination=any(divs),
            )
