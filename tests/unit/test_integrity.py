"""A submission read against a small master: one test for each rule of `integrity.plan`."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import nbformat
import pytest
from nbgrader.utils import compute_checksum, determine_grade

from autograder.grading.intake.reading import read_notebook
from autograder.grading.integrity.plan import plan
from autograder.grading.records import Flag, Plan, StepKind

STUB = """\
def half(x):
    if x <= 0:
        raise ValueError
    # TODO
    y = ______
    return y

assert half(4) == 2"""
RIGHT = STUB.replace("______", "x / 2")
CASE = 'case = {"args": ______}'
HIDDEN = "### BEGIN HIDDEN TESTS\nassert half(3) == 1.5\n### END HIDDEN TESTS"
MARK = "**你的答案：**"

Cell = dict[str, Any]


def cell(name: str, role: str, kind: str, source: str, **marks: object) -> Cell:
    made: Cell = {"cell_type": kind, "id": name, "metadata": {"course": {"role": role}}}
    made["source"] = source
    if kind == "code":
        made |= {"outputs": [], "execution_count": None}
    if role != "prose":
        made["metadata"]["nbgrader"] = {
            "schema_version": 3, "grade_id": name, "task": False, **marks
        }  # fmt: skip
    return made


LOCKED = {"grade": False, "solution": False, "locked": True}
SOLUTION = {"grade": False, "solution": True, "locked": False}


def make_master() -> Any:
    cells = [
        cell("title", "prose", "markdown", "# 课"),
        cell("setup", "setup", "code", "import math\nimport random", **LOCKED),
        cell("plot", "widget", "code", "explore.plot()", **LOCKED),
        cell("half", "exercise", "code", STUB.replace("______", "x * 0.5"), **SOLUTION),
        cell("normal", "tests", "code", f"assert half(2) == 1\n{HIDDEN}", grade=True,
             solution=False, locked=True, points=2),
        cell("case", "exercise", "code", 'case = {"args": 1}', **SOLUTION),
        cell("case_test", "tests", "code", 'assert case["args"] == 1', grade=True,
             solution=False, locked=True, points=0.5),
        cell("prompt-1", "prose", "markdown", "## Q1 为什么？"),
        cell("q1", "answer", "markdown", MARK, grade=True, solution=True, locked=False, points=2),
        cell("prompt-2", "prose", "markdown", "## Q2 怎么办？"),
        cell("q2", "answer", "markdown", MARK, grade=True, solution=True, locked=False, points=2),
        cell("end", "prose", "markdown", "完"),
    ]  # fmt: skip
    for index, stub in ((3, STUB), (5, CASE), (8, MARK), (10, MARK)):
        cells[index]["metadata"]["course"]["stub"] = stub
    cells[4]["metadata"]["course"] |= {"exercise": "half", "category": "normal"}
    cells[6]["metadata"]["course"] |= {"exercise": "case", "category": "boundary"}
    kernel = {"name": "python3", "display_name": "Python 3"}
    metadata = {"course": {"lesson": "l", "lang": "zh-CN"}, "kernelspec": kernel}
    document = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    return nbformat.from_dict(document)  # type: ignore[no-untyped-call]  # nbformat has no types


MASTER = make_master()
BASE = [("cell", "setup"), ("cell", "half"), ("test", "normal"), ("cell", "case"),
        ("test", "case_test")]  # fmt: skip


def handed_in() -> list[Cell]:
    """The student edition with everything filled in."""
    cells: list[Cell] = copy.deepcopy(json.loads(json.dumps(MASTER)))["cells"]
    for each in cells:
        course = each["metadata"].pop("course")
        each["source"] = course.get("stub", each["source"]).replace(f"\n{HIDDEN}", "")
    cells[3]["source"] = RIGHT
    cells[5]["source"] = CASE.replace("______", "1")
    cells[8]["source"] = f"{MARK}\n\n因为 A。"
    cells[10]["source"] = f"{MARK}\n\n所以 B。"
    return cells


def grade_ids(notebook: Any) -> list[str]:
    return [c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata]


def read(cells: list[Cell]) -> Plan:
    raw = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    found = plan(MASTER, read_notebook(raw.encode()), "zh-CN")
    nbformat.validate(found.notebook)
    assert sorted(grade_ids(found.notebook)) == sorted(grade_ids(MASTER))
    assert len({c.id for c in found.notebook.cells}) == len(found.notebook.cells)
    return found


def graded_ids(found: Plan) -> list[str]:
    return [c.id for c in found.notebook.cells]


def steps(found: Plan) -> list[tuple[str, str]]:
    return [(step.kind.value, step.id) for step in found.steps]


def source_of(found: Plan, name: str) -> str:
    return next(step.source for step in found.steps if step.id == name)


def own(source: str, kind: str = "code", name: str = "own") -> Cell:
    made: Cell = {"cell_type": kind, "id": name, "metadata": {}, "source": source}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def test_an_honest_submission() -> None:
    found = read(handed_in())
    assert steps(found) == BASE
    assert found.flags == frozenset()
    assert found.reasons == {}
    assert source_of(found, "half") == RIGHT
    assert source_of(found, "setup") == "import math\nimport random"
    assert found.free_texts["q1"].text == "因为 A。"
    assert not found.free_texts["q1"].untouched
    assert graded_ids(found) == [c.id for c in MASTER.cells]
    assert found.notebook.cells[4].source == MASTER.cells[4].source
    assert found.notebook.cells[8].source == f"{MARK}\n\n因为 A。"


def test_an_untouched_submission() -> None:
    cells = handed_in()
    for index, stub in ((3, STUB), (5, CASE), (8, MARK), (10, f"\n{MARK}  \n \n")):
        cells[index]["source"] = stub
    found = read(cells)
    assert steps(found) == [BASE[0], BASE[2], BASE[4]]
    assert found.flags == {Flag.NOT_ATTEMPTED}
    assert found.free_texts["q2"].untouched
    assert found.reasons == {
        "normal": "half 的空（______）还没有填写。",
        "case_test": "case 的空（______）还没有填写。",
        "q1": "q1 没有作答。",
        "q2": "q2 没有作答。",
    }
    # nbgrader itself sees an untouched answer by its checksum.
    assert determine_grade(found.notebook.cells[10]) == (0, 2)


def test_checksums_are_nbgraders() -> None:
    found = read(handed_in())
    tests = found.notebook.cells[4]
    assert tests.metadata.nbgrader.checksum == compute_checksum(MASTER.cells[4])
    assert determine_grade(found.notebook.cells[8]) == (None, 2)


@pytest.mark.parametrize("strip_ids", [False, True])
def test_saved_elsewhere_without_metadata(strip_ids: bool) -> None:
    cells = handed_in()
    for each in cells:
        each["metadata"] = {}
        if strip_ids:
            del each["id"]
    found = read(cells)
    assert steps(found) == BASE
    assert found.flags == frozenset()
    assert found.free_texts["q1"].text == "因为 A。"
    assert found.free_texts["q2"].text == "所以 B。"


def stripped() -> list[Cell]:
    cells = handed_in()
    for each in cells:
        each["metadata"] = {}
        del each["id"]
    return cells


def test_without_metadata_and_with_a_syntax_error() -> None:
    cells = stripped()
    cells[3]["source"] = STUB.replace("______", "x ／ 2")
    found = read(cells)
    assert Flag.SYNTAX_ERROR in found.flags
    assert "“／” 是全角字符" in found.reasons["normal"]


def test_without_metadata_stub_lines_and_one_answer() -> None:
    cells = stripped()
    cells[8]["source"] = "因为 A。"
    del cells[10]
    found = read(cells)
    assert found.free_texts["q1"].text == "因为 A。"
    assert found.free_texts["q2"].untouched
    assert "可能被删除" in found.reasons["q2"]
    assert found.flags == {Flag.MISSING_CELL}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("other", [STUB, STUB.replace("______", "x ／ 2"), "x = 1"])
def test_copied_cell_the_attempted_one_counts(first: bool, other: str) -> None:
    cells = handed_in()
    copied = copy.deepcopy(cells[3]) | {"id": "copy"}
    cells.insert(4, copied)
    cells[3 if first else 4]["source"] = RIGHT
    cells[4 if first else 3]["source"] = other
    found = read(cells)
    assert found.fills["half"].spliced == RIGHT
    assert ("test", "normal") in steps(found)
    assert len([s for s in found.steps if "def half" in s.source]) == 1
    if other != "x = 1":
        assert found.flags == {Flag.DUPLICATE_CELL}


def test_copied_cell_both_attempted_the_original_counts() -> None:
    cells = handed_in()
    cells.insert(3, copy.deepcopy(cells[3]) | {"id": "copy", "source": RIGHT.replace("/ 2", "/ 3")})
    found = read(cells)
    assert found.fills["half"].expressions == ("x / 2",)
    assert found.flags == {Flag.DUPLICATE_CELL}
    assert steps(found) == BASE


def test_copied_cell_no_original_the_last_counts() -> None:
    cells = stripped()
    cells.insert(3, own(RIGHT.replace("/ 2", "/ 3")))
    found = read(cells)
    assert found.fills["half"].expressions == ("x / 2",)
    assert found.flags == {Flag.DUPLICATE_CELL}


@pytest.mark.parametrize("cut", ["    # TODO", "    return", "assert"])
@pytest.mark.parametrize("marks", [True, False])
def test_split_cell(cut: str, marks: bool) -> None:
    cells = handed_in()
    head, tail = RIGHT.split(cut, 1)
    second = copy.deepcopy(cells[3]) | {"id": "second", "source": cut + tail}
    if not marks:
        second["metadata"] = {}
    cells[3]["source"] = head.rstrip("\n")
    cells.insert(4, second)
    found = read(cells)
    assert found.fills["half"].expressions == ("x / 2",)
    assert found.flags == {Flag.SPLIT_CELL}
    assert steps(found) == BASE


def test_deleted_fill_in() -> None:
    cells = handed_in()
    del cells[3]
    found = read(cells)
    assert found.flags == {Flag.MISSING_CELL}
    assert found.reasons == {"normal": "提交的 notebook 里没有 half 的单元格，它可能被删除了。"}
    assert steps(found) == [BASE[0], *BASE[2:]]
    assert found.notebook.cells[3].source == STUB


@pytest.mark.parametrize("source", [RIGHT, f"```python\n{RIGHT}\n```"])
@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_retyped_fill_in(kind: str, source: str) -> None:
    cells = handed_in()
    cells[3] = own(source, kind, "half") | {"metadata": cells[3]["metadata"]}
    found = read(cells)
    assert found.fills["half"].spliced == RIGHT
    assert found.flags == {Flag.RETYPED_CELL}
    assert found.notebook.cells[3].cell_type == "code"


def test_tests_deleted() -> None:
    cells = handed_in()
    del cells[6], cells[4]
    found = read(cells)
    assert steps(found) == BASE
    assert found.flags == {Flag.MISSING_CELL}
    assert found.reasons == {}


def test_tests_edited() -> None:
    cells = handed_in()
    cells[4]["source"] = "assert True"
    found = read(cells)
    assert steps(found) == BASE
    assert found.flags == {Flag.EDITED_TEST}
    assert found.notebook.cells[4].source == MASTER.cells[4].source


def test_tests_retyped() -> None:
    cells = handed_in()
    cells[4] = own(cells[4]["source"], "markdown", "normal")
    found = read(cells)
    assert steps(found) == BASE
    assert found.flags == {Flag.RETYPED_CELL}


def test_tests_copied() -> None:
    cells = handed_in()
    cells.insert(6, copy.deepcopy(cells[4]) | {"id": "copy"})
    found = read(cells)
    assert steps(found) == BASE
    assert found.flags == {Flag.DUPLICATE_CELL}


def test_tests_above_their_answer() -> None:
    cells = handed_in()
    cells.insert(0, cells.pop(4))
    found = read(cells)
    assert steps(found) == BASE
    assert found.flags == {Flag.MOVED_CELL}


def test_fill_in_moved_to_the_end() -> None:
    cells = handed_in()
    cells.append(cells.pop(3))
    found = read(cells)
    assert steps(found) == [BASE[0], *BASE[3:], *BASE[1:3]]
    assert found.flags == {Flag.MOVED_CELL}


def test_own_code_runs_where_it_stands() -> None:
    cells = handed_in()
    cells.insert(4, own("x = half(8)"))
    cells.append(own("y = 1", name="setup"))
    found = read(cells)
    assert steps(found)[:4] == [*BASE[:2], ("cell", "own"), BASE[2]]
    assert steps(found)[-1][1] not in {"setup", "own"}
    assert source_of(found, steps(found)[-1][1]) == "y = 1"
    assert found.flags == frozenset()


def test_the_name_bound_again_is_flagged() -> None:
    cells = handed_in()
    cells.insert(4, own("def half(x):\n    return {4: 2, 2: 1}[x]"))
    found = read(cells)
    assert found.flags == {Flag.EDITED_OUTSIDE_BLANK}
    assert steps(found)[2] == ("cell", "own")


def test_read_only_code_is_the_masters() -> None:
    cells = handed_in()
    cells[1]["source"] = "import os"
    found = read(cells)
    assert source_of(found, "setup") == "import math\nimport random"
    assert found.flags == {Flag.EDITED_OUTSIDE_BLANK}
    del cells[1]
    found = read(cells)
    assert steps(found) == BASE
    assert found.flags == {Flag.MISSING_CELL}


def test_widgets_run_only_when_changed() -> None:
    cells = handed_in()
    cells[2]["source"] = "explore.plot()  \r\n"
    cells.append(own("explore.plot()"))
    assert steps(read(cells)) == BASE
    cells[2]["source"] = "explore.plot(3)"
    found = read(cells)
    assert steps(found) == [BASE[0], ("cell", "plot"), *BASE[1:]]
    assert source_of(found, "plot") == "explore.plot(3)"
    assert found.flags == frozenset()


@pytest.mark.parametrize("role", ["predict", "hint"])
def test_a_prediction_and_a_hint_are_the_learners_to_change(role: str) -> None:
    master = copy.deepcopy(MASTER)
    source = f'{role}("half")'
    loose = cell("loose", role, "code", source, grade=False, solution=False, locked=False)
    master.cells.insert(3, nbformat.from_dict(loose))  # type: ignore[no-untyped-call]
    for change in ("edited", "deleted", "moved"):
        cells = handed_in()
        if change != "deleted":
            text = source if change == "moved" else f"{role}(1, '我猜')"
            at = 3 if change == "edited" else len(cells)
            cells.insert(at, copy.deepcopy(loose) | {"source": text})
        raw = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
        assert plan(master, read_notebook(raw.encode()), "zh-CN").flags == frozenset(), change


@pytest.mark.parametrize(
    "change",
    [
        {"points": 99}, {"grade": False}, {"solution": True}, {"locked": False},
        {"grade_id": "bonus"}, {"grade_id": "q1"}, {"task": True},
    ],
)  # fmt: skip
def test_metadata_tampering(change: dict[str, object]) -> None:
    cells = handed_in()
    cells[4]["metadata"]["nbgrader"] |= change
    found = read(cells)
    assert steps(found) == BASE
    assert found.flags == {Flag.FOREIGN_METADATA}
    master = {k: v for k, v in MASTER.cells[4].metadata.nbgrader.items() if k != "checksum"}
    tests = next(c for c in found.notebook.cells if c.id == "normal")
    assert {k: v for k, v in tests.metadata.nbgrader.items() if k != "checksum"} == master


def test_a_forged_cell() -> None:
    cells = handed_in()
    cells.append(own("z = 1") | {"metadata": {"nbgrader": {"grade_id": "bonus", "points": 50}}})
    found = read(cells)
    assert found.flags == {Flag.FOREIGN_METADATA}
    assert steps(found) == [*BASE, ("cell", "own")]


def test_grade_ids_swapped_between_answers() -> None:
    cells = handed_in()
    cells[8]["metadata"], cells[10]["metadata"] = cells[10]["metadata"], cells[8]["metadata"]
    found = read(cells)
    assert found.free_texts["q1"].text == "因为 A。"
    assert found.flags == {Flag.FOREIGN_METADATA}


@pytest.mark.parametrize("kind", ["code", "raw"])
def test_retyped_answer(kind: str) -> None:
    cells = handed_in()
    cells[8] = own(cells[8]["source"], kind, "q1") | {"metadata": cells[8]["metadata"]}
    found = read(cells)
    assert found.free_texts["q1"].text == "因为 A。"
    assert found.flags == {Flag.RETYPED_CELL}
    assert steps(found) == BASE
    assert found.notebook.cells[8].cell_type == "markdown"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (f"{MARK} 因为", "因为"),
        ("因为", "因为"),
        (f"{MARK}\r\n\r\n因为\r\n所以", "因为\n所以"),
        (f"先说\n{MARK}\n因为", "先说\n\n因为"),
        (f"{MARK}\n{MARK}", MARK),
    ],
)
def test_stub_lines_are_no_answer(source: str, text: str) -> None:
    cells = handed_in()
    cells[8]["source"] = source
    assert read(cells).free_texts["q1"].text == text


def test_an_answer_in_several_cells() -> None:
    cells = handed_in()
    cells.insert(9, own("还有 C。", "markdown", "more"))
    cells.insert(10, own("最后 D。", "markdown", "most"))
    found = read(cells)
    assert found.free_texts["q1"].text == "因为 A。\n\n还有 C。\n\n最后 D。"
    assert "最后 D。" in found.notebook.cells[8].source
    assert "more" not in graded_ids(found)
    assert found.flags == frozenset()


def test_an_answer_below_its_prompt() -> None:
    cells = handed_in()
    cells[7]["source"] += "\n\n因为写在这里。"
    cells[8]["source"] = MARK
    found = read(cells)
    assert found.free_texts["q1"].text == "因为写在这里。"
    assert found.notebook.cells[7].source == "## Q1 为什么？"
    assert determine_grade(found.notebook.cells[8]) == (None, 2)


def test_prompt_and_answer_merged_into_one_cell() -> None:
    cells = handed_in()
    cells[7]["source"] += "\n\n" + cells.pop(8)["source"]
    found = read(cells)
    assert found.free_texts["q1"].text == "因为 A。"
    assert "q1" not in found.reasons


def test_a_copied_answer_is_read_whole() -> None:
    cells = handed_in()
    cells.insert(9, copy.deepcopy(cells[8]) | {"id": "again", "source": "第二稿。"})
    found = read(cells)
    assert found.free_texts["q1"].text == "因为 A。\n\n第二稿。"
    assert found.flags == {Flag.DUPLICATE_CELL}


def test_pictures_of_an_answer_come_along() -> None:
    cells = handed_in()
    cells[8]["attachments"] = {"p.png": {"image/png": "AA=="}}
    cells[8]["source"] += "\n![](attachment:p.png)"
    more = own("![](attachment:p.png)", "markdown", "more")
    cells.insert(9, more | {"attachments": {"p.png": {"image/png": "BB=="}}})
    found = read(cells)
    answer = found.notebook.cells[8]
    assert {k: v["image/png"] for k, v in answer.attachments.items()} == {
        "p.png": "AA==",
        "9-p.png": "BB==",
    }
    assert "![](attachment:9-p.png)" in answer.source


def test_two_exercises_merged_into_one_cell() -> None:
    cells = handed_in()
    cells[3]["source"] = RIGHT + "\n" + cells.pop(5)["source"]
    found = read(cells)
    assert found.fills["half"].expressions == ("x / 2",)
    assert found.flags >= {Flag.EDITED_OUTSIDE_BLANK}


@pytest.mark.parametrize("build", [list, lambda: [own("1 / 0")] * 3, stripped])
def test_each_test_is_a_step_once(build: Callable[[], list[Cell]]) -> None:
    found = read(build())
    tests = [step.id for step in found.steps if step.kind is StepKind.TEST]
    assert sorted(tests) == ["case_test", "normal"]
    assert set(found.free_texts) == {"q1", "q2"}
