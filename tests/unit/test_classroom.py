from __future__ import annotations

import math
import operator
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from lessons.classroom import CannotTell, NotAttempted, Outcome, blank

USES: dict[str, Callable[[object], object]] = {
    "add": lambda b: b + 1,
    "reflected": lambda b: 6e12 / b,
    "numpy scalar": lambda b: np.float64(3) * b,
    "numpy array": lambda b: np.arange(3) - b,
    "power": lambda b: b**2,
    "negate": operator.neg,
    "absolute": abs,
    "compare": lambda b: b <= 3,
    "equal": lambda b: b == 3,
    "truth": bool,
    "float": float,
    "int": int,
    "isclose": lambda b: math.isclose(b, 1.0),
    "call": lambda b: b(1, key=2),
    "attribute": lambda b: b.mean,
    "set attribute": lambda b: setattr(b, "x", 1),
    "item": lambda b: b["args"],
    "unpack": lambda b: [*b],
    "length": len,
    "contains": lambda b: 3 in b,
    "format": lambda b: f"{b:.3f}",
    "hash": lambda b: {b: 1},
    "round": round,
    "sum": lambda b: sum([1, b]),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_every_use_of_the_blank_says_it_is_not_filled(use: Callable[[object], object]) -> None:
    with pytest.raises(NotAttempted):
        use(blank())


def test_the_blank_can_be_stored_and_shown() -> None:
    assert repr({"args": blank()}) == "{'args': ______}"
    assert not hasattr(blank(), "_repr_html_")


def test_the_sentence_is_chinese_unless_asked_for_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COURSE_LANG", raising=False)
    (chinese,) = NotAttempted()._render_traceback_()
    assert "还有一个空没有填" in chinese
    assert chinese.count("。") == 1
    monkeypatch.setenv("COURSE_LANG", "en")
    (english,) = NotAttempted()._render_traceback_()
    assert "not filled in yet" in english
    assert english.count(".") == 1


def test_a_notebook_shows_the_sentence_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COURSE_LANG", raising=False)
    shell = InteractiveShell()
    shell.run_cell("from lessons.classroom import blank\n______ = blank()")
    shell.run_cell("def f(a):\n    average = ______\n    return a, average")
    assert repr(shell.run_cell("f(2)").result) == "(2, ______)"
    capsys.readouterr()
    failed = shell.run_cell("duration, average = f(2)\nassert abs(average - 3) < 1")
    assert isinstance(failed.error_in_exec, NotAttempted)
    shown = capsys.readouterr().out
    assert "还有一个空没有填" in shown
    assert "Traceback" not in shown
    assert len(shown.strip().splitlines()) == 1


def test_outcomes_carry_the_words_that_graders_look_for() -> None:
    assert [outcome.value for outcome in Outcome] == [
        "correct",
        "incorrect",
        "not attempted",
        "cannot tell",
    ]
    assert CannotTell.outcome == "cannot tell"
    assert NotAttempted.outcome == "not attempted"


def test_importing_the_classroom_is_light() -> None:
    code = (
        "import sys, lessons.classroom\n"
        "print([m for m in ('matplotlib', 'ipywidgets', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert done.stdout.strip() == "[]"
