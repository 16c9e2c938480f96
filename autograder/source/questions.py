"""Manually graded questions: a heading, its prompt, and the line a learner writes below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.model import Answer, Audience, Block, Prose
from autograder.source.asking import Asked, asked_by_heading, asked_in_text
from autograder.source.attributes import heading_of
from autograder.source.faults import Faults
from autograder.source.lines import ANSWER_LIKE, ANSWER_LINES, bare, without_comments

DEFAULT_POINTS = 2.0
_POINTS_IN_TITLE = re.compile(r"[（(]\s*(\d{1,4}(?:\.\d+)?)\s*(?:分|points?|pts?)\s*[）)]", re.I)


@dataclass(kw_only=True, slots=True)
class _Question:
    index: int
    line: int
    asked: Asked
    answers: list[int] = field(default_factory=list)


def with_questions(blocks: Sequence[Block], faults: Faults) -> list[Block]:
    """Turn the answer lines of public questions into `Answer` blocks."""
    result = list(blocks)
    questions: list[_Question] = []
    current: _Question | None = None
    for index, block in enumerate(blocks):
        if not isinstance(block, Prose) or block.verbatim:
            continue
        if is_answer_line(block):
            if _belongs(block, current, faults) and current is not None:
                current.answers.append(index)
                result[index] = _answer(blocks, index, current, faults)
        elif block.audience is Audience.PUBLIC:
            current = _current(current, index, block, faults)
            if current is not None and current not in questions:
                questions.append(current)
    _warn_of_unanswered(questions, faults)
    return result


def is_answer_line(block: Block) -> bool:
    """Whether a block is the line `**你的答案：**`, with what stands there to be replaced."""
    return ANSWER_LIKE.match(bare(block.text.partition("\n")[0])) is not None


def _current(
    current: _Question | None, index: int, block: Prose, faults: Faults
) -> _Question | None:
    """The question that an answer line below this text would answer."""
    heading = heading_of(block.text)
    if heading is not None:
        asked = asked_by_heading(heading, block.line, faults)
        if asked is not None:
            current = _Question(index=index, line=block.line, asked=asked)
        elif current is not None and heading.level <= current.asked.level:
            current = None
    # Below an open question a `**Q2**` in the text is a mention.
    if current is None or current.answers or current.asked.in_text:
        asked = asked_in_text(block.text, current.asked if current else None)
        if asked is not None:
            line = block.line + asked.offset
            current = _Question(index=index, line=line, asked=asked)
    return current


def _belongs(block: Block, question: _Question | None, faults: Faults) -> bool:
    exact = bare(block.text.partition("\n")[0]).strip() in ANSWER_LINES
    if block.audience is Audience.ANSWER:
        if exact:
            faults.add(
                block.line,
                "This answer line stands in an answer block, where no learner sees it.",
                "Move it out of the block.",
            )
        return False
    if question is None:
        note = faults.add if exact else faults.warn
        note(
            block.line,
            "This answer line belongs to no question.",
            'Put it below a heading that starts with Q1 or carries `{#id points="1"}`.',
        )
        return False
    if question.answers:
        faults.add(
            block.line,
            f"The question {question.asked.grade_id} already has an answer line.",
            "Delete one of the two.",
        )
        return False
    return True


def _answer(blocks: Sequence[Block], index: int, question: _Question, faults: Faults) -> Answer:
    block = blocks[index]
    between = blocks[question.index : index]
    public = "".join(one.text for one in between if one.audience is Audience.PUBLIC)
    lines = public.replace("\r\n", "\n").split("\n")[question.asked.offset :]
    if not question.asked.in_text:
        lines = lines[1:]
    return Answer(
        text=block.text,
        line=block.line,
        grade_id=question.asked.grade_id,
        points=_points(question, faults),
        title=question.asked.title,
        prompt="\n".join(without_comments(line) for line in lines).strip(),
    )


def _points(question: _Question, faults: Faults) -> float:
    written = question.asked.points
    if written is None:
        in_title = _POINTS_IN_TITLE.search(question.asked.title)
        return float(in_title[1]) if in_title else DEFAULT_POINTS
    if re.fullmatch(r"\d{1,5}(\.\d+)?", written):
        return float(written)
    faults.add(
        question.line, f"{written!r} is no number of points.", "Write a number of at least 0."
    )
    return DEFAULT_POINTS


def _warn_of_unanswered(questions: Sequence[_Question], faults: Faults) -> None:
    answered = {question.asked.grade_id for question in questions if question.answers}
    for question in questions:
        asked = question.asked
        # A heading `Q1` in the rubric repeats a question and asks nothing.
        if asked.certain and not question.answers and asked.grade_id not in answered:
            faults.warn(
                question.line,
                f"The question {asked.grade_id} has no answer line, so it is not graded.",
                f"Add `{ANSWER_LINES[0]}` below its prompt.",
            )
