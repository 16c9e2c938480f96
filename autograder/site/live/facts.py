"""Prints what the live plot needs of a lesson, in a process of its own: it imports its modules.

`python -m autograder.site.live.facts ROOT MODULES` prints JSON: `data`, the tiers, models and
clusters, the worked example and the record of failures; `controls`, those of the notebook.
"""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import asdict
from typing import Any

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


def main(arguments: list[str]) -> None:
    """Print the facts of the lesson that the command line names."""
    root, modules = arguments
    sys.path.insert(0, root)
    facts = {"data": data(modules), "controls": controls(modules)}
    print(json.dumps(facts, ensure_ascii=False))  # noqa: T201 - the answer


def data(modules: str) -> dict[str, Any]:
    """Return what the TOML files of a lesson say, and its worked example."""
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


def controls(modules: str) -> list[dict[str, Any]]:
    """Return the notebook's controls, in its order."""
    explorer = importlib.import_module(f"{modules}.explore.dump_time")
    found = zip(KEYS, explorer.plan_spec().controls, strict=True)
    return [{"key": key, **_control(control)} for key, control in found]


def _control(control: Any) -> dict[str, Any]:
    slider = getattr(control, "slider", None)
    if slider is not None:
        stops = [float(value) for _, value in slider.options]
        return {
            "kind": "number",
            "label": slider.description,
            "unit": control.widget.children[-1].value,
            # The box shows the same bound in the unit of a person.
            "scale": float(f"{stops[-1] / control.box.max:.12g}"),
            "stops": stops,
        }
    if hasattr(control.box, "options"):
        options = list(map(str, control.box.options))
        return {"kind": "choice", "label": control.box.description, "options": options}
    return {"kind": "toggle", "label": control.box.description}


if __name__ == "__main__":
    main(sys.argv[1:])
