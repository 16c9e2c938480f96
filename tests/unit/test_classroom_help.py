"""check, hint, predict, again, progress: one sentence each, called as a notebook's cell would."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import pytest

from lessons.classroom.shown import shown
from lessons.lesson03.practice import problem

OPENING = (
    "from lessons.classroom import again, blank, check, hint, open_lesson, predict, progress\n"
    "______ = blank()\n"
    'open_lesson("lessons.lesson03", "zh-CN")'
)
FUNCTION = """\
def checkpoint_io(checkpoint_bytes, backend_Bps, write_amplification, interval_s):
    if min(checkpoint_bytes, backend_Bps, write_amplification, interval_s) <= 0:
        raise ValueError("all values must be positive")
    physical_bytes = checkpoint_bytes * write_amplification
    duration = physical_bytes / backend_Bps
    required_average = {}
    return duration, required_average
"""
RIGHT = "physical_bytes / interval_s"
Cells = Callable[..., str]


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cells:
    """Runs cells one after another in one namespace; returns what the last one printed."""
    monkeypatch.delenv("COURSE_LANG", raising=False)
    names: dict[str, Any] = {"__name__": "__main__"}

    def run(*sources: str) -> str:
        out = ""
        for source in sources:
            capsys.readouterr()
            exec(compile(source, "cell", "exec"), names)  # noqa: S102  # a cell
            out = capsys.readouterr().out
        return out

    return run


def said(out: str) -> str:
    """One line, one sentence."""
    assert out.endswith("\n") and out.count("\n") == 1, out
    assert "Traceback" not in out
    return out.rstrip("\n")


def test_without_the_first_cell_every_verb_says_so(cells: Cells) -> None:
    cells("from lessons.classroom import again, check, hint, progress")
    for call in ('check("checkpoint_io")', 'hint("checkpoint_io")', "again()", "progress()"):
        assert "先运行笔记本的第一格" in said(cells(call))


def test_check_before_the_exercise_was_run_and_with_its_blank(cells: Cells) -> None:
    assert said(cells(OPENING, 'check("checkpoint_io")')).startswith("还没做：还没有定义")
    out = said(cells(FUNCTION.format("______"), 'check("checkpoint_io")'))
    assert out.startswith("还没做：") and "______" in out
    out = said(cells('f = {"args": ______}\nmy_boundary_case = f', 'check("my_boundary_case")'))
    assert out.startswith("还没做：")


@pytest.mark.parametrize(
    "fill",
    [
        RIGHT,
        "duration * backend_Bps / interval_s",
        "checkpoint_bytes * write_amplification / interval_s",
        "physical_bytes * (1 / interval_s)",
    ],
)
def test_right_fills_are_right(cells: Cells, fill: str) -> None:
    out = said(cells(OPENING, FUNCTION.format(fill), 'check("checkpoint_io")'))
    assert out.startswith("对了：") and "3 组" in out


# S = 4 TB, B = 10 GB/s, W = 1.5, T = 1800 s: 6e12 B in 600 s; 6e12 / 1800 = 3.333e9.
WRONG = {
    "backend_Bps": ("1e10", "后端给出的带宽 B 本身"),
    "physical_bytes / duration": ("1e10", "后端给出的带宽 B 本身"),
    "checkpoint_bytes / interval_s": ("2222222222.22", "少算了写放大"),
    "physical_bytes // interval_s": ("3333333333", "不要取整"),
    "checkpoint_bytes * write_amplification / duration": ("1e10", "后端给出的带宽 B 本身"),
    "checkpoint_bytes / duration": ("6666666666.67", "写的那一段时间"),
    "3.3333e9": ("3.3333e9", "写死"),
    "physical_bytes / interval_s / 1024**3": ("3.10440858205", "GiB/s"),
    "physical_bytes / interval_s / 1e9": ("3.33333333333", "GB/s"),
    "physical_bytes / interval_s * 8": ("26666666666.7", "比特"),
    "physical_bytes * write_amplification / interval_s": ("5e9", "乘了两次"),
    "duration": ("600, 600", "也是时间"),
    "physical_bytes * interval_s": ("1.08e16", ""),
}


@pytest.mark.parametrize("fill", WRONG)
def test_a_wrong_fill_gets_call_result_expectation_and_a_kind_word(cells: Cells, fill: str) -> None:
    came, kind = WRONG[fill]
    out = said(cells(OPENING, FUNCTION.format(fill), 'check("checkpoint_io")'))
    assert out.startswith("还不对：checkpoint_io(4e12, 1e10, 1.5, 1800) 返回")
    assert came in out and "应为 (600, 3333333333.33)" in out and kind in out
    for answer in (RIGHT, "/ interval_s", "S_phy", "除以 T"):
        assert answer not in out


def test_the_constant_is_caught_by_the_second_interval(cells: Cells) -> None:
    out = said(cells(OPENING, FUNCTION.format("3.3333333333333335e9"), 'check("checkpoint_io")'))
    assert out.startswith("还不对：T 由 1800 变成 300")


@pytest.mark.parametrize(
    ("fill", "begins", "holds"),
    [
        ("1 / 0", "还不对：", "ZeroDivisionError"),
        ("None", "还不对：", "NoneType"),
        ("(x for x in [])", "还不对：", "generator"),
        ("True", "还不对：", "bool"),
        ("10**400", "还不对：", "…"),
        ("float('nan')", "还不对：", "nan"),
        ("__import__('fractions').Fraction(10, 3)", "这里判断不了：", "Fraction"),
        ("__import__('decimal').Decimal(3)", "这里判断不了：", "Decimal"),
    ],
)
def test_odd_results_get_a_sentence_too(cells: Cells, fill: str, begins: str, holds: str) -> None:
    out = said(cells(OPENING, FUNCTION.format(fill), 'check("checkpoint_io")'))
    assert out.startswith(begins) and holds in out


@pytest.mark.parametrize(
    "body",
    [
        "checkpoint_io = 3",
        "def checkpoint_io(): ...",
        "def checkpoint_io(*args): return args[0]",
        "def checkpoint_io(*args): return [600.0, 3333333333.3333335]",
        "def checkpoint_io(*args): return 600.0, 3333333333.3333335, 1",
        "class checkpoint_io:\n    def __init__(self, *args): ...\n"
        "    def __repr__(self): raise KeyError",
    ],
)
def test_other_things_under_the_name_are_not_right(cells: Cells, body: str) -> None:
    assert said(cells(OPENING, body, 'check("checkpoint_io")')).startswith("还不对：")


def test_a_removed_guard_is_noticed(cells: Cells) -> None:
    source = FUNCTION.format(RIGHT).replace("<= 0", "< -1e99")
    out = said(cells(OPENING, source, 'check("checkpoint_io")'))
    assert out.startswith("还不对：checkpoint_io(0, 1e10, 1.5, 1800)") and "ValueError" in out


CASES = {
    "((4e12, 10e9, 1.5, 300), (600.0, 2e10))": "对了：",
    "((4e12, 10e9, 1.5, 600), [600, 10e9])": "对了：",
    "([4e12, 10e9, 1, 1800], (400, 2.2222e9))": "对了：",
    "((0, 10e9, 1.5, 1800), ValueError)": "对了：",
    "((4e12, 10e9, 1.5, 300), ValueError)": "还不对：",
    "((4e12, 10e9, 1.5, 300), (600.0, 1e10))": "还不对：",
    "((4e12, 10e9, 1.5, 1800), (600, 3.333e9))": "还不对：",
    "((4e12, 10e9, 1.5), (600, 3.333e9))": "还不对：",
    "((4e12, 10e9, 1.5, 1700), (600, 3.5e9))": "这里判断不了：",
    "('abcd', 3)": "这里判断不了：",
    "((True, 1, 1, 1), (1, 1))": "这里判断不了：",
}


@pytest.mark.parametrize("case", CASES)
def test_the_own_boundary_case(cells: Cells, case: str) -> None:
    cells(OPENING, FUNCTION.format(RIGHT), f"a, e = {case}")
    cells('my_boundary_case = {"args": a, "expect": e}')
    assert said(cells('check("my_boundary_case")')).startswith(CASES[case])


def test_the_own_boundary_case_before_the_function_is_filled(cells: Cells) -> None:
    cells(OPENING, FUNCTION.format("______"))
    cells('my_boundary_case = {"args": (4e12, 10e9, 1.5, 300), "expect": (600, 2e10)}')
    out = said(cells('check("my_boundary_case")'))
    assert out.startswith("这里判断不了：") and "先把 checkpoint_io 填好" in out


def test_what_no_check_can_judge(cells: Cells) -> None:
    out = said(cells(OPENING, 'check("q1")'))
    assert out.startswith("这里判断不了：") and "checkpoint_io、my_boundary_case" in out


def test_hints_come_one_level_at_a_time(cells: Cells) -> None:
    cells(OPENING)
    levels = [said(cells('hint("checkpoint_io")')) for _ in range(4)]
    assert [one[:6] for one in levels[:3]] == ["提示 1/3", "提示 2/3", "提示 3/3"]
    assert "都给过了" in levels[3]
    assert said(cells('hint("checkpoint_io", 2)')) == levels[1]
    assert "只有 3 级" in said(cells('hint("checkpoint_io", 9)'))
    assert "没有提示" in said(cells('hint("q1")'))
    for text in levels:
        assert RIGHT not in text.replace("`", "")


def test_predictions_are_kept_and_never_judged(cells: Cells) -> None:
    assert "还没有写" in said(cells(OPENING, "predict(1)"))
    assert said(cells('predict(1, "都是\\n 2 倍")')) == "推测 1（未核对，不计分）：都是 2 倍"
    assert said(cells("predict(1)")).endswith("都是 2 倍")


def test_again_asks_and_checks(cells: Cells) -> None:
    first = said(cells(OPENING, "again()"))
    assert first.startswith("第 1 题：") and "again(T_dump, B_avg)" in first
    dump, average = (one.value for one in problem(1).asked)
    assert said(cells(f"again({dump:.3g}, {average:.3g})")).startswith("对了：第 1 题")
    out = said(cells(f"again({dump:.3g}, {average / 1e9:.3g})"))
    assert out.startswith("还不对：第 1 题") and "像是 GB/s" in out
    assert "要 2 个数" in said(cells("again(1)"))
    assert said(cells("again()")).startswith("第 2 题：")
    assert said(cells("again(seed=1)")) == first


def test_a_lost_node_worked_out_by_hand() -> None:
    # Problem 4: T = 600 s, T_commit = 150 s, lost 106 s after save 10 began.
    lost = problem(4)
    assert "T = 600 s" in lost.question[0] and "T_commit = 150 s" in lost.question[0]
    assert "第 10 次保存开始后 106 s" in lost.question[0]
    assert [one.value for one in lost.asked] == [9, 750.0]


@pytest.mark.parametrize("number", range(1, 41))
def test_problems_are_seeded_and_add_up(number: int) -> None:
    one = problem(number)
    assert one == problem(number)
    assert one.question != problem(number + 4).question
    if number % 4:
        dump, average = one.asked
        assert 0 < dump.value < 1e5 and 1e6 < average.value < 1e12
    assert all(math.isfinite(asked.value) for asked in one.asked)
    slips = [value for asked in one.asked for value, _ in asked.slips]
    assert not any(math.isclose(v, a.value, rel_tol=5e-3) for a in one.asked for v in slips[:1])


def test_progress_is_one_sentence(cells: Cells) -> None:
    cells(OPENING, FUNCTION.format(RIGHT), 'predict(2, "1")')
    out = said(cells("progress()"))
    assert "checkpoint_io 看得见的检查已通过；my_boundary_case 还没做；推测写了 1 条" in out


def test_english_on_request(cells: Cells, monkeypatch: pytest.MonkeyPatch) -> None:
    cells(OPENING, FUNCTION.format("backend_Bps"))
    monkeypatch.setenv("COURSE_LANG", "en")
    calls = ('check("checkpoint_io")', 'check("q1")', 'hint("checkpoint_io")', 'hint("q1")')
    more = ("predict(1)", 'predict(1, "x")', "again()", "again(1, 2)", "again(1)", "progress()")
    for call in (*calls, *more, 'check("my_boundary_case")'):
        assert said(cells(call)).isascii() or "×" in said(cells(call)), call


def test_two_notebooks_never_share_a_desk(cells: Cells) -> None:
    cells(OPENING, 'predict(1, "mine")')
    other: dict[str, Any] = {"__name__": "__main__"}
    exec(OPENING, other)  # noqa: S102  # a cell
    assert other["_course_desk"].guesses == {}


def test_left_in_cells_they_cost_the_grader_nothing(cells: Cells) -> None:
    cells(OPENING, FUNCTION.format(RIGHT))
    started = time.perf_counter()
    cells('check("checkpoint_io")\nhint("checkpoint_io")\npredict(1)\nagain()\nprogress()')
    assert time.perf_counter() - started < 1.0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e10, "1e10"),
        (600.0, "600"),
        (3333333333.3333335, "3333333333.33"),
        (2.3e12, "2.3e12"),
        ((1,), "(1,)"),
        (ValueError, "ValueError"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        ("a\nb", "'a\\nb'"),
    ],
)
def test_values_are_short(value: object, text: str) -> None:
    assert shown(value) == text
