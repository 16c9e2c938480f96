"""What a learner filled in, found again and put back into the pristine cell."""

from __future__ import annotations

import pytest

from autograder.grading.integrity.fill import unify
from autograder.grading.records import Fill, Flag

HEAD = """\
def checkpoint_io(checkpoint_bytes, backend_Bps, write_amplification, interval_s):
    if min(checkpoint_bytes, backend_Bps, write_amplification, interval_s) <= 0:
        raise ValueError("all values must be positive")
    physical_bytes = checkpoint_bytes * write_amplification
    duration = physical_bytes / backend_Bps
"""
TODO = "    # TODO：周期内摊销的最低平均后端带宽。\n"
TAIL = """\
    return duration, required_average

duration, avg = checkpoint_io(4e12, 10e9, 1.5, 1800)
assert duration == 600 and abs(avg - 3.3333333333333335e9) < 1
"""
PRISTINE = HEAD + TODO + "    required_average = ______\n" + TAIL
RIGHT = PRISTINE.replace("______", "physical_bytes / interval_s")
GUARD = HEAD[HEAD.index("    if") : HEAD.index("    physical_bytes")]

CASE = """\
my_boundary_case = {
    "args": ______,  # (S, B, W, T)
    "expect": ______,  # (duration, average)，或 ValueError
}
"""


def fill(source: str) -> Fill:
    return unify(PRISTINE, source, "checkpoint_io")


def spliced(*lines: str) -> str:
    return HEAD + TODO + "".join(f"    {line}\n" for line in lines) + TAIL


BLACK = """\
def checkpoint_io(
    checkpoint_bytes,
    backend_Bps,
    write_amplification,
    interval_s,
):
    if (
        min(
            checkpoint_bytes,
            backend_Bps,
            write_amplification,
            interval_s,
        )
        <= 0
    ):
        raise ValueError('all values must be positive')
    physical_bytes = (checkpoint_bytes * write_amplification)
    duration = physical_bytes / backend_Bps
    required_average = physical_bytes / interval_s
    return (duration, required_average)


duration, avg = checkpoint_io(4e12, 10e9, 1.5, 1_800)
assert duration == 600 and abs(avg - 3.3333333333333335e9) < 1
"""


@pytest.mark.parametrize(
    "source",
    [
        RIGHT,
        BLACK,
        RIGHT.replace("\n", "\r\n"),
        RIGHT.replace("    ", "\t"),
        RIGHT.replace(TODO, ""),
        RIGHT.replace(TODO, "    # 我的想法：先除。\n"),
        RIGHT.replace("interval_s\n    return", "interval_s;\n    return"),
        RIGHT.replace("physical_bytes / interval_s", "(physical_bytes / interval_s)  # 平均"),
        RIGHT.replace("required_average = p", "required_average: float = p"),
        RIGHT.replace("physical_bytes / interval_s", "\\\n        physical_bytes / interval_s"),
        "%%time\n" + RIGHT,
        "# 作业\n%matplotlib inline\n\n" + RIGHT,
        "\ufeff" + RIGHT + "\n\n\n",
        RIGHT.replace("    if min", '    """说明。"""\n    if min'),
    ],
)
def test_what_is_no_edit(source: str) -> None:
    found = fill(source)
    assert found.spliced == spliced("required_average = physical_bytes / interval_s")
    assert found.flags == frozenset()
    assert found.reason is None
    assert found.expressions == ("physical_bytes / interval_s",)


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("(physical_bytes  # 总量\n    / interval_s)",
         ["required_average = (physical_bytes  # 总量", "/ interval_s)"]),
        ("physical_bytes, 1", ["required_average = physical_bytes, 1"]),
        ("(y := physical_bytes)", ["required_average = (y := physical_bytes)"]),
        ("lambda: 1", ["required_average = lambda: 1"]),
        ("[b for b in (1, 2)]", ["required_average = [b for b in (1, 2)]"]),
        ("duration * backend_Bps / interval_s",
         ["required_average = duration * backend_Bps / interval_s"]),
    ],
)  # fmt: skip
def test_any_expression_fills_the_blank(written: str, lines: list[str]) -> None:
    found = fill(PRISTINE.replace("______", written))
    assert found.spliced == spliced(*lines)
    assert found.flags == frozenset()


@pytest.mark.parametrize(
    "lines",
    [
        ["total = physical_bytes", "required_average = total / interval_s"],
        ["t = 0", "for _ in range(3):", "    t += 1", "required_average = t"],
        ['s = """a', '  b"""', "required_average = s"],
        ["import warnings", "warnings.warn('x')", "required_average = 1.0"],
    ],
)
def test_statements_at_the_todo_line_are_part_of_the_fill(lines: list[str]) -> None:
    source = HEAD + "".join(f"    {line}\n" for line in lines) + TAIL
    found = fill(source)
    assert found.spliced == spliced(*lines)
    assert found.flags == frozenset()


