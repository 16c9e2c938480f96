"""Made-up classes of lesson 3: hand-ins as honest learners send them, no two alike.

Widget and lab cells stay the master's. What differs is what learners write: the fills, their own
boundary case, answers, cells of their own that print, show a table, fail, or draw.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LESSON = "lesson03"
BLANK = "______"

# Right, right in another spelling, wrong, right: what a class mostly sends.
_FILLS = (
    "physical_bytes / interval_s",
    "duration * backend_Bps / interval_s  # 写出的总量除以周期",
    "backend_Bps",
    "(checkpoint_bytes * write_amplification) / interval_s",
    "physical_bytes // interval_s",
)
_CASES = (
    ("(4e12, 10e9, 1.5, 600)", "(600.0, 1e10)"),
    ("(4e12, 10e9, 1.0, 1800)", "(400.0, 2.2222222e9)"),
    ("(0, 10e9, 1.5, 1800)", "ValueError"),
)
_ANSWER = (
    "第 {number} 份：写出时间等于周期时正好可行，再大就追不上；周期越短，丢的越少，"
    "但后端被占得越久，别的租户会感到尾延迟。\n\n"
    "- 先看慢在哪一级，再决定改哪一级；\n- `T_dump` 要小于 `T`，还要留出恢复的时间。"
)
_OWN = (
    "print('第 {number} 份：', checkpoint_io(4e12, 10e9, 1.5, 1800))",
    "import numpy as np\nnp.arange(12).reshape(3, 4) * {number}",
    "for hours in range(1, 6):\n    print(hours, checkpoint_io(4e12, 10e9, 1.5, 3600 * hours))",
    "undefined_name_{number}",
)
_FIGURE = (
    "import matplotlib.pyplot as plt\n"
    "T = [300, 600, 1200, 1800, 3600 + {number}]\n"
    "plt.plot(T, [6e12 / t for t in T])\n"
    "plt.xlabel('T (s)')\n"
    "plt.show()"
)
# Of so many hand-ins one holds a figure of the learner's own, and one is handed in untouched.
FIGURE_EVERY = 20
UNTOUCHED_EVERY = 25


def released(root: Path) -> dict[str, Any]:
    """The student edition, as learners get it."""
    path = root / "lessons" / LESSON / f"{LESSON}.ipynb"
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def hand_in(student_edition: Mapping[str, Any], number: int) -> dict[str, Any]:
    """What learner `number` hands in: the same for the same number."""
    notebook = copy.deepcopy(dict(student_edition))
    if number % UNTOUCHED_EVERY == UNTOUCHED_EVERY - 1:
        return notebook
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    _fill(cells["checkpoint_io"], _FILLS[number % len(_FILLS)])
    _fill(cells["my_boundary_case"], *_CASES[number % len(_CASES)])
    for name in ("explanation", "q1", "q2", "q3"):
        cells[name]["source"] = _text(cells[name]) + "\n\n" + _ANSWER.format(number=number)
    own = _FIGURE if number % FIGURE_EVERY == 0 else _OWN[number % len(_OWN)]
    place = 1 + notebook["cells"].index(cells["checkpoint_io"])
    notebook["cells"].insert(
        place,
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"own-{number}",
            "metadata": {},
            "outputs": [],
            "source": own.format(number=number),
        },
    )
    return notebook


def without_widgets(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook without the cells that only draw explorers."""
    kept = [cell for cell in notebook["cells"] if not cell["id"].startswith("widget-")]
    return {**notebook, "cells": kept}


def write_class(folder: Path, student_edition: Mapping[str, Any], count: int) -> Path:
    """Write nbgrader's tree `folder/s00001/lesson03/lesson03.ipynb` of `count` learners."""
    for number in range(count):
        file = folder / f"s{number:05}" / LESSON / f"{LESSON}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(hand_in(student_edition, number), ensure_ascii=False, indent=1)
        file.write_text(text + "\n", encoding="utf-8")
    return folder


def _fill(cell: dict[str, Any], *texts: str) -> None:
    source = _text(cell)
    for text in texts:
        source = source.replace(BLANK, text, 1)
    cell["source"] = source


def _text(cell: Mapping[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)
