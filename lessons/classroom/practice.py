"""Practice problems: new numbers from a seed, and a learner's answers compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.classroom.examples import Sentences, close
from lessons.classroom.shown import shown
from lessons.classroom.verdict import Verdict, correct, incorrect

_REL_TOL = 5e-3
"""Answers are worked out by hand: two or three digits do."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One number that a problem asks for.

    Attributes:
        name: As the lesson writes it, e.g. `T_dump`.
        unit: Its unit; none for a count.
        value: The right one.
        formula: How it comes about, in both languages.
        slips: Wrong values that a usual slip gives, each with what it looks like.
    """

    name: str
    unit: str
    value: float
    formula: Sentences
    slips: tuple[tuple[float, Sentences], ...] = ()

    @property
    def label(self) -> str:
        """The name with its unit, e.g. `T_dump (s)`."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def text(self, value: object) -> str:
        """Return a value of it as a learner reads it, with the unit."""
        number = f"{value:.4g}" if isinstance(value, int | float) else shown(value)
        return f"{number} {self.unit}".rstrip()


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A question with its numbers filled in.

    Attributes:
        question: In both languages, without its number.
        asked: What is to be worked out, in the order of `again`'s arguments.
    """

    question: Sentences
    asked: tuple[Asked, ...]


def call_of(problem: Problem) -> str:
    """Return how the answers are given, e.g. `again(T_dump, B_avg)`."""
    return f"again({', '.join(one.name for one in problem.asked)})"


def judged(number: int, problem: Problem, answers: Sequence[object]) -> Verdict:
    """Return the verdict on a learner's answers to problem `number`."""
    if len(answers) != len(problem.asked):
        names = ", ".join(one.label for one in problem.asked)
        return incorrect(
            f"第 {number} 题要 {len(problem.asked)} 个数：{names}，收到 {len(answers)} 个。",
            f"problem {number} asks for {len(problem.asked)} numbers, {names}; "
            f"{len(answers)} came.",
        )
    for one, answer in zip(problem.asked, answers, strict=True):
        if type(answer) not in {int, float}:
            return incorrect(
                f"第 {number} 题的 {one.label} 要一个数，收到 {shown(answer)}。",
                f"{one.label} of problem {number} is a number; {shown(answer)} came.",
            )
        if not _near(answer, one.value):
            return _wrong(number, one, answer)
    values = "，".join(f"{one.name} = {one.text(one.value)}" for one in problem.asked)
    return correct(
        f"第 {number} 题，{values}。", f"problem {number}, {values.replace('，', ', ')}."
    )


def _wrong(number: int, one: Asked, answer: object) -> Verdict:
    slip = next((why for value, why in one.slips if _near(answer, value)), None)
    given, right = one.text(answer), one.text(one.value)
    return incorrect(
        f"第 {number} 题，你答 {one.name} = {given}，应为 {right}（{one.formula[0]}）"
        + (f"；{slip[0]}。" if slip else "。"),
        f"problem {number}, you said {one.name} = {given}; it is {right} ({one.formula[1]})"
        + (f"; {slip[1]}." if slip else "."),
    )


def _near(answer: object, value: float) -> bool:
    return isinstance(answer, int | float) and close(answer, value, _REL_TOL)
