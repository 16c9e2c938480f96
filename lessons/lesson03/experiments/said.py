"""Sentences in the two languages that a learner may read."""

from __future__ import annotations

from dataclasses import dataclass

from lessons.classroom.language import say


@dataclass(frozen=True, kw_only=True)
class Said:
    """One sentence, in Chinese and in English."""

    zh: str
    en: str

    def __str__(self) -> str:
        return say(self.zh, self.en)

    def __add__(self, other: Said) -> Said:
        return Said(zh=self.zh + other.zh, en=f"{self.en} {other.en}")


class ExperimentError(Exception):
    """An experiment cannot do what it was asked to.

    Args:
        said: Where, what, and how to mend it.
    """

    def __init__(self, said: Said) -> None:
        self.said = said
        super().__init__(said)

    def __str__(self) -> str:
        return str(self.said)

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows instead of a traceback: the sentence."""
        return [str(self.said)]


class Refused(ExperimentError):  # noqa: N818 - what is refused is the message
    """An experiment declines to run here as it was asked to; nothing was written."""
