"""What can be said about an exercise: one of four outcomes, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lessons.classroom.language import say


class Outcome(StrEnum):
    """What can be said about an exercise; "not attempted" is no failure."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    NOT_ATTEMPTED = "not attempted"
    CANNOT_TELL = "cannot tell"


class CannotTell(Exception):  # noqa: N818 - an outcome that a test cell raises, not an error
    """A test cell cannot judge this answer; a person has to."""

    outcome = Outcome.CANNOT_TELL.value


_BEGINNINGS = {
    Outcome.CORRECT: ("对了：", "Right: "),
    Outcome.INCORRECT: ("还不对：", "Not right yet: "),
    Outcome.NOT_ATTEMPTED: ("还没做：", "Not done yet: "),
    Outcome.CANNOT_TELL: ("这里判断不了：", "Cannot be told here: "),
}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """An outcome and the sentence that says why, in Chinese and in English."""

    outcome: Outcome
    chinese: str
    english: str

    def sentence(self, lang: str) -> str:
        """Return what the learner reads."""
        chinese, english = _BEGINNINGS[self.outcome]
        return say(chinese + self.chinese, english + self.english, lang)


def correct(chinese: str, english: str) -> Verdict:
    """Return the verdict "correct"."""
    return Verdict(outcome=Outcome.CORRECT, chinese=chinese, english=english)


def incorrect(chinese: str, english: str) -> Verdict:
    """Return the verdict "incorrect"."""
    return Verdict(outcome=Outcome.INCORRECT, chinese=chinese, english=english)


def not_attempted(chinese: str, english: str) -> Verdict:
    """Return the verdict "not attempted"."""
    return Verdict(outcome=Outcome.NOT_ATTEMPTED, chinese=chinese, english=english)


def cannot_tell(chinese: str, english: str) -> Verdict:
    """Return the verdict "cannot tell"."""
    return Verdict(outcome=Outcome.CANNOT_TELL, chinese=chinese, english=english)
