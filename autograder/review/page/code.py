"""The code that a proposed veto is about, beside the cell as it was released."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from autograder.grading.integrity.fill import unify
from autograder.grading.records import Flag
from autograder.review.desk.answers import Code

_MOST = 20_000
"""Characters of one cell that are shown."""


def code_shown(cells: Sequence[Code]) -> list[dict[str, Any]]:
    """The exercises that lost a guard; all of them when none of them says which it was.

    Args:
        cells: A learner's exercises, in the lesson's order.

    Returns:
        For each the exercise, and the lines of the learner's cell and of the released one, every
        line with whether the other cell lacks it.
    """
    lost = [one for one in cells if _lost_guard(one)]
    return [_compared(one) for one in lost or cells]


def _lost_guard(code: Code) -> bool:
    return Flag.GUARD_REMOVED in unify(code.pristine, code.learner, code.exercise).flags


def _compared(code: Code) -> dict[str, Any]:
    learner, pristine = code.learner[:_MOST].splitlines(), code.pristine[:_MOST].splitlines()
    same = SequenceMatcher(None, pristine, learner, autojunk=False).get_matching_blocks()
    in_pristine = {block.a + n for block in same for n in range(block.size)}
    in_learner = {block.b + n for block in same for n in range(block.size)}
    return {
        "exercise": code.exercise,
        "learner": [[line, n not in in_learner] for n, line in enumerate(learner)],
        "pristine": [[line, n not in in_pristine] for n, line in enumerate(pristine)],
    }
