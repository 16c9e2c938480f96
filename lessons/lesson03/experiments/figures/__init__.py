"""Figures of measurements: points with their spread, never a line through them.

A hollow black marker is the median, the whiskers go from least to most, the bar across is the
p99, and every small dot is one measurement. Lines and colours belong to models, and only where a
model is laid under the points.
"""

from __future__ import annotations

from lessons.lesson03.experiments.figures.job_saves import job_saves_figure
from lessons.lesson03.experiments.figures.node_loss import node_loss_figure
from lessons.lesson03.experiments.figures.overlays import over_dump_time, over_stragglers
from lessons.lesson03.experiments.figures.random_reads import ReadModel, random_reads_figure
from lessons.lesson03.experiments.figures.samples import samples_figure
from lessons.lesson03.experiments.figures.small_files import small_files_figure

__all__ = [
    "ReadModel",
    "job_saves_figure",
    "node_loss_figure",
    "over_dump_time",
    "over_stragglers",
    "random_reads_figure",
    "samples_figure",
    "small_files_figure",
]
