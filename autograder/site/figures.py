"""The figures of a lesson's widgets as pictures for a page."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.editions.figures import figures_shown
from autograder.errors import CourseError
from autograder.model import Lesson
from autograder.project import Project

_LIMIT_S = 240


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A picture: its file beside the page, what it shows in words, its size in CSS pixels."""

    file: str
    alt: str
    width: int
    height: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Prediction:
    """What to guess before the figure moves.

    Attributes:
        number: As in the lesson's list.
        text: The question.
        move: What to do to see it.
        outcome: What the moved figure says.
        moved: The figure after the move.
    """

    number: int
    text: str
    move: str
    outcome: str
    moved: Shown


@dataclass(frozen=True, kw_only=True, slots=True)
class WidgetFigure:
    """What stands for a widget on a page."""

    name: str
    shown: Shown
    prediction: Prediction | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """A lesson's figures by name, and the files of their pictures beside the page."""

    figures: Mapping[str, WidgetFigure] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


def draw(project: Project, lesson: Lesson) -> Drawn:
    """Draw the figures of a lesson's widgets that its `figures` module has.

    Raises:
        CourseError: A figure cannot be drawn.
    """
    names = figures_shown(project, lesson)
    if not names:
        return Drawn()
    with tempfile.TemporaryDirectory(prefix="course-site-") as folder:
        # A process of its own: importing a lesson may set what matplotlib or Python share.
        done = subprocess.run(  # noqa: S603  this Python, and names of the lesson
            [
                *(sys.executable, "-m", "autograder.site.drawing"),
                *(str(project.root), str(lesson.modules), folder, *names),
            ],
            capture_output=True,
            timeout=_LIMIT_S,
            cwd=folder,
            check=False,
        )
        if done.returncode:
            last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise CourseError(
                f"{lesson.path}: a figure of {lesson.modules} cannot be drawn: {last}. "
                f"Mend it, or look at `python -m autograder.site.drawing`."
            )
        said = [json.loads(line) for line in done.stdout.splitlines()]
        files = {f"figures/{path.name}": path.read_bytes() for path in Path(folder).glob("*.svg")}
    figures = {one["name"]: _figure(one) for one in said}
    return Drawn(figures=figures, files=dict(sorted(files.items())))


def _figure(said: Mapping[str, Any]) -> WidgetFigure:
    name, prediction = said["name"], None
    if "question" in said:
        asked = said["question"]
        prediction = Prediction(
            number=asked["number"],
            text=asked["text"],
            move=asked["move"],
            outcome=said["outcome"],
            moved=_shown(f"{name}-moved", said["moved"]),
        )
    return WidgetFigure(name=name, shown=_shown(name, said), prediction=prediction)


def _shown(name: str, said: Mapping[str, Any]) -> Shown:
    return Shown(
        file=f"figures/{name}.svg", alt=said["alt"], width=said["width"], height=said["height"]
    )
