"""The measured labs of lesson 3: what Q1 to Q3 are about, as distributions you took yourself.

    small_files()    Q1  N writers, one small file each with fsync: one directory, a directory
                         for each writer, aggregated
    samples()        Q1  the same small samples as files and as tar shards
    node_loss()      Q2  what comes back after a crash, a reboot, a lost directory
    random_reads()   Q3  random reads of 4 KiB to 4 MiB: cold, warm, O_DIRECT, GDS

Each takes `path=`, `i_own_this=`, `writers=`, `megabytes=`, `seconds=`, `seed=`,
`drop_caches=` and returns a `Record`: every single measurement with machine, file system, sizes,
repeats, seed and date. `show(record)` draws it, `recorded(NAME)` is the run that ships with the
lesson, `against_model(record)` lays it over the lesson's model. Where nobody named a path and
there is no place to run, the shipped record stands in, and says so. `course experiment NAME` does
the same in a terminal.

Nothing heavy is imported before it is needed, and nothing beyond the base install at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lessons.lesson03.experiments import job_journal as _job_journal
from lessons.lesson03.experiments.catalogue import EXPERIMENTS, Experiment, recorded
from lessons.lesson03.experiments.notebook import against_model, measure, picture, show
from lessons.lesson03.experiments.record import Record, read_record
from lessons.lesson03.experiments.said import ExperimentError, Refused, Said

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from lessons.lesson03.pipeline import Job

__all__ = [
    "EXPERIMENTS",
    "Experiment",
    "ExperimentError",
    "Record",
    "Refused",
    "Said",
    "against_model",
    "job_saves",
    "node_loss",
    "picture",
    "random_reads",
    "read_record",
    "recorded",
    "room",
    "samples",
    "show",
    "small_files",
]


def small_files(**asked: Any) -> Record:
    """Measure Q1: N writers, one small file each with fsync; see the package for arguments."""
    return measure("small-files", asked)


def samples(**asked: Any) -> Record:
    """Measure Q1, the reading side: small samples as files and as tar shards."""
    return measure("samples", asked)


def node_loss(**asked: Any) -> Record:
    """Drill Q2: kill a job, and recover after a crash, a reboot, a lost directory."""
    return measure("node-loss", asked)


def random_reads(**asked: Any) -> Record:
    """Measure Q3: random reads of 4 KiB to 4 MiB; see the package for arguments."""
    return measure("random-reads", asked)


def room() -> TemporaryDirectory[str]:
    """Return a folder on a local disk for a job of the pipeline; it goes with the kernel."""
    return _job_journal.room()


def job_saves(job: Job) -> Record:
    """Return the saves of a job of the pipeline, from its journal, as a record."""
    return _job_journal.job_saves(job)
