"""What the page's Python does with a job, without a page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autograder.editions.preparation import setup_source
from autograder.editions.words import words_for
from autograder.site.live import runner

SETUP = setup_source(words_for("zh-CN"), "lessons.lesson03", "zh-CN")
CELL = """\
def checkpoint_io(checkpoint_bytes, backend_Bps, write_amplification, interval_s):
    if min(checkpoint_bytes, backend_Bps, write_amplification, interval_s) <= 0:
        raise ValueError("all values must be positive")
    physical_bytes = checkpoint_bytes * write_amplification
    return physical_bytes / backend_Bps, {}
"""
RIGHT = CELL.format("physical_bytes / interval_s")


def report(cell: str, **more: Any) -> dict[str, Any]:
    job = {"setup": SETUP, "before": [], "cell": cell, "name": None, "lang": "zh-CN", "tests": []}
    found: dict[str, Any] = json.loads(runner.run(json.dumps(job | more)))
    return found


def test_check_speaks_with_its_outcome() -> None:
    found = report(RIGHT, name="checkpoint_io")
    assert found["error"] is None
    assert found["check"] == {
        "sentence": "对了：checkpoint_io 在看得见的 3 组输入上都对；评分时还会换别的输入。",
        "outcome": "correct",
    }
    wrong = report(CELL.format("backend_Bps"), name="checkpoint_io")["check"]
    assert wrong["outcome"] == "incorrect"
    assert wrong["sentence"].startswith("还不对：checkpoint_io(4e12, 1e10, 1.5, 1800) 返回")


def test_a_function_that_prints_does_not_hide_the_sentence() -> None:
    loud = RIGHT.replace("    physical", "    print('看' * 9000)\n    physical")
    found = report(loud, name="checkpoint_io")["check"]
    assert found["outcome"] == "correct"
    assert found["sentence"].startswith("对了：")


def test_an_untouched_blank_is_not_attempted() -> None:
    cell = CELL.format("______")
    found = report(f"{cell}\nabs(checkpoint_io(1, 1, 1, 1)[1])\n", name="checkpoint_io")
    assert found["error"] == {
        "kind": "blank",
        "line": None,
        "text": "这里还有一个空没有填：把 ______ 换成你的表达式，再把这个单元运行一遍。",
    }
    assert found["check"]["outcome"] == "not attempted"


def test_a_lesson_without_such_a_check_is_not_asked() -> None:
    assert report("x = 1")["check"] is None


def test_a_syntax_error_asks_no_check() -> None:
    found = report("x = 1\ny = (\n", name="checkpoint_io", tests=[{"label": "t", "source": ""}])
    assert found["error"]["kind"] == "syntax"
    assert found["error"]["line"] == 2
    assert found["check"] is None
    assert found["tests"] == []


@pytest.mark.parametrize(
    ("cell", "line", "text"),
    [
        ("x = 1\nx / 0\n", 2, "ZeroDivisionError: division by zero"),
        # The line of the cell, not that of the library below it.
        ("import json\n\njson.loads('{')\n", 3, "JSONDecodeError: Expecting property name"),
        ("def f():\n    raise KeyError('k')\nf()\n", 2, "KeyError: 'k'"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
    ],
)
def test_an_error_has_its_line(cell: str, line: int, text: str) -> None:
    error = report(cell)["error"]
    assert error["kind"] == "error"
    assert error["line"] == line
    assert text in error["text"]


def test_cells_above_run_before_and_may_fail() -> None:
    found = report("print(a + 1)", before=["a = 41\nprint('quiet')", "1 / 0", "def ("])
    assert found["output"] == "42\n"
    assert found["error"] is None


def test_each_run_begins_with_empty_hands() -> None:
    report("left = 1")
    assert report("left")["error"]["text"] == "NameError: name 'left' is not defined"


def test_visible_tests_pass_fail_or_wait() -> None:
    tests = [
        {"label": "good", "source": "assert answer == 42"},
        {"label": "bad", "source": "print('看')\nassert answer == 1, '应为 1'"},
        {"label": "blank", "source": "______ + 1"},
        {"label": "broken", "source": "nothing"},
        {"label": "clean", "source": "answer = 0"},
    ]
    found = {one["label"]: one for one in report("answer = 42", tests=tests)["tests"]}
    assert found["good"] == {"label": "good", "outcome": "passed", "text": "", "printed": ""}
    assert (found["bad"]["outcome"], found["bad"]["text"]) == ("failed", "应为 1")
    assert found["bad"]["printed"] == "看"
    assert found["blank"]["outcome"] == "not attempted"
    assert found["broken"]["text"] == "NameError: name 'nothing' is not defined"
    assert found["clean"]["outcome"] == "passed"


def test_a_test_leaves_no_name_behind() -> None:
    tests = [{"label": "a", "source": "x = 2"}, {"label": "b", "source": "assert x == 1"}]
    assert [one["outcome"] for one in report("x = 1", tests=tests)["tests"]] == ["passed", "passed"]


def test_only_the_beginning_of_a_flood_is_kept() -> None:
    found = report("for _ in range(100_000):\n    print('again')\n")
    assert len(found["output"]) == runner.MOST_CHARACTERS + len("…\n")
    assert found["output"].endswith("…\n")