def test_statements_on_one_line_are_part_of_the_fill() -> None:
    found = fill(PRISTINE.replace("required_average = ______", "x = 1; required_average = x"))
    assert found.spliced == spliced("x = 1", "required_average = x")
    assert found.flags == frozenset()


def test_another_construct_in_its_place_is_spliced_and_flagged() -> None:
    lines = ["if interval_s:", "    required_average = physical_bytes / interval_s"]
    found = fill(HEAD + "".join(f"    {line}\n" for line in lines) + TAIL)
    assert found.spliced == spliced(*lines)
    assert found.flags == {Flag.EDITED_OUTSIDE_BLANK}


def test_a_second_assignment_is_spliced_and_flagged() -> None:
    lines = ["required_average = physical_bytes", "required_average /= interval_s"]
    found = fill(HEAD + "".join(f"    {line}\n" for line in lines) + TAIL)
    assert found.spliced == spliced(*lines)
    assert found.flags == {Flag.EDITED_OUTSIDE_BLANK}


@pytest.mark.parametrize(
    "source",
    [
        RIGHT + "print(avg)\n",
        RIGHT + "avg",
        "import math\n" + RIGHT,
        RIGHT.replace("return duration, required_average", "return 600, required_average"),
        RIGHT.replace("duration = physical_bytes / backend_Bps", "duration = 600"),
        RIGHT.replace("all values must be positive", "必须为正"),
        RIGHT.replace("<= 0:", "<= 0 or interval_s != interval_s:"),
        RIGHT[: RIGHT.index("duration, avg")],
        RIGHT.replace("assert duration", "assert True or duration"),
        "required_average = physical_bytes / interval_s\n",
    ],
)
def test_edits_elsewhere_are_flagged_and_left_out(source: str) -> None:
    found = fill(source)
    assert found.spliced == spliced("required_average = physical_bytes / interval_s")
    assert found.flags == {Flag.EDITED_OUTSIDE_BLANK}


@pytest.mark.parametrize(
    "source",
    [
        RIGHT.replace(GUARD, ""),
        RIGHT.replace("<= 0:", "< 0:"),
        RIGHT.replace("raise ValueError", "raise TypeError"),
        RIGHT.replace('raise ValueError("all values must be positive")', "pass"),
        RIGHT.replace(GUARD, "    if False:\n        raise ValueError\n"),
        RIGHT.replace(GUARD, "    return 600, 3e9\n" + GUARD),
        RIGHT + "\ndef checkpoint_io(*a):\n    return 600.0, 3.3333333333333335e9\n",
    ],
)
def test_a_missing_or_weaker_guard_is_flagged_and_restored(source: str) -> None:
    found = fill(source)
    assert found.spliced == spliced("required_average = physical_bytes / interval_s")
    assert found.flags == {Flag.EDITED_OUTSIDE_BLANK, Flag.GUARD_REMOVED}


def test_an_assert_inside_a_function_is_a_guard() -> None:
    pristine = "def f(x):\n    assert x > 0\n    return ______\n"
    found = unify(pristine, "def f(x):\n    return x * 2\n", "f")
    assert found.spliced == "def f(x):\n    assert x > 0\n    return x * 2\n"
    assert found.flags == {Flag.EDITED_OUTSIDE_BLANK, Flag.GUARD_REMOVED}


def test_not_attempted() -> None:
    found = fill(PRISTINE)
    assert found.spliced is None
    assert found.flags == {Flag.NOT_ATTEMPTED}
    assert found.reason == "checkpoint_io 的空（______）还没有填写。"
    assert unify(PRISTINE, PRISTINE, "checkpoint_io", lang="en").reason == (
        "The blank (______) of checkpoint_io is not filled in yet."
    )


def test_a_blank_inside_the_filling_is_not_attempted() -> None:
    found = fill(PRISTINE.replace("______", "physical_bytes / ______"))
    assert found.flags == {Flag.NOT_ATTEMPTED}


def test_the_blank_left_above_the_answer() -> None:
    found = fill(PRISTINE.replace("______\n", "______\n    required_average = physical_bytes\n"))
    assert found.spliced == spliced("required_average = physical_bytes")
    assert found.flags == frozenset()


