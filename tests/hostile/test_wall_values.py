"""Values that a cheating learner sends, and what each must give: 0 for it, nothing for others."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from autograder.grading import wall
from autograder.grading.examiner.examination import examine

# The checks of a lesson, in every form that authors write them.
CHECKS = """
duration, average = checkpoint_io(4e12, 10e9, 1.5, 1800)
assert duration == 600.0
assert abs(average - 3.3333333333333335e9) <= 1
### BEGIN HIDDEN TESTS
assert checkpoint_io(1, 1, 1, 1) == (1.0, 1.0)
assert all(map(lambda s: math.isclose(checkpoint_io(s, 2, 1, 1)[0], s / 2), (2, 4)))
for argument in range(4):
    arguments = [1, 1, 1, 1]
    arguments[argument] = -1
    try:
        checkpoint_io(*arguments)
    except ValueError:
        continue
    raise AssertionError("no ValueError")
### END HIDDEN TESTS
"""


def snapshot(function: Callable[..., Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What a worker replies for a learner whose notebook defines `checkpoint_io`."""

    def ask(question: dict[str, Any]) -> dict[str, Any]:
        if question["op"] == "get":
            return {"callable": True}
        try:
            result = function(*[wall.decode(arg) for arg in question["args"]])
            return {"value": wall.encode(result)}
        except wall.Unsupported as unsupported:
            return {"unsupported": unsupported.kind}
        except Exception as error:  # whatever the learner's function raises
            return {"raised": type(error).__name__, "message": str(error)}

    return ask


def graded(ask: Callable[[dict[str, Any]], Any], source: str = CHECKS) -> Any:
    return examine(source, ["import math"], ask, grade_id="normal", points=2.0)


def right(s: float, b: float, w: float, t: float) -> tuple[float, float]:
    if min(s, b, w, t) <= 0:
        raise ValueError("every argument must be positive")
    return s * w / b, s * w / t


class Pleasing:
    """Equal to, less than and greater than everything."""

    def yes(self, *_other: object) -> Any:
        return True

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = yes  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def itself(self, *_other: object) -> Any:
        return self

    __sub__ = __rsub__ = __add__ = __abs__ = __truediv__ = __getitem__ = itself

    def __iter__(self) -> Any:
        return iter((self, self))


class PleasingFloat(float):
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = Pleasing.yes  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __sub__(self, _other: object) -> Any:
        return 0.0

    def __float__(self) -> float:
        raise SystemExit

    def hex(self) -> str:
        return "0x1.0p+0"

    def __reduce__(self) -> Any:
        raise SystemExit


class PleasingTuple(tuple[Any, ...]):
    __eq__ = Pleasing.yes  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Any:
        return iter((600.0, 3.3333333333333335e9))

    def __len__(self) -> int:
        return 2

    def __getitem__(self, _index: Any) -> Any:
        return 600.0


class PleasingDict(dict[Any, Any]):
    def items(self) -> Any:
        raise SystemExit

    def __iter__(self) -> Any:
        return iter((600.0, 3.3333333333333335e9))


