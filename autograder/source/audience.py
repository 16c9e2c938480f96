"""Who may see a block: div nesting, answer headings and comments decide."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.model import Audience, Block, Cell, DivClose, DivOpen, Prose, Role
from autograder.source.attributes import Heading, heading_of
from autograder.source.faults import Faults
from autograder.source.hiding import CLASS, HIDES, PROFILE, refuse_near_hiding
from autograder.source.notices import hide_labels, hide_notices

ANSWER_TITLE = re.compile(
    r"^(?:[\d.、]+\s*)?(?:Q\d+(?:\s*[-–~至]\s*Q?\d+)?[\s:：、.]*的?\s*)?"
    r"(?:(?:参考|标准)?(?:答案|解答)(?:[与和及、]?(?:解析|要点|讲解|说明|评析))?|(?:(?:reference|model|sample)\s+)?(?:answers?|solutions?))"
    r"(?:\s*[（(].*[)）])?(?:\s*[:：].*)?$",
    re.IGNORECASE,
)


def is_callout(div: DivOpen) -> bool:
    """Whether a div is one of Quarto's callouts."""
    return any(name.startswith("callout-") for name in div.classes)


def with_audience(blocks: Sequence[Block], faults: Faults) -> list[Block]:
    """Mark what only instructors may see, and find what looks like an answer outside it."""
    hidden = _hidden_by_divs(blocks)
    for index, block in enumerate(blocks):
        if isinstance(block, Prose) and block.verbatim and block.text.lstrip().startswith("<!--"):
            hidden.add(index)
    marked = [
        replace(block, audience=Audience.ANSWER) if index in hidden else block
        for index, block in enumerate(blocks)
    ]
    marked = hide_labels(hide_notices(marked, faults))
    refuse_near_hiding(marked, faults)
    return _with_answer_sections(marked, faults)


def _hidden_by_divs(blocks: Sequence[Block]) -> set[int]:
    """Indices within an outermost div that is answer-only, its own two lines included."""
    hidden: set[int] = set()
    stack: list[int] = []
    secret: list[bool] = []
    for index, block in enumerate(blocks):
        if isinstance(block, DivOpen):
            stack.append(index)
            secret.append(_says_answer(block))
        elif isinstance(block, DivClose) and stack:
            opened, answer = stack.pop(), secret.pop()
            if answer:
                hidden.update(range(opened, index + 1))
        elif isinstance(block, Cell) and block.options.get("course_role") == Role.SOLUTION:
            for depth, opened in enumerate(stack):
                holder = blocks[opened]
                secret[depth] |= isinstance(holder, DivOpen) and is_callout(holder)
    for opened, answer in zip(stack, secret, strict=True):
        if answer:  # never closed, a fault already: keep it hidden all the same
            hidden.update(range(opened, len(blocks)))
    return hidden


def _says_answer(div: DivOpen) -> bool:
    if CLASS in div.classes:
        return True
    return any(
        name in div.classes and div.attributes.get(key) == PROFILE for name, key in HIDES.items()
    )


def _with_answer_sections(blocks: list[Block], faults: Faults) -> list[Block]:
    """A section headed as answers goes with the answer block in it, text beside that included."""
    for index, block in enumerate(blocks):
        if block.audience is Audience.ANSWER or not isinstance(block, Prose) or block.verbatim:
            continue
        heading = heading_of(block.text)
        if heading is None or not ANSWER_TITLE.match(heading.text):
            continue
        end = _section_end(blocks, index, heading)
        section = blocks[index + 1 : end]
        if not any(isinstance(b, DivOpen) and b.audience is Audience.ANSWER for b in section):
            faults.add(
                block.line,
                f"The section {heading.text!r} stands outside an answer block.",
                "Put it into a callout with the class `.answer`.",
            )
            continue
        shown = [one for one in section if one.audience is Audience.PUBLIC and one.text.strip()]
        if shown or _rest(block).strip():
            faults.warn(
                block.line,
                f"The section {heading.text!r} is about answers, so no student edition has any "
                "of its text.",
                "Put what learners shall read under another heading.",
            )
        for at in range(index, end):
            if blocks[at].text.strip():
                blocks[at] = replace(blocks[at], audience=Audience.ANSWER)
    return blocks


def _section_end(blocks: Sequence[Block], index: int, heading: Heading) -> int:
    """Index behind a section's last block; a section ends with the div it stands in."""
    depth = 0
    for at in range(index + 1, len(blocks)):
        block = blocks[at]
        if isinstance(block, DivOpen):
            if not depth and "course-pagination" in block.classes:
                return at
            depth += 1
        elif isinstance(block, DivClose):
            depth -= 1
            if depth < 0:
                return at
        elif not depth and isinstance(block, Prose) and not block.verbatim:
            below = heading_of(block.text)
            if below is not None and below.level <= heading.level:
                return at
    return len(blocks)


def _rest(block: Block) -> str:
    return block.text.partition("\n")[2]
