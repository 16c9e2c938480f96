"""Answers, or what looks like them, in the public part of a lesson."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from autograder.model import Audience, Block, Cell, DivOpen, Prose, Role
from autograder.source.attributes import heading_of
from autograder.source.audience import ANSWER_TITLE, is_callout
from autograder.source.faults import Faults
from autograder.source.lines import without_code_spans

_HIDING = re.compile(
    r"\{[^{}]*(?:(?<![\w-])\.answers?(?![\w-])|(?:when|unless)-profile\s*=)[^{}]*\}", re.IGNORECASE
)
_ANSWER_LINE = re.compile(
    r"^(?:[\s*_>-]|<[^<>]*>)*(?:参考答案|标准答案|参考解答|(?:reference|model)\s+(?:answer|solution)s?)"
    r"(?:(?:[\s*_.。]|<[^<>]*>)*$|[\s*_]*[:：])",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"<summary\b[^>]*>[^<]*(?:<[^<>]*>[^<]*)*?(?:答案|解答|answer|solution)", re.I
)
_TITLE = re.compile(r"(?:参考|标准)(?:答案|解答)|(?:reference|model)\s+(?:answer|solution)", re.I)
_RAW = re.compile(r"^\s*(?:`{3,}|~{3,})\s*\{=(?:html|markdown)")
_SHORTEST = 10
# Lines that give no answer away, whoever repeats them.
_COMMON = ("assert", "import", "from", "print(")


def check_spoilers(blocks: Sequence[Block], faults: Faults) -> None:
    """Add a fault for each answer that would reach learners."""
    for index, block in enumerate(blocks):
        if block.audience is Audience.ANSWER:
            continue
        if isinstance(block, DivOpen) and is_callout(block):
            _refuse_answer_callout(block, blocks[index + 1 : index + 3], faults)
        elif isinstance(block, Prose):
            _refuse_hiding_attributes(block, faults)
            _refuse_answer_lines(block, faults)
    _refuse_given_away(blocks, faults)


def _refuse_answer_callout(div: DivOpen, inside: Sequence[Block], faults: Faults) -> None:
    title = div.attributes.get("title")
    for block in inside if title is None else ():
        heading = heading_of(block.text) if isinstance(block, Prose) else None
        title = heading.text if heading is not None else title
        if block.text.strip():
            break
    if title and (ANSWER_TITLE.match(title.strip()) or _TITLE.search(title)):
        faults.add(
            div.line,
            f"The callout {title!r} holds no solution cell, so learners would get it.",
            "Give it the class `.answer`, as in `::: {.callout-tip .answer}`.",
            follows=True,
        )


def _refuse_hiding_attributes(block: Prose, faults: Faults) -> None:
    lines = block.text.split("\n")
    for number, line in enumerate(lines[:1] if block.verbatim else lines, start=block.line):
        if _HIDING.search(line if block.verbatim else without_code_spans(line)):
            faults.add(
                number,
                "These attributes hide nothing from learners here.",
                "Put what they shall not see into a block `::: {.answer}`.",
            )


def _refuse_answer_lines(block: Prose, faults: Faults) -> None:
    if block.verbatim and not _RAW.match(block.text):
        return
    for number, line in enumerate(block.text.split("\n"), start=block.line):
        if _ANSWER_LINE.match(line) or _SUMMARY.search(without_code_spans(line)):
            faults.add(
                number,
                "An answer seems to stand outside an answer block.",
                "Put it into a callout with the class `.answer`.",
            )


def _refuse_given_away(blocks: Sequence[Block], faults: Faults) -> None:
    """A whole line of a reference that its exercise lacks, and that the public part shows."""
    answers = set(_filled_lines(blocks))
    for block in blocks:
        if block.audience is Audience.ANSWER or not answers:
            continue
        for number, line in enumerate(block.text.split("\n"), start=block.line):
            if _normal(line) in answers:
                faults.add(
                    number,
                    "This line of a reference stands in the public part.",
                    "Take it out, or into an answer block.",
                )


def _filled_lines(blocks: Sequence[Block]) -> Iterator[str]:
    stubs = {
        block.grade_id: {_normal(line) for line in block.source.split("\n")}
        for block in blocks
        if isinstance(block, Cell) and block.role is Role.EXERCISE
    }
    for block in blocks:
        if not isinstance(block, Cell) or block.audience is Audience.PUBLIC:
            continue
        solution = block.role is Role.SOLUTION and block.exercise in stubs
        if solution or (block.role is Role.FILL and block.expect_right):
            known = stubs.get(block.exercise, set())
            lines = (_normal(line) for line in block.source.split("\n"))
            yield from (
                line
                for line in lines
                if len(line) >= _SHORTEST and line not in known and not line.startswith(_COMMON)
            )


def _normal(line: str) -> str:
    return "" if line.lstrip().startswith("#") else re.sub(r"\s+", "", line)