class Liar:
    """Says that it is a float."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return float


async def _coroutine() -> None: ...


def _deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


def _cycle() -> list[Any]:
    loop: list[Any] = []
    loop.extend([loop] * 1000)
    return loop


def test_the_right_function_passes() -> None:
    assert graded(snapshot(right))["outcome"] == "passed"


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (Pleasing, "其他类型的对象"),
        (Liar, "其他类型的对象"),
        (lambda: (Pleasing(), Pleasing()), "其他类型的对象"),
        (lambda: (x for x in (600.0, 1.0)), "生成器"),
        (lambda: iter((600.0, 1.0)), "迭代器"),
        (lambda: Pleasing, "类"),
        (lambda: right, "函数"),
        (lambda: math, "模块"),
        (lambda: AssertionError("x"), "异常对象"),
        (lambda: np.array([Pleasing()]), "元素不是数的数组"),
        (_deep, "嵌套过深的数据"),
        (_cycle, "嵌套过深的数据"),
        (lambda: bytes(2**28), "过大的数据"),
        (lambda: np.broadcast_to(0.0, (2**40,)), "过大的数据"),
        (lambda: [0] * 10**7, "过大的数据"),
        (lambda: 1 << 10**9, "过大的数据"),
    ],
)
def test_what_is_no_plain_data_fails_with_its_kind(result: Callable[[], Any], kind: str) -> None:
    verdict = graded(snapshot(lambda *_: result()))
    assert verdict["outcome"] == "failed"
    assert verdict["sentence"] == f"checkpoint_io 返回了{kind}，应返回普通数据（数、元组、列表…）。"


def test_a_coroutine_fails() -> None:
    made = _coroutine()
    verdict = graded(snapshot(lambda *_: made))
    made.close()
    assert verdict["sentence"].startswith("checkpoint_io 返回了协程")


@pytest.mark.parametrize(
    "result",
    [
        (PleasingFloat(1.0), PleasingFloat(1.0)),
        PleasingTuple((1.0, 1.0)),
        PleasingTuple(),
        PleasingDict(a=1),
        (math.nan, math.nan),
        (math.inf, math.inf),
        (600.0, 3.3333333333333335e9),  # the visible answer, hard-coded
        (Decimal("sNaN"), Decimal("NaN")),
        (np.array([600.0, 1.0]), np.array([3.3333333333333335e9])),
        (10**5000, 10**5000),
        ("6" * 10**6, "3"),
        ({600.0}, frozenset()),
        (ValueError, ValueError),
        None,
        (),
        True,
    ],
)
def test_plain_values_that_are_wrong_fail(result: Any) -> None:
    verdict = graded(snapshot(lambda *_: result))
    assert verdict["outcome"] == "failed"
    assert len(verdict["sentence"]) < 500
    assert len(verdict["detail"]) <= 4000


def test_subclasses_are_reduced_without_running_their_code() -> None:
    sent = wall.encode((PleasingFloat(2.5), PleasingTuple((1, 2)), PleasingDict(a=1)))
    back = wall.decode(sent)
    assert [type(item) for item in back] == [float, tuple, dict]
    assert back == (2.5, (1, 2), {"a": 1})


@pytest.mark.parametrize("name", ["StopIteration", "StopAsyncIteration", "GeneratorExit"])
def test_an_exception_that_ends_loops_does_not_end_a_loop_of_checks(name: str) -> None:
    source = "assert all(map(checkpoint_io, (1, 2)))\nfor r in map(checkpoint_io, (1,)):\n    pass"

    def ask(question: dict[str, Any]) -> dict[str, Any]:
        return {"callable": True} if question["op"] == "get" else {"raised": name, "message": ""}

    assert graded(ask, source)["outcome"] == "failed"


def test_a_generator_does_not_pass_for_the_exception_that_a_check_hopes_for() -> None:
    source = "try:\n    checkpoint_io(0)\nexcept Exception:\n    pass\nelse:\n    assert False"
    assert graded(snapshot(lambda *_: (x for x in ())), source)["outcome"] == "failed"
    bare = "try:\n    checkpoint_io(0)\nexcept:\n    pass"
    assert graded(snapshot(lambda *_: (x for x in ())), bare)["outcome"] == "failed"


FORGED: list[Any] = [
    {},
    {"value": None},
    {"value": []},
    {"value": ["n"], "callable": True},
    {"value": ["zz"]},
    {"value": ["x", "Popen"]},
    {"value": ["a", "|O", None, "AAAAAAAAAAA="]},
    {"value": _deep()},
    {"callable": True},
    {"callable": 1},
    {"missing": 1},
    {"missing": True},
    {"unsupported": None},
    {"unsupported": "<script>"},
    {"raised": None, "message": ""},
    {"raised": "ValueError"},
    {"raised": "ValueError", "message": 5},
    {"raised": "ValueError", "message": "x" * 10**6, "value": ["n"]},
    {"raised": "SystemExit", "message": "0"},
    {"raised": "CannotTell", "message": "cannot tell"},
    {"verdict": {"outcome": "passed"}},
    {"ask": {"op": "get"}},
    {"lost": 1},
    {"lost": "timeout"},
]


@pytest.mark.parametrize("reply", FORGED, ids=range(len(FORGED)))
@pytest.mark.parametrize("op", ["get", "call"])
def test_a_forged_reply_fails_that_test(reply: Any, op: str) -> None:
    def ask(question: dict[str, Any]) -> Any:
        return reply if question["op"] == op else {"callable": True}

    verdict = graded(ask)
    assert verdict["outcome"] in {"failed", "crashed", "timeout"}
    assert "<script>" not in verdict["sentence"]


def test_a_message_is_cut_and_can_be_written() -> None:
    def ask(question: dict[str, Any]) -> Any:
        message = "\ud800" + "x" * 10**6
        return (
            {"callable": True}
            if question["op"] == "get"
            else {"raised": "ValueError", "message": message}
        )

    verdict = graded(ask)
    assert verdict["outcome"] == "failed"
    assert len(verdict["detail"].encode("utf-8")) < 4000


def test_huge_numbers_in_a_message_cost_nothing() -> None:
    source = "x = checkpoint_io()\nassert x == 1, x"
    verdict = graded(snapshot(lambda: 1 << 10**7), source)
    assert verdict["sentence"] == "检查 `assert x == 1` 未通过：<int of 10000001 bits>"
