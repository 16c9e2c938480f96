"""Tricks on the fill-in: nothing in a hole changes what stands around it."""

from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.grading.integrity.fill import unify
from autograder.grading.records import Flag

PRISTINE = """\
def f(x, y):
    if min(x, y) <= 0:
        raise ValueError("positive")
    a = x * 2
    # TODO：平均
    b = ______
    return a, b

assert f(1, 2) == (2, 0.5)
"""


def around(source: str) -> list[str]:
    """Dump what is not the fill: the function's other statements and the check."""
    tree = ast.parse(source)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    dumps = [ast.dump(stmt) for stmt in function.body]
    return [function.name, *dumps[:2], dumps[-1], *map(ast.dump, tree.body[1:])]


TRICKS = [
    "x / y\n    return a, b\n\ndef f(*args):\n    a = 2\n    b = 0.5",
    '"""\n    return 2, 0.5\n"""',
    "x / y  # \\\n    return 2, 0.5",
    "(x\n/ y); a = 600; b = 1",
    "(lambda: globals().update(f=None))()",
    "(yield)",
    "x if True else exec('a = 600')",
    "[a := 1 for _ in [0]]",
    "x / y\nimport os\nif 1:\n    b = 2",
    "f'{x!r}' f\"{'''a\n'''}\"",
    "x / y\n    del a\n    a = 600",
    "x / y\n    try:\n        pass\n    finally:\n        return 2, 0.5",
]


@pytest.mark.parametrize("trick", TRICKS)
def test_a_fill_cannot_change_what_stands_around_it(trick: str) -> None:
    found = unify(PRISTINE, PRISTINE.replace("______", trick), "f")
    if found.spliced is None:
        assert found.reason
    else:
        assert around(found.spliced) == around(PRISTINE)


def test_the_filling_of_the_genuine_definition_counts() -> None:
    trick = "backwards\n    return a, b\n\ndef f(x, y):\n    return 2, 0.5\n\nif 0:\n    b = 1"
    found = unify(PRISTINE, PRISTINE.replace("______", trick), "f")
    assert found.expressions == ("backwards",)
    assert found.flags == {Flag.EDITED_OUTSIDE_BLANK, Flag.GUARD_REMOVED}


def test_hard_coded_results_elsewhere_are_left_out() -> None:
    source = PRISTINE.replace("______", "0").replace("return a, b", "return 2, 0.5")
    found = unify(PRISTINE, source, "f")
    assert found.spliced == PRISTINE.replace("______", "0")


BOMBS = [
    "-" * 60_000 + "1",
    "+".join(["1"] * 40_000),
    ".".join(["a"] * 40_000),
    "(" * 5_000 + ")" * 5_000,
    "not " * 20_000 + "1",
    "lambda:" * 10_000 + "1",
    "[" * 150 + "]" * 150,
    "1 if 1 else " * 8_000 + "1",
    "9" * 50_000,
    "9**9**9**9",
    "'a' * 10**10",
    "x" * 10_000_000,
    "0;" * 40_000,
    'f"' + "{" * 50_000,
    "\0",
    "'\ud800'",
    "\u2028",
    "b\n    b = " * 9_000 + "1",
    "1\n    if 1: b = 1\n    b = " * 3_000 + "1",
]


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: repr(bomb[:8]))
def test_bombs_end_in_time_with_a_reason_or_a_cell(bomb: str) -> None:
    start = time.monotonic()
    found = unify(PRISTINE, PRISTINE.replace("______", bomb), "f")
    assert time.monotonic() - start < 10
    if found.spliced is None:
        assert found.reason
        assert len(found.reason) < 300
    else:
        assert around(found.spliced) == around(PRISTINE)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab12 \n\t()[]{}:;,.='\"#\\+-/％（）_\r\x0c"), max_size=24))
def test_any_text_in_the_blank(text: str) -> None:
    found = unify(PRISTINE, PRISTINE.replace("______", text), "f")
    if found.spliced is None:
        assert found.reason
    else:
        compile(found.spliced, "<cell>", "exec")
        assert around(found.spliced) == around(PRISTINE)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*PRISTINE.split("\n"), "    b = x / y", "b = 1"]), max_size=12))
def test_any_lines_in_any_order(lines: list[str]) -> None:
    found = unify(PRISTINE, "\n".join(lines), "f")
    if found.spliced is None:
        assert found.reason
    else:
        assert around(found.spliced) == around(PRISTINE)
