"""Who may see a block: div nesting, answer headings and comments decide."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.model import Audience, Block, Cell, DivClose, DivOpen, Prose, Role
from autograder.source.attributes import Heading, heading_of
from autograder.source.faults import Faults

ANSWER_TITLE = re.compile(
    r"^(?:[\d.、]+\s*)?(?:Q\d+(?:\s*[-–~至]\s*Q?\d+)?[\s:：、.]*的?\s*)?"
    r"(?:(?:参考|标准)?(?:答案|解答)|(?:(?:reference|model|sample)\s+)?(?:answers?|solutions?))"
    r"(?:\s*[（(].*[)）])?(?:\s*[:：].*)?$",
    re.IGNORECASE,
)
_NEAR_CLASS = re.compile(r"^answers?$", re.IGNORECASE)
_HIDES = {"content-visible": "when-profile", "content-hidden": "unless-profile"}


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
    _refuse_near_classes(marked, faults)
    return _with_answer_headings(marked, faults)


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
    if "answer" in div.classes:
        return True
    return any(
        name in div.classes and div.attributes.get(key) == "answer" for name, key in _HIDES.items()
    )


def _refuse_near_classes(blocks: Sequence[Block], faults: Faults) -> None:
    for block in blocks:
        if not isinstance(block, DivOpen) or block.audience is Audience.ANSWER:
            continue
        for name in block.classes:
            if _NEAR_CLASS.match(name):
                faults.add(
                    block.line,
                    f"The class `.{name}` hides nothing.",
                    "Did you mean `.answer`?",
                )
        for key, value in block.attributes.items():
            if key.endswith("-profile") and _NEAR_CLASS.match(value) and value != "answer":
                faults.add(
                    block.line,
                    f'`{key}="{value}"` names no profile of a lesson.',
                    f'Did you mean `{key}="answer"`?',
                )


def _with_answer_headings(blocks: list[Block], faults: Faults) -> list[Block]:
    """An answer heading whose section holds nothing public goes with the answers below it."""
    for index, block in enumerate(blocks):
        if block.audience is Audience.ANSWER or not isinstance(block, Prose) or block.verbatim:
            continue
        heading = heading_of(block.text)
        if heading is None or not ANSWER_TITLE.match(heading.text):
            continue
        section = [one for one in _section(blocks, index, heading) if one.text.strip()]
        answers = bool(section) and section[0].audience is Audience.ANSWER
        if _rest(block).strip() or not answers:
            faults.add(
                block.line,
                f"The section {heading.text!r} stands outside an answer block.",
                "Put it into a callout with the class `.answer`.",
            )
        elif all(one.audience is Audience.ANSWER for one in section):
            blocks[index] = replace(block, audience=Audience.ANSWER)
    return blocks


def _section(blocks: Sequence[Block], index: int, heading: Heading) -> list[Block]:
    found: list[Block] = []
    for block in blocks[index + 1 :]:
        public = block.audience is Audience.PUBLIC
        if public and isinstance(block, Prose) and not block.verbatim:
            below = heading_of(block.text)
            if below is not None and below.level <= heading.level:
                break
        if public and isinstance(block, DivOpen) and "course-pagination" in block.classes:
            break
        found.append(block)
    return found


def _rest(block: Block) -> str:
    return block.text.partition("\n")[2]
