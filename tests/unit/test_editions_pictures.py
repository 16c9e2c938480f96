"""The pictures that stand for widgets in a notebook that never ran."""

from __future__ import annotations

import base64
import io
import json
import shutil
import subprocess
import sys
from datetime import datetime
from html import unescape
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from autograder.commands.carrying import carried_over
from autograder.commands.own_copy import own_copy
from autograder.editions.build import build, editions, lesson_of, source_notebook
from autograder.editions.leaks import refuse_leaks
from autograder.editions.palette import small_png
from autograder.editions.pixels import is_current
from autograder.editions.stills import Still, Stills, put_stills
from autograder.errors import CourseError
from autograder.project import Project

ROOT = Path(__file__).resolve().parents[2]
STUDENT, ANSWER = "lessons/toy/toy.ipynb", "solutions/toy/toy.ipynb"
VERMILLION = (213, 94, 0)
GREY, TINT = (239, 239, 239), (239, 239, 251)
SOURCE = """\
---
title: A bar
lang: en
jupyter: python3
course: {modules: lessons.toy}
---

## See

```{python}
#| course_role: widget
from lessons.toy import explore

explore.bar()
```

```{python}
#| course_role: widget
explore.bar(height=3)
```

```{python}
#| course_role: widget
explore.table()
```

## Do

```{python}
#| course_role: exercise
def double(x):
    return ______
```

::: {.callout-note collapse="true"}
## Answer

```{python}
#| course_role: solution
def double(x):
    return x + x + 0 * x
```
:::
"""
FIGURES = '''\
"""Figures."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

print("a lesson's modules may say something")


@dataclass(frozen=True)
class Case:
    height: float = 2.0


def bar_figure(case: Case) -> Figure:
    data = tomllib.loads(Path(__file__).with_name("data.toml").read_text(encoding="utf-8"))
    figure = Figure(figsize=(9, 3), dpi=120, facecolor="white")
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8))
    axes.bar([0.0], [case.height], color=data["colour"], linewidth=0)
    return figure


def bar_alt(case: Case) -> str:
    return f"A bar, {case.height:g} high."
'''


def write_toy(root: Path) -> Project:
    modules = root / "lessons" / "toy"
    modules.mkdir(parents=True)
    (root / "solutions" / "toy").mkdir(parents=True)
    (root / "pyproject.toml").write_text('[tool.course]\nlessons = ["toy"]\n', encoding="utf-8")
    for package in (modules.parent, modules):
        (package / "__init__.py").write_text("", encoding="utf-8")
    (modules / "figures.py").write_text(FIGURES, encoding="utf-8")
    (modules / "data.toml").write_text('colour = "#D55E00"\n', encoding="utf-8")
    project = Project(root=root, lessons=("toy",))
    project.source("toy").write_text(SOURCE, encoding="utf-8")
    return project


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = write_toy(tmp_path_factory.mktemp("toy"))
    build(project, "toy")
    return project


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def outputs(notebook: Any) -> list[list[Any]]:
    """The outputs of the widget cells, from the top."""
    cells = [cell for cell in notebook.cells if cell.metadata.course.role == "widget"]
    return [cell.outputs for cell in cells]


def png_of(output: Any) -> bytes:
    return base64.b64decode(output.data["image/png"])


