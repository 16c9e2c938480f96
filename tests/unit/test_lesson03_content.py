"""lesson03's own cells, run in-process: what its tests must catch and what they must accept."""

# ruff: noqa: S102, S307 - running the lesson's own cells and fills is what this module is for
from __future__ import annotations

import ast
import builtins
import importlib.util
import math
import re
import sys
import tomllib
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "solutions" / "lesson03"
TEXT = (FOLDER / "lesson03.qmd").read_text(encoding="utf-8")
BLANK = "______"


@dataclass(frozen=True, kw_only=True)
class Cell:
    options: dict[str, str]
    source: str


def _cells() -> list[Cell]:
    found = []
    for body in re.findall(r"^```\{python\}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        options = dict(re.findall(r"^#\| (\w+): (.+)$", body, re.MULTILINE))
        source = re.sub(r"^#\| .*\n", "", body, flags=re.MULTILINE)
        found.append(Cell(options=options, source=source.rstrip("\n")))
    return found


CELLS = _cells()


def _one(role: str, **wanted: str) -> str:
    sources = [
        cell.source
        for cell in CELLS
        if cell.options.get("course_role") == role and wanted.items() <= cell.options.items()
    ]
    assert len(sources) == 1, (role, wanted, len(sources))
    return sources[0]


def _fills(exercise: str, expect: str) -> list[str]:
    source = _one("fill", exercise=exercise, expect=expect)
    statements = ast.parse(source).body
    assert all(isinstance(statement, ast.Expr) for statement in statements)
    return [ast.get_source_segment(source, statement) or "" for statement in statements]


EXERCISE = next(
    cell.source
    for cell in CELLS
    if cell.options.get("course_role") == "exercise" and "def checkpoint_io" in cell.source
)
TESTS = {name: _one("tests", label=name) for name in ("normal", "boundary", "boundary_case")}


@pytest.fixture(autouse=True)
def classroom(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand-in for `lessons.classroom` where the project does not hold it yet."""
    if importlib.util.find_spec("lessons.classroom") is None:
        module = types.ModuleType("lessons.classroom")
        stand_in = type("CannotTell", (Exception,), {"outcome": "cannot tell"})
        module.CannotTell = stand_in  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "lessons.classroom", module)
    yield


def _filled(fill: str) -> Callable[..., Any]:
    """Return `checkpoint_io` with `fill` in its blank, without the visible check below it."""
    function = EXERCISE.split("\n\n\n")[0].replace(BLANK, f"({fill})")
    names: dict[str, Callable[..., Any]] = {}
    exec(function, names)
    return names["checkpoint_io"]


def _outcome(test: str, **names: Any) -> str:
    try:
        exec(TESTS[test], dict(names))
    except Exception as error:
        return getattr(error, "outcome", "failed")
    return "passed"


def _points(fill: str) -> tuple[float, float]:
    function = _filled(fill)
    normal = 2.0 if _outcome("normal", checkpoint_io=function) == "passed" else 0.0
    boundary = 0.5 if _outcome("boundary", checkpoint_io=function) == "passed" else 0.0
    return normal, boundary


BRIEF_WRONG = [
    "backend_Bps",
    "physical_bytes / duration",
    "checkpoint_bytes / interval_s",
    "physical_bytes // interval_s",
    "checkpoint_bytes * write_amplification / duration",
    "3.3333e9",
    "physical_bytes / interval_s / 1024**3",
]
BRIEF_RIGHT = [
    "physical_bytes / interval_s",
    "duration * backend_Bps / interval_s",
    "checkpoint_bytes * write_amplification / interval_s",
    "physical_bytes * (1 / interval_s)",
]


def test_brief_fills_stand_in_the_lesson() -> None:
    assert set(BRIEF_WRONG) <= set(_fills("checkpoint_io", "wrong"))
    assert set(BRIEF_RIGHT) <= set(_fills("checkpoint_io", "right"))


@pytest.mark.parametrize("fill", _fills("checkpoint_io", "right"))
def test_right_fill_gets_full_points(fill: str) -> None:
    assert _points(fill) == (2.0, 0.5)


@pytest.mark.parametrize("fill", _fills("checkpoint_io", "wrong"))
def test_wrong_fill_is_caught(fill: str) -> None:
    assert sum(_points(fill)) < 2.5


@pytest.mark.parametrize(
    "fill",
    ["physical_bytes // interval_s", "3.3333e9", "3.3333333333e9", "3.3333333333333335e9"],
)
def test_fill_that_fits_the_visible_check_only_gets_nothing_for_normal(fill: str) -> None:
    assert _points(fill)[0] == 0.0


@pytest.mark.parametrize(
    "fill",
    [
        "min(backend_Bps, physical_bytes / interval_s)",
        "physical_bytes / max(interval_s, duration)",
        "physical_bytes / interval_s if duration <= interval_s else None",
    ],
)
def test_overload_costs_boundary_only(fill: str) -> None:
    assert _points(fill) == (2.0, 0.0)


class _Pleasing(float):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = float.__hash__

    def __float__(self) -> float:
        return 1.0

    def __sub__(self, other: float) -> float:
        return 0.0


@pytest.mark.parametrize(
    "result",
    [
        [600.0, 3.3e9],
        (600.0,),
        (600.0, 1.0, 1.0),
        (600.0, None),
        (600.0, True),
        (600.0, "3.3e9"),
        (600.0, 10**400),
        (600.0, math.nan),
        (600.0, 3.3e9j),
        (_Pleasing(1), _Pleasing(1)),
        None,
        iter([600.0, 3.3e9]),
    ],
)
def test_odd_result_fails_with_a_sentence(result: object) -> None:
    def odd(*_args: object) -> object:
        return result

    for test in ("normal", "boundary"):
        with pytest.raises(AssertionError, match=r"[一-鿿]"):
            exec(TESTS[test], {"checkpoint_io": odd})


class _AcrossTheWall(dict[str, Any]):
    """Globals whose unknown names come from `far`, calls taking and giving plain data only."""

    def __init__(self, far: dict[str, Callable[..., Any]]) -> None:
        super().__init__(__builtins__=builtins)
        self.far = far

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            raise KeyError(name)

        def proxy(*args: Any) -> Any:
            assert all(type(value) in (int, float) for value in args)
            try:
                reply = self.far[name](*args)
            except ValueError as error:
                raise ValueError(str(error)) from None
            return tuple(float(value) for value in reply)

        return proxy


@pytest.mark.parametrize("test", ["normal", "boundary"])
def test_cells_give_the_same_across_a_wall(test: str) -> None:
    right = _AcrossTheWall({"checkpoint_io": _filled("physical_bytes / interval_s")})
    exec(TESTS[test], right)
    wrong = _AcrossTheWall({"checkpoint_io": _filled("physical_bytes // interval_s")})
    with pytest.raises(AssertionError):
        exec(TESTS[test], wrong)


def test_untouched_blank_fails_by_name() -> None:
    with pytest.raises(NameError, match=BLANK):
        exec(EXERCISE, {})


def test_guard_that_raises_something_else_fails_boundary() -> None:
    right = _filled("physical_bytes / interval_s")

    def other_error(*args: float) -> object:
        if min(args) <= 0:
            raise ZeroDivisionError
        return right(*args)

    def one_sided(*args: float) -> object:
        return (1.0, 1.0) if args[3] <= 0 else right(*args)

    assert _outcome("boundary", checkpoint_io=other_error) == "failed"
    assert _outcome("boundary", checkpoint_io=one_sided) == "failed"


# Worked out by hand in the lesson's brief: (S, B, W, T) -> T_dump, B_avg.
VECTORS = [
    ((4e12, 10e9, 1.0, 1800), 400.0, 2222222222.2222223),
    ((4e12, 10e9, 1.25, 1800), 500.0, 2777777777.7777777),
    ((4e12, 10e9, 3.0, 1800), 1200.0, 6666666666.666667),
    ((4e12, 10e9, 1.5, 600), 600.0, 1e10),
    ((4e12, 10e9, 1.5, 300), 600.0, 2e10),
    ((4 * 10**12, 10**10, 3, 1800), 1200.0, 6666666666.666667),
    ((1, 1, 1, 1), 1.0, 1.0),
    ((7, 2, 3, 4), 10.5, 5.25),
    ((2e12, 8e9, 1.375, 900), 343.75, 3055555555.5555553),
    ((2.3e12, 57.5e9, 1.0, 10800), 40.0, 212962962.96296296),
    ((1e18, 1e12, 1.5, 3600), 1500000.0, 416666666666666.7),
]


@pytest.mark.parametrize(("args", "duration", "average"), VECTORS)
def test_reference_meets_the_vectors(
    args: tuple[float, ...], duration: float, average: float
) -> None:
    names: dict[str, Any] = {}
    exec(_one("solution", exercise="checkpoint_io"), names)
    got = names["checkpoint_io"](*args)
    assert got == pytest.approx((duration, average), rel=1e-12)


def test_solution_differs_from_the_stub_in_the_blank_only() -> None:
    for exercise in ("checkpoint_io", "my_boundary_case"):
        stub = next(
            cell.source
            for cell in CELLS
            if cell.options.get("course_role") == "exercise" and exercise in cell.source
        )
        pattern = re.escape(stub).replace(BLANK, ".+")
        assert re.fullmatch(pattern, _one("solution", exercise=exercise))


@pytest.mark.parametrize("fill", _fills("my_boundary_case", "right"))
def test_right_boundary_case_counts(fill: str) -> None:
    args, expect = eval(fill)
    assert _outcome("boundary_case", my_boundary_case={"args": args, "expect": expect}) == "passed"


@pytest.mark.parametrize("fill", _fills("my_boundary_case", "wrong"))
def test_boundary_case_with_a_wrong_expectation_fails(fill: str) -> None:
    args, expect = eval(fill)
    assert _outcome("boundary_case", my_boundary_case={"args": args, "expect": expect}) == "failed"


JUDGED = [
    # Expectations are compared at 0.1 %, lists do as well as tuples.
    ((8e12, 20e9, 1.0, 3600), [400, 2.2222e9], "passed"),
    ((8e12, 20e9, 1.0, 3600), (400.0, 2.23e9), "failed"),
    ((6e12, 10e9, 1.5, 900), (900, 10e9), "passed"),
    ((-5, 0, 1.5, 1800), ValueError, "passed"),
    ((4e12, 10e9, 1.5, 0), (600.0, math.inf), "failed"),
    ((4e12, 10e9, 1.5, 100), ValueError, "failed"),
    ((4e12, 10e9, -1, 1800), TypeError, "failed"),
    # Nothing of the list: a person decides.
    ((4e12, 10e9, 1.5, 1800), (600.0, 3.3333333333e9), "cannot tell"),
    ((4e12, 10e9, 1.5, 3600), (600.0, 1.6667e9), "cannot tell"),
    ((math.nan, 10e9, 1.5, 1800), ValueError, "cannot tell"),
    ((4e12, math.inf, 1.5, 1800), (0.0, 3.3e9), "cannot tell"),
    ((4e12, 10e9, 1.5), ValueError, "cannot tell"),
    ((4e12, 10e9, True, 1800), (400.0, 2.2222e9), "cannot tell"),
    ((4e12, 10e9, 1.0, 1800), "400 秒", "cannot tell"),
    ((4e12, 10e9, 0, 1800), "ValueError", "cannot tell"),
    ((10**400, 1, 1, 1), (1.0, 1.0), "cannot tell"),
    ((1e299, 1e-299, 1, 1), (1.0, 1.0), "cannot tell"),
    ((-(10**400), 1, 1, 1), ValueError, "passed"),
]


@pytest.mark.parametrize(("args", "expect", "outcome"), JUDGED)
def test_boundary_case_is_judged(args: object, expect: object, outcome: str) -> None:
    assert _outcome("boundary_case", my_boundary_case={"args": args, "expect": expect}) == outcome


@pytest.mark.parametrize("case", [None, [], {}, {"args": (1, 1, 1, 1)}, {"args": 1, "expect": 2}])
def test_malformed_boundary_case_goes_to_a_person(case: object) -> None:
    assert _outcome("boundary_case", my_boundary_case=case) == "cannot tell"


def test_points_sum_to_ten() -> None:
    tests = sum(float(cell.options["points"]) for cell in CELLS if "points" in cell.options)
    written = 1.0 + 3 * 2.0
    assert (tests, tests + written) == (3.0, 10.0)
    assert TEXT.count("\n**你的答案：**\n") == 4


def _public() -> str:
    """The lesson without its answer callouts and without hidden tests."""
    without = re.sub(r"^::: \{\.callout-tip \.answer.*?^:::$", "", TEXT, flags=re.M | re.S)
    return re.sub(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", "", without, flags=re.S)


def test_public_text_gives_no_answer_away() -> None:
    public = re.sub(r"\s", "", _public())
    for fill in (*_fills("checkpoint_io", "right"), "physical_bytes//interval_s"):
        assert re.sub(r"\s", "", fill) not in public
    assert "参考答案：" not in public
    assert "_reference" not in public


RUBRIC = tomllib.loads((FOLDER / "rubric.toml").read_text(encoding="utf-8"))


def test_rubric_agrees_with_the_lesson() -> None:
    assert sum(part["points"] for part in RUBRIC["parts"]) == RUBRIC["pass"]["max_score"] == 10
    assert RUBRIC["pass"]["total"] == 8
    assert [question["id"] for question in RUBRIC["questions"]] == ["explanation", "q1", "q2", "q3"]
    assert {veto["id"] for veto in RUBRIC["vetoes"]} == {
        "guess_as_measurement",
        "ignores_isolation",
        "mean_hides_tail",
        "removes_failure_path",
    }


def test_public_rubric_lines_stand_in_the_lesson() -> None:
    public = _public()
    lines = [line for question in RUBRIC["questions"] for line in question["public"]]
    lines += [veto[key] for veto in RUBRIC["vetoes"] for key in ("line", "definition", "example")]
    lines += [level["public"] for level in RUBRIC["levels"]]
    for line in lines:
        assert line in public
