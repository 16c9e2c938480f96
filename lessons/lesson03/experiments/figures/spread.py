"""How a series is drawn, and the page that measurements stand on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.series import Series
from lessons.lesson03.experiments.units import time_text
from lessons.lesson03.figures import style

SHAPES = ("s", "o", "^", "v")
_DOTS_AT_MOST = 400
_IN_A_ROW = 8
_SMALL: dict[str, Any] = {"markersize": 4.2, "markeredgewidth": 0.9}
_GOLDEN = 0.6180339887498949
_READ_ME = "空心记号 p50 · 短横 p99 · 须从最小到最大 · 每个小点是一次测量"


class MeasuredPage(style.Page):
    """A page whose subtitle says where and when, and how a point is read.

    Args:
        title: Of the figure.
        record: What is shown.
        height: Inches.
    """

    def __init__(self, title: str, record: Record, *, height: float = 5.6) -> None:
        super().__init__(title, height=height)
        self.subtitle.set_text(f"实测 · {record.origin.zh}")
        self.figure.text(0.03, 0.022, _READ_ME, va="center", **self.type(8.8, style.SOFT))

    def legend(self, shapes: Mapping[str, str], top: float) -> None:
        """Say in one row which shape is what.

        Args:
            shapes: Label -> marker.
            top: Height on the figure, 0 to 1.
        """
        row = self.figure.add_axes((0.03, top - 0.03, 0.94, 0.06), facecolor="white")
        row.set(xlim=(0, 1), ylim=(0, 1))
        row.set_axis_off()
        at = 0.01
        for label, marker in shapes.items():
            row.add_line(Line2D([at], [0.5], **(style.MEASURED | {"marker": marker})))
            row.text(at + 0.016, 0.5, label, va="center", **self.type(9.5))
            # A Chinese character is about twice as wide as a Latin one.
            at += 0.05 + 0.0095 * sum(1 + (ord(one) > 0x2E7F) for one in label)  # noqa: PLR2004


def draw_spread(
    axes: Axes, at: float, series: Series, *, marker: str = "s", width: float = 0.16
) -> None:
    """Draw all that was measured: dots beside each other, whiskers, p50 and p99.

    Args:
        axes: With a linear x axis.
        at: Place on the x axis.
        series: The measurements.
        marker: Shape of the median.
        width: Of the cloud of dots, in units of the x axis.
    """
    values = np.asarray(series.values)
    if len(values) > _DOTS_AT_MOST:
        # Evenly from the sorted ones, so that both ends stay.
        picked = np.linspace(0, len(values) - 1, _DOTS_AT_MOST).round().astype(int)
        values = np.sort(values)[picked]
    shifts = ((np.arange(len(values)) * _GOLDEN) % 1 - 0.5) * width
    dots: dict[str, Any] = {"linestyle": "", "marker": ".", "markersize": 2.6, "color": "black"}
    axes.add_line(Line2D(at + shifts, values, alpha=0.28, zorder=5, **dots))
    axes.errorbar(
        [at],
        [series.p50],
        yerr=[[series.p50 - series.least], [series.most - series.p50]],
        fmt="none",
        ecolor="black",
        elinewidth=1.2,
        capsize=3,
        zorder=6.5,
    )
    axes.add_line(
        Line2D([at], [series.p99], linestyle="", marker="_", markersize=11, color="black",
               markeredgewidth=2.2, zorder=6.6)
    )  # fmt: skip
    axes.add_line(Line2D([at], [series.p50], zorder=6.7, **(style.MEASURED | {"marker": marker})))


def draw_counts(page: style.Page, axes: Axes, at: float, series: Series) -> None:
    """Draw whole numbers: a small square for each measurement, in rows above its value.

    Args:
        page: For the type of the counts.
        axes: With linear axes, a row of squares is 0.07 high.
        at: Place on the x axis.
        series: The measurements, whole numbers.
    """
    total = len(series.values)
    for value in sorted(set(series.values)):
        count = series.values.count(value)
        places = np.arange(count)
        xs = at + (places % _IN_A_ROW - (_IN_A_ROW - 1) / 2) * 0.075
        ys = value + (places // _IN_A_ROW) * 0.07
        axes.add_line(Line2D(xs, ys, zorder=6, **(style.MEASURED | _SMALL)))
        axes.text(
            at,
            float(ys.max()) + 0.06,
            f"{count} / {total}",
            ha="center",
            va="bottom",
            **page.type(9.5, "black"),
        )


def time_axis(axis: Axis) -> None:
    """Show seconds on a log axis in the unit that suits, ticks at 1, 10, 100 and between."""
    axis.set_major_locator(LogLocator(base=10, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _at: time_text(value)))
    axis.set_minor_formatter(NullFormatter())


def count_axis(axis: Axis) -> None:
    """Show whole numbers only."""
    axis.set_major_locator(MaxNLocator(integer=True, nbins=8))


def limits_of(series: Sequence[Series]) -> tuple[float, float]:
    """Return limits of a log axis that all values fit in, with some room."""
    low = min(one.least for one in series)
    high = max(one.most for one in series)
    return max(low, 1e-9) / 1.6, high * 1.8
