"""What the live plot needs of a lesson: its data as JSON, and the controls of its notebook."""

from __future__ import annotations

import importlib
import re
from dataclasses import asdict, dataclass
from typing import Any

from autograder.model import Lesson, Role

_CALL = re.compile(r"\bdump_time\(\s*\)")
# The notebook's controls in their order, by what the page's script calls them.
KEYS = (
    "model",
    "checkpoint_bytes",
    "interval_s",
    "kept",
    "cluster",
    "gpus",
    "gpus_per_node",
    "backend",
    "backend_Bps",
    "at_client",
    "write_amplification",
    "contention",
    "mtbf_scaled",
    "mtbf_s",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveControl:
    """One control, as the notebook has it.

    Attributes:
        key: What the page's script calls it.
        kind: `number`, `toggle` or `choice`.
        label: Its label.
        unit: Of a number.
        scale: How much of the model's own unit (bytes, seconds, B/s) one `unit` is.
        stops: Where a number's slider stops, in the model's own unit.
        options: The names of a choice.
    """

    key: str
    kind: str
    label: str
    unit: str = ""
    scale: float = 1.0
    stops: tuple[float, ...] = ()
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class LivePlot:
    """The plot of dump times.

    Attributes:
        data: Tiers, models, clusters, the worked example and the record of failures.
        controls: In the notebook's order.
    """

    data: dict[str, Any]
    controls: tuple[LiveControl, ...]


def live_plot(lesson: Lesson) -> LivePlot | None:
    """Return the plot of a lesson whose page has the explorer of dump times, else None."""
    cells = lesson.cells(Role.WIDGET)
    if lesson.modules is None or not any(_CALL.search(cell.source) for cell in cells):
        return None
    explorer = importlib.import_module(f"{lesson.modules}.explore.dump_time")
    found = zip(KEYS, explorer.plan_spec().controls, strict=True)
    return LivePlot(
        data=_data(lesson.modules),
        controls=tuple(_control(key, control) for key, control in found),
    )


def _data(modules: str) -> dict[str, Any]:
    """Return what the TOML files of the lesson say, and its worked example."""
    plan = importlib.import_module(f"{modules}.plan")
    models = importlib.import_module(f"{modules}.models").load_models()
    tiers = importlib.import_module(f"{modules}.tiers").load_tiers()
    clusters = importlib.import_module(f"{modules}.clusters").load_clusters()
    return {
        "plan": asdict(plan.Plan()),
        "reference_mtbf_s": plan.REFERENCE_MTBF_S,
        "reference_gpus": plan.REFERENCE_GPUS,
        "models": [
            {"name": one.name, "checkpoint_bytes": one.checkpoint_bytes} for one in models.values()
        ],
        "clusters": [
            {"name": one.name, "nodes": one.nodes, "gpus_per_node": one.gpus_per_node}
            for one in clusters.values()
        ],
        "tiers": {
            one.id: {
                "name": one.name,
                "scope": str(one.scope),
                "basis": str(one.basis),
                "low": one.low.Bps,
                "typical": one.typical.Bps,
                "high": one.high.Bps,
            }
            for one in tiers.values()
        },
    }


def _control(key: str, control: Any) -> LiveControl:
    slider = getattr(control, "slider", None)
    if slider is not None:
        stops = tuple(float(value) for _, value in slider.options)
        # The box shows the same bound in the unit of a person.
        scale = float(f"{stops[-1] / control.box.max:.12g}")
        unit = str(control.widget.children[-1].value)
        label = str(slider.description)
        return LiveControl(key=key, kind="number", label=label, unit=unit, scale=scale, stops=stops)
    label = str(control.box.description)
    if hasattr(control.box, "options"):
        options = tuple(map(str, control.box.options))
        return LiveControl(key=key, kind="choice", label=label, options=options)
    return LiveControl(key=key, kind="toggle", label=label)
