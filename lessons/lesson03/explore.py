"""The lesson's widgets: sliders wired to figures whose artists move.

Without a kernel, or where a viewer cannot show widgets, a picture stands in their place.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import ceil, floor, log10
from typing import Any

import ipywidgets as widgets
from IPython.core.getipython import get_ipython

from lessons.canvas import MovingCanvas
from lessons.lesson03.dump_time_plot import DumpTimePlot
from lessons.lesson03.models import load_models
from lessons.lesson03.plan import Plan, bands, outlook
from lessons.lesson03.readable import bandwidth_text, bytes_text, seconds_text
from lessons.lesson03.tiers import load_tiers
from lessons.lesson03.verdict import tiers_sentence, verdict_sentence

_CAPTION = "写完一个检查点的时间与检查点间隔的关系图（模型）。"
_EXAMPLE = "例题：4 TB"
_OWN = "自己定"
_STEPS = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)  # of a decade, near enough to equal ratios
_INTERVALS_S = (
    *(10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0, 300.0, 420.0, 600.0, 900.0),
    *(1200.0, 1500.0, 1800.0, 2400.0, 3600.0, 5400.0, 7200.0, 10_800.0, 14_400.0),
    *(21_600.0, 28_800.0, 43_200.0, 86_400.0),
)
_SLIDER = {
    "style": {"description_width": "9.5em"},
    "layout": {"width": "auto", "min_width": "20em"},
}


def dump_time(plan: Plan | None = None) -> DumpTimeExplorer:
    """Return the explorer of dump time against interval, opened on a plan.

    Args:
        plan: The plan to open with; the lesson's worked example if not given.
    """
    return DumpTimeExplorer(Plan() if plan is None else plan)


class DumpTimeExplorer:
    """Sliders for a plan, the figure that follows them, and the verdict in words.

    Attributes:
        plan: The plan that the sliders stand for.
        widget: All of it as one ipywidget.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._tiers = load_tiers()
        self._sizes = {_EXAMPLE: Plan().checkpoint_bytes}
        self._sizes |= {model.name: model.checkpoint_bytes for model in load_models().values()}
        self._plot = DumpTimePlot(plan)
        self._canvas = MovingCanvas(self._plot.figure, self._plot.moving)
        self._held = False
        self._media_amplification = plan.write_amplification
        self._make_controls()
        self._image = widgets.Image(format="png", layout={"width": "100%", "max_width": "1056px"})
        self._words = widgets.HTML()
        self.widget = self._arranged()
        self._amplification.value = plan.write_amplification
        self._name_size()
        self._redraw()
        for control in self._sliders:
            control.observe(self._moved, names="value")
        self._model.observe(self._model_chosen, names="value")
        self._at_client.observe(self._client_toggled, names="value")

    @property
    def png(self) -> bytes:
        """The figure as it stands, a PNG file."""
        return bytes(self._image.value)

    @property
    def verdict(self) -> str:
        """What the plan comes to, in words."""
        return " ".join(self._sentences())

    def _repr_mimebundle_(self, **_kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data: dict[str, Any] = {"text/plain": self.verdict, "image/png": self.png}
        if getattr(get_ipython(), "kernel", None) is not None:
            data |= self.widget._repr_mimebundle_()
            data["text/plain"] = self.verdict
        return data, {"image/png": {"alt": f"{_CAPTION} {self.verdict}"}}

    def _make_controls(self) -> None:
        self._model = widgets.Dropdown(
            description="取自", options=[*self._sizes, _OWN], value=_OWN, **_SLIDER
        )
        sizes = {*_round_values(1e11, 2e13), *self._sizes.values()}
        self._size = _slider("检查点 S", sizes, self.plan.checkpoint_bytes, bytes_text)
        self._interval = _slider("间隔 T", _INTERVALS_S, self.plan.interval_s, seconds_text)
        self._amplification = widgets.FloatSlider(
            description="写放大 W", min=1, max=4, step=0.125, readout_format=".3f", **_SLIDER
        )
        self._at_client = widgets.Checkbox(
            description="B 是客户端实测（放大已含在内，W = 1）", indent=False
        )
        bandwidths = _round_values(5e8, 2e12)
        self._backend = _slider("后端带宽 B", bandwidths, self.plan.backend_Bps, bandwidth_text)
        powers = [2**power for power in range(1, 12)]
        self._nodes = _slider("节点数 N", powers, self.plan.nodes, str)
        self._sliders = [
            *(self._size, self._amplification, self._backend, self._interval, self._nodes)
        ]

    def _arranged(self) -> widgets.Widget:
        left = widgets.VBox([self._model, self._size, self._interval])
        right = widgets.VBox(
            [self._amplification, self._at_client, self._backend, self._nodes],
        )
        for column in (left, right):
            column.layout.flex = "1 1 24em"
        controls = widgets.HBox([left, right], layout={"flex_flow": "row wrap"})
        return widgets.VBox([controls, self._words, self._image])

    @contextmanager
    def _hold(self) -> Iterator[None]:
        """Set controls from code without each of them redrawing."""
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def _model_chosen(self, change: dict[str, Any]) -> None:
        if not self._held and change["new"] != _OWN:
            self._size.value = self._sizes[change["new"]]

    def _name_size(self) -> None:
        """Let the presets say whose checkpoint the size is, if it is one of theirs."""
        size = self.plan.checkpoint_bytes
        with self._hold():
            self._model.value = next(
                (name for name, known in self._sizes.items() if known == size), _OWN
            )

    def _client_toggled(self, change: dict[str, Any]) -> None:
        self._amplification.disabled = change["new"]
        if change["new"]:
            self._media_amplification = self._amplification.value
            self._amplification.value = 1.0
        else:
            self._amplification.value = self._media_amplification

    def _moved(self, _change: dict[str, Any]) -> None:
        self.plan = replace(
            self.plan,
            checkpoint_bytes=self._size.value,
            write_amplification=self._amplification.value,
            backend_Bps=self._backend.value,
            interval_s=self._interval.value,
            nodes=self._nodes.value,
        )
        self._name_size()
        self._redraw()

    def _redraw(self) -> None:
        self._plot.update(self.plan)
        self._image.value = self._canvas.png()
        first, second = map(html.escape, self._sentences())
        self._words.value = (
            f'<div role="status" aria-live="polite" style="line-height:1.6">'
            f"<strong>{first}</strong><br>{second}</div>"
        )

    def _sentences(self) -> tuple[str, str]:
        return (
            verdict_sentence(self.plan, outlook(self.plan, self._tiers)),
            tiers_sentence(self.plan, bands(self.plan, self._tiers)),
        )


def _slider(
    description: str, values: Iterable[float], value: float, text: Callable[[Any], str]
) -> widgets.SelectionSlider:
    """Return a slider over round values, and over `value`; each is shown as a person reads it.

    A logarithmic slider of ipywidgets would not do: in the browser it snaps 4 TB to 3.97 TB.
    """
    return widgets.SelectionSlider(
        description=description,
        options=[(text(option), option) for option in sorted({*values, value})],
        value=value,
        **_SLIDER,
    )


def _round_values(low: float, high: float) -> list[float]:
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    values = [step * 10.0**decade / 10 for decade in decades for step in _STEPS]
    return [value for value in values if low <= value <= high]
