"""Whatever is done to a notebook, reading it ends in a plan that grades every question once."""

from __future__ import annotations

import copy
import json
import random
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.editions.build import source_notebook
from autograder.editions.release import release
from autograder.grading.intake.reading import read_notebook
from autograder.grading.integrity.plan import plan
from autograder.grading.records import Flag, Plan, StepKind
from autograder.project import find_project

MASTER = source_notebook(find_project(Path(__file__).parent), "lesson03")
RELEASED: dict[str, Any] = json.loads(json.dumps(release(MASTER)))
TESTS = ["normal", "boundary", "boundary_case"]
ANSWERS = {"explanation", "q1", "q2", "q3"}
FILL = "physical_bytes / interval_s"
HIDDEN = "BEGIN HIDDEN TESTS"

Cells = list[dict[str, Any]]


def at(cells: Cells, name: str) -> int:
    return next(i for i, cell in enumerate(cells) if cell["id"] == name)


def honest() -> Cells:
    cells: Cells = copy.deepcopy(RELEASED["cells"])
    exercise = cells[at(cells, "checkpoint_io")]
    exercise["source"] = exercise["source"].replace("______", FILL)
    case = cells[at(cells, "my_boundary_case")]
    case["source"] = (
        case["source"].replace("______", "(0, 1, 1, 1)", 1).replace("______", "ValueError")
    )
    for name in ANSWERS:
        cells[at(cells, name)]["source"] += f"\n\n{name}：因为。"
    return cells


def read(cells: Cells) -> Plan:
    found = plan(MASTER, read_notebook(json.dumps(RELEASED | {"cells": cells}).encode()), "zh-CN")
    check(found)
    return found


def check(found: Plan) -> None:
    """Assert what holds for every submission."""
    tests = [step.id for step in found.steps if step.kind is StepKind.TEST]
    assert sorted(tests) == sorted(TESTS)
    assert len({step.id for step in found.steps}) == len(found.steps)
    assert set(found.free_texts) == ANSWERS
    assert set(found.fills) == {"checkpoint_io", "my_boundary_case"}
    order = [(step.kind, step.id) for step in found.steps]
    exercise = (StepKind.CELL, "checkpoint_io")
    if exercise in order:
        assert order.index(exercise) < order.index((StepKind.TEST, "normal"))
        assert order.index(exercise) < order.index((StepKind.TEST, "boundary"))
    for name, fill in found.fills.items():
        assert (fill.spliced is None) == (fill.reason is not None)
        assert ((StepKind.CELL, name) in order) == (fill.spliced is not None)
    # No hidden test is in anything that runs in the learner's process.
    assert not any(HIDDEN in step.source for step in found.steps)
    assert all("\n" not in reason for reason in found.reasons.values())
    nbformat.validate(found.notebook)
    ids = [cell.id for cell in found.notebook.cells]
    assert len(set(ids)) == len(ids)
    assert {step.id for step in found.steps} <= set(ids)
    marked = {c.id: c.metadata.nbgrader for c in found.notebook.cells if "nbgrader" in c.metadata}
    for cell in MASTER.cells:
        assert cell.id in ids
        if "nbgrader" in cell.metadata:
            mark = {k: v for k, v in marked.pop(cell.id).items() if k != "checksum"}
            assert mark == {k: v for k, v in cell.metadata.nbgrader.items() if k != "checksum"}
    assert not marked


def full(found: Plan) -> bool:
    """Tell whether the right fill was found and nothing was lost."""
    return (
        found.fills["checkpoint_io"].expressions == (FILL,)
        and found.fills["my_boundary_case"].expressions == ("(0, 1, 1, 1)", "ValueError")
        and all(found.free_texts[name].text == f"{name}：因为。" for name in ANSWERS)
    )


def test_the_students_edition_filled_in() -> None:
    found = read(honest())
    assert full(found)
    assert found.flags == frozenset()
    graded = {*TESTS, "checkpoint_io", "my_boundary_case"}
    assert [s.id for s in found.steps if s.id in graded] == [
        "checkpoint_io", "normal", "boundary", "my_boundary_case", "boundary_case"
    ]  # fmt: skip


def test_colab_and_kaggle() -> None:
    cells = honest()
    for number, cell in enumerate(cells):
        cell["metadata"] = {"id": f"aB{number}", "colab": {"base_uri": "x"}, "outputId": "y"}
        del cell["id"]
    found = read(cells)
    assert full(found)
    assert found.flags == frozenset()


@pytest.mark.parametrize("seed", range(8))
def test_shuffled(seed: int) -> None:
    cells = honest()
    random.Random(seed).shuffle(cells)  # an order, no secret
    found = read(cells)
    assert found.fills["checkpoint_io"].expressions == (FILL,)
    assert Flag.MOVED_CELL in found.flags


