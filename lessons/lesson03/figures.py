"""The figures of lesson 3: numbers in, a matplotlib `Figure` out, and no global state."""

from __future__ import annotations

from matplotlib.figure import Figure

from lessons.lesson03.dump_time_plot import DumpTimePlot
from lessons.lesson03.plan import Plan


def dump_time_figure(plan: Plan) -> Figure:
    """Return dump time against checkpoint interval for the plan and the tiers, log-log."""
    return DumpTimePlot(plan).figure


__all__ = ["DumpTimePlot", "dump_time_figure"]
