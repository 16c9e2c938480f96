"""Controls, a figure whose artists follow them, and the verdict in words.

Without a kernel, or where a viewer cannot show widgets, a picture stands in their place.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import ipywidgets as widgets
from IPython.core.getipython import get_ipython
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from lessons.canvas import MovingCanvas
from lessons.lesson03.explore.controls import Control
from lessons.lesson03.explore.gate import Gate
from lessons.lesson03.explore.predictions import QUESTIONS, Predictions

Inputs = TypeVar("Inputs")
_UNSEEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
Taken_contra = TypeVar("Taken_contra", contravariant=True)


class Plot(Protocol[Taken_contra]):
    """A figure with artists that move to other inputs."""

    figure: Figure
    moving: list[Artist]

    def update(self, inputs: Taken_contra, /) -> None:
        """Move to other inputs."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """What the inputs come to.

    Attributes:
        verdict: One sentence.
        detail: One or two more.
        readouts: Values by name.
    """

    verdict: str
    detail: str = ""
    readouts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Spec(Generic[Inputs]):
    """What one explorer consists of.

    Attributes:
        name: Of its prediction and its function.
        plot: Makes the figure for inputs.
        alt: Says what the figure shows.
        words: Says what the inputs come to.
        controls: In the order of the page.
        moved: The inputs after the move that the prediction is about.
        outcome: What became of the inputs it opened with, beside the prediction.
    """

    name: str
    plot: Callable[[Inputs], Plot[Inputs]]
    alt: Callable[[Inputs], str]
    words: Callable[[Inputs], Words]
    controls: Sequence[Control[Inputs]]
    moved: Callable[[Inputs], Inputs]
    outcome: Callable[[Inputs, Inputs], str]


class Explorer(Generic[Inputs]):
    """Opens frozen on its inputs until a prediction is made or skipped.

    Args:
        spec: What it consists of.
        inputs: What it opens with.
        store: Where predictions are kept; beside the notebook by default.

    Attributes:
        inputs: What the controls stand for.
        widget: All of it as one ipywidget.
    """

    def __init__(
        self,
        spec: Spec[Inputs],
        inputs: Inputs,
        store: Predictions | None = None,
    ) -> None:
        self.inputs, self._first, self._spec = inputs, inputs, spec
        self._plot = spec.plot(inputs)
        self._canvas = MovingCanvas(self._plot.figure, self._plot.moving)
        # On a page too narrow to read it on, the picture keeps its size and is scrolled.
        size = {"width": "100%", "max_width": "1056px", "min_width": "640px"}
        self._image = widgets.Image(format="png", layout=size)
        framed = widgets.Box([self._image], layout={"overflow": "auto"})
        self._words = widgets.HTML()
        self._held = False
        self.gate = Gate(
            spec.name,
            QUESTIONS[spec.name],
            Predictions() if store is None else store,
            opened=self._show_controls,
            move=lambda: self.change(spec.moved),
        )
        self.widget = widgets.VBox([self.gate.widget, self._arranged(), self._words, framed])
        for control in spec.controls:
            control.on_change(self._controlled)
        self._show_controls()
        self._redraw()

    @property
    def png(self) -> bytes:
        """The figure as it stands, a PNG file that holds its own description."""
        return bytes(self._image.value)

    @property
    def verdict(self) -> str:
        """What the inputs come to, in words."""
        said = self._spec.words(self.inputs)
        return f"{said.verdict} {said.detail}".strip()

    def change(self, how: Callable[[Inputs], Inputs]) -> None:
        """Change the inputs, and let controls, figure and words follow."""
        self.inputs = how(self.inputs)
        # First: the eye waits for the picture. The words first cost the browser a frame more, and
        # the 95th percentile of a move 7 to 14 ms.
        self._redraw()
        self._show_controls()
        self.gate.show(self._spec.outcome(self._first, self.inputs))

    def _repr_mimebundle_(self, **_kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data: dict[str, Any] = {"text/plain": self.verdict, "image/png": self.png}
        if getattr(get_ipython(), "kernel", None) is not None:
            data |= self.widget._repr_mimebundle_()
            data["text/plain"] = self.verdict
        return data, {"image/png": {"alt": self._spec.alt(self.inputs)}}

    def _arranged(self) -> widgets.Widget:
        parts = [control.widget for control in self._spec.controls]
        middle = (len(parts) + 1) // 2
        columns = [widgets.VBox(parts[:middle]), widgets.VBox(parts[middle:])]
        for column in columns:
            column.layout.flex = "1 1 32em"  # wide enough for a slider to be aimed at
        return widgets.HBox(columns, layout={"flex_flow": "row wrap"})

    @contextmanager
    def _hold(self) -> Iterator[None]:
        """Set controls from code without each of them changing the inputs."""
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def _controlled(self, how: Callable[[Inputs], Inputs]) -> None:
        if not self._held:
            self.change(how)

    def _show_controls(self) -> None:
        with self._hold():
            for control in self._spec.controls:
                control.show(self.inputs)
                control.enable(self.gate.is_open, self.inputs)

    def _redraw(self) -> None:
        self._plot.update(self.inputs)
        alt = self._spec.alt(self.inputs)
        # No tooltip: ipywidgets 8 draws no Image that has one ("Cannot read ... 'length'").
        self._image.value = self._canvas.png(alt)
        self._words.value = _as_html(self._spec.words(self.inputs), alt)


def _as_html(said: Words, alt: str) -> str:
    cells = "".join(
        '<span style="display:inline-block;margin:2px 14px 2px 0;white-space:nowrap">'
        f"{html.escape(name)}：<strong>{html.escape(value)}</strong></span>"
        for name, value in said.readouts.items()
    )
    # An image widget takes no alternative text, so it stands before it, for screen readers alone.
    hidden = f'<span style="{_UNSEEN}">图：{html.escape(alt)}</span>'
    detail = f"<br>{html.escape(said.detail)}" if said.detail else ""
    return (
        f'<div role="status" aria-live="polite" style="line-height:1.6">'
        f"<strong>{html.escape(said.verdict)}</strong>{detail}</div>"
        f'<div style="line-height:1.5">{cells}</div>{hidden}'
    )