@pytest.mark.parametrize("seed", range(4))
def test_every_id_and_grade_id_dealt_anew(seed: int) -> None:
    cells = honest()
    deck = [(cell["id"], cell["metadata"]) for cell in cells]
    random.Random(seed).shuffle(deck)  # an order, no secret
    for cell, (name, metadata) in zip(cells, deck, strict=True):
        cell["id"], cell["metadata"] = name, metadata
    found = read(cells)
    assert found.fills["checkpoint_io"].expressions == (FILL,)
    assert Flag.FOREIGN_METADATA in found.flags


def test_every_cell_three_times() -> None:
    cells = honest()
    found = read([copy.deepcopy(cell) for cell in cells for _ in range(3)])
    assert full(found)
    assert Flag.DUPLICATE_CELL in found.flags
    assert sum(FILL in step.source for step in found.steps) == 1


def test_the_whole_notebook_twice() -> None:
    cells = honest()
    found = read([*cells, *copy.deepcopy(cells)])
    assert full(found)
    assert Flag.DUPLICATE_CELL in found.flags


@pytest.mark.parametrize("kind", ["markdown", "raw", "code"])
def test_everything_retyped(kind: str) -> None:
    cells = honest()
    for cell in cells:
        cell["cell_type"] = kind
    found = read(cells)
    assert full(found)
    assert Flag.RETYPED_CELL in found.flags


def test_everything_deleted() -> None:
    found = read([])
    assert found.flags == {Flag.MISSING_CELL}
    assert set(found.reasons) == {*TESTS, *ANSWERS}


def test_points_and_switches() -> None:
    cells = honest()
    for cell in cells:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] |= {
                "points": 99, "grade": False, "solution": True, "locked": False, "checksum": "0"
            }  # fmt: skip
    found = read(cells)
    assert full(found)
    assert found.flags == {Flag.FOREIGN_METADATA}


def test_own_cells_may_bear_any_id() -> None:
    cells = honest()
    for name in ("normal", "own-50", "q1", "setup"):
        cells.append({"cell_type": "code", "id": name, "metadata": {}, "source": f"'{name}'"})
    found = read(cells)
    assert full(found)
    assert sum(step.source.startswith("'") for step in found.steps) == 4


def test_many_cells_that_claim_the_exercise_end_in_time() -> None:
    cells = honest()
    exercise = cells[at(cells, "checkpoint_io")]
    for number in range(3000):
        source = exercise["source"].replace(FILL, f"physical_bytes + {number}")
        cells.append({**copy.deepcopy(exercise), "id": f"copy-{number}", "source": source})
    start = time.monotonic()
    found = read(cells)
    assert time.monotonic() - start < 30
    assert full(found)


def test_a_large_cell_ends_in_time() -> None:
    cells = honest()
    cells[at(cells, "checkpoint_io")]["source"] += "\n# " + "x" * 10_000_000
    start = time.monotonic()
    found = read(cells)
    assert time.monotonic() - start < 10
    assert "超过上限" in found.reasons["normal"]


CODE = st.sampled_from(
    ["", "x = 1", "checkpoint_io = None", "(", "%%bash\nls", "！", "______", "raise SystemExit"]
)
NAME = st.sampled_from([cell["id"] for cell in RELEASED["cells"]] + ["new", "", "a b"])
MUTATION = st.tuples(
    st.sampled_from(
        ["drop", "copy", "move", "retype", "edit", "append", "cut", "id", "grade", "strip", "swap"]
    ),
    st.integers(0, 200),
    st.integers(0, 200),
    NAME,
    CODE,
)


def mutate(  # noqa: C901  # one case for each mutation
    cells: Cells, mutation: tuple[str, int, int, str, str]
) -> None:
    what, first, second, name, code = mutation
    if not cells:
        return
    cell = cells[first % len(cells)]
    target = second % len(cells)
    match what:
        case "drop":
            cells.remove(cell)
        case "copy":
            cells.insert(target, copy.deepcopy(cell))
        case "move":
            cells.remove(cell)
            cells.insert(target, cell)
        case "retype":
            cell["cell_type"] = ["code", "markdown", "raw"][second % 3]
        case "edit":
            cell["source"] = code
        case "append":
            cell["source"] += "\n" + code
        case "cut":
            source = cell["source"]
            half = {**copy.deepcopy(cell), "source": source[second % (len(source) + 1) :]}
            cell["source"] = source[: second % (len(source) + 1)]
            cells.insert(first % len(cells) + 1, half)
        case "id":
            cell["id"] = name
        case "grade":
            cell["metadata"]["nbgrader"] = {"grade_id": name, "points": second, "grade": True}
        case "strip":
            cell["metadata"] = {}
        case "swap":
            other = cells[target]
            cell["metadata"], other["metadata"] = other["metadata"], cell["metadata"]


@settings(max_examples=150, deadline=None)
@given(st.lists(MUTATION, max_size=12))
def test_any_mutation_gives_a_plan(mutations: list[tuple[str, int, int, str, str]]) -> None:
    cells = honest()
    for mutation in mutations:
        mutate(cells, mutation)
    read(cells)
