"""The figures of lesson 3: numbers in, a matplotlib `Figure` out, and no global state.

Each has a `..._figure`, a `..._alt` that says the same in words, and a `...Plot` whose artists
move with the numbers.
"""

from __future__ import annotations

from lessons.lesson03.figures.amplification import (
    AmplificationCase,
    AmplificationPlot,
    amplification_alt,
    amplification_figure,
)
from lessons.lesson03.figures.dump_time import DumpTimePlot, dump_time_alt, dump_time_figure
from lessons.lesson03.figures.duty_cycle import DutyCyclePlot, duty_cycle_alt, duty_cycle_figure
from lessons.lesson03.figures.host_ram import (
    HostRamCase,
    HostRamPlot,
    host_ram_alt,
    host_ram_figure,
)
from lessons.lesson03.figures.ladder import LadderCase, LadderPlot, ladder_alt, ladder_figure
from lessons.lesson03.figures.pipeline import PipelinePlot, pipeline_alt, pipeline_figure
from lessons.lesson03.figures.stragglers import (
    StragglerCase,
    StragglerPlot,
    stragglers_alt,
    stragglers_figure,
)
from lessons.lesson03.figures.style import Samples
from lessons.lesson03.figures.waste import WasteCase, WastePlot, waste_alt, waste_figure
from lessons.lesson03.timeline import PipelineCase

__all__ = [
    "AmplificationCase",
    "AmplificationPlot",
    "DumpTimePlot",
    "DutyCyclePlot",
    "HostRamCase",
    "HostRamPlot",
    "LadderCase",
    "LadderPlot",
    "PipelineCase",
    "PipelinePlot",
    "Samples",
    "StragglerCase",
    "StragglerPlot",
    "WasteCase",
    "WastePlot",
    "amplification_alt",
    "amplification_figure",
    "dump_time_alt",
    "dump_time_figure",
    "duty_cycle_alt",
    "duty_cycle_figure",
    "host_ram_alt",
    "host_ram_figure",
    "ladder_alt",
    "ladder_figure",
    "pipeline_alt",
    "pipeline_figure",
    "stragglers_alt",
    "stragglers_figure",
    "waste_alt",
    "waste_figure",
]
