"""What was drawn before is found again, and never in the way."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.editions import diagrams, drawn, kept, stills
from autograder.editions.picture import Picture
from autograder.errors import CourseError
from autograder.project import find_project
from autograder.source import parse

SAID = {"alts": {"bar": "three bars"}, "n": [1, None, "条形图"]}
LESSON = """\
---
title: A bar
jupyter: python3
course: {modules: lessons.toy}
---

```{python}
#| course_role: widget
from lessons.toy import explore

explore.bar()
```
"""
FIGURES = """\
from matplotlib.figure import Figure

HEIGHT = 3


def bar_figure(inputs: int) -> Figure:
    figure = Figure(figsize=(2, 2))
    figure.subplots().bar([0], [HEIGHT])
    return figure


def bar_alt(inputs: int) -> str:
    return f"a bar of height {HEIGHT}"
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(kept.AFRESH, raising=False)
    drawn.picture.cache_clear()
    return tmp_path / "cache" / "selfgrading-lessons" / "drawn"


def test_what_is_kept_is_found_under_its_name_and_no_other(cache: Path) -> None:
    name = kept.name_of("x", "a", "bc")
    assert kept.recall(name) is None
    kept.keep(name, SAID)
    assert kept.recall(name) == SAID
    others = {kept.name_of("x", "ab", "c"), kept.name_of("y", "a", "bc"), kept.name_of("x", "a")}
    assert len(others) == 3
    assert [kept.recall(other) for other in others] == [None] * 3
    assert cache.stat().st_mode & 0o077 == 0


def test_another_package_or_code_is_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages, code = tmp_path / "site-packages", tmp_path / "editions"
    (packages / "drawer-1.0.dist-info").mkdir(parents=True)
    code.mkdir()
    monkeypatch.setattr("sys.path", [str(packages)])
    monkeypatch.setattr(kept, "__file__", str(code / "kept.py"))

    def name() -> str:
        kept._surroundings.cache_clear()
        return kept.name_of("x")

    try:
        names = [name(), name()]
        (packages / "drawer-1.0.dist-info").rename(packages / "drawer-1.1.dist-info")
        names.append(name())
        (code / "labels.py").write_text("SIZE = 1\n", encoding="utf-8")
        names.append(name())
        (code / "labels.py").write_text("SIZE = 2\n", encoding="utf-8")
        names.append(name())
    finally:
        kept._surroundings.cache_clear()
    assert names[0] == names[1]
    assert len(set(names)) == 4


@pytest.mark.parametrize("damage", ["", "x", "cut", "other", "no JSON"])
def test_an_entry_that_is_not_as_it_was_is_none(cache: Path, damage: str) -> None:
    kept.keep("x-1", SAID)
    (file,) = cache.glob("*.json")
    whole = file.read_bytes()
    changed = {"cut": whole[:-3], "other": whole.replace(b"bar", b"car"), "no JSON": whole[:64]}
    file.write_bytes(changed.get(damage, damage.encode()))
    assert kept.recall("x-1") is None
    kept.keep("x-1", SAID)
    assert kept.recall("x-1") == SAID


def test_a_folder_that_cannot_be_made_costs_nothing(cache: Path) -> None:
    cache.parent.parent.write_text("a file in the folder's place", encoding="utf-8")
    kept.keep("x-1", SAID)
    assert kept.recall("x-1") is None


def test_a_user_without_a_home_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nowhere = SimpleNamespace(user_cache_path=lambda name: Path("~/.cache") / name)
    monkeypatch.setitem(__import__("sys").modules, "platformdirs", nowhere)
    kept.keep("x-1", SAID)
    assert kept.recall("x-1") is None
    assert list(tmp_path.iterdir()) == []


def test_asked_to_draw_afresh_it_neither_takes_nor_puts(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.keep("x-1", SAID)
    monkeypatch.setenv(kept.AFRESH, "1")
    assert kept.recall("x-1") is None
    kept.keep("x-2", SAID)
    assert len(list(cache.iterdir())) == 1


def test_the_entries_not_used_for_longest_make_room(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_MOST_KEPT", 3)
    for number in range(3):
        kept.keep(f"x-{number}", SAID)
        os.utime(cache / f"x-{number}.json", (1_000_000 + number, 1_000_000 + number))
    assert kept.recall("x-0") == SAID  # used just now
    kept.keep("x-3", SAID)
    assert sorted(file.stem for file in cache.iterdir()) == ["x-0", "x-2", "x-3"]


def test_a_diagram_is_drawn_once_and_comes_back_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = diagrams.render, []

    def counting(source: str, *, alt: str, caption: str | None = None) -> Picture:
        calls.append(alt)
        return real(source, alt=alt, caption=caption)

    monkeypatch.setattr(diagrams, "render", counting)

    def shown(source: str, alt: str) -> tuple[bytes, str, Picture]:
        drawn.picture.cache_clear()  # as in another process
        found = drawn.picture(source, alt=alt)
        return found.png, found.svg, found

    first = shown("flowchart TB\n  A[写入] --> B[提交]\n", "先写后提交")
    assert first[0].startswith(b"\x89PNG") and "先写后提交" in first[1]
    assert "@font-face" in first[1]
    assert shown("flowchart TB\n  A[写入] --> B[提交]\n", "先写后提交") == first
    assert calls == ["先写后提交"]
    monkeypatch.setenv(kept.AFRESH, "1")
    assert shown("flowchart TB\n  A[写入] --> B[提交]\n", "先写后提交") == first
    assert calls == ["先写后提交", "先写后提交"]


def test_a_diagram_that_is_refused_is_refused_again() -> None:
    for _ in range(2):
        with pytest.raises(CourseError, match=r"U\+1F680"):
            drawn.picture("flowchart TB\n  A[🚀 起飞]\n", alt="起飞")


@pytest.mark.parametrize("beside", [False, True])
def test_stills_are_drawn_again_when_any_file_of_theirs_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: bool
) -> None:
    root = tmp_path / "course"
    package = root / "lessons" / "toy"
    package.mkdir(parents=True)
    settings = '[project]\nname = "toy"\nversion = "1"\n[tool.course]\ntitle = "Toy"\n'
    (root / "pyproject.toml").write_text(settings, encoding="utf-8")
    (root / "lessons" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (root / "height.txt").write_text("3", encoding="utf-8")
    figures = package / "figures.py"
    taken = "HEIGHT = int(open(__file__.replace('lessons/toy/figures.py', 'height.txt')).read())"
    figures.write_text(FIGURES.replace("HEIGHT = 3", taken) if beside else FIGURES)
    lesson = parse(LESSON, slug="toy", path="solutions/toy/toy.qmd", lang="en")
    project = find_project(root)
    real, times = stills._drawn, []
    monkeypatch.setattr(stills, "_drawn", lambda *said: times.append(1) or real(*said))

    def alt() -> str:
        return stills.stills(project, lesson).pictures["bar"].alt

    assert alt() == "a bar of height 3"
    if beside:  # that may change without the lessons: nothing is kept
        (root / "height.txt").write_text("5", encoding="utf-8")
    else:
        assert alt() == "a bar of height 3"
        assert len(times) == 1
        figures.write_text(FIGURES.replace("HEIGHT = 3", "HEIGHT = 5"))
    assert alt() == "a bar of height 5"
    assert len(times) == 2
    if not beside:  # a notebook is what a build writes, not what it reads
        (package / "toy.ipynb").write_text(json.dumps({"cells": []}), encoding="utf-8")
        assert alt() == "a bar of height 5"
        assert len(times) == 2
