"""The saves of a real job of the pipeline as a record: what blocked, what ran behind."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lessons.lesson03.experiments.guard import Wish, decide, place_of
from lessons.lesson03.experiments.machine import describe_machine
from lessons.lesson03.experiments.mounts import file_system_of, kind_of
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.said import ExperimentError, Said
from lessons.lesson03.experiments.series import Series
from lessons.lesson03.experiments.workspace import PREFIX

if TYPE_CHECKING:
    from lessons.lesson03.pipeline import Job

NAME = "job-saves"
STAGES = ("blocked", "spill", "upload", "commit", "total")
_ROOM_BYTES = 200_000_000


def room() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for a job, on a disk of this machine; it goes when the kernel ends.

    Raises:
        Refused: Only shared file systems are here.
    """
    place = place_of(None)
    decide(Wish(writers=1, bytes=_ROOM_BYTES), place, own=False)
    # Another experiment must not take it for one whose owner died: it is not signed.
    return tempfile.TemporaryDirectory(
        prefix=f"{PREFIX}room-", dir=place.path, ignore_cleanup_errors=True
    )


def job_saves(job: Job) -> Record:
    """Return what the journal of a job says about its saves, all ranks and steps.

    Series, with `at` = ranks: "blocked", while training stood still; "spill", "upload", "commit"
    in the background; "total", from the call until this rank was done with it.

    Raises:
        ExperimentError: No save has ended yet.
    """
    rows = [row for row in job.journal() if "total_s" in row]
    if not rows:
        raise ExperimentError(
            Said(
                zh="这个作业还没有一次保存结束：先 start()，再 join()。",
                en="No save of this job has ended yet: start() it, then join().",
            )
        )
    mount = file_system_of(job.folder)
    return Record(
        experiment=NAME,
        taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=describe_machine(),
        file_system={"type": mount.type, "kind": str(kind_of(mount.type))},
        settings={
            "ranks": job.ranks,
            "state_bytes": job.state_bytes,
            "saves": len(rows),
            "seed": job.seed,
        },
        series=_series(rows, job.ranks),
    )


def _series(rows: Sequence[dict[str, Any]], ranks: int) -> tuple[Series, ...]:
    return tuple(
        Series(what="stage", how=stage, at=ranks, values=tuple(row[f"{stage}_s"] for row in rows))
        for stage in STAGES
    )
