"""Name lookup, outcomes and sentences of one tests cell, without processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.grading import wall
from autograder.grading.examiner.examination import examine
from autograder.grading.examiner.lookup import read_only_imports


class Learner:
    """A learner's namespace behind the codec; `asked` lists what was asked for."""

    def __init__(self, **names: Any) -> None:
        self.names = names
        self.asked: list[str] = []

    def __call__(self, question: dict[str, Any]) -> dict[str, Any]:
        name = question["name"]
        self.asked.append(f"{question['op']} {name}")
        if name not in self.names:
            return {"missing": True}
        value = self.names[name]
        try:
            if question["op"] == "call":
                args = [wall.decode(arg) for arg in question["args"]]
                kwargs = {key: wall.decode(arg) for key, arg in question["kwargs"].items()}
                return {"value": wall.encode(value(*args, **kwargs))}
            is_data = not callable(value) or value is ValueError
            return {"value": wall.encode(value)} if is_data else {"callable": True}
        except wall.Unsupported as unsupported:
            return {"unsupported": unsupported.kind}
        except Exception as error:  # whatever the learner's function raises
            return {"raised": type(error).__name__, "message": str(error)}


def run(source: str, imports: tuple[str, ...] = (), *, learner: Any = None, **more: Any) -> Any:
    return examine(source, list(imports), learner or Learner(f=lambda x: x), **more)


def outcome(source: str, **names: Any) -> str:
    return str(run(source, learner=Learner(**names))["outcome"])


# Names


def test_a_name_is_the_cells_own_then_imported_then_built_in_then_the_learners() -> None:
    learner = Learner(own=1, math=2, max=3, theirs=4)
    source = "own = 'cell'\nassert (own, math.pi > 3, max(1, 2), theirs) == ('cell', True, 2, 4)"
    assert run(source, ("import math",), learner=learner)["outcome"] == "passed"
    assert learner.asked == ["get theirs"]


def test_names_cross_from_functions_comprehensions_classes_and_lambdas() -> None:
    source = (
        "def one(): return f(1)\n"
        "class T:\n    held = f(2)\n    def m(self): return [f(n) for n in (3,)]\n"
        "assert one() == 1 and T.held == 2 and T().m() == [3] and (lambda: f(4))() == 4\n"
        "assert [g(1) for g in [f]] == [1]"
    )
    assert run(source)["outcome"] == "passed"


def test_a_value_is_fetched_once_but_calls_always_cross() -> None:
    learner = Learner(xs=[1], f=lambda: 1)
    assert run("assert xs is xs\nf(); f(); f()\nassert xs", learner=learner)["outcome"] == "passed"
    assert learner.asked == ["get xs", "get f", "call f", "call f", "call f"]


def test_double_underscore_names_never_cross() -> None:
    learner = Learner(__secret__=1, __file__=2)
    assert run("__file__", learner=learner)["outcome"] == "failed"
    assert learner.asked == []


def test_arguments_and_keywords_arrive_as_data() -> None:
    assert outcome("assert f((1, 2), k=[3]) == 6", f=lambda pair, k: sum(pair) + k[0]) == "passed"


def test_a_missing_name_fails_with_its_name() -> None:
    verdict = run("assert checkpoint_io(1)")
    assert verdict["outcome"] == "failed"
    assert verdict["sentence"] == "没有找到 checkpoint_io。"
    assert run("assert g(1)", lang="en")["sentence"] == "There is no g."


def test_a_test_may_ask_whether_a_name_is_there() -> None:
    assert outcome("try:\n    g\nexcept NameError:\n    pass") == "passed"


# Proxies


@pytest.mark.parametrize(
    "use", ["f.x", "f == 1", "f < 1", "1 + f", "abs(f - 1)", "f[0]", "list(f)", "f.x = 1", "not f"]
)
def test_a_function_can_only_be_called(use: str) -> None:
    verdict = run(use)
    assert verdict["outcome"] == "failed"
    assert verdict["detail"].startswith("FunctionMisuse: f is a function")
    assert verdict["sentence"] == "f 是函数，测试需要的是普通数据。"


def test_a_function_is_callable_and_has_a_name() -> None:
    assert run("assert callable(f) and f.__name__ == 'f' and {f: 1}[f] == 1")["outcome"] == "passed"


