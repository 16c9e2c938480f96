"""What the benchmark found: tables on stdout, a JSON file, a plot."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from operator import truediv
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.tools import Row


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table under a heading, its columns padded."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    text = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(one, widths, strict=True)) + " |"
        for one in lines
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([f"## {title}", "", text[0], rule, *text[1:], ""])


def tools_table(rows: Sequence[Row], notes: Sequence[str]) -> str:
    """Seconds a submission; the ratio is the median of nbgrader's over the row's, turn by turn."""
    shown: list[tuple[str, ...]] = []
    base: list[float] = []
    for one in rows:
        if one.note:
            shown.append((one.tool, str(one.submissions), "not measured", *[""] * 5))
            continue
        if one.tool.startswith("nbgrader"):
            base = one.wall_s
        found = one.as_json()
        shown.append(
            (
                one.tool,
                str(one.submissions),
                *(f"{found[key]:.3f}" for key in ("median_s", "min_s", "max_s", "median_cpu_s")),
                f"{one.peak_mb:.0f}",
                f"{median(map(truediv, base, one.wall_s)):.1f}x" if base else "",
            )
        )
    head = ("tool", "submissions", "s each", "min", "max", "CPU s each", "peak MB", "nbgrader's")
    text = table("Tools on the same submissions", head, shown)
    return "\n".join([text, *(f"- {note}" for note in notes), ""])


def growth_table(found: Sequence[dict[str, Any]]) -> str:
    """Time and memory over the number of submissions."""
    first = found[0]
    rows = [
        (
            f"{one['submissions']:,}",
            f"{one['wall_s']:.1f}",
            f"{1000 * one['wall_s'] / one['submissions']:.1f}",
            f"{1000 * one['cpu_s'] / one['submissions']:.1f}",
            f"{one['peak_mb']:.0f}",
            f"{one['peak_mb'] / first['peak_mb']:.2f}x",
        )
        for one in found
    ]
    head = ("submissions", "s", "ms each", "CPU ms each", "peak MB", "of the smallest")
    return table("Growth of course grade", head, rows)


def write(folder: Path, found: dict[str, Any]) -> None:
    """Write bench.json, and bench.png of what is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, ensure_ascii=False, indent=1)
    (folder / "bench.json").write_text(text + "\n", encoding="utf-8")
    plot(folder / "bench.png", found)


def plot(path: Path, found: dict[str, Any]) -> None:
    """Draw seconds a submission by tool, and growth."""
    import matplotlib  # noqa: PLC0415  # only the plot needs it

    matplotlib.use("agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
    rows = [one for one in found.get("tools", []) if one["wall_s"]]
    names = [one["tool"] for one in rows]
    values = [1000 * one["median_s"] for one in rows]
    low = [1000 * (one["median_s"] - one["min_s"]) for one in rows]
    high = [1000 * (one["max_s"] - one["median_s"]) for one in rows]
    left.barh(names, values, xerr=[low, high] if rows else None, color="#4477aa")
    left.invert_yaxis()
    if rows:
        left.set_xscale("log")
    left.set_xlabel("ms a submission (median; bars: min and max)")
    growth = found.get("growth", [])
    sizes = [one["submissions"] for one in growth]
    right.plot(sizes, [one["wall_s"] for one in growth], "o-", color="#4477aa", label="seconds")
    if sizes:
        right.set_xscale("log")
        right.set_yscale("log")
    right.set_xlabel("submissions")
    right.set_ylabel("seconds")
    memory = right.twinx()
    memory.plot(sizes, [one["peak_mb"] for one in growth], "s--", color="#cc6677")
    memory.set_ylim(bottom=0)
    memory.set_ylabel("peak MB (dashed)")
    figure.savefig(path, dpi=150)
    plt.close(figure)
