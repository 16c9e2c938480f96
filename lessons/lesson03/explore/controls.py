"""Controls of an explorer: each shows one thing of the inputs and changes it.

A control knows how to read its value from the inputs and how to put another one in; it never
holds a value of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import ceil, floor, log10
from typing import Any, Generic, TypeVar

import ipywidgets as widgets

Inputs = TypeVar("Inputs")
Change = Callable[[Callable[[Any], Any]], None]

OWN = "自己定"
_LABEL = {"style": {"description_width": "9.5em"}}
_STEPS = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)  # of a decade, near enough to equal ratios


class Number(Generic[Inputs]):
    """A slider over round values beside a box for any other, in a unit a person thinks in.

    A logarithmic slider of ipywidgets would not do: in the browser it snaps 4 TB to 3.97 TB.

    Args:
        label: What it is.
        unit: The unit, and `scale` how much of the inputs' own unit it is.
        values: Where the slider stops, in the inputs' own unit; they bound the box too.
        get: The value in the inputs.
        put: The inputs with another value.
        locked: Whether these inputs leave no choice.
    """

    def __init__(  # noqa: PLR0913 - what a quantity on a screen consists of
        self,
        label: str,
        unit: str,
        *,
        values: Iterable[float],
        get: Callable[[Inputs], float],
        put: Callable[[Inputs, float], Inputs],
        scale: float = 1.0,
        locked: Callable[[Inputs], bool] | None = None,
    ) -> None:
        self._values = sorted(values)
        self._scale, self._get, self._put, self._locked = scale, get, put, locked
        self.slider = widgets.SelectionSlider(
            description=label,
            options=[(f"{value / scale:.6g} {unit}", value) for value in self._values],
            readout=False,
            layout={"flex": "1 1 12em", "min_width": "14em"},
            **_LABEL,
        )
        self.box = widgets.BoundedFloatText(
            min=self._values[0] / scale,
            max=self._values[-1] / scale,
            step=self._values[0] / scale,
            layout={"width": "7em"},
            tooltip=f"{label}，单位 {unit}",
        )
        self.widget = widgets.HBox(
            [self.slider, self.box, widgets.Label(unit, layout={"width": "4em"})],
            layout={"width": "auto"},
        )

    def on_change(self, change: Change) -> None:
        """Call `change` with what to do to the inputs when somebody moves the control."""

        def slid(event: dict[str, Any]) -> None:
            change(lambda inputs: self._put(inputs, event["new"]))

        def typed(event: dict[str, Any]) -> None:
            change(lambda inputs: self._put(inputs, event["new"] * self._scale))

        self.slider.observe(slid, names="value")
        self.box.observe(typed, names="value")

    def show(self, inputs: Inputs) -> None:
        """Show the inputs; between two stops the slider stands at the nearer one."""
        value = self._get(inputs)
        near = min(self._values, key=lambda stop: abs(stop - value))
        if self.slider.value != near:
            self.slider.value = near
        shown = float(f"{value / self._scale:.5g}")
        if self.box.value != shown:
            self.box.value = shown

    def enable(self, enabled: bool, inputs: Inputs) -> None:
        """Let the control be moved, or not."""
        off = not enabled or (self._locked is not None and self._locked(inputs))
        for part in (self.slider, self.box):
            if part.disabled != off:
                part.disabled = off


class Toggle(Generic[Inputs]):
    """A box to tick."""

    def __init__(
        self,
        label: str,
        *,
        get: Callable[[Inputs], bool],
        put: Callable[[Inputs, bool], Inputs],
    ) -> None:
        self._get, self._put = get, put
        self.box = widgets.Checkbox(description=label, indent=False, layout={"width": "auto"})
        self.widget = self.box

    def on_change(self, change: Change) -> None:
        """Call `change` with what to do to the inputs when somebody ticks the box."""
        self.box.observe(
            lambda event: change(lambda inputs: self._put(inputs, event["new"])), names="value"
        )

    def show(self, inputs: Inputs) -> None:
        """Show the inputs."""
        self.box.value = self._get(inputs)

    def enable(self, enabled: bool, inputs: Inputs) -> None:  # noqa: ARG002 - as Number
        """Let the control be moved, or not."""
        self.box.disabled = not enabled


class Presets(Generic[Inputs]):
    """A list of named choices; it names the one that the inputs agree with."""

    def __init__(self, label: str, choices: Mapping[str, Callable[[Inputs], Inputs]]) -> None:
        self._choices = choices
        self.box = widgets.Dropdown(
            description=label, options=[*choices, OWN], layout={"width": "auto"}, **_LABEL
        )
        self.widget = self.box

    def on_change(self, change: Change) -> None:
        """Call `change` with what to do to the inputs when somebody chooses."""

        def chosen(event: dict[str, Any]) -> None:
            if event["new"] in self._choices:
                change(self._choices[event["new"]])

        self.box.observe(chosen, names="value")

    def show(self, inputs: Inputs) -> None:
        """Name the choice that the inputs agree with, if there is one."""
        self.box.value = next(
            (name for name, choose in self._choices.items() if choose(inputs) == inputs), OWN
        )

    def enable(self, enabled: bool, inputs: Inputs) -> None:  # noqa: ARG002 - as Number
        """Let the control be moved, or not."""
        self.box.disabled = not enabled


Control = Number[Inputs] | Toggle[Inputs] | Presets[Inputs]


def field(name: str) -> dict[str, Any]:
    """Return `get` and `put` for a field of a frozen dataclass."""
    return {
        "get": lambda inputs: getattr(inputs, name),
        "put": lambda inputs, value: replace(inputs, **{name: value}),
    }


def round_values(low: float, high: float) -> list[float]:
    """Return round values from low to high, ten a decade."""
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    values = [step * 10.0**decade / 10 for decade in decades for step in _STEPS]
    return [value for value in values if low <= value <= high * (1 + 1e-12)]


TIMES_S = (
    *(1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0, 300.0, 420.0, 600.0),
    *(900.0, 1200.0, 1500.0, 1800.0, 2400.0, 3600.0, 5400.0, 7200.0, 10_800.0, 14_400.0),
    *(21_600.0, 28_800.0, 43_200.0, 86_400.0),
)