def test_an_argument_that_cannot_cross_is_the_authors_fault() -> None:
    verdict = run("f(object())")
    assert verdict["outcome"] == "error"
    assert "bad-argument f object" in verdict["detail"]


def test_a_learners_function_as_argument_is_the_learners_fault() -> None:
    verdict = run("f(g)", learner=Learner(f=abs, g=abs))
    assert (verdict["outcome"], verdict["sentence"]) == (
        "failed",
        "g 是函数，应为普通数据（数、元组、列表…）。",
    )


# Exceptions


def _raiser(error: BaseException) -> Callable[..., Any]:
    def function(*_args: object) -> None:
        raise error

    return function


def test_an_exception_is_raised_as_its_built_in_class_with_its_message() -> None:
    source = (
        "try:\n    f(0)\nexcept ValueError as error:\n    assert str(error) == 'must be > 0'\n"
        "else:\n    raise AssertionError('no error')"
    )
    assert outcome(source, f=_raiser(ValueError("must be > 0"))) == "passed"
    assert outcome(source, f=lambda x: x) == "failed"


@pytest.mark.parametrize("name", sorted(wall.EXCEPTIONS))
def test_every_built_in_exception_can_be_raised(name: str) -> None:
    ends_a_loop = name in {"StopIteration", "StopAsyncIteration", "GeneratorExit"}
    expected = "RuntimeError" if ends_a_loop else name
    source = f"try:\n    f()\nexcept BaseException as e:\n    assert type(e) is {expected}, type(e)"
    reply = {"raised": name, "message": "m"}
    assert _replying(source, reply)["outcome"] == "passed"


def _replying(source: str, reply: Any, **more: Any) -> Any:
    def ask(question: dict[str, Any]) -> Any:
        return {"callable": True} if question["op"] == "get" else reply

    return examine(source, [], ask, **more)


def test_an_unknown_exception_is_an_exception() -> None:
    source = "try:\n    f()\nexcept Exception as e:\n    assert type(e) is Exception"
    assert _replying(source, {"raised": "MyError", "message": ""})["outcome"] == "passed"


def test_raising_is_told_by_class_never_by_message() -> None:
    learner = Learner(f=_raiser(ZeroDivisionError("LEARNER TEXT")))
    verdict = run("assert f(1) == 2", learner=learner)
    assert verdict["sentence"] == "执行检查 `assert f(1) == 2` 时，f 引发了 ZeroDivisionError。"
    assert "LEARNER TEXT" in verdict["detail"]


def test_a_lost_connection_is_not_taken_for_the_exception_a_test_hopes_for() -> None:
    def ask(question: dict[str, Any]) -> Any:
        if question["op"] == "get":
            return {"callable": True}
        raise ValueError("the other end is gone")

    source = "try:\n    f(0)\nexcept ValueError:\n    pass"
    assert examine(source, [], ask)["outcome"] == "crashed"


# Outcomes

CLASSROOM = ("from lessons.classroom import CannotTell, NotAttempted",)


def test_cannot_tell_goes_to_a_person() -> None:
    verdict = run("raise CannotTell('no listed boundary')", CLASSROOM)
    assert verdict["outcome"] == "cannot-tell"
    assert verdict["sentence"] == "这一题由老师判定。"
    assert verdict["detail"] == "no listed boundary"


def test_a_learner_cannot_claim_cannot_tell() -> None:
    reply = {"raised": "CannotTell", "message": "cannot tell"}
    assert _replying("f()", reply)["outcome"] == "failed"


def test_not_attempted_is_no_failure() -> None:
    assert run("raise NotAttempted", CLASSROOM)["outcome"] == "not-attempted"
    blank = NameError("name '______' is not defined")
    assert outcome("f()", f=_raiser(blank)) == "not-attempted"


@pytest.mark.parametrize("source", ["assert (", "%matplotlib inline", "x = \0"])
def test_a_cell_that_is_not_python_is_an_error(source: str) -> None:
    assert run(source)["outcome"] == "error"


def test_an_import_that_fails_is_an_error() -> None:
    verdict = run("assert True", ("import no_such_module_here",))
    assert verdict["outcome"] == "error"
    assert "no_such_module_here" in verdict["detail"]


