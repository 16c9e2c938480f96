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
                [line for line in lines[:MAX_OUTPUTS] if isinstance(line, str)]
                if isinstance(lines, list)
                else []
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
                output["execution_count"] = (
                    count if type(count) is int and 0 <= count < 2**31 else None
                )
            return output if output["data"] else None
        case _:
            return None


def size_of(output: Mapping[str, Any]) -> int:
    """Characters that a well-formed output holds."""
    texts = [value for value in output.values() if isinstance(value, str)]
    texts += output.get("traceback", ())
    texts += (text for pair in output.get("data", {}).items() for text in pair)
    return sum(map(len, texts))


def _bundle(data: Mapping[Any, Any]) -> dict[str, str]:
    """A mimebundle of texts; of any other value only its type stays.

    JSON may nest deeper than what walks over it later can follow, and no report shows it.
    """
    return {
        mime: value if isinstance(value, str) else ""
        for mime, value in data.items()
        if isinstance(mime, str) and "/" in mime
    }
