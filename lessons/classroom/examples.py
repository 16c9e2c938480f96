"""A learner's function tried on inputs that the lesson shows: called, compared, put in a sentence.

Nothing here knows more than the notebook in front of the learner does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

from lessons.classroom.gap import NotAttempted, holds_blank
from lessons.classroom.shown import shown
from lessons.classroom.verdict import Verdict, cannot_tell, correct, incorrect, not_attempted

Judge = Callable[[str, Mapping[str, Any]], Verdict]
Sentences = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Example:
    """One call and what the lesson says comes back.

    Attributes:
        args: Positional arguments.
        expected: Numbers, None for one that the lesson does not show; or an exception class.
    """

    args: tuple[Any, ...]
    expected: tuple[float | None, ...] | type[Exception]


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """Something that a learner writes and that `check` can say something about.

    Attributes:
        name: What the learner's cell binds.
        judge: Takes the name and the notebook's names, returns the verdict.
    """

    name: str
    judge: Judge


def function_judge(
    examples: Sequence[Example],
    *,
    suspicion: Callable[[Example, tuple[float, ...]], Sentences | None],
    unlike: Callable[[Sequence[tuple[float, ...]]], Sentences | None],
) -> Judge:
    """Return a judge that calls the learner's function with the examples, in order.

    Args:
        examples: What the lesson shows.
        suspicion: Names, kindly, the mistake that a wrong result looks like, or returns None.
        unlike: Looks at all results together and says what is wrong with them, or returns None.
    """

    def judge(name: str, names: Mapping[str, Any]) -> Verdict:
        function = names.get(name)
        if function is None:
            return _undefined(name)
        results: list[tuple[float, ...]] = []
        for example in examples:
            outcome = _tried(name, function, example, suspicion)
            if isinstance(outcome, Verdict):
                return outcome
            if outcome:
                results.append(outcome)
        wrong = unlike(results)
        if wrong is not None:
            return incorrect(*wrong)
        return correct(
            f"{name} 在看得见的 {len(examples)} 组输入上都对；评分时还会换别的输入。",
            f"{name} is right for the {len(examples)} inputs shown; grading tries others as well.",
        )

    return judge


def _undefined(name: str) -> Verdict:
    return not_attempted(
        f"还没有定义 {name}：先运行填空的那一格。",
        f"there is no {name} yet: run the cell with the blank first.",
    )


def _unfilled(name: str) -> Verdict:
    return not_attempted(
        f"{name} 里的 ______ 还没有换成你的表达式。",
        f"the ______ in {name} is still to be replaced with your own expression.",
    )


def _tried(
    name: str,
    function: Any,
    example: Example,
    suspicion: Callable[[Example, tuple[float, ...]], Sentences | None],
) -> Verdict | tuple[float, ...]:
    """Return the verdict on a wrong result, else the result; () for an expected exception."""
    call, wanted = f"{name}{shown(example.args)}", _wanted(example)
    try:
        result = function(*example.args)
    except NotAttempted:
        return _unfilled(name)
    except Exception as error:  # whatever the learner's code raises is what came back
        if isinstance(example.expected, type) and isinstance(error, example.expected):
            return ()
        kind = type(error).__name__
        return incorrect(
            f"{call} 抛出 {kind}（{shown(str(error))}），应为 {wanted}。",
            f"{call} raised {kind} ({shown(str(error))}), {wanted} was expected.",
        )
    if holds_blank(result):
        return _unfilled(name)
    if isinstance(example.expected, type):
        return incorrect(
            f"{call} 返回 {shown(result)}，应抛出 {wanted}。",
            f"{call} returned {shown(result)}, it should raise {wanted}.",
        )
    return _compared(call, example, result, suspicion)


def _compared(
    call: str,
    example: Example,
    result: object,
    suspicion: Callable[[Example, tuple[float, ...]], Sentences | None],
) -> Verdict | tuple[float, ...]:
    expected = example.expected
    wanted = _wanted(example)
    came = (f"{call} 返回 {shown(result)}", f"{call} returned {shown(result)}")
    if isinstance(expected, type) or type(result) is not tuple or len(result) != len(expected):
        return incorrect(f"{came[0]}，应为 {wanted}。", f"{came[1]}, {wanted} was expected.")
    odd = [value for value in result if type(value) not in {int, float}]
    if odd:
        kind = type(odd[0]).__name__
        sentences = (
            f"{came[0]}，其中有 {kind}，这里只认普通的数；应为 {wanted}。",
            f"{came[1]} with a {kind} in it, where plain numbers are compared; "
            f"{wanted} was expected.",
        )
        numeric = isinstance(odd[0], Number) and not isinstance(odd[0], bool | complex)
        return cannot_tell(*sentences) if numeric else incorrect(*sentences)
    values = tuple(result)
    if all(w is None or close(v, w) for v, w in zip(values, expected, strict=True)):
        return values
    why = suspicion(example, values)
    return incorrect(
        f"{came[0]}，应为 {wanted}" + (f"；{why[0]}。" if why else "。"),
        f"{came[1]}, {wanted} was expected" + (f"; {why[1]}." if why else "."),
    )


def _wanted(example: Example) -> str:
    if isinstance(example.expected, type):
        return example.expected.__name__
    return f"({', '.join('…' if value is None else shown(value) for value in example.expected)})"


def close(value: float, wanted: float, rel_tol: float = 1e-12) -> bool:
    """Tell whether two numbers agree; an int too large for a float does not."""
    try:
        return math.isclose(value, wanted, rel_tol=rel_tol)
    except OverflowError:
        return False
