"""The places in a lesson that a link can lead to."""

from __future__ import annotations

import re

from autograder.model import Answer, Audience, Cell, Diagram, DivOpen, Lesson, Prose
from autograder.source.attributes import heading_of

_ID = re.compile(r"\{#([^\s{}]+)|\bid\s*=\s*[\"']([^\"']+)")
_MARKUP = re.compile(r"[*`]|\[\^[^\]]*\]|!?\[|\]\([^)]*\)|\]\{[^}]*\}|\]")


def anchors(lesson: Lesson, *, answers: bool) -> set[str]:
    """Identifiers that the lesson has, with or without those in answer blocks."""
    found: set[str] = set()
    for block in lesson.blocks:
        if block.audience is Audience.ANSWER and not answers:
            continue
        if isinstance(block, DivOpen) and block.identifier:
            found.add(block.identifier)
        elif isinstance(block, Cell) and "label" in block.options:
            found.add(str(block.options["label"]))
        elif isinstance(block, Diagram) and block.label:
            found.add(block.label)
        elif isinstance(block, Answer):
            found.add(block.grade_id)
        elif isinstance(block, Prose):
            found |= {one or other for one, other in _ID.findall(block.text)}
            heading = None if block.verbatim else heading_of(block.text)
            if heading is not None:
                found |= _of_heading(heading.text, found)
    return found


def _of_heading(text: str, taken: set[str]) -> set[str]:
    """Pandoc's identifier for a heading, and JupyterLab's."""
    name = pandoc_identifier(text)
    number = 1
    unique = name
    while unique in taken:
        unique = f"{name}-{number}"
        number += 1
    return {unique, text.replace(" ", "-")}


def pandoc_identifier(text: str) -> str:
    """What pandoc makes of a heading without an identifier of its own."""
    plain = _MARKUP.sub("", text)
    kept = "".join(one for one in plain if one.isalnum() or one in "_-. \t\u3000")
    joined = "-".join(kept.split()).lower()
    return re.sub(r"^[^a-z\u00aa-\U0010ffff]+", "", joined) or "section"
