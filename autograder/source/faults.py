"""Faults of a lesson's source, collected while it is read and reported together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

from autograder.errors import LessonError, LessonErrors


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        line: 1-based line in the source.
        what: What is wrong, a sentence with its full stop.
        mend: How to mend it, a sentence with its full stop.
        follows: It may be a mere consequence of a broken structure elsewhere.
    """

    line: int
    what: str
    mend: str
    follows: bool = False


@dataclass(kw_only=True, slots=True)
class Faults:
    """The collector that the reading passes share."""

    found: set[Fault] = field(default_factory=set)
    harmless: set[Fault] = field(default_factory=set)
    structure_broken: bool = False

    def add(self, line: int, what: str, mend: str, *, follows: bool = False) -> None:
        """Note a fault; see `Fault`."""
        self.found.add(Fault(line=line, what=what, mend=mend, follows=follows))

    def broken(self, line: int, what: str, mend: str) -> None:
        """Note a fence, div or comment without end: what comes after it cannot be trusted."""
        self.structure_broken = True
        self.add(line, what, mend)

    def warn(self, line: int, what: str, mend: str) -> None:
        """Note what can harm nobody and may surprise the author."""
        self.harmless.add(Fault(line=line, what=what, mend=mend))

    def warnings(self, path: str) -> tuple[str, ...]:
        """What `warn` noted, one sentence each, in the order of lines."""
        return tuple(str(LessonError(path, f.line, f.what, f.mend)) for f in sorted(self.harmless))

    def raise_if_any(self, path: str) -> None:
        """Report everything found, in the order of lines.

        Raises:
            LessonErrors: Something was found.
        """
        faults = sorted(self.found)
        if self.structure_broken:
            faults = [fault for fault in faults if not fault.follows]
        if faults:
            raise LessonErrors(LessonError(path, f.line, f.what, f.mend) for f in faults)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`Did you mean 'x'?` when something known is close, else the list of what is known."""
    choices = sorted(known)
    close = get_close_matches(word, choices, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"Use one of: {', '.join(choices)}."
