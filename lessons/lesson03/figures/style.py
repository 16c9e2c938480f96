"""What all figures share: colours, Chinese type, and how modelled and measured values look.

Modelled values are lines, bands and filled shapes in colour; measured ones are thick black
squares, hollow and with whiskers, and nothing else is drawn so. Simulated draws are modelled:
they are thin dashes.
Colours are Okabe and Ito's, and each comes with dashes or a hatch that hold up without it. The
page is white and opaque, so that a dark theme does not change what is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter, NullLocator

from lessons.fonts import chinese_families

INK = "#222222"
SOFT = "#444444"
RULE = "#999999"
GRID = "#DDDDDD"
PLAN = "#B23A00"  # Okabe-Ito's vermillion, darker, so that small text keeps contrast
BLUE, SKY, GREEN = "#0072B2", "#56B4E9", "#009E73"
ORANGE, PINK, VERMILLION = "#E69F00", "#CC79A7", "#D55E00"
OUT_OF_BOUNDS: dict[str, Any] = {
    "facecolor": "#EFEFEF",
    "edgecolor": "#D2D2D2",
    "hatch": "////",
    "linewidth": 0,
}

MEASURED: dict[str, Any] = {
    "linestyle": "",
    "marker": "s",
    "markersize": 7,
    "markerfacecolor": "white",
    "markeredgecolor": "black",
    "markeredgewidth": 1.8,
}

DASHED = (0, (6, 2))
DOTTED = (0, (1, 1.2))
DASH_DOT = (0, (7, 2, 1.2, 2))

TIME_TICKS = {
    0.1: "0.1 秒",
    1.0: "1 秒",
    10.0: "10 秒",
    60.0: "1 分钟",
    600.0: "10 分钟",
    3600.0: "1 小时",
    21_600.0: "6 小时",
    86_400.0: "1 天",
    604_800.0: "7 天",
}


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Repeated measurements of one thing, such as the times of one kind of save.

    Attributes:
        at: Where on the x axis, such as a number of ranks.
        values: All that was measured, in the y axis' unit; at least one.
        label: What was measured, for the figure.
    """

    at: float
    values: tuple[float, ...]
    label: str

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"values of {self.label!r} must hold at least one measurement")


class Page:
    """A white figure with a title, a line below it, and axes in Chinese type.

    Attributes:
        figure: The figure.
        family: Font families for Chinese text.
        subtitle: The line below the title; a figure that moves sets its text.
    """

    def __init__(self, title: str, *, height: float = 5.2) -> None:
        self.family = chinese_families()
        self.figure = Figure(figsize=(9.6, height), dpi=110, facecolor="white")
        top = 1 - 0.3 / height
        self.figure.text(0.03, top, title, va="center", **self.type(14))
        self.subtitle = self.figure.text(
            0.03, top - 0.31 / height, "", va="center", **self.type(10, SOFT)
        )

    def type(self, size: float, colour: str = INK) -> dict[str, Any]:
        """Return keyword arguments of a text."""
        return {"fontfamily": self.family, "fontsize": size, "color": colour}

    def axes(self, rect: tuple[float, float, float, float], **limits: Any) -> Axes:
        """Return axes with quiet spines and a light grid."""
        axes = self.figure.add_axes(rect, facecolor="white")
        axes.set(**limits)
        axes.set_axisbelow(True)
        axes.grid(color=GRID, linewidth=0.6)
        axes.tick_params(labelfontfamily=self.family, labelsize=9, color=RULE, labelcolor=INK)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(RULE)
        return axes

    def name_axes(self, axes: Axes, x: str, y: str) -> None:
        """Set the axes' labels."""
        axes.set_xlabel(x, **self.type(10.5))
        axes.set_ylabel(y, **self.type(10.5))

    def boxed(self, axes: Axes, x: float, y: float, text: str, **more: Any) -> Text:
        """Return a text on a white ground, which stays readable over lines and hatches."""
        look = self.type(9.5) | {"va": "center", "zorder": 7}
        look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 2}
        return axes.text(x, y, text, **(look | more))


class Key:
    """Entries beside a plot: a sample of a line, a hatch or a marker, and what it says now.

    Text there never meets a curve, whatever the numbers are.
    """

    def __init__(self, page: Page, rect: tuple[float, float, float, float]) -> None:
        self._page = page
        self._axes = page.figure.add_axes(rect, facecolor="white")
        self._axes.set(xlim=(0, 1), ylim=(0, 1))
        self._axes.set_axis_off()
        self.texts: list[Artist] = []

    def line(self, y: float, **look: Any) -> Text:
        """Add an entry with a piece of a line, or a marker."""
        marker = "marker" in look and look.get("linestyle") == ""
        xs = [0.05] if marker else [0.0, 0.1]
        self._axes.add_line(Line2D(xs, [y] * len(xs), **look))
        return self._text(y)

    def hatch(self, y: float, **look: Any) -> Text:
        """Add an entry with a filled patch."""
        self._axes.add_patch(Rectangle((0, y - 0.018), 0.1, 0.036, **look))
        return self._text(y)

    def _text(self, y: float) -> Text:
        text = self._axes.text(
            0.14, y + 0.024, "", va="top", linespacing=1.45, **self._page.type(9.2)
        )
        self.texts.append(text)
        return text


def set_ticks(axis: Axis, ticks: dict[float, str]) -> None:
    """Show just these ticks."""
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_major_formatter(FixedFormatter(list(ticks.values())))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def ticks_within(ticks: dict[float, str], low: float, high: float) -> dict[float, str]:
    """Return the ticks between two limits."""
    return {at: text for at, text in ticks.items() if low <= at <= high}


def plan_marker() -> Line2D:
    """Return the diamond of the chosen plan."""
    return Line2D([], [], color=PLAN, marker="D", markersize=9, markeredgecolor="white", zorder=6)


def draw_measured(page: Page, axes: Axes, samples: Samples) -> None:
    """Draw measurements: a black square at the median, whiskers from least to most, and 实测."""
    ordered = sorted(samples.values)
    middle = ordered[len(ordered) // 2]
    axes.errorbar(
        [samples.at],
        [middle],
        yerr=[[middle - ordered[0]], [ordered[-1] - middle]],
        fmt="none",
        ecolor="black",
        elinewidth=1.4,
        capsize=4,
        zorder=6.5,
    )
    axes.add_line(Line2D([samples.at], [middle], zorder=6.6, **MEASURED))
    many = f"{len(ordered)} 次" if len(ordered) > 1 else "单次记录"
    axes.annotate(
        f"实测（{many}）\n{samples.label}",
        (samples.at, middle),
        xytext=(9, 0),
        textcoords="offset points",
        va="center",
        linespacing=1.3,
        zorder=7,
        **page.type(8.5, "black"),
    )
