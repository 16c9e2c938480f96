"""The lesson's widgets: sliders wired to figures whose artists move.

Without a kernel, or where a viewer cannot show widgets, a picture stands in their place.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import log10
from typing import Any

import ipywidgets as widgets
from IPython.core.getipython import get_ipython

from lessons.canvas import MovingCanvas
from lessons.lesson03.dump_time_plot import DumpTimePlot
from lessons.lesson03.models import load_models
from lessons.lesson03.plan import Plan, bands, outlook
from lessons.lesson03.tiers import load_tiers
from lessons.lesson03.verdict import tiers_sentence, verdict_sentence

_CAPTION = "写完一个检查点的时间与检查点间隔的关系图（模型）。"
_EXAMPLE = "例题：4 TB"
_OWN = "自己定"
_TB = 1e12
_GB = 1e9
_MINUTE = 60.0
_SLIDER = {
    "style": {"description_width": "9.5em"},
    "layout": {"width": "100%", "min_width": "20em"},
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
        self._image.tooltip = _CAPTION
        self._words = widgets.HTML()
        self.widget = self._arranged()
        self._show_plan()
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
        self._size = _log_slider("检查点 S（TB）", 0.05, 50)
        self._amplification = widgets.FloatSlider(
            description="写放大 W", min=1, max=4, step=0.125, readout_format=".3f", **_SLIDER
        )
        self._at_client = widgets.Checkbox(
            description="B 是客户端实测（放大已含在内，W = 1）", indent=False
        )
        self._backend = _log_slider("后端带宽 B（GB/s）", 0.5, 5000)
        self._interval = _log_slider("间隔 T（分钟）", 1 / 6, 1440)
        self._nodes = widgets.SelectionSlider(
            description="节点数 N", options=[2**power for power in range(1, 12)], value=2, **_SLIDER
        )
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

    def _show_plan(self) -> None:
        plan = self.plan
        with self._hold():
            self._size.value = plan.checkpoint_bytes / _TB
            self._amplification.value = plan.write_amplification
            self._backend.value = plan.backend_Bps / _GB
            self._interval.value = plan.interval_s / _MINUTE
            self._nodes.value = min(
                (option for option in self._nodes.options), key=lambda n: abs(n - plan.nodes)
            )
            self._model.value = next(
                (name for name, size in self._sizes.items() if size == plan.checkpoint_bytes), _OWN
            )

    @contextmanager
    def _hold(self) -> Iterator[None]:
        """Set controls from code without each of them redrawing."""
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def _model_chosen(self, change: dict[str, Any]) -> None:
        if self._held or change["new"] == _OWN:
            return
        with self._hold():
            self._size.value = self._sizes[change["new"]] / _TB
        self.plan = replace(self.plan, checkpoint_bytes=self._sizes[change["new"]])
        self._redraw()

    def _client_toggled(self, change: dict[str, Any]) -> None:
        self._amplification.disabled = change["new"]
        if change["new"]:
            self._media_amplification = self._amplification.value
            self._amplification.value = 1.0
        else:
            self._amplification.value = self._media_amplification

    def _moved(self, change: dict[str, Any]) -> None:
        if self._held:
            return
        if change["owner"] is self._size:
            with self._hold():
                self._model.value = _OWN
        self.plan = self._plan_after(change["owner"])
        self._redraw()

    def _plan_after(self, control: widgets.Widget) -> Plan:
        # Only what moved is read: a slider rounds, a plan does not.
        if control is self._size:
            return replace(self.plan, checkpoint_bytes=control.value * _TB)
        if control is self._amplification:
            return replace(self.plan, write_amplification=control.value)
        if control is self._backend:
            return replace(self.plan, backend_Bps=control.value * _GB)
        if control is self._interval:
            return replace(self.plan, interval_s=control.value * _MINUTE)
        return replace(self.plan, nodes=control.value)

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


def _log_slider(description: str, low: float, high: float) -> widgets.FloatLogSlider:
    return widgets.FloatLogSlider(
        description=description,
        min=log10(low),
        max=log10(high),
        step=0.01,
        readout_format=".3g",
        **_SLIDER,
    )
