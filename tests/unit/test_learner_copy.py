"""The learner's own copy: an update never overwrites work, and carries it over by grade id."""

from __future__ import annotations

import copy
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from autograder.commands.carrying import carried_over
from autograder.commands.own_copy import own_copy
from autograder.errors import CourseError

DAY = datetime(2026, 11, 29, 12, 0)  # only its date is used
STUB = "def f(a):\n    # TODO\n    return ______\n"


def cell(name: str, source: str, *, solution: bool = False, grade: bool = False) -> dict[str, Any]:
    kind = "code" if not (grade and solution) else "markdown"
    made: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": source}
    if solution or grade:
        made["metadata"]["nbgrader"] = {"grade_id": name, "solution": solution, "grade": grade}
    if kind == "code":
        made |= {"outputs": [{"output_type": "stream"}], "execution_count": 3}
    return made


def prose(name: str, source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


def lesson(text: str = "old text", stub: str = STUB) -> dict[str, Any]:
    cells = [
        prose("text", text),
        cell("f", stub, solution=True),
        cell("normal", "assert f(1)", grade=True),
        cell("q1", "**你的答案：**", solution=True, grade=True),
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def written(base: dict[str, Any]) -> dict[str, Any]:
    mine = copy.deepcopy(base)
    cells = mine["cells"]
    cells[1]["source"] = cells[1]["source"].replace("______", "a + 1")
    cells[3]["source"] += "\n\n因为队列。"
    cells.insert(2, cell("scratch", "f(2)"))
    return mine


def sources(notebook: dict[str, Any]) -> dict[str, str]:
    return {one["id"]: one["source"] for one in notebook["cells"]}


def test_answers_and_own_cells_move_to_the_new_edition() -> None:
    new = lesson("new text")
    carried = carried_over(written(lesson()), lesson(), new)
    found = sources(carried.notebook)
    assert list(found) == ["text", "f", "scratch", "normal", "q1"]
    assert found["text"] == "new text"
    assert "return a + 1" in found["f"] and "因为队列。" in found["q1"]
    assert (carried.answers, carried.own_cells, carried.changed) == (("f", "q1"), 1, ())
    scratch = next(one for one in carried.notebook["cells"] if one["id"] == "scratch")
    assert scratch["outputs"] == [] and scratch["metadata"] == {}


def test_what_fills_the_blank_moves_into_a_changed_stub() -> None:
    new = lesson(stub="def f(a):\n    # TODO: better said\n    return ______\n")
    carried = carried_over(written(lesson()), lesson(), new)
    assert sources(carried.notebook)["f"] == (
        "def f(a):\n    # TODO: better said\n    return a + 1\n"
    )
    assert carried.changed == ()


def test_a_task_that_cannot_be_merged_keeps_the_old_text_below() -> None:
    new = lesson(stub="def g(a):\n    return ______, ______\n")
    carried = carried_over(written(lesson()), lesson(), new)
    found = sources(carried.notebook)
    assert found["f"] == "def g(a):\n    return ______, ______\n"
    assert "return a + 1" in found["f-old"] and list(found)[2] == "f-old"
    assert carried.changed == ("f",)


def test_an_answer_moves_below_a_changed_prompt_line() -> None:
    new = lesson()
    new["cells"][3]["source"] = "**Your answer:**"
    found = sources(carried_over(written(lesson()), lesson(), new).notebook)
    assert found["q1"] == "**Your answer:**\n\n因为队列。"


def test_text_typed_below_prose_is_kept_as_a_cell_of_its_own() -> None:
    mine = lesson()
    mine["cells"][0]["source"] += "\n\n我的笔记"
    found = sources(carried_over(mine, lesson(), lesson("new text")).notebook)
    assert found["text"] == "new text" and found["text-mine"] == "我的笔记"


def test_sources_as_lists_of_lines_are_read_too() -> None:
    mine = written(lesson())
    mine["cells"][1]["source"] = mine["cells"][1]["source"].splitlines(keepends=True)
    assert "a + 1" in sources(carried_over(mine, lesson(), lesson("new")).notebook)["f"]


def test_untouched_work_carries_nothing() -> None:
    carried = carried_over(lesson(), lesson(), lesson("new text"))
    assert (carried.answers, carried.own_cells) == ((), 0)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    released = tmp_path / "lessons" / "x.ipynb"
    released.parent.mkdir()
    released.write_text(json.dumps(lesson()), encoding="utf-8")
    return released, tmp_path / "work" / "x" / "x.ipynb"


def save(path: Path, notebook: dict[str, Any]) -> None:
    path.write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")


def test_the_copy_is_made_once_and_left_alone(files: tuple[Path, Path]) -> None:
    released, own = files
    assert own_copy(released, own, today=DAY).said is None
    save(own, written(lesson()))
    before = own.read_bytes()
    assert own_copy(released, own, today=DAY).said is None
    assert own.read_bytes() == before


def test_an_update_carries_over_and_keeps_the_old(files: tuple[Path, Path]) -> None:
    released, own = files
    own_copy(released, own, today=DAY)
    save(own, written(lesson()))
    before = own.read_bytes()
    for number, name in ((1, "x.2026-11-29.ipynb"), (2, "x.2026-11-29-2.ipynb")):
        save(released, lesson(f"edition {number}"))
        said = own_copy(released, own, today=DAY).said
        assert said is not None and name in said[0] and "f, q1" in said[0]
        found = sources(json.loads(own.read_text(encoding="utf-8")))
        assert found["text"] == f"edition {number}" and "a + 1" in found["f"]
        assert "scratch" in found
    assert (own.parent / "x.2026-11-29.ipynb").read_bytes() == before
    assert own_copy(released, own, today=DAY).said is None


def test_an_update_of_an_untouched_copy_keeps_nothing(files: tuple[Path, Path]) -> None:
    released, own = files
    own_copy(released, own, today=DAY)
    save(released, lesson("new text"))
    said = own_copy(released, own, today=DAY).said
    assert said is not None and "没有你写的内容" in said[0]
    assert own.read_bytes() == released.read_bytes()
    assert [one.name for one in own.parent.glob("x.2026*")] == []


def test_a_copy_from_before_there_was_a_record_loses_nothing(files: tuple[Path, Path]) -> None:
    released, own = files
    own.parent.mkdir(parents=True)
    save(own, written(lesson("very old text")))
    assert own_copy(released, own, today=DAY).said is not None
    assert "a + 1" in sources(json.loads(own.read_text(encoding="utf-8")))["f"]


@pytest.mark.parametrize("bytes_", [b"", b"{", b"\xff\xfe", b"[]", b'{"cells": [3]}'])
def test_a_damaged_copy_is_set_aside(files: tuple[Path, Path], bytes_: bytes) -> None:
    released, own = files
    own_copy(released, own, today=DAY)
    own.write_bytes(bytes_)
    save(released, lesson("new text"))
    said = own_copy(released, own, today=DAY).said
    assert said is not None and "读不出来" in said[0]
    assert own.read_bytes() == released.read_bytes()
    assert (own.parent / "x.2026-11-29.ipynb").read_bytes() == bytes_


def test_a_folder_in_the_copys_place_is_an_error_of_one_sentence(files: tuple[Path, Path]) -> None:
    released, own = files
    own.mkdir(parents=True)
    with pytest.raises(CourseError, match="cannot be read or written"):
        own_copy(released, own, today=DAY)
