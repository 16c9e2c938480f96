"""What a class is graded against, and how."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.grading.intake.roster import Roster
from autograder.grading.master import Master
from autograder.grading.records import Batch
from autograder.project import Limits


@dataclass(frozen=True, kw_only=True, slots=True)
class Assignment:
    """What a class is graded against, and where to.

    Attributes:
        master: The source notebook, understood.
        release: Text of the student edition.
        release_config: nbgrader's settings that make that edition from the source notebook.
        lessons: The instructor's `lessons/`, importable in the sandbox.
        assets: The project's `assets` folder.
        db_url: SQLAlchemy URL of the gradebook, relative to `out` for SQLite.
        hidden: Folders that nothing of a learner's may see.
        out: The output folder.
        existing: Whether `out` is an instructor's own nbgrader course, whose files are kept.
    """

    master: Master
    release: str
    release_config: str
    lessons: Path
    assets: Path
    db_url: str
    hidden: tuple[Path, ...]
    out: Path
    existing: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How a class is graded this time.

    Attributes:
        roster: The class, when it is known.
        due: The deadline, when there is one.
        limits: What a submission may use.
        sandboxed: False for `--no-sandbox`.
        workers: How many submissions run at once.
        resume: Whether what an earlier run finished counts.
        student: The id of the only one to grade; None grades all.
        cluster: Address of a dask.distributed scheduler that does the work; None: this machine.
    """

    roster: Roster | None = None
    due: datetime | None = None
    limits: Limits = field(default_factory=Limits)
    sandboxed: bool = True
    workers: int = 1
    resume: bool = False
    student: str | None = None
    cluster: str | None = None


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def limits_held(limits: Limits, held: Mapping[str, str]) -> dict[str, Any]:
    """The limits as grades.json names them, and what holds each on this machine."""
    return {
        "cell_s": limits.cell_s,
        "submission_s": limits.submission_s,
        "memory_mb": limits.memory_mb,
        "processes": limits.processes,
        "output_kb": limits.output_kb,
        "held_by": dict(held),
    }


def head(master: Master, out: Path, *, sandbox: str, limits: Mapping[str, Any]) -> Batch:
    """What all results share."""
    return Batch(
        lesson=master.lesson,
        title=master.title,
        lang=master.lang,
        max_score=master.max_score,
        sandbox=sandbox,
        limits=limits,
        questions=master.questions,
        out=out,
    )
