"""How a batch goes, on stderr: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar

from autograder.grading.batch.progress import Progress
from autograder.grading.records import Status
from autograder.grading.reports.export import SubmissionGrade


def progress_shown() -> Progress:
    """What suits stderr."""
    return BarProgress() if sys.stderr.isatty() else LineProgress()


class LineProgress:
    """One line a submission."""

    def __init__(self) -> None:
        self._total = self._done = self._kept = 0

    def begin(self, total: int) -> None:
        """So many students there are."""
        self._total = total

    def graded(self, entry: SubmissionGrade) -> None:
        """Say how one went."""
        self._done += 1
        click.echo(f"  [{self._done}/{self._total}] {line(entry)}", err=True)

    def kept(self) -> None:
        """Count one that an earlier run did."""
        self._done += 1
        self._kept += 1

    def note(self, sentence: str) -> None:
        """Say it."""
        click.echo(sentence, err=True)

    def end(self) -> None:
        """Say how many were done before."""
        if self._kept:
            click.echo(f"  {self._kept} kept from an earlier run.", err=True)


class BarProgress:
    """A bar, and above it a line for each submission that did not go through as usual."""

    def __init__(self) -> None:
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("grading")

    def begin(self, total: int) -> None:
        """So many students there are."""
        self._bar.update(self._task, total=total)
        self._bar.start()

    def graded(self, entry: SubmissionGrade) -> None:
        """Advance; show one that went wrong."""
        if entry.status is not Status.GRADED:
            self._print(line(entry))
        self._bar.advance(self._task)

    def kept(self) -> None:
        """Advance."""
        self._bar.advance(self._task)

    def note(self, sentence: str) -> None:
        """Show it above the bar."""
        self._print(sentence)

    def end(self) -> None:
        """Take the bar away."""
        self._bar.stop()

    def _print(self, text: str) -> None:
        # Names and reasons may hold what rich would take for its own marks.
        self._bar.console.print(text, markup=False, highlight=False)


def line(entry: SubmissionGrade) -> str:
    """One submission in one line."""
    known = sum(points for points in entry.scores.values() if points is not None)
    flags = f" [{', '.join(entry.flags)}]" if entry.flags else ""
    return f"{entry.student}: {entry.status}, {known:g} so far{flags}"
