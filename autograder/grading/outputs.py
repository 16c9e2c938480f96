"""Cell outputs that come from the worker: only well-formed nbformat outputs pass.

The worker is the learner's process, so its frames may hold anything. What does not have the shape
of an nbformat 4.5 output is dropped here, once, so that notebooks stay valid and reports never
meet a surprise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

MAX_OUTPUTS = 500
"""Outputs kept per cell; the worker bounds their bytes."""


def well_formed(items: Any) -> Iterable[dict[str, Any]]:
    """The outputs among `items` that nbformat accepts, rebuilt key by key."""
    if not isinstance(items, list):
        return
    for item in items[:MAX_OUTPUTS]:
        output = _output(item)
        if output is not None:
            yield output


def _output(item: Any) -> dict[str, Any] | None:
    match item:
        case {"output_type": "stream", "name": "stdout" | "stderr" as name, "text": str(text)}:
            return {"output_type": "stream", "name": name, "text": text}
        case {"output_type": "error", "ename": str(name), "evalue": str(value)}:
            lines = item.get("traceback")
            traceback = (
                [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
            )
            return {
                "output_type": "error",
                "ename": name,
                "evalue": value,
                "traceback": traceback,
            }
        case {"output_type": "display_data" | "execute_result" as kind, "data": dict(data)}:
            output = {"output_type": kind, "data": _bundle(data), "metadata": {}}
            if kind == "execute_result":
                count = item.get("execution_count")
                output["execution_count"] = count if type(count) is int else None
            return output if output["data"] else None
        case _:
            return None


def _bundle(data: Mapping[Any, Any]) -> dict[str, Any]:
    """A mimebundle whose values are text; JSON types keep their (already plain) value."""
    return {
        mime: value
        for mime, value in data.items()
        if isinstance(mime, str)
        and "/" in mime
        and (isinstance(value, str) or mime.endswith("json"))
    }
