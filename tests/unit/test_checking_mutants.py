"""Mutants by hand, what fills a blank, and whether two functions do the same."""

from __future__ import annotations

import ast
import math
import random
import subprocess
import sys
import time
from typing import Any

import pytest

from autograder.checking import fillings, likeness, probe, stage
from autograder.checking.mutants import expression_mutants, statement_mutants

STUB = "def f(a, b):\n    c = a * 2\n    return ______\n"
REFERENCE = "def f(a, b):\n    c = a * 2\n    return c / b\n"


def once(text: str, *names: str) -> set[str]:
    return {mutant.text for mutant in expression_mutants(text, names) if mutant.order == 1}


def test_an_operator_is_swapped_for_every_other_but_power() -> None:
    made = once("a / b")
    assert {"a + b", "a - b", "a * b", "a // b", "a % b", "b / a", "a", "b"} <= made
    assert not any("**" in text for text in made)


def test_a_name_is_swapped_for_each_other_name_in_scope() -> None:
    made = once("a / b", "a", "b", "c")
    assert {"b / b", "c / b", "a / a", "a / c"} <= made
    assert {"a / b * c", "a / b / c", "min(a / b, c)", "max(a / b, c)"} <= made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", {"4", "2", "0", "-3"}),
        ("2.5", {"2.525", "3.5", "0.0", "-2.5"}),
        ("4e12", {"4040000000000.0", "0.0", "-4000000000000.0"}),
        ("True", {"False"}),
        ("'ab'", {"'abx'", "''"}),
        ("a < b", {"a <= b", "a > b", "a >= b", "a == b", "a != b"}),
        ("a and b", {"a or b", "a", "b"}),
        ("not a", {"a"}),
        ("x if t else y", {"x", "y", "y if t else x"}),
        ("min(a, b)", {"max(a, b)", "min(b, a)", "min(a)", "min(b)", "a", "b"}),
        ("s.strip()", {"s"}),
        ("(a, b)", {"(a,)", "(b,)", "(b, a)"}),
        ("xs[1:]", {"xs", "xs[2:]", "xs[0:]"}),
        ("[x for x in xs if x]", {"[x for x in xs]"}),
        ("{'k': a, 'l': b}", {"{'k': a}", "{'l': b}"}),
    ],
)
def test_slips_of_one_construct(text: str, expected: set[str]) -> None:
    assert expected <= once(text)


def test_the_whole_is_rounded_negated_and_wrapped() -> None:
    made = once("a / b")
    assert {"int(a / b)", "round(a / b)", "abs(a / b)", "-(a / b)", "a / b + 1", "None"} <= made
    assert any("float32" in text for text in made)


def test_two_slips_fill_what_is_left_and_no_mutant_comes_twice() -> None:
    made = expression_mutants("a / b", ("a", "b", "c"))
    texts = [mutant.text for mutant in made]
    assert "c * a" not in texts[:40]
    assert {"a * c", "c - b"} <= {mutant.text for mutant in made if mutant.order == 2}
    assert len(texts) == len(set(texts))
    assert "a / b" not in texts
    assert len(expression_mutants("a / b", ("a", "b", "c"), most=10)) == 10


def test_a_name_that_the_expression_binds_is_no_name_to_swap() -> None:
    assert "[y for x in xs]" not in once("[x for x in xs]", "x", "y")
    assert "[x for x in y]" in once("[x for x in xs]", "x", "y")


def test_a_function_that_is_called_stays() -> None:
    assert "b(a)" not in once("f(a)", "a", "b")


def test_a_statement_is_dropped_or_slips() -> None:
    statement = ast.parse("total = a + b").body[0]
    made = [ast.unparse(one) for one in statement_mutants(statement, ("a", "b"))]
    assert made[0] == "pass"
    assert {"total = a - b", "total = a", "total = b + b"} <= set(made)
    assert ast.unparse(statement) == "total = a + b"


def test_a_fill_goes_into_its_blank_behind_wide_characters() -> None:
    stub = 'd = {"名": ______, "值": ______}  # 两个空'
    assert fillings.filled(stub, ["1", "a, b"]) == 'd = {"名": (1), "值": (a, b)}  # 两个空'


def test_the_reference_is_laid_over_the_stub() -> None:
    found = fillings.find(STUB, REFERENCE)
    assert [ast.unparse(one) for one in found.expressions] == ["c / b"]
    assert found.edited_line is None
    assert fillings.names_at(found.tree, found.expressions[0]) == ["a", "b", "c"]


def test_a_comment_is_no_edit_and_a_changed_line_is() -> None:
    assert fillings.find(STUB, "# why\n" + REFERENCE).edited_line is None
    assert fillings.find(STUB, REFERENCE.replace("a * 2", "a * 3")).edited_line == 2


def test_statements_above_the_blank_are_part_of_the_filling() -> None:
    longer = "def f(a, b):\n    c = a * 2\n    c = c + 1\n    return c / b\n"
    found = fillings.find(STUB, longer)
    assert [ast.unparse(one) for one in found.statements] == ["c = c + 1"]
    assert [ast.unparse(one) for one in found.expressions] == ["c / b"]
    sources = [source for _, source in fillings.mutants(found)]
    assert "def f(a, b):\n    c = a * 2\n    pass\n    return c / b" in sources


def test_mutants_change_the_blank_and_nothing_else() -> None:
    made = dict(fillings.mutants(fillings.find(STUB, REFERENCE)))
    assert made["c * b"] == "def f(a, b):\n    c = a * 2\n    return c * b"


