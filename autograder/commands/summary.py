"""What a batch came to, on stdout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.counting import counted
from autograder.grading.batch.outcome import Outcome
from autograder.grading.batch.outfolder import CHANGES, VIEW
from autograder.grading.phrases import quoted

_MOST_SHOWN = 20


def summary(outcome: Outcome, out: Path) -> str:
    """A few lines: how many of each status and flag, what changed, what to open.

    Args:
        outcome: What the batch came to.
        out: The output folder, as the user named it.
    """
    return "\n".join(_lines(outcome, out))


def _lines(outcome: Outcome, out: Path) -> Iterator[str]:
    view = outcome.view
    now = "" if outcome.graded == view.submissions else f" ({outcome.graded} of them just now)"
    yield f"{counted(view.submissions, 'submission')}{now}: {_counts(view.statuses)}."
    yield f"Flags: {_counts(view.flags) or 'none'}."
    yield from _changes(outcome, out)
    yield f"Open {out / 'grades.csv'}."
    yield f"The class at a glance, for instructors only: {out / VIEW}."


def _changes(outcome: Outcome, out: Path) -> Iterator[str]:
    if not outcome.changes:
        return
    yield f"{len(outcome.changes)} marks differ from the grading before ({out / CHANGES}):"
    for change in outcome.changes[:_MOST_SHOWN]:
        yield f"  {quoted(change.sentence())}"
    if len(outcome.changes) > _MOST_SHOWN:
        yield f"  and {len(outcome.changes) - _MOST_SHOWN} more."


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items())