@pytest.mark.parametrize("source", ["raise SystemExit", "raise KeyboardInterrupt", "exit()"])
def test_leaving_ends_one_test_only(source: str) -> None:
    assert run(source)["outcome"] == "failed"


@pytest.mark.parametrize(
    ("last", "outcome", "score"),
    [
        ("0.5", "passed", 0.5),
        ("0", "passed", 0.0),
        ("2", "passed", 2.0),
        ("3", "error", None),
        ("10**400", "error", None),
        ("True", "passed", None),
        ("'0.5'", "passed", None),
        ("None", "passed", None),
        ("0.5;", "passed", None),
        ("x = 0.5", "passed", None),
        ("-1", "failed", None),  # nbgrader: full points
        ("float('nan')", "failed", None),  # the same
    ],
)
def test_partial_credit_is_nbgraders(last: str, outcome: str, score: float | None) -> None:
    verdict = run(f"assert True\n{last}", points=2.0)
    assert (verdict["outcome"], verdict["score"]) == (outcome, score)
    if score is not None:
        assert verdict["points_fraction"] == score / 2


def test_partial_credit_is_said() -> None:
    assert run("0.5", points=2.0)["sentence"] == "得到部分分：0.5 / 2。"


def test_random_is_seeded_afresh_for_every_test() -> None:
    source = "f(random.random()); f(float(numpy.random.rand()))"
    imports = ("import random", "import numpy")
    drawn: list[float] = []
    learner = Learner(f=drawn.append)
    for _ in range(2):
        assert run(source, imports, learner=learner, seed=2**40 + 7)["outcome"] == "passed"
    assert drawn[:2] == drawn[2:]


