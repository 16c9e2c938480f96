"""How far a learner has come, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from lessons.classroom.desk import Desk
from lessons.classroom.language import say
from lessons.classroom.verdict import Outcome, Verdict

_WORDS = {
    Outcome.CORRECT: ("看得见的检查已通过", "passes the checks shown"),
    Outcome.INCORRECT: ("还不对", "not right yet"),
    Outcome.NOT_ATTEMPTED: ("还没做", "not done yet"),
    Outcome.CANNOT_TELL: ("这里判断不了", "cannot be told here"),
}


def standing(desk: Desk, verdicts: Sequence[tuple[str, Verdict]]) -> str:
    """Return the sentence.

    Args:
        desk: For the predictions and the practice problems.
        verdicts: The lesson's exercises by name.
    """
    chinese = [f"{name} {_WORDS[verdict.outcome][0]}" for name, verdict in verdicts]
    english = [f"{name} {_WORDS[verdict.outcome][1]}" for name, verdict in verdicts]
    chinese += [f"推测写了 {len(desk.guesses)} 条", f"再练答对 {len(desk.solved)} 题"]
    english += [
        f"predictions written: {len(desk.guesses)}",
        f"practice problems solved: {len(desk.solved)}",
    ]
    return say(
        f"进度：{'；'.join(chinese)}；文字题这里看不到，course submit 交之前会替你查有没有空着。",
        f"Progress: {'; '.join(english)}; answers in words cannot be seen from here, "
        "course submit looks whether one is still empty.",
        desk.lang,
    )
