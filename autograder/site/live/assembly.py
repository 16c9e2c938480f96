"""The live plot and the live exercises of a lesson, put together for its page."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from markupsafe import Markup

from autograder.model import Lesson
from autograder.site.live.assets import Assets, json_in_html
from autograder.site.live.charting import bokeh_script
from autograder.site.live.exercises import LiveExercise, LiveExercises, live_exercises
from autograder.site.live.plot import LiveControl, LivePlot, live_plot
from autograder.site.live.pyodide import Pyodide
from autograder.site.live.words import LiveWords, live_words
from autograder.site.parts import LiveParts

# What several lessons share, beside their folders.
STYLE = "../live/live.css"
PLOT = "../live/plot.js"
CHART = "../live/bokeh.js"
EXERCISE = "../live/exercise.js"
PYTHON = "../live/pyodide.js"
# The lesson's own code, beside its page.
LESSON = "live-lesson.js"

_PLOT_SCRIPTS = (
    *("elements.js", "model.js", "plan.js", "readable.js", "presets.js"),
    *("controls.js", "chart.js", "plot.js"),
)
_EXERCISE_SCRIPTS = ("elements.js", "editor.js", "machine.js", "exercise.js")


def live_parts(
    lesson: Lesson,
    root: Path,
    *,
    pyodide: Pyodide | None = None,
    static_plot: str = "",
    static_code: Mapping[str, str] | None = None,
) -> LiveParts:
    """Return what moves on a lesson's page.

    Args:
        lesson: The lesson; only its public side is used.
        root: The course's root: its assets and the lesson's modules lie there.
        pyodide: What exercises run with; without it the page says that nothing runs there.
        static_plot: HTML that stands in the plot's place until it is drawn, or for ever.
        static_code: HTML of an exercise's code by grade id, for readers without JavaScript.

    Raises:
        MissingOnMachine: The lesson has a live plot and bokeh is not installed.
    """
    assets = Assets(root)
    plot, exercises = live_plot(lesson), live_exercises(lesson, root)
    words = live_words(lesson.lang)
    code = static_code or {}
    parts = [_plot_parts(assets, plot, static_plot)] if plot else []
    if exercises.found:
        parts.append(_exercise_parts(assets, lesson, exercises, words, pyodide, code))
    if not parts:
        return LiveParts()
    style = f'<link rel="stylesheet" href="{STYLE}">'
    return LiveParts(
        plot_html="".join(part.plot_html for part in parts),
        exercise_html={k: v for part in parts for k, v in part.exercise_html.items()},
        files={STYLE: assets.text("live.css").encode()}
        | {path: data for part in parts for path, data in part.files.items()},
        head_html=style,
        body_html="".join(part.body_html for part in parts),
    )


def _plot_parts(assets: Assets, plot: LivePlot, static: str) -> LiveParts:
    controls = [_placed(control) for control in plot.controls]
    specs = [asdict(control) for control in plot.controls]
    data = {"data": plot.data, "controls": specs, "script": CHART}
    return LiveParts(
        plot_html=assets.render(
            "plot.html.j2",
            controls=controls,
            static=Markup(static),  # noqa: S704 - made by the page
            data=Markup(json_in_html(data)),  # noqa: S704 - cannot end its element
        ),
        files={PLOT: assets.script(*_PLOT_SCRIPTS), CHART: bokeh_script()},
        body_html=f'<script defer src="{PLOT}"></script>',
    )


def _placed(control: LiveControl) -> dict[str, Any]:
    """Return a control with the bounds of its box in the unit of a person."""
    bounds = (control.stops[0], control.stops[-1]) if control.stops else (0.0, 0.0)
    least, most = (f"{stop / control.scale:.12g}" for stop in bounds)
    return asdict(control) | {"least": least, "most": most}


def _exercise_parts(  # noqa: PLR0913, PLR0917 - what an exercise on a page consists of
    assets: Assets,
    lesson: Lesson,
    exercises: LiveExercises,
    words: LiveWords,
    pyodide: Pyodide | None,
    static: Mapping[str, str],
) -> LiveParts:
    shown = {}
    for exercise in exercises.found:
        runs = pyodide is not None and not exercise.foreign
        data = {"lesson": lesson.slug, "id": exercise.id, "cell": exercise.cell, "runs": runs}
        plain = f'<pre class="live-plain"><code>{html.escape(exercise.cell)}</code></pre>'
        shown[exercise.id] = assets.render(
            "exercise.html.j2",
            id=exercise.id,
            region=words.region.format(id=exercise.id),
            words=words,
            offer=_offer(exercise, words, pyodide),
            static=Markup(static.get(exercise.id, plain)),  # noqa: S704 - made by the page
            data=Markup(json_in_html(data)),  # noqa: S704 - cannot end its element
        )
    scripts = [LESSON, PYTHON] if pyodide else []
    carried = f"window.courseLesson = {json_in_html(exercises.carried)};\n".encode()
    return LiveParts(
        exercise_html=shown,
        files={EXERCISE: assets.script(*_EXERCISE_SCRIPTS)}
        | ({LESSON: carried, PYTHON: pyodide.script} if pyodide else {}),
        body_html=(
            '<script type="application/json" id="live-exercise-data">'
            f"{json_in_html({'words': words.script, 'scripts': scripts})}</script>"
            f'<script defer src="{EXERCISE}"></script>'
        ),
    )


def _offer(exercise: LiveExercise, words: LiveWords, pyodide: Pyodide | None) -> str:
    if pyodide is None:
        return words.absent
    if exercise.foreign:
        return words.foreign.format(names="、".join(exercise.foreign))
    size = f"{len(pyodide.script) / 1e6:.1f}"
    return words.offer.format(python=pyodide.python, size=size)