def test_printing_goes_to_the_detail(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = run("print('seen ' * 10_000)\nassert False")
    assert "printed: seen seen" in verdict["detail"]
    assert len(verdict["detail"]) < 1000
    assert capsys.readouterr().out == ""


def test_this_modules_future_imports_do_not_leak_into_the_cell() -> None:
    assert run("def g(x: int): ...\nassert g.__annotations__['x'] is int")["outcome"] == "passed"


# Sentences


def test_a_visible_assert_shows_itself_and_its_message() -> None:
    verdict = run("y = f(\n  5)\nassert abs(y - 6) <= 1e-9, f'应为 6，得到 {y}'")
    assert verdict["sentence"] == "检查 `assert abs(y - 6) <= 1e-9` 未通过：应为 6，得到 5"
    assert (verdict["hidden"], verdict["line"]) == (False, 3)
    assert "y = 5" in verdict["detail"]


def test_a_message_that_could_hold_the_learners_text_is_left_out() -> None:
    verdict = run("y = f('x')\nassert y == 6, y")
    assert verdict["sentence"] == "检查 `assert y == 6` 未通过。"


def test_a_message_after_hidden_lines_is_left_out_unless_constant() -> None:
    hidden = "### BEGIN HIDDEN TESTS\nsecret = 41\n### END HIDDEN TESTS\n"
    verdict = run(hidden + "assert f(secret) == 42, f'{secret}'")
    assert verdict["sentence"] == "检查 `assert f(secret) == 42` 未通过。"
    verdict = run(hidden + "assert f(secret) == 42, '差一'")
    assert verdict["sentence"] == "检查 `assert f(secret) == 42` 未通过：差一"


def test_a_visible_helper_called_from_a_hidden_line_counts_as_hidden() -> None:
    source = (
        "def check(x, y):\n    assert f(x) == y, f'{x}'\n"
        "### BEGIN HIDDEN TESTS\ncheck(41, 42)\n### END HIDDEN TESTS\n"
    )
    verdict = run(source, grade_id="boundary")
    assert verdict["sentence"] == "隐藏测试（边界输入）未通过。"
    assert verdict["hidden"]
    assert "x = 41" in verdict["detail"]


@pytest.mark.parametrize(
    "source",
    [
        "assert all(f(x) == 7 for x in [\n### BEGIN HIDDEN TESTS\n  41,\n### END HIDDEN TESTS\n])",
        "for x in [\n### BEGIN HIDDEN TESTS\n  41,\n### END HIDDEN TESTS\n]:\n    assert f(x) == 7",
        "x = 7\r### BEGIN HIDDEN TESTS\rassert f(41) == 7\r### END HIDDEN TESTS\r",
        "x = '\u2028\f'\n### BEGIN HIDDEN TESTS\nassert f(41) == 7",
    ],
)
def test_hidden_lines_within_a_statement_stay_hidden(source: str) -> None:
    verdict = run(source)
    assert verdict["outcome"] == "failed"
    assert "41" not in verdict["sentence"]


@pytest.mark.parametrize("lang", ["zh-CN", "en"])
@pytest.mark.parametrize(
    "reply",
    [
        {"value": ["s", "LEARNER"]},
        {"raised": "LEARNER", "message": "LEARNER"},
        {"raised": "ValueError", "message": "LEARNER"},
        {"unsupported": "LEARNER"},
        {"missing": True, "LEARNER": "LEARNER"},
        {"lost": "LEARNER"},
        {"LEARNER": "LEARNER"},
        {},
    ],
)
def test_no_text_of_the_learners_is_in_a_sentence(reply: Any, lang: str) -> None:
    sources = (
        "assert f(1) == 2, f(1)",
        "r = f(1)\nassert r == 2, f'got {r}'",
        "raise AssertionError(str(f(1)))",
        "d = {f(1): 1}\nd[2]",
        "### BEGIN HIDDEN TESTS\nassert f(1) == 2, f(1)",
        "try:\n    f(1)\nexcept Exception as e:\n    assert False, str(e)\nassert False",
    )
    for source in sources:
        verdict = _replying(source, reply, lang=lang)
        assert verdict["outcome"] in {"failed", "crashed"}
        assert "LEARNER" not in verdict["sentence"]


SECRETS = st.from_regex(r"secret_[a-z0-9]{4,12}", fullmatch=True)
HIDDEN = st.sampled_from(
    [
        "assert f(1) == '{0}', '{0}'",
        "{0} = 41\nassert f({0}) == {0} + 1, f'{{{0}}}'",
        "raise ValueError('{0}')",
        "def {0}():\n    assert f(0)\n{0}()",
        "class {0}(Exception): pass\nraise {0}('{0}')",
        "assert {{'a': 1}}['{0}']",
        "[].{0}",
        "f('{0}').missing",
        "from math import {0}",
        "assert helper('{0}') == 1",
    ]
)
VISIBLE = st.sampled_from(
    [
        "",
        "def helper(x):\n    assert f(x) == 1, f'{x}'\n",
        "assert f(2) == 2, '二'\ndef helper(x):\n    return f(x)\n",
    ]
)
TAILS = st.sampled_from(["", "\n### END HIDDEN TESTS\nassert f(3) == 4, 'three'"])


@given(SECRETS, HIDDEN, VISIBLE, TAILS, st.sampled_from(["zh-CN", "en"]))
def test_hidden_source_is_never_in_a_sentence(
    secret: str, hidden: str, visible: str, tail: str, lang: str
) -> None:
    source = f"{visible}### BEGIN HIDDEN TESTS\n{hidden.format(secret)}{tail}"
    verdict = run(source, lang=lang)
    assert verdict["outcome"] == "failed"
    assert secret not in verdict["sentence"]
    assert "41" not in verdict["sentence"]


# Imports


def test_imports_are_taken_from_the_top_level_and_from_try() -> None:
    cells = [
        "import math\nimport numpy as np\nfrom lessons.classroom import (\n  CannotTell)\nx = 1",
        "%matplotlib inline\nimport this_is_no_python",
        "try:\n    import tomllib\nexcept ImportError:\n    raise\nimport math",
        "def f():\n    import os\nfrom __future__ import annotations\nfrom . import near",
    ]
    assert read_only_imports(cells) == [
        "import math",
        "import numpy as np",
        "from lessons.classroom import CannotTell",
        "try:\n    import tomllib\nexcept ImportError:\n    pass",
    ]


def test_an_import_that_stood_in_try_may_fail() -> None:
    found = read_only_imports(
        ["try:\n    import no_such_module_here\nexcept ImportError:\n    pass"]
    )
    assert run("assert True", tuple(found))["outcome"] == "passed"