def test_the_blank_used_as_a_name() -> None:
    lines = ["______ = physical_bytes / interval_s", "required_average = ______"]
    found = fill(HEAD + "".join(f"    {line}\n" for line in lines) + TAIL)
    assert found.spliced == spliced(*lines)
    assert found.flags == frozenset()


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("physical_bytes ／ interval_s",
         "第 7 行第 39 个字符 “／” 是全角字符，请换成半角 “/”。"),
        ("（physical_bytes / interval_s）",
             "第 7 行第 24 个字符 “（” 是全角字符，请换成半角 “(”。"),
        ("max(1，2)", "第 7 行第 29 个字符 “，” 是全角字符，请换成半角 “,”。"),
        ("“3”", "第 7 行第 24 个字符 ““” 是全角字符，请换成半角 “\"”。"),
        ("1；", "第 7 行第 25 个字符 “；” 是全角字符，请换成半角 “;”。"),
        ("{1：2}", "第 7 行第 26 个字符 “：” 是全角字符，请换成半角 “:”。"),
        ("１", "第 7 行第 24 个字符 “１” 是全角字符，请换成半角 “1”。"),
        ("2 × 3", "第 7 行第 26 个字符 “×” "),
        ('"abc”', "第 7 行第 28 个字符 “”” "),
        ("1\u00a0+ 1", "第 7 行第 25 个字符是看不见的字符（U+00A0）"),
        ("(1", "第 7 行第 24 个字符 “(” 没有配对的右括号。"),
        ("1)", "第 7 行第 25 个字符 “)” 没有配对的左括号。"),
        ("'a", "第 7 行第 24 个字符开始的字符串没有结束"),
        ("1 2", "第 7 行第 26 个字符附近有语法错误。"),
        ("\n        1", "第 7 行第 2"),
        ("1\x00", "第 7 行第 25 个字符是空字节（NUL）"),
    ],
)  # fmt: skip
def test_a_syntax_error_names_line_and_character(written: str, sentence: str) -> None:
    found = fill(PRISTINE.replace("______", written))
    assert found.spliced is None
    assert found.flags == {Flag.SYNTAX_ERROR}
    assert found.reason is not None
    assert found.reason.startswith(sentence), found.reason


def test_tabs_and_spaces_mixed() -> None:
    found = fill(RIGHT.replace("    required_average =", "\trequired_average ="))
    assert found.flags == {Flag.SYNTAX_ERROR}
    assert "第 7 行" in (found.reason or "")


def test_a_syntax_error_below_a_magic_keeps_its_line() -> None:
    found = fill("%%time\n" + PRISTINE.replace("______", "1 ＋ 1"))
    assert found.reason == "第 8 行第 26 个字符 “＋” 是全角字符，请换成半角 “+”。"


@pytest.mark.parametrize("source", ["", "# 删了", "x = 1"])
def test_nothing_of_the_exercise_is_left(source: str) -> None:
    found = fill(source)
    assert found.spliced is None
    assert "找不到填空处" in (found.reason or "")


def test_several_blanks() -> None:
    written = 'my_boundary_case = {"args": (4e12, 1e10, 1.5, 600), "expect": (600.0, 1e10)}'
    found = unify(CASE, written, "my_boundary_case")
    assert found.spliced == (
        "my_boundary_case = {\n"
        '    "args": (4e12, 1e10, 1.5, 600),  # (S, B, W, T)\n'
        '    "expect": (600.0, 1e10),  # (duration, average)，或 ValueError\n'
        "}\n"
    )
    assert found.expressions == ("(4e12, 1e10, 1.5, 600)", "(600.0, 1e10)")
    assert found.flags == frozenset()


def test_several_blanks_in_another_order_with_an_added_key() -> None:
    written = 'my_boundary_case = {"expect": ValueError, "why": "x", "args": (0, 1, 1, 1)}'
    found = unify(CASE, written, "my_boundary_case")
    assert found.expressions == ("(0, 1, 1, 1)", "ValueError")
    assert found.spliced is not None
    assert "why" not in found.spliced
    assert found.flags == {Flag.EDITED_OUTSIDE_BLANK}


def test_one_of_several_blanks_left() -> None:
    found = unify(CASE, CASE.replace("______", "(0, 1, 1, 1)", 1), "my_boundary_case")
    assert found.flags == {Flag.NOT_ATTEMPTED}
    assert found.reason == "my_boundary_case 有 2 个空（______），还有没填写的。"


def test_statements_above_a_blank_without_todo_are_flagged() -> None:
    written = "S = 4e12\n" + CASE.replace("______", "S", 1).replace("______", "ValueError")
    found = unify(CASE, written, "my_boundary_case")
    assert found.spliced == written
    assert found.flags == {Flag.EDITED_OUTSIDE_BLANK}
