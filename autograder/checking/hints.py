"""Hints: each exercise has some, in levels without a gap.

A `hint` cell may carry `#| level: 1`; those of an exercise that carry one count 1, 2, 3 ...
A lesson without any hint gets one warning; in a lesson that has hints, an exercise without is an
error. The name of an unknown exercise is a fault of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.checking.report import Finding, Severity
from autograder.model import Cell, Lesson, Role

_MEND = "Add a cell with `#| course_role: hint` and `#| exercise: {}`."


def missing_hints(lesson: Lesson) -> Iterator[Finding]:
    """Exercises without hints, and levels that do not count 1, 2, 3 ..."""
    hints = lesson.cells(Role.HINT)
    exercises = lesson.cells(Role.EXERCISE)
    if exercises and not hints:
        yield Finding(
            path=lesson.path,
            line=exercises[0].line,
            what="No exercise of this lesson has a hint.",
            mend=_MEND.format(exercises[0].grade_id),
            severity=Severity.WARNING,
        )
        return
    for exercise in exercises:
        own = [hint for hint in hints if hint.exercise == exercise.grade_id]
        if not own:
            yield Finding(
                path=lesson.path,
                line=exercise.line,
                what=f"The exercise {exercise.grade_id!r} has no hint, though others have.",
                mend=_MEND.format(exercise.grade_id),
            )
        yield from _levels(lesson.path, own)


def _levels(path: str, hints: Sequence[Cell]) -> Iterator[Finding]:
    leveled = [hint for hint in hints if "level" in hint.options]
    for wanted, hint in enumerate(leveled, start=1):
        level = hint.options["level"]
        if level != wanted or isinstance(level, bool):
            yield Finding(
                path=path,
                line=hint.line,
                what=f"This hint of {hint.exercise!r} has level {level!r}, where {wanted} is due.",
                mend="Number an exercise's hints 1, 2, 3 in their order.",
            )
            return
