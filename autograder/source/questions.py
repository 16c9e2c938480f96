"""Manually graded questions: a heading, its prompt, and the line a learner writes below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.model import Answer, Audience, Block, Prose
from autograder.source.attributes import Heading, heading_of
from autograder.source.faults import Faults
from autograder.source.lines import ANSWER_LIKE, ANSWER_LINES, bare
from autograder.source.roles import GRADE_ID

DEFAULT_POINTS = 2.0
_Q = re.compile(r"^[Qq](\d{1,4})(?![0-9A-Za-z])")


@dataclass(kw_only=True, slots=True)
class _Question:
    index: int
    line: int
    heading: Heading
    grade_id: str
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
            continue
        _refuse_near_answers(block, faults)
        if block.audience is Audience.ANSWER:
            continue
        heading = heading_of(block.text)
        if heading is None:
            continue
        question = _question(index, block.line, heading, faults)
        if question is not None:
            questions.append(question)
            current = question
        elif current is not None and heading.level <= current.heading.level:
            current = None
    _refuse_unanswered(questions, faults)
    return result


def is_answer_line(block: Block) -> bool:
    """Whether a block is the line `**你的答案：**` or its English twin."""
    return block.text.strip() in ANSWER_LINES


def _question(index: int, line: int, heading: Heading, faults: Faults) -> _Question | None:
    numbered = _Q.match(heading.text)
    if numbered:
        grade_id = f"q{int(numbered[1])}"
    elif "points" in heading.attributes.values:
        grade_id = heading.attributes.identifier or ""
        if not GRADE_ID.match(grade_id):
            faults.add(
                line,
                "This question has no id that a gradebook can hold.",
                'Write `{#id points="1"}` with letters, digits, `-` and `_`.',
            )
            return None
    else:
        return None
    return _Question(index=index, line=line, heading=heading, grade_id=grade_id)


def _belongs(block: Block, question: _Question | None, faults: Faults) -> bool:
    if block.audience is Audience.ANSWER:
        faults.add(
            block.line,
            "This answer line stands in an answer block, where no learner sees it.",
            "Move it out of the block.",
        )
        return False
    if question is None:
        faults.add(
            block.line,
            "This answer line belongs to no question.",
            'Put it below a heading that starts with Q1 or carries `{#id points="1"}`.',
        )
        return False
    if question.answers:
        faults.add(
            block.line,
            f"The question {question.grade_id} already has an answer line.",
            "Delete one of the two.",
        )
        return False
    return True


def _answer(blocks: Sequence[Block], index: int, question: _Question, faults: Faults) -> Answer:
    block = blocks[index]
    between = blocks[question.index : index]
    public = "".join(one.text for one in between if one.audience is Audience.PUBLIC)
    prompt = public.partition("\n")[2].replace("\r\n", "\n").strip()
    return Answer(
        text=block.text,
        line=block.line,
        grade_id=question.grade_id,
        points=_points(question, faults),
        title=question.heading.text,
        prompt=prompt,
    )


def _points(question: _Question, faults: Faults) -> float:
    written = question.heading.attributes.values.get("points")
    if written is None:
        return DEFAULT_POINTS
    if re.fullmatch(r"\d{1,5}(\.\d+)?", written):
        return float(written)
    faults.add(
        question.line, f"{written!r} is no number of points.", "Write a number of at least 0."
    )
    return DEFAULT_POINTS


def _refuse_near_answers(block: Block, faults: Faults) -> None:
    for number, line in enumerate(block.text.split("\n")):
        if ANSWER_LIKE.match(bare(line)) and line.strip() not in ANSWER_LINES:
            faults.add(
                block.line + number,
                f"{line.strip()!r} looks like an answer line and is none.",
                f"Write exactly `{ANSWER_LINES[0]}` or `{ANSWER_LINES[1]}`.",
            )


def _refuse_unanswered(questions: Sequence[_Question], faults: Faults) -> None:
    answered = {question.grade_id for question in questions if question.answers}
    for question in questions:
        # A heading `Q1` in the rubric repeats a question and asks nothing.
        if not question.answers and question.grade_id not in answered:
            faults.add(
                question.line,
                f"The question {question.grade_id} has no answer line.",
                f"Add `{ANSWER_LINES[0]}` below its prompt.",
                follows=True,
            )
