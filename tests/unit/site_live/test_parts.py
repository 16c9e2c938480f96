"""What the live parts hand to the page: nothing hidden, nothing of another host, twice the same."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from autograder.editions.student_page import student_page
from autograder.errors import CourseError, MissingOnMachine
from autograder.model import Lesson, Role
from autograder.project import Project, find_project
from autograder.site.live import Pyodide, charting, live_parts
from autograder.site.live.exercises import live_exercises
from autograder.site.live.plot import live_plot
from autograder.site.parts import LiveParts
from autograder.source import parse
from autograder.source.markers import hidden_lines

ROOT = Path(__file__).resolve().parents[3]
PYODIDE = Pyodide(version="1", python="3.14", script=b"x" * 8_400_000)
MINIMAL = """\
---
title: Small
lang: en
---

```{python}
#| course_role: exercise
def double(x):
    return ______
```

```{python}
#| course_role: tests
#| exercise: double
#| category: normal
#| points: 1
IMPORT
assert double(2) == 4
### BEGIN HIDDEN TESTS
assert double(31) == 62
### END HIDDEN TESTS
```

::: {.callout-note collapse="true"}
## Answer

```{python}
#| course_role: solution
def double(x):
    return x + x
```
:::
"""


@pytest.fixture(scope="module")
def project() -> Project:
    return find_project(ROOT)


@pytest.fixture(scope="module")
def lesson(project: Project) -> Lesson:
    path = project.source("lesson03")
    text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
    return parse(text, slug="lesson03", path=name, lang="zh-CN")


@pytest.fixture(scope="module")
def parts(project: Project, lesson: Lesson) -> LiveParts:
    return live_parts(project, lesson, load=lambda: PYODIDE)


def small(extra: str = "") -> Lesson:
    text = MINIMAL.replace("IMPORT\n", extra)
    return parse(text, slug="small", path="solutions/small/small.qmd", lang="en")


def own_texts(parts: LiveParts) -> str:
    """All that we write: neither bokeh's script nor Pyodide's."""
    theirs = {"../live/bokeh.js", "../live/pyodide.js"}
    files = [data.decode() for name, data in parts.files.items() if name not in theirs]
    pieces = [parts.plot_html, *parts.exercise_html.values(), parts.head_html, parts.body_html]
    return "\n".join([*files, *pieces])


def test_two_builds_are_byte_identical(project: Project, lesson: Lesson, parts: LiveParts) -> None:
    assert live_parts(project, lesson, load=lambda: PYODIDE) == parts


def test_nothing_of_the_answer_side_is_in_it(
    project: Project, lesson: Lesson, parts: LiveParts
) -> None:
    carried = live_exercises(lesson, project.root).carried
    # What learners have anyway: the student edition, and the files of lessons/ that come along.
    public = "\n".join([student_page(lesson), *carried["files"].values(), carried["runner"]])
    text = own_texts(parts)
    hidden = [
        line.strip()
        for cell in lesson.cells(Role.TESTS)
        for line in hidden_lines(cell.source)
        if line.strip() not in public
    ]
    assert len(hidden) > 10
    assert [line for line in hidden if line in text or json.dumps(line)[1:-1] in text] == []
    assert "HIDDEN TESTS" not in text
    assert "physical_bytes / interval_s" not in text


def test_nothing_names_another_host(parts: LiveParts) -> None:
    found = set(re.findall(r"https?://[\w./-]+", own_texts(parts)))
    assert found == {"https://page.invalid/"}  # never asked: what Pyodide fetches is at hand


def test_the_page_says_how_large_python_is(parts: LiveParts) -> None:
    assert "共 8.4 MB" in parts.exercise_html["checkpoint_io"]
    assert "Python 3.14" in parts.exercise_html["my_boundary_case"]


def test_the_visible_checks_and_the_lessons_own_code_are_carried(
    project: Project, lesson: Lesson
) -> None:
    carried = live_exercises(lesson, project.root).carried
    cells = {cell["id"]: cell for cell in carried["cells"] if cell["id"]}
    assert list(cells) == ["checkpoint_io", "my_boundary_case"]
    assert [test["label"] for test in cells["checkpoint_io"]["tests"]] == ["normal", "boundary"]
    assert cells["checkpoint_io"]["name"] == "checkpoint_io"
    assert "______" in cells["checkpoint_io"]["source"]
    for name, text in carried["files"].items():
        assert text == (ROOT / name).read_text(encoding="utf-8")  # unchanged
    assert "lessons/lesson03/hints.toml" in carried["files"]
    assert "lessons/lesson03/practice.py" not in carried["files"]  # it needs NumPy


def test_files_stay_where_a_page_may_write(parts: LiveParts) -> None:
    shared = {name for name in parts.files if name.startswith("../live/")}
    assert set(parts.files) - shared == {"live-lesson.js"}


def test_what_loads_with_the_page_is_small(parts: LiveParts) -> None:
    first = [parts.files[f"../live/{name}"] for name in ("plot.js", "exercise.js", "live.css")]
    html = parts.plot_html + "".join(parts.exercise_html.values()) + parts.body_html
    assert sum(len(gzip.compress(data)) for data in (*first, html.encode())) < 30_000


def test_without_pyodide_it_says_so(project: Project) -> None:
    def missing() -> Pyodide:
        raise MissingOnMachine("npm is not on PATH. Install it.")

    parts = live_parts(project, small(), load=missing)
    assert parts.warnings == (
        "solutions/small/small.qmd: its exercises do not run in the page: "
        "npm is not on PATH. Install it.",
    )
    assert "came without Python" in parts.exercise_html["double"]
    assert not {"../live/pyodide.js", "live-lesson.js"} & parts.files.keys()
    assert '"scripts": []' in parts.body_html


def test_a_small_lesson_in_english(project: Project) -> None:
    parts = live_parts(project, small(), load=lambda: PYODIDE)
    assert parts.plot_html == ""
    assert "This page runs real Python 3.14" in parts.exercise_html["double"]
    carried = parts.files["live-lesson.js"].decode()
    assert "double(2)" in carried
    assert "double(31)" not in carried
    assert "x + x" not in carried


def test_what_the_pages_python_lacks_is_named(project: Project) -> None:
    parts = live_parts(project, small("import numpy as np\n"), load=lambda: PYODIDE)
    assert "This exercise needs numpy" in parts.exercise_html["double"]
    assert '"runs": false' in parts.exercise_html["double"]


def test_a_lesson_without_exercises_has_no_live_parts(project: Project) -> None:
    text = "---\ntitle: T\n---\n\nText.\n"
    lesson = parse(text, slug="t", path="solutions/t/t.qmd", lang="zh-CN")
    assert live_parts(project, lesson, load=lambda: PYODIDE) == LiveParts()


def test_the_plot_has_the_notebooks_numbers(parts: LiveParts) -> None:
    written = re.search(r'class="live-data">(.*?)</script>', parts.plot_html)
    assert written
    plot = json.loads(written[1])
    assert plot["data"]["tiers"]["pfs-cluster"]["typical"] == 57.5e9
    assert plot["data"]["plan"]["checkpoint_bytes"] == 4e12
    assert plot["data"]["clusters"][1] == {
        "name": "512 卡（64 节点，例题）",
        "nodes": 64,
        "gpus_per_node": 8,
    }
    controls: dict[str, dict[str, Any]] = {one["key"]: one for one in plot["controls"]}
    interval = controls["interval_s"]
    assert (interval["unit"], interval["scale"]) == ("分钟", 60.0)
    assert (interval["stops"][0], interval["stops"][-1]) == (10.0, 86_400.0)
    assert (controls["contention"]["unit"], controls["contention"]["scale"]) == ("%", 0.01)


def test_a_lesson_whose_modules_break_is_named(lesson: Lesson, tmp_path: Path) -> None:
    folder = tmp_path / "lessons" / "lesson03"
    (folder / "explore").mkdir(parents=True)
    for name in ("bandwidth", "plan", "bands", "tiers", "models", "clusters", "explore/dump_time"):
        (folder / f"{name}.py").write_text("raise RuntimeError('torn')\n")
    (folder / "__init__.py").write_text("")
    (folder / "explore" / "__init__.py").write_text("")
    (tmp_path / "lessons" / "__init__.py").write_text("")
    with pytest.raises(CourseError, match=r"lessons\.lesson03 does not give .* torn"):
        live_plot(lesson, tmp_path)


def test_without_bokeh_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charting, "find_spec", lambda _: None)
    with pytest.raises(MissingOnMachine, match="pip install bokeh"):
        charting.bokeh_script()