def test_equal_numbers_of_other_types_are_alike_and_bools_are_no_numbers() -> None:
    assert likeness.alike(1, 1.0)
    assert likeness.alike(math.nan, math.nan)
    assert likeness.alike(0.1 + 0.2, 0.3)
    assert likeness.alike((1, [2.0]), (1, [2]))
    assert not likeness.alike(1, True)
    assert not likeness.alike((1,), [1])
    assert not likeness.alike(1.0, 1.000001)
    assert not likeness.alike(10**400, 1.5)


def test_a_departure_names_the_input() -> None:
    inputs: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((2, 1), {}), ((1, 2), {})]
    words = likeness.departure(lambda a, b: a - b, lambda a, b: abs(a - b), inputs)
    assert words == "at (1, 2) it gives 1, the reference -1"
    assert likeness.departure(lambda a, b: a + b, lambda a, b: b + a, inputs) == ""


def test_an_exception_is_compared_by_its_name() -> None:
    def guarded(a: float) -> float:
        if a <= 0:
            raise ValueError
        return 1 / a

    words = likeness.departure(guarded, lambda a: 1 / a, [((2,), {}), ((0,), {})])
    assert words == "at (0) it gives 'ZeroDivisionError', the reference 'ValueError'"


def test_inputs_nearby_keep_shape_and_type() -> None:
    made = likeness.nearby([((3, 2.5, "x"), {}), ((7, 0.5, "y"), {})], random.Random(1))  # inputs
    assert len(made) == likeness.NEARBY
    for args, kwargs in made:
        assert [type(arg) for arg in args] == [int, float, str]
        assert kwargs == {}


def _bench(test: str, **names: Any) -> probe.Bench:
    after = [{"kind": "test", "id": "t", "source": test, "points": 2.0, "hidden_only": None}]
    return probe.Bench(names, "f", REFERENCE, after, 0.4)


def _seen(test: str, source: str) -> dict[str, Any]:
    result = _bench(test).judge([{"id": "x", "source": source, "mutant": False}])
    seen: dict[str, Any] = result[0]["tests"]["t"]
    return seen


def test_the_probe_tells_outcomes_apart() -> None:
    assert _seen("assert f(3, 2) == 3", REFERENCE) == {"outcome": "passed"}
    failed = _seen("x = 1\nassert f(3, 2) == 4, 'four'", REFERENCE)
    assert failed == {"outcome": "failed", "why": "AssertionError: four", "line": 2}
    assert _seen("f(3, 2)", STUB)["outcome"] == "not-attempted"
    assert _seen("assert f(3, 2) == 3\n1.5", REFERENCE) == {"outcome": "passed", "score": 1.5}
    person = "class Unsure(Exception):\n    outcome = 'cannot tell'\nraise Unsure('who knows')"
    assert _seen(person, REFERENCE)["outcome"] == "cannot-tell"
    assert _seen("raise SystemExit", REFERENCE)["outcome"] == "failed"


def test_a_variant_that_loops_is_ended_even_if_it_swallows_exceptions() -> None:
    swallow = "try:\n            a += 1\n        except Exception:\n            pass"
    loop = f"def f(a, b):\n    while True:\n        {swallow}"
    started = time.monotonic()
    assert _seen("f(1, 1)", loop)["outcome"] == "timeout"
    assert time.monotonic() - started < 3


def test_a_variant_finds_nothing_of_the_one_before() -> None:
    bench = _bench("assert f(3, 2) == 3")
    first, second = bench.judge(
        [
            {"id": "a", "source": REFERENCE, "mutant": False},
            {"id": "b", "source": "raise RuntimeError", "mutant": False},
        ]
    )
    assert first["tests"]["t"]["outcome"] == "passed"
    assert second["tests"]["t"]["why"].startswith("NameError")


def test_a_mutant_is_compared_on_what_the_tests_call() -> None:
    bench = _bench("assert f(3, 2) == 3")
    swapped, negated = bench.judge(
        [
            {"id": "a", "source": REFERENCE.replace("a * 2", "2 * a"), "mutant": True},
            {"id": "b", "source": REFERENCE.replace("c / b", "abs(c / b) + 1e-9"), "mutant": True},
        ]
    )
    assert swapped["difference"] == ""
    assert negated["difference"].startswith("at (3, 2) it gives 3.000000001")


def test_names_come_back_and_the_session_goes_on() -> None:
    names: dict[str, Any] = {"a": 1, "In": ["x"], "______": "blank"}
    kept = probe.keep(names)
    names |= {"a": 2, "b": 3, "In": ["x", "y"], "_i2": "y", "_items": [1]}
    del names["______"]
    probe.restore(names, kept)
    assert names == {"a": 1, "In": ["x", "y"], "_i2": "y", "______": "blank"}


TESTS = """\
import math
shown = f(1, 1)
assert shown == 2
for x in (1, 2):
    assert f(x, 1) == 2 * x
### BEGIN HIDDEN TESTS
assert f(4, 2) == 4
### END HIDDEN TESTS"""


def test_hidden_tests_alone_keep_what_the_visible_part_binds() -> None:
    assert stage.without_shown_asserts(TESTS) == (
        "import math\nshown = f(1, 1)\nfor x in (1, 2):\n    pass\nassert f(4, 2) == 4"
    )
    assert stage.without_shown_asserts("assert f(1, 1) == 2") is None


def test_the_probe_loads_where_nothing_of_ours_can_be_imported() -> None:
    program = f"{stage.load_probe()}\nprint(_course.raised_outcome(NameError('x', name='______')))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "not-attempted"
