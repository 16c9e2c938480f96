"""Honest work that other graders mark wrong: full points here, no flag beyond what is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.sandbox

FULL = (2.0, 0.5, 0.5)


@pytest.fixture(scope="module")
def grade(grader_with: Callable[..., Any]) -> Any:
    return grader_with(cell_s=6, submission_s=30)


# The learner's way of writing physical_bytes / interval_s.
FILLS = {
    "other formula": "duration * backend_Bps / interval_s",
    "from the arguments": "checkpoint_bytes * write_amplification / interval_s",
    "parentheses": "((physical_bytes) / (interval_s))",
    "many lines": "(\n        physical_bytes\n        / interval_s  # 平均\n    )",
    "comment": "physical_bytes / interval_s  # B/s",
    "lambda": "(lambda a, b: a / b)(physical_bytes, interval_s)",
    "a warning": "(__import__('warnings').warn('careful'), physical_bytes / interval_s)[1]",
    "stderr": "(print('x', file=__import__('sys').stderr), physical_bytes / interval_s)[1]",
    "walrus": "(mean := physical_bytes / interval_s)",
    "statements": "0\n    mean = physical_bytes / interval_s\n    required_average = mean",
}


@pytest.mark.parametrize("name", FILLS)
def test_any_right_fill_is_full(course: Any, grade: Any, name: str) -> None:
    found = grade(course.right().source("checkpoint_io", fresh(course)).fill(FILLS[name]))
    assert (found.points, found.status) == (FULL, "graded")
    assert found.flags == set()


def fresh(course: Any) -> str:
    return str(course.hand_in()["checkpoint_io"]["source"])


def filled(course: Any) -> str:
    return str(course.right()["checkpoint_io"]["source"])


FORMATS: dict[str, Callable[[str], str]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "old Mac line ends": lambda text: text.replace("\n", "\r"),
    "tabs": lambda text: text.replace("    ", "\t"),
    "two spaces": lambda text: text.replace("    ", "  "),
    "black": lambda text: text.replace('"', "'").replace(
        "(checkpoint_bytes, ", "(\n  checkpoint_bytes, "
    ),
    "TODO deleted": lambda text: "\n".join(x for x in text.split("\n") if "TODO" not in x),
    "TODO changed": lambda text: text.replace("# TODO", "# 做完了"),
    "comments": lambda text: "# 我的\n" + text.replace("\n\n", "\n# 检查\n"),
    "docstring": lambda text: text.replace(":\n    if", ':\n    """平均带宽。"""\n    if', 1),
    "time magic": lambda text: "%%time\n" + text,
    "no line at the end": lambda text: text.rstrip(),
    "spaces at line ends": lambda text: text.replace("\n", "   \n"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_layout_is_no_edit(course: Any, grade: Any, name: str) -> None:
    found = grade(course.right().source("checkpoint_io", FORMATS[name](filled(course))))
    assert (found.points, found.flags) == (FULL, set())


def test_untouched_is_zero_without_a_traceback(course: Any, grade: Any) -> None:
    found = grade(course.hand_in())
    assert (found.points, found.flags) == ((0.0, 0.0, 0.0), {"not-attempted"})
    assert "Traceback" not in found.page
    assert "______" not in "".join(found.reasons.values()) or "没有填" in found.reasons["normal"]


WIDE = {"（": "physical_bytes / （interval_s)", "／": "physical_bytes ／ interval_s"}


@pytest.mark.parametrize("char", WIDE)
def test_a_full_width_sign_is_named_with_its_line(course: Any, grade: Any, char: str) -> None:
    found = grade(course.right().source("checkpoint_io", fresh(course)).fill(WIDE[char]))
    assert (found.points, found.flags) == ((0.0, 0.0, 0.5), {"syntax-error"})
    # def, if, raise, physical_bytes, duration, TODO, the blank: line 7.
    assert char in found.reasons["normal"]
    assert "7" in found.reasons["normal"]


def test_a_bracket_left_open(course: Any, grade: Any) -> None:
    found = grade(course.right().source("checkpoint_io", fresh(course)).fill("(physical_bytes"))
    assert (found.points, found.flags) == ((0.0, 0.0, 0.5), {"syntax-error"})


@pytest.mark.parametrize("right_first", [True, False])
def test_the_fill_in_copied(course: Any, grade: Any, right_first: bool) -> None:
    given = course.right()
    cell = given["checkpoint_io"]
    blank = {**cell, "id": "copied", "source": fresh(course)}
    given.cells.insert(given.at("checkpoint_io") + right_first, blank)
    found = grade(given)
    assert found.points == FULL
    assert "duplicate-cell" in found.flags


def test_the_fill_in_split(course: Any, grade: Any) -> None:
    given = course.right()
    cell = given["checkpoint_io"]
    head, mark, tail = cell["source"].partition("\n\n\n")
    assert mark
    cell["source"] = head
    place = given.at("checkpoint_io") + 1
    given.cells.insert(place, {**cell, "id": "second", "metadata": {}, "source": tail})
    found = grade(given)
    assert (found.points, found.flags) == (FULL, {"split-cell"})


def moved_up(given: Any) -> None:
    given.cells.insert(0, given.cells.pop(given.at("checkpoint_io")))


def checks_moved_above(given: Any) -> None:
    for name in ("boundary", "normal"):
        given.cells.insert(0, given.cells.pop(given.at(name)))


def checks_deleted(given: Any) -> None:
    for name in ("normal", "boundary", "boundary_case"):
        given.cells.pop(given.at(name))


def checks_edited(given: Any) -> None:
    given.source("normal", "assert True")


def checks_as_markdown(given: Any) -> None:
    for name in ("normal", "boundary"):
        given[name]["cell_type"] = "markdown"


def no_metadata(given: Any) -> None:
    for number, cell in enumerate(given.cells):
        cell["metadata"] = {}
        cell["id"] = f"colab-{number}"


MOVED: dict[str, tuple[Callable[[Any], None], set[str]]] = {
    "code moved above": (moved_up, {"moved-cell"}),
    "tests moved above their answer": (checks_moved_above, {"moved-cell"}),
    "tests deleted": (checks_deleted, {"missing-cell"}),
    "tests edited": (checks_edited, {"edited-test"}),
    "tests retyped as markdown": (checks_as_markdown, {"retyped-cell"}),
    "without metadata": (no_metadata, set()),
}


@pytest.mark.parametrize("name", MOVED)
def test_cells_are_scored_against_the_master(course: Any, grade: Any, name: str) -> None:
    change, flags = MOVED[name]
    given = course.right()
    change(given)
    found = grade(given)
    assert (found.points, found.flags) == (FULL, flags)


def old_format(document: dict[str, Any]) -> None:
    document["nbformat_minor"] = 4
    for cell in document["cells"]:
        cell["metadata"]["id"] = cell["id"]


def duplicate_ids(document: dict[str, Any]) -> None:
    for cell in document["cells"]:
        cell["id"] = "same"


def kernel(document: dict[str, Any]) -> None:
    document["metadata"]["kernelspec"] = {"name": "ir", "display_name": "R", "language": "R"}


def widgets(document: dict[str, Any]) -> None:
    document["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"version": 2}}


def outputs(document: dict[str, Any]) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "x" * 1000}
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    for cell in code:
        cell["outputs"] = [output] * 300


def surrogate(document: dict[str, Any]) -> None:
    document["cells"][0]["source"] += "\ud800\u2028"
    document["metadata"]["x"] = "\udfff"


def bad_outputs(document: dict[str, Any]) -> None:
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "display_data", "data": None}]
            cell["execution_count"] = "*"


SAVED: dict[str, Callable[[dict[str, Any]], None]] = {
    "nbformat 4.4 with ids": old_format,
    "duplicate ids": duplicate_ids,
    "another kernel": kernel,
    "widgets without state": widgets,
    "300 outputs a cell": outputs,
    "lone surrogates and U+2028": surrogate,
    "broken outputs": bad_outputs,
}


@pytest.mark.parametrize("name", SAVED)
def test_a_file_saved_elsewhere_is_graded(course: Any, grade: Any, name: str) -> None:
    document = json.loads(course.right().raw())
    SAVED[name](document)
    assert grade(json.dumps(document).encode()).points == FULL


def test_a_byte_order_mark(course: Any, grade: Any) -> None:
    assert grade(b"\xef\xbb\xbf" + course.right().raw()).points == FULL


def test_input_is_told_and_the_rest_runs(course: Any, grade: Any) -> None:
    found = grade(course.right().add("name = input('名字')").add("print('on')"))
    assert (found.points, found.flags) == (FULL, {"reads-input"})
    assert found.error("own-1") == "StdinNotImplementedError"
    assert found.printed("own-2") == "on\n"


def test_cells_run_once_from_top_to_bottom(course: Any, grade: Any) -> None:
    given = course.right().add("runs = [1]").add("runs.append(len(runs) + 1)")
    found = grade(given.add("print(runs)", before="explanation"))
    assert found.printed("own-3") == "[1, 2]\n"
    assert found.points == FULL


def test_unseeded_random_scores_the_same_each_time(course: Any, grade: Any) -> None:
    # By the draw it is right or twice as much; seeded by the submission, always the same.
    fill = "physical_bytes / interval_s * __import__('random').choice([1, 2])"
    draw = "import random, numpy\nprint(random.random(), numpy.random.rand())"
    runs = [
        grade(course.right().source("checkpoint_io", fresh(course)).fill(fill).add(draw))
        for _ in range(3)
    ]
    assert len({run.points for run in runs}) == 1
    assert len({run.printed() for run in runs}) == 1


def test_a_case_on_no_listed_boundary_is_for_a_person(course: Any, grade: Any) -> None:
    # T = 9000 s > T_dump = 600 s and W = 1.5: none of the four boundaries.
    given = course.hand_in().fill("physical_bytes / interval_s")
    found = grade(given.case("(4e12, 10e9, 1.5, 9000)", "(600.0, 666666666.67)"))
    assert found.points == (2.0, 0.5, None)
    assert found.reasons["boundary_case"] == "这一题由老师判定。"


def test_own_plots_run_and_unchanged_widgets_do_not(course: Any, grade: Any) -> None:
    plot = (
        "import matplotlib.pyplot as plt\nfor n in 1, 2, 3:\n    plt.plot(range(n))\n    plt.show()"
    )
    found = grade(course.right().add(plot))
    assert found.points == FULL
    kinds = [output["output_type"] for output in found.graded.run.cells["own-1"].outputs]
    assert kinds == ["display_data"] * 3
    optional = {
        c.id for c in course.master.notebook.cells if c.metadata.course.role in ("widget", "lab")
    }
    assert not optional & set(found.graded.run.cells)
