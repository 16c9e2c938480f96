"""Which experiments there are, and the runs of them that ship with the lesson."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from lessons.lesson03.experiments.record import Record, read_record
from lessons.lesson03.experiments.said import ExperimentError, Said

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lessons.lesson03.experiments.bench import Request

_PACKAGE = __name__.rpartition(".")[0]
_RECORDED = Path(__file__).with_name("recorded")


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One experiment; what it runs is imported when it runs.

    Attributes:
        name: As `course experiment` takes it.
        question: Of the lesson, which it makes visible.
        module: That runs it. Its name is not the experiment's: a package's function and a
            module of it cannot share a name.
        title: What it measures.
    """

    name: str
    question: str
    module: str
    title: Said

    def run(self, request: Request) -> Record:
        """Measure.

        Raises:
            ExperimentError: It cannot do what was asked; the message is one sentence.
        """
        module = importlib.import_module(f"{_PACKAGE}.{self.module}")
        return cast("Record", module.run(request))


EXPERIMENTS = {
    one.name: one
    for one in (
        Experiment(
            name="small-files",
            question="Q1",
            module="small_file_saves",
            title=Said(
                zh="N 个写者同时各写一个小文件并 fsync",
                en="N writers, one small file each with fsync, all at one moment",
            ),
        ),
        Experiment(
            name="samples",
            question="Q1",
            module="sample_epochs",
            title=Said(
                zh="读很多小样本：单个文件与 tar 分片",
                en="reading many small samples: files against tar shards",
            ),
        ),
        Experiment(
            name="node-loss",
            question="Q2",
            module="failure_drill",
            title=Said(
                zh="丢节点演练：崩溃、重启、丢目录之后能回到哪一步",
                en="node-loss drill: what comes back after a crash, a reboot, a lost directory",
            ),
        ),
        Experiment(
            name="random-reads",
            question="Q3",
            module="read_latency",
            title=Said(
                zh="4 KiB 到 4 MiB 的随机读：冷、热、O_DIRECT、GDS",
                en="random reads of 4 KiB to 4 MiB: cold, warm, O_DIRECT, GDS",
            ),
        ),
    )
}


def experiment_named(name: str) -> Experiment:
    """Return an experiment.

    Raises:
        ExperimentError: There is none of that name.
    """
    if name not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise ExperimentError(
            Said(
                zh=f"{name}：没有这个实验。有：{known}。",
                en=f"{name}: no such experiment. Known: {known}.",
            )
        )
    return EXPERIMENTS[name]


def figure_of(record: Record) -> Figure:
    """Draw a record."""
    figures = importlib.import_module(f"{_PACKAGE}.figures")
    function = record.experiment.replace("-", "_")
    return cast("Figure", getattr(figures, f"{function}_figure")(record))


def recorded(name: str) -> Record:
    """Return the run that ships with the lesson.

    Raises:
        ExperimentError: There is no such experiment, or its file is damaged.
    """
    return read_record(_RECORDED / f"{experiment_named(name).name}.json", shipped=True)
