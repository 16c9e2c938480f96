"""What a lesson's cells say to the learner: the blank, the four outcomes, and the help.

Nothing here knows an answer, and nothing here draws: the package is imported by every
notebook's first cell and has to be light. In the grader's sandbox the functions only print.
"""

from lessons.classroom.desk import open_lesson
from lessons.classroom.gap import NotAttempted, blank
from lessons.classroom.verbs import again, check, hint, predict, progress
from lessons.classroom.verdict import CannotTell, Outcome

__all__ = [
    "CannotTell",
    "NotAttempted",
    "Outcome",
    "again",
    "blank",
    "check",
    "hint",
    "open_lesson",
    "predict",
    "progress",
]
