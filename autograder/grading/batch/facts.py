"""What the view of a class needs to know of one submission."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

import msgspec

from autograder.grading.master import Master
from autograder.grading.records import Flag, Outcome, Plan, Result, Run
from autograder.grading.reports.display import plain_text, shortened

_SHOWN = 400
_ANSWER = 20_000
_LINE = re.compile(r"^line (\d+): (.*)$", re.MULTILINE)


class FillFact(msgspec.Struct, kw_only=True, frozen=True):
    """What filled an exercise's blanks.

    Attributes:
        shape: The fill in one spelling: spaces, quotes, brackets and comments make no difference.
        right: Whether every test of the exercise gave full points.
    """

    exercise: str
    shape: str
    right: bool


class LineFact(msgspec.Struct, kw_only=True, frozen=True):
    """The line at which a tests cell failed; `hidden` when learners cannot see it."""

    question: str
    line: int
    source: str
    hidden: bool


class Facts(msgspec.Struct, kw_only=True, frozen=True):
    """Of one submission; `answers` are the free texts by grade_id, without untouched ones."""

    fills: tuple[FillFact, ...] = ()
    lines: tuple[LineFact, ...] = ()
    answers: dict[str, str] = {}


def facts_of(master: Master, plan: Plan | None, run: Run | None, result: Result) -> Facts:
    """What a class view tells of one submission."""
    if plan is None or run is None:
        return Facts()
    return Facts(
        fills=tuple(_fills(master, plan, result)),
        lines=tuple(_lines(master, plan, run)),
        answers={
            name: _whole(answer.text[:_ANSWER])
            for name, answer in plan.free_texts.items()
            if not answer.untouched
        },
    )


def _fills(master: Master, plan: Plan, result: Result) -> Iterator[FillFact]:
    for name, fill in plan.fills.items():
        tests = [q for q in master.questions if q.exercise == name and not q.manual]
        if not fill.expressions or Flag.NOT_ATTEMPTED in fill.flags:
            continue
        yield FillFact(
            exercise=name,
            shape=_whole(shortened(" ; ".join(map(spelling, fill.expressions)), _SHOWN)),
            right=all(result.scores.get(q.grade_id) == q.points for q in tests),
        )


def _lines(master: Master, plan: Plan, run: Run) -> Iterator[LineFact]:
    exercises = {question.grade_id: question.exercise for question in master.questions}
    for name, verdict in run.verdicts.items():
        fill = plan.fills.get(exercises.get(name) or "")
        if fill is not None and fill.spliced is None:
            continue  # nothing was filled in that could fail
        found = _LINE.search(verdict.detail or "")
        if verdict.outcome is Outcome.FAILED and found is not None:
            yield LineFact(
                question=name,
                line=int(found[1]),
                source=_whole(shortened(found[2], _SHOWN)),
                hidden=verdict.hidden,
            )


def spelling(fill: str) -> str:
    """A fill in Python's own spelling; what does not parse with its spaces collapsed."""
    for source in (f"(\n{fill}\n)", textwrap.dedent(fill)):
        try:
            return ast.unparse(ast.parse(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return " ".join(fill.split())


def _whole(text: str) -> str:
    """Plain text that UTF-8 can hold."""
    return plain_text(text.encode("utf-8", "backslashreplace").decode())
