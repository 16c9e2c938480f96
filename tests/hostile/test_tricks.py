"""Tricks for points without the answer: 0 for wrong code, always.

The checks hold 24 + 12 random inputs and more; a fill gets its points by the right value for each
of them, and by nothing else. What a fill can do in its own process: `test_spies`, `test_forgery`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def grade(grader_with: Callable[..., Any]) -> Any:
    return grader_with(cell_s=5, submission_s=20)


def given(course: Any, fill: str) -> Any:
    """The fill-in, and a boundary case that is right: T = T_dump = 600 s, so B_avg = B."""
    return course.hand_in().fill(fill).case("(4e12, 10e9, 1.5, 600)", "(600.0, 10e9)")


PLEASING = """
class P(float):
    def ok(self, *a): return True
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __ne__ = ok
    __hash__ = None
    def __sub__(self, o): return self
    __rsub__ = __add__ = __radd__ = __abs__ = __mul__ = __rmul__ = __truediv__ = __sub__
    def __float__(self): return 1.0
    def hex(self): return '0x1.0p+0'
class T(tuple):
    __eq__ = P.ok
    __hash__ = None
    def __iter__(self): return iter((P(), P()))
    def __len__(self): return 2
"""
FIND_OUTER = "__import__('sys')._getframe(1)"

# Fills and, where needed, a cell of the learner's own before it. None gives the right value.
WRONG: dict[str, tuple[str, str | None]] = {
    "the visible constant": ("3.3333333333333335e9", None),
    "floor division": ("physical_bytes // interval_s", None),
    "the capacity": ("backend_Bps", None),
    "a lookup of the visible inputs": (
        "{(4e12, 1800): 3.3333333333333335e9, (4e12, 300): 2e10}"
        ".get((checkpoint_bytes, interval_s), 0)",
        None,
    ),
    "closes the function, opens another": (
        "0\n    return duration, required_average\n\n\n"
        "def checkpoint_io(*a):\n    duration = 600\n    required_average = 3.3333333333333335e9",
        None,
    ),
    "statements in the hole": ("0; return (600, 3.3333333333333335e9)", None),
    "a return in the hole": ("0\n    return 600, 3.3333333333333335e9", None),
    "rebinds duration": ("(duration := 600) and 3.3333333333333335e9", None),
    "rebinds physical_bytes": ("(physical_bytes := 6e12) / 1800", None),
    "a pleasing float": ("P()", PLEASING),
    "a pleasing tuple": ("T((1, 2))", PLEASING),
    "a generator": ("(x for x in (3.3333333333333335e9,))", None),
    "a coroutine": ("f()", "async def f(): return 3.3333333333333335e9"),
    "a class": ("type('R', (float,), {})", None),
    "NaN": ("float('nan')", None),
    "infinity": ("float('inf')", None),
    "a complex number": ("complex(physical_bytes / interval_s)", None),
    "a string": ("str(physical_bytes / interval_s)", None),
    "True": ("True", None),
    "an array": ("__import__('numpy').array([physical_bytes / interval_s])", None),
    "NumPy's own scalar array": ("__import__('numpy').array(physical_bytes // interval_s)", None),
    "an exception class": ("ValueError", None),
    "NotImplemented": ("NotImplemented", None),
    "a yield in the hole": ("(yield 3.3333333333333335e9)", None),
    "a trace function": (
        "__import__('sys').settrace(lambda *a: None) or 3.3333333333333335e9",
        None,
    ),
    "endless recursion": ("(lambda f: f(f))(lambda f: f(f))", None),
    "exec": ("exec('global duration; duration = 600') or 3.3333333333333335e9", None),
    "eval of the frame": (f"{FIND_OUTER}.f_globals.get('_right', 3.3333333333333335e9)", None),
    "a format string": ("float(f'{3.3333333333333335e9!r:>20}')", None),
    "a default argument": ("(lambda x=3.3333333333333335e9: x)()", None),
    "a nested function": ("[g for g in [lambda: 3.3333333333333335e9]][0]()", None),
    "raises CannotTell": (
        "(_ for _ in ()).throw(__import__('lessons.classroom', fromlist=['x']).CannotTell())",
        None,
    ),
    "raises NotAttempted": (
        "(_ for _ in ()).throw(__import__('lessons.classroom', fromlist=['x']).NotAttempted())",
        None,
    ),
    "raises ValueError always": ("int('x')", None),
    "raises AssertionError of its own": ("(_ for _ in ()).throw(AssertionError)", None),
    "raises StopIteration": ("next(iter(()))", None),
    "raises GeneratorExit": ("(_ for _ in ()).throw(GeneratorExit)", None),
    "raises SystemExit(0)": ("exit(0)", None),
    "raises KeyboardInterrupt": ("(_ for _ in ()).throw(KeyboardInterrupt)", None),
    "an exception that pleases": (
        "(_ for _ in ()).throw(E())",
        "class E(ValueError):\n    outcome = 'cannot tell'\n    def __str__(self): return 'passed'",
    ),
    "patched isclose": ("0", "import math\nmath.isclose = lambda *a, **k: True"),
    "patched builtins": (
        "0",
        "import builtins\nbuiltins.abs = lambda x: 0\nbuiltins.isinstance = lambda *a: True\n"
        "builtins.AssertionError = type('Quiet', (Exception,), {})\n"
        "builtins.tuple = list\nbuiltins.all = lambda *a: True",
    ),
    "patched NumPy": ("0", "import numpy\nnumpy.isclose = numpy.allclose = lambda *a, **k: True"),
    "drops asserts": (
        "0",
        "import ast\n"
        "class Drop(ast.NodeTransformer):\n"
        "    def visit_Assert(self, node): return ast.Pass()\n"
        "get_ipython().ast_transformers.append(Drop())",
    ),
    "drops cells": (
        "0",
        "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass\\n'])",
    ),
    "silent tracebacks": ("0", "get_ipython().showtraceback = print = lambda *a, **k: None"),
    "a test of the same name": ("0", "normal = boundary = 'passed'; points = 99; _score = 2"),
    "the checks' own names": (
        "0",
        "def _pair(r): return (600.0, 3.3e9)\ndef _expect(*a): return (1.0, 1.0)\n_rng = None",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_no_points_for_a_wrong_value(course: Any, grade: Any, name: str) -> None:
    fill, own = WRONG[name]
    hand_in = given(course, fill)
    if own is not None:
        hand_in.add(own)
    found = grade(hand_in)
    # Cells that were dropped by the learner's own transformer are gone.
    assert found.points == (0.0, 0.0, 0.0 if name == "drops cells" else 0.5)
    assert found.reasons["normal"]


def test_what_a_hole_defines_is_gone_with_it(course: Any, grade: Any) -> None:
    # The right value, and with it an attempt to rename what the function returns.
    found = grade(given(course, "(duration := 1) * physical_bytes / interval_s"))
    assert found.points == (0.0, 0.0, 0.5)


def test_the_original_bytes_decide_not_a_second_definition(course: Any, grade: Any) -> None:
    source = course.hand_in()["checkpoint_io"]["source"]
    right = "\n\ndef checkpoint_io(s, b, w, t):\n    return s * w / b, s * w / t\n"
    hand_in = given(course, "0").source("checkpoint_io", source.replace("______", "0") + right)
    found = grade(hand_in)
    assert found.points[0] == 0.0
    assert "edited-outside-blank" in found.flags


TAMPERED: dict[str, dict[str, Any]] = {
    "points": {"points": 99},
    "not graded": {"grade": False},
    "a solution": {"solution": True},
    "unlocked": {"locked": False},
    "another grade_id": {"grade_id": "q1"},
    "a checksum": {"checksum": "0" * 32},
}


@pytest.mark.parametrize("name", TAMPERED)
def test_metadata_is_not_believed(course: Any, grade: Any, name: str) -> None:
    hand_in = given(course, "0")
    for cell in ("normal", "boundary"):
        hand_in[cell]["metadata"]["nbgrader"].update(TAMPERED[name])
    found = grade(hand_in)
    assert found.points == (0.0, 0.0, 0.5)
    assert found.flags == (set() if name == "a checksum" else {"foreign-metadata"})


def test_a_removed_guard_is_back_and_proposes_a_veto(course: Any, grade: Any) -> None:
    hand_in = course.right()
    lines = hand_in["checkpoint_io"]["source"].split("\n")
    hand_in.source(
        "checkpoint_io", "\n".join(x for x in lines if "min(" not in x and "raise" not in x)
    )
    found = grade(hand_in)
    assert found.points == (2.0, 0.5, 0.5)  # the spliced code still raises
    assert found.flags == {"edited-outside-blank", "guard-removed"}
    assert found.graded.result.proposed_vetoes == ("removes_failure_path",)


def test_a_removed_assert_is_an_edit(course: Any, grade: Any) -> None:
    hand_in = course.right()
    lines = hand_in["checkpoint_io"]["source"].split("\n")
    hand_in.source("checkpoint_io", "\n".join(x for x in lines if not x.startswith("assert")))
    found = grade(hand_in)
    assert (found.points, found.flags) == ((2.0, 0.5, 0.5), {"edited-outside-blank"})


# args, expectation -> points. The expectation is compared with the reference, on this side.
CASES: dict[str, tuple[str, str, float | None]] = {
    "the visible inputs": ("(4e12, 10e9, 1.5, 1800)", "(600, 3.3333333333e9)", None),
    "asks its own function": ("(1, 2, 3, 1)", "checkpoint_io(1, 2, 3, 1)", 0.0),
    "no boundary": ("(1, 1, 2, 99)", "(2, 2 / 99)", None),
    "a dict that pleases": ("D()", "D()", None),
    "a float that pleases": ("(F(1), 1, 1, 1)", "(F(9), F(9))", 0.0),
    "booleans": ("(True, True, True, True)", "(True, True)", None),
    "a complex": ("(1j, 1, 1, 1)", "(1, 1)", None),
    "1e308": ("(1e308, 1e-308, 1, 1)", "(1, 1)", None),
    "out of range": ("(1e299, 1e-299, 1, 1)", "(float('inf'), 1e299)", None),
    "a huge int": ("(10 ** 4000, 1, 1, 1)", "(10 ** 4000, 10 ** 4000)", None),
    "minus a huge int": ("(-10 ** 4000, 1, 1, 1)", "ValueError", 0.5),
    "NaN everywhere": ("(float('nan'),) * 4", "(float('nan'),) * 2", None),
    "expects NaN": ("(1, 1, 1, 1)", "(float('nan'), float('nan'))", 0.0),
    "expects a subclass of ValueError": ("(0, 1, 1, 1)", "UnicodeError", 0.0),
    "expects Exception": ("(0, 1, 1, 1)", "Exception", 0.0),
    "expects a class of its own": ("(0, 1, 1, 1)", "E", 0.0),
    "expects an instance": ("(0, 1, 1, 1)", "ValueError('x')", 0.0),
    "strings": ("('0', '1', '1', '1')", "ValueError", None),
    "an array": ("__import__('numpy').zeros(4)", "ValueError", None),
    "five numbers": ("(0, 1, 1, 1, 1)", "ValueError", None),
    "a generator": ("(x for x in (0, 1, 1, 1))", "ValueError", 0.0),
    "nothing": ("None", "None", None),
    "a Decimal": ("(__import__('decimal').Decimal(0), 1, 1, 1)", "ValueError", None),
    "nested too deep": ("[" * 80 + "]" * 80, "ValueError", 0.0),
}
CLASSES = """
class F(float):
    def ok(self, *a): return True
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = ok
    __hash__ = float.__hash__
    def __sub__(self, o): return 0.0
    __rsub__ = __sub__
class D(dict):
    def __eq__(self, o): return True
    def __iter__(self): return iter(('args', 'expect'))
    def __getitem__(self, k): return (0, 1, 1, 1) if k == 'args' else ValueError
    def keys(self): return ['args', 'expect']
class E(ValueError):
    outcome = 'correct'
"""


@pytest.mark.parametrize("name", CASES)
def test_a_boundary_case_is_judged_by_the_reference(course: Any, grade: Any, name: str) -> None:
    args, expect, points = CASES[name]
    found = grade(course.hand_in().fill("0").case(args, expect).add(CLASSES))
    assert found.points == (0.0, 0.0, points)
    assert found.status == "graded"


@pytest.mark.parametrize("source", ["D()", "{**D(), 'args': 1}", "type('X', (D,), {})(args=1)"])
def test_another_kind_of_dict_is_reduced_to_what_it_holds(
    course: Any, grade: Any, source: str
) -> None:
    hand_in = given(course, "0").add(CLASSES)
    found = grade(hand_in.add(f"my_boundary_case = {source}", before="boundary_case"))
    assert found.points in {(0.0, 0.0, None), (0.0, 0.0, 0.0)}
    assert "edited-outside-blank" in found.flags
