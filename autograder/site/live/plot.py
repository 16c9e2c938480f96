"""What the live plot needs of a lesson: its data as JSON, and the controls of its notebook."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.errors import CourseError
from autograder.model import Lesson, Role

_CALL = re.compile(r"\bexplore\.dump_time\(\s*\)")
_LIMIT_S = 120
# What the page's model is a copy of; a lesson without them has a figure of another kind.
_MODEL = ("bandwidth", "plan", "bands", "tiers", "models", "clusters", "explore/dump_time")


@dataclass(frozen=True, kw_only=True, slots=True)
class LivePlot:
    """The plot of dump times.

    Attributes:
        data: Tiers, models, clusters, the worked example and the record of failures.
        controls: In the notebook's order; each with `key`, `kind` (`number`, `toggle`, `choice`)
            and `label`; a number with `unit`, `scale` (how much of the model's own unit one is)
            and `stops` of its slider in the model's own unit; a choice with `options`.
    """

    data: dict[str, Any]
    controls: list[dict[str, Any]]


def live_plot(lesson: Lesson, root: Path) -> LivePlot | None:
    """Return the plot of a lesson whose page has the explorer of dump times, else None.

    Raises:
        CourseError: The lesson's modules do not say what the plot needs.
    """
    cells = lesson.cells(Role.WIDGET)
    if lesson.modules is None or not any(_CALL.search(cell.source) for cell in cells):
        return None
    folder = root.joinpath(*lesson.modules.split("."))
    if not all((folder / f"{name}.py").is_file() for name in _MODEL):
        return None
    done = subprocess.run(  # noqa: S603 - this Python, and names of the lesson
        [sys.executable, "-m", "autograder.site.live.facts", str(root), lesson.modules],
        capture_output=True,
        timeout=_LIMIT_S,
        check=False,
    )
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CourseError(
            f"{lesson.path}: {lesson.modules} does not give what the live plot needs: {last}. "
            "Mend the module, or look at `python -m autograder.site.live.facts`."
        )
    return LivePlot(**json.loads(done.stdout))
