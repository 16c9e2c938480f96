"""Measured points on the lesson's modelled figures."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from lessons.lesson03.experiments.figures.spread import limits_of, time_axis
from lessons.lesson03.experiments.labels import how_said
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.series import Series
from lessons.lesson03.figures import StragglerCase, stragglers_figure, style
from lessons.lesson03.figures.dump_time import DumpTimePlot
from lessons.lesson03.plan import Plan

_LEAST_SPREAD = 1.01
_HEADROOM = 3.0
_BEYOND = 8.0


def samples_of(series: Series, label: str, at: float | None = None) -> style.Samples:
    """Return a series as the lesson's figures take it.

    Args:
        series: The measurements.
        label: Beside the point.
        at: Place on the x axis; what the series varies, by default.
    """
    return style.Samples(at=series.at if at is None else at, values=series.values, label=label)


def one_writer_case(record: Record, how: str) -> StragglerCase:
    """Return the model of independent ranks that the saves of one writer give."""
    saves = record.of("save", how)
    alone = saves[0]
    return StragglerCase(
        ranks=round(saves[-1].at),
        median_s=alone.p50,
        # The model needs some spread; a p99 that equals the median has none.
        p99_s=max(alone.p99, alone.p50 * _LEAST_SPREAD),
    )


def over_stragglers(record: Record, how: str = "one-directory") -> Figure:
    """Return figure (f) with the measured saves over it.

    The model takes p50 and p99 from the saves of a single writer, and that ranks are independent.
    Points above its band show what independence leaves out: contention.
    """
    name = how_said(how).zh
    saves = record.of("save", how)
    measured = [samples_of(one, name) for one in saves]
    figure = stragglers_figure(one_writer_case(record, how), measured)
    # Saves of one writer may be anything from a fast disk's to a busy one's: a log axis shows
    # both the points and the band, and beyond the points there is nothing to compare.
    axes = figure.axes[0]
    low, high = limits_of(saves)
    axes.set(yscale="log", ylim=(low, high * _HEADROOM), xlim=(0.85, saves[-1].at * _BEYOND))
    time_axis(axes.yaxis)
    axes.set_ylabel("时间（对数）", **style.Page("").type(10.5))
    return figure


def over_dump_time(plan: Plan, measured: Sequence[style.Samples]) -> Figure:
    """Return figure (a) with measured dump times over it; `at` is the interval, in seconds.

    The points belong to whatever size was really saved: say it in their labels.
    """
    plot = DumpTimePlot(plan)
    # A page gives the type; the first axes of that figure are those of interval and dump time.
    page = style.Page("")
    for samples in measured:
        style.draw_measured(page, plot.figure.axes[0], samples)
    return plot.figure
