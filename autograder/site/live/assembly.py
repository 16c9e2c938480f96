"""The live plot and the live exercises of a lesson, put together for its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from autograder.errors import MissingOnMachine
from autograder.model import Lesson
from autograder.project import Project
from autograder.site.highlight import code_block
from autograder.site.live.assets import Assets, json_in_html
from autograder.site.live.charting import bokeh_script
from autograder.site.live.exercises import LiveExercise, LiveExercises, live_exercises
from autograder.site.live.plot import LivePlot, live_plot
from autograder.site.live.pyodide import Pyodide, load_pyodide
from autograder.site.live.words import LiveWords, live_words
from autograder.site.parts import LiveParts
from autograder.site.words import site_words

# What several lessons share, beside their folders.
STYLE = "../live/live.css"
PLOT = "../live/plot.js"
CHART = "../live/bokeh.js"
EXERCISE = "../live/exercise.js"
PYTHON = "../live/pyodide.js"
# The lesson's own code, beside its page.
LESSON = "live-lesson.js"
# The page draws the notebook's own figure; it fills in what that shows, and its size.
STATIC_PLOT = (
    '<img src="figures/dump_time.svg" alt="{{alt}}" width="{{width}}" height="{{height}}" '
    'loading="lazy" decoding="async">'
)

_PLOT_SCRIPTS = (
    *("elements.js", "model.js", "plan.js", "readable.js", "presets.js"),
    *("controls.js", "looks.js", "chart.js", "plot.js"),
)
_EXERCISE_SCRIPTS = ("elements.js", "editor.js", "machine.js", "exercise.js")


# What the page's policy has to allow: a worker that the page itself writes, modules that the
# worker writes, and WebAssembly.
CSP_EXTRA = {
    "script-src": ("blob:", "'wasm-unsafe-eval'"),
    "worker-src": ("data:",),
}


def live_parts(
    project: Project, lesson: Lesson, *, load: Callable[[], Pyodide] = load_pyodide
) -> LiveParts:
    """Return what moves on a lesson's page.

    Args:
        project: The course: its assets and the lesson's modules.
        lesson: The lesson; only its public side is used.
        load: Gets Pyodide. Where it is not to be had, the page says that nothing runs there.

    Raises:
        MissingOnMachine: The lesson has a live plot and bokeh is not installed.
        CourseError: The lesson's modules do not say what the plot needs.
    """
    assets = Assets(project.root)
    plot, exercises = live_plot(lesson, project.root), live_exercises(lesson, project.root)
    parts = [_plot_parts(assets, plot)] if plot else []
    if exercises.found:
        parts.append(_exercise_parts(assets, lesson, exercises, load))
    if not parts:
        return LiveParts()
    style = assets.text("live.css").encode()
    return LiveParts(
        plot_html="".join(part.plot_html for part in parts),
        exercise_html={name: one for part in parts for name, one in part.exercise_html.items()},
        files={STYLE: style} | {path: one for part in parts for path, one in part.files.items()},
        head_html=f'<link rel="stylesheet" href="{STYLE}">',
        body_html="".join(part.body_html for part in parts),
        vendored=frozenset({CHART, PYTHON}),
        warnings=tuple(one for part in parts for one in part.warnings),
    )


def _plot_parts(assets: Assets, plot: LivePlot) -> LiveParts:
    data = {"data": plot.data, "controls": plot.controls, "script": CHART}
    return LiveParts(
        plot_html=assets.render(
            "plot.html.j2",
            controls=[control | _bounds(control) for control in plot.controls],
            static=Markup(STATIC_PLOT),  # noqa: S704 - ours
            data=Markup(json_in_html(data)),  # noqa: S704 - cannot end its element
        ),
        files={PLOT: assets.script(*_PLOT_SCRIPTS), CHART: bokeh_script()},
        body_html=f'<script defer src="{PLOT}"></script>',
    )


def _bounds(control: Mapping[str, Any]) -> dict[str, str]:
    """Return the bounds of a number's box in the unit of a person."""
    if control["kind"] != "number":
        return {}
    least, most = control["stops"][0], control["stops"][-1]
    return {
        name: f"{at / control['scale']:.12g}" for name, at in (("least", least), ("most", most))
    }


def _exercise_parts(
    assets: Assets, lesson: Lesson, exercises: LiveExercises, load: Callable[[], Pyodide]
) -> LiveParts:
    words = live_words(lesson.lang)
    pyodide, warnings = _loaded(lesson, load)
    shown = {}
    for exercise in exercises.found:
        runs = pyodide is not None and not exercise.foreign
        data = {"lesson": lesson.slug, "id": exercise.id, "cell": exercise.cell, "runs": runs}
        shown[exercise.id] = assets.render(
            "exercise.html.j2",
            id=exercise.id,
            title=site_words(lesson.lang).exercise,
            words=words,
            here=_here(exercise, words) if runs else "",
            offer=_offer(exercise, words, pyodide),
            static=Markup(code_block(exercise.cell, "python")),  # noqa: S704 - escaped there
            data=Markup(json_in_html(data)),  # noqa: S704 - cannot end its element
        )
    carried = f"window.courseLesson = {json_in_html(exercises.carried)};\n".encode()
    scripts = [LESSON, PYTHON] if pyodide else []
    said = json_in_html({"words": words.script, "scripts": scripts})
    return LiveParts(
        exercise_html=shown,
        files={EXERCISE: assets.script(*_EXERCISE_SCRIPTS)}
        | ({LESSON: carried, PYTHON: pyodide.script} if pyodide else {}),
        body_html=(
            f'<script type="application/json" id="live-exercise-data">{said}</script>'
            f'<script defer src="{EXERCISE}"></script>'
        ),
        warnings=warnings,
    )


def _loaded(lesson: Lesson, load: Callable[[], Pyodide]) -> tuple[Pyodide | None, tuple[str, ...]]:
    try:
        return load(), ()
    except MissingOnMachine as error:
        return None, (f"{lesson.path}: its exercises do not run in the page: {error}",)


def _here(exercise: LiveExercise, words: LiveWords) -> str:
    return words.here + (words.hints if exercise.hinted else "")


def _offer(exercise: LiveExercise, words: LiveWords, pyodide: Pyodide | None) -> str:
    if pyodide is None:
        return words.absent
    if exercise.foreign:
        return words.foreign.format(names="、".join(exercise.foreign))
    size = f"{len(pyodide.script) / 1e6:.1f}"
    return words.offer.format(python=pyodide.python, size=size)
