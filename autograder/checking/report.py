"""What a check found, and how much it tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from autograder.counting import counted
from autograder.errors import LessonErrors


class Severity(StrEnum):
    """Whether a finding stops a lesson."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing to mend.

    Attributes:
        path: The file, relative to the project root, POSIX form.
        line: 1-based; 0 where a file as a whole is meant.
        what: What is wrong there, a sentence with its full stop.
        mend: How to mend it, a sentence with its full stop.
    """

    path: str
    line: int
    what: str
    mend: str
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        word = "" if self.severity is Severity.ERROR else "warning: "
        return f"{place}: {word}{self.what} {self.mend}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """How much was tried.

    Attributes:
        exercises: Exercises whose variants were run.
        tests: Tests cells.
        fills: `fill` expressions.
        mutants: Mutants made.
        killed: Caught by the hidden part of the tests.
        shown_only: Caught by nothing but the part that learners see.
        equivalent: Alive, and the same as the reference on every input tried.
        surviving: Alive, and not the same.
    """

    exercises: int = 0
    tests: int = 0
    fills: int = 0
    mutants: int = 0
    killed: int = 0
    shown_only: int = 0
    equivalent: int = 0
    surviving: int = 0

    def __str__(self) -> str:
        return (
            f"{counted(self.tests, 'test')}, {counted(self.fills, 'fill')}, "
            f"{counted(self.mutants, 'mutant')} "
            f"({self.killed} killed by hidden tests, {self.shown_only} by visible ones only, "
            f"{self.equivalent} equivalent, {self.surviving} surviving)"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """Everything that a check of one lesson gave."""

    findings: tuple[Finding, ...]
    counts: Counts = field(default_factory=Counts)

    @property
    def errors(self) -> int:
        """How many findings stop the lesson."""
        return sum(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many do not."""
        return len(self.findings) - self.errors


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once, by file and line."""
    return tuple(
        sorted(dict.fromkeys(findings), key=lambda one: (one.path, one.line, one.severity))
    )


def of_faults(faults: LessonErrors) -> tuple[Finding, ...]:
    """The faults of a source that cannot be read, as findings."""
    return tuple(
        Finding(path=one.path.as_posix(), line=one.line, what=one.what, mend=one.mend)
        for one in faults.errors
    )
