"""One try at running a submission, while it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograder.grading.records import Flag, Outcome, Plan
from autograder.grading.sandbox.contained import Contained
from autograder.grading.transcript import Transcript


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One submission's plan and its bounds; `deadline` is on the monotonic clock."""

    plan: Plan
    seed: int
    deadline: float


@dataclass(kw_only=True, slots=True)
class Attempt:
    """One worker, and what it gave before it was done or lost.

    Attributes:
        savepoints: Whether each cell runs in a fork, so that a lost one costs only itself.
        lost: How its process failed.
        cut: Whether the channel to it can no longer be used, though it did nothing wrong.
        examined: Whether a test's input has gone to it.
    """

    job: Job
    worker: Contained
    heard: Transcript
    savepoints: bool
    flags: set[Flag] = field(default_factory=set)
    lost: Outcome | None = None
    cut: bool = False
    examined: bool = False

    @property
    def over(self) -> bool:
        """Whether no further test can be examined in it."""
        return self.cut or self.lost is not None