def picture(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def png(size: tuple[int, int], colour: str, note: str = "") -> bytes:
    file, info = io.BytesIO(), PngImagePlugin.PngInfo()
    if note:
        info.add_text("Comment", note)
    Image.new("RGB", size, colour).save(file, format="PNG", pnginfo=info)
    return file.getvalue()


@pytest.mark.parametrize("name", [STUDENT, ANSWER])
def test_a_widget_cell_shows_its_figure_and_says_it_in_words(toy: Project, name: str) -> None:
    shown, with_arguments, unknown = outputs(read(toy.root / name))
    (output,) = shown
    assert output.output_type == "display_data"
    assert output.data["text/plain"] == "A bar, 2 high."
    assert output.metadata["image/png"] == {"alt": "A bar, 2 high."}
    # 9 inches wide: 864 px are 96 a inch, so that 3 inches are 288 px.
    assert picture(png_of(output)).size == (864, 288)
    # What such a cell opens on is not what the figure opens on; a table is no figure.
    assert with_arguments == [] and unknown == []


def test_white_is_white_and_colours_are_their_own(toy: Project) -> None:
    ((output,), *_) = outputs(read(toy.root / STUDENT))
    still = picture(png_of(output))
    assert still.getpixel((2, 2)) == (255, 255, 255)
    # The only bar, 0.8 wide, is around the middle of the axes and of the figure.
    assert still.getpixel((432, 200)) == VERMILLION


def test_the_palette_keeps_areas_and_rare_colours_and_adds_none() -> None:
    greys = np.arange(300) % 200 + 50
    pixels = np.repeat(np.tile(greys, (100, 1))[:, :, None], 3, axis=2).astype(np.uint8)
    pixels[60:] = GREY
    pixels[80:] = TINT  # only 12 steps from the grey
    pixels[10, 20:30] = VERMILLION
    pixels[50, 40] = 255
    made = picture(small_png(Image.fromarray(pixels)))
    assert made.getpixel((25, 10)) == VERMILLION
    assert made.getpixel((40, 50)) == (255, 255, 255)
    assert (made.getpixel((150, 70)), made.getpixel((150, 90))) == (GREY, TINT)
    colours = {colour for _, colour in made.getcolors(1000) or ()}
    assert len(colours) <= 64
    assert colours <= {tuple(map(int, one)) for one in pixels.reshape(-1, 3)}


def test_two_builds_are_the_same_to_the_byte(toy: Project) -> None:
    # Each draws in a process of its own, with a hash seed of its own.
    for path, data in editions(toy, lesson_of(toy, "toy")).files.items():
        assert path.read_bytes() == data


def stained(toy: Project, new: bytes) -> bytes:
    """The student notebook with another picture in it."""
    path = toy.root / STUDENT
    ((output,), *_) = outputs(read(path))
    old = output.data["image/png"].encode()
    return path.read_bytes().replace(old, base64.b64encode(new))


def test_other_pixels_are_no_drift_and_nothing_else_passes(toy: Project, tmp_path: Path) -> None:
    made = (toy.root / STUDENT).read_bytes()
    there = tmp_path / "toy.ipynb"
    for data, current in (
        (made, True),
        (stained(toy, png((864, 288), "black")), True),
        (stained(toy, png((864, 289), "black")), False),
        (stained(toy, png((864, 288), "black", note="for nobody")), False),
        (stained(toy, png((864, 288), "black") + b"more"), False),
        (stained(toy, b"no picture"), False),
        (made.replace(b"2 high", b"3 high"), False),
        (made.replace(b'"drawn_from_sha256": "', b'"drawn_from_sha256": "0'), False),
        (made.replace(b"\n ", b"\n  "), False),
        (b"{}", False),
    ):
        there.write_bytes(data)
        assert is_current(there, made) is current
    assert not is_current(tmp_path / "none.ipynb", made)


def test_a_build_follows_what_a_figure_is_drawn_from_and_nothing_else(
    toy: Project, tmp_path: Path
) -> None:
    shutil.copytree(toy.root, tmp_path, dirs_exist_ok=True)
    project = Project(root=tmp_path, lessons=("toy",))
    notebooks = (tmp_path / STUDENT, tmp_path / ANSWER)
    # Another machine drew it, and a module that no figure imports is new: no drift, no rewriting.
    foreign = stained(project, png((864, 288), "black"))
    notebooks[0].write_bytes(foreign)
    (tmp_path / "lessons" / "toy" / "practice.py").write_text("X = 1\n", encoding="utf-8")
    assert build(project, "toy").changed == ()
    assert notebooks[0].read_bytes() == foreign
    # Not a word about the figure changes, and yet it is another one.
    data = tmp_path / "lessons" / "toy" / "data.toml"
    data.write_text('colour = "#0072B2"\n', encoding="utf-8")
    assert build(project, "toy").changed == notebooks
    ((output,), *_) = outputs(read(notebooks[0]))
    assert picture(png_of(output)).getpixel((432, 200)) == (0, 114, 178)


def test_grading_needs_no_picture_and_a_build_says_what_is_wrong_with_one(tmp_path: Path) -> None:
    project = write_toy(tmp_path)
    figures = tmp_path / "lessons" / "toy" / "figures.py"
    figures.write_text(FIGURES.replace('data["colour"]', 'data["color"]'), encoding="utf-8")
    assert outputs(source_notebook(project, "toy")) == [[], [], []]
    with pytest.raises(CourseError, match=r"solutions/toy/toy\.qmd: a figure .* KeyError: 'color'"):
        build(project, "toy")
    assert not (tmp_path / STUDENT).exists()


def test_a_figures_words_hold_no_answer(toy: Project) -> None:
    lesson, student = lesson_of(toy, "toy"), read(toy.root / STUDENT)
    refuse_leaks(lesson, student, "")
    answer = Still(png=png((2, 2), "white"), alt="A bar of return x + x + 0 * x.")
    put_stills(student, Stills(pictures={"bar": answer}))
    with pytest.raises(CourseError, match="answer side"):
        refuse_leaks(lesson, student, "")


def test_a_learners_copy_outlives_another_picture(toy: Project, tmp_path: Path) -> None:
    released, own = tmp_path / "toy.ipynb", tmp_path / "work" / "toy.ipynb"
    released.write_bytes((toy.root / STUDENT).read_bytes())
    today = datetime(2026, 11, 30, 9, 0)  # only its date is used
    own_copy(released, own, today=today)
    mine = own.read_bytes().replace(b"______", b"2 * x")
    own.write_bytes(mine)
    released.write_bytes(stained(toy, png((864, 288), "black")))
    assert own_copy(released, own, today=today).said is None
    assert own.read_bytes() == mine


def test_answers_move_to_an_edition_with_its_pictures(toy: Project) -> None:
    new = json.loads((toy.root / STUDENT).read_bytes())
    old = json.loads((toy.root / STUDENT).read_bytes().replace(b"## See", b"## Look"))
    for cell in old["cells"]:
        cell.pop("outputs", None)  # from before there were any
    mine = json.loads(json.dumps(old).replace("______", "2 * x"))
    carried = carried_over(mine, old, new)
    assert carried.answers == ("double",) and carried.own_cells == 0
    cells = {cell["id"]: cell for cell in carried.notebook["cells"]}
    assert "return 2 * x" in "".join(cells["double"]["source"])
    assert cells["widget-1"]["outputs"][0]["data"]["text/plain"] == ["A bar, 2 high."]


LESSON03 = ROOT / "lessons" / "lesson03" / "lesson03.ipynb"
# What each figure is about, from the top of the lesson.
ABOUT = (
    "存储各层",
    "五次保存",
    "一份 4 TB",
    "rank 数",
    "浪费份额",
    "四次保存",
    "快照内存",
    "对角线",
)


def test_the_lessons_pictures_are_small() -> None:
    shown = [output for cell in outputs(read(LESSON03)) for output in cell]
    assert [word in one.data["text/plain"] for word, one in zip(ABOUT, shown, strict=True)] == (
        [True] * 8
    )
    assert all(len(png_of(one)) <= 25_000 for one in shown)
    assert sum(len(one.data["image/png"]) for one in shown) <= 300_000
    assert all(picture(png_of(one)).getpixel((1, 1)) == (255, 255, 255) for one in shown)


@pytest.mark.slow
@pytest.mark.parametrize("template", ["lab", "classic"])
def test_nbconvert_shows_the_pictures(template: str, tmp_path: Path) -> None:
    subprocess.run(
        [
            *(sys.executable, "-m", "nbconvert", "--to", "html", str(LESSON03)),
            *("--output-dir", str(tmp_path), "--template", template),
        ],
        check=True,
        capture_output=True,
        timeout=240,
    )
    page = (tmp_path / "lesson03.html").read_text(encoding="utf-8").replace("\n", "")
    shown = [output for cell in outputs(read(LESSON03)) for output in cell]
    after = 0
    for word, output in zip(ABOUT, shown, strict=True):
        at = page.index(output.data["image/png"], after)
        tag = page[page.rindex("<img", after, at) : page.index(">", at)]
        if template == "classic":  # the other has no words for a picture
            assert word in unescape(tag)
        after = at
