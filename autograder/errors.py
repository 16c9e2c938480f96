"""The errors a user can meet; each carries the exit code that `course` ends with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class CourseError(Exception):
    """Base of every error that a user can mend.

    The message is one sentence that says where, what and how to mend it.
    """

    exit_code = 1


class UsageError(CourseError):
    """The command was called with something it cannot work on."""

    exit_code = 2


class MissingOnMachine(CourseError):  # noqa: N818  what is missing is the message
    """The machine lacks something; the message names it and how to get it."""

    exit_code = 3


class LessonError(CourseError):
    """A lesson's source breaks the dialect.

    Args:
        path: The source, as the user knows it.
        line: 1-based line number.
        what: What is wrong there, a sentence with its full stop.
        mend: How to mend it, a sentence with its full stop.
    """

    def __init__(self, path: Path | str, line: int, what: str, mend: str) -> None:
        self.path = Path(path)
        self.line = line
        self.what = what
        self.mend = mend
        super().__init__(f"{self.path.as_posix()}:{line}: {what} {mend}")


class LessonErrors(CourseError):  # noqa: N818  several of LessonError
    """Several faults of a lesson's source, reported together."""

    def __init__(self, errors: Iterable[LessonError]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(str(error) for error in self.errors))
