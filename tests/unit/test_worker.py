"""A notebook in the worker: Jupyter's semantics, states kept for tests, questions answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from autograder.errors import MissingOnMachine
from autograder.grading.sandbox import zygote
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.sandbox.contained import Contained
from autograder.project import Limits

pytestmark = pytest.mark.sandbox
ANSWER_S = 20.0


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    try:
        with Sandbox(limits=Limits(cell_s=5, submission_s=30)) as sandbox:
            sandbox.start_worker().close()
            yield sandbox
    except MissingOnMachine as error:
        pytest.skip(str(error))


def begin(box: Sandbox, *steps: str | tuple[str, str], **start: Any) -> Contained:
    """Cells are strings, tests are ("test", id)."""
    worker = box.start_worker()
    listed = [
        {"kind": "cell", "id": f"c{number}", "source": step}
        if isinstance(step, str)
        else {"kind": "test", "id": step[1]}
        for number, step in enumerate(steps)
    ]
    worker.send({"op": "start", "steps": listed, "seed": 1, "limits": {"cell_s": 5}} | start)
    return worker


def until_done(worker: Contained) -> list[dict[str, Any]]:
    seen = []
    while (event := worker.receive(ANSWER_S)) != {"event": "done"}:
        seen.append(event)
    return seen


def run(box: Sandbox, *cells: str, **start: Any) -> list[dict[str, Any]]:
    worker = begin(box, *cells, **start)
    try:
        return until_done(worker)
    finally:
        worker.close()


def ask(worker: Contained, **question: Any) -> dict[str, Any]:
    worker.send(question)
    return worker.receive(ANSWER_S)


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def result(text: str, count: int) -> dict[str, Any]:
    return {
        "output_type": "execute_result",
        "data": {"text/plain": text},
        "metadata": {},
        "execution_count": count,
    }


def test_a_cell_gives_its_outputs_in_order(box: Sandbox) -> None:
    (event,) = run(
        box,
        "import sys\nprint('a')\ndisplay('b')\nprint('c')\nprint('d', file=sys.stderr)\n6 * 7",
    )
    shown = {"output_type": "display_data", "data": {"text/plain": "'b'"}, "metadata": {}}
    assert event == {
        "event": "cell",
        "id": "c0",
        "status": "ok",
        "outputs": [stream("a\n"), shown, stream("c\n"), stream("d\n", "stderr"), result("42", 1)],
        "execution_count": 1,
        "error": None,
        "flags": [],
    }


def test_results_are_remembered(box: Sandbox) -> None:
    first, second, third, quiet, last = run(box, "20 + 1", "_ * 2", "_, Out[1]", "7;", "In[1], _2")
    assert first["outputs"] == [result("21", 1)]
    assert second["outputs"] == [result("42", 2)]
    assert third["outputs"] == [result("(42, 21)", 3)]
    assert quiet["outputs"] == []
    assert last["outputs"] == [result("('20 + 1', 42)", 5)]


def test_a_notebook_starts_empty(box: Sandbox) -> None:
    look = (
        "import sys\n"
        "print([n for n in dir() if not n.startswith('_')], In, Out, hasattr(sys, 'last_value'),\n"
        "      __name__, sys.modules['__main__'].__dict__ is globals())"
    )
    (event,) = run(box, look)
    names = "['In', 'Out', 'exit', 'get_ipython', 'open', 'quit', 'sys']"
    assert event["outputs"] == [stream(f"{names} {['', look]} {{}} False __main__ True\n")]


def test_an_error_has_its_line_and_the_rest_runs(box: Sandbox) -> None:
    first, second = run(box, "x = 1\ndef f():\n    return 1 / 0\n\nf()", "x")
    assert first["status"] == "error"
    assert first["error"] == {"name": "ZeroDivisionError", "message": "division by zero", "line": 3}
    (shown,) = first["outputs"]
    assert (shown["output_type"], shown["ename"]) == ("error", "ZeroDivisionError")
    assert "\x1b" not in "".join(shown["traceback"])
    assert second["outputs"] == [result("1", 2)]


def test_a_syntax_error_has_its_line(box: Sandbox) -> None:
    (event,) = run(box, "x = 1\ny = （2）")
    assert (event["status"], event["error"]["name"]) == ("error", "SyntaxError")
    assert event["error"]["line"] == 2


@pytest.mark.parametrize("first_line", ["%matplotlib inline", ""])
def test_a_figure_is_shown_at_the_end_of_its_cell(box: Sandbox, first_line: str) -> None:
    plot = f"{first_line}\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nprint('text');"
    drawn, after = run(box, plot, "1")
    kinds = [sorted(output.get("data", {"stream": 0})) for output in drawn["outputs"]]
    assert kinds == [["stream"], ["image/png", "text/plain"]]
    assert drawn["outputs"][1]["data"]["image/png"].startswith("iVBORw0KGgo")
    assert drawn["outputs"][1]["data"]["text/plain"] == "<Figure size 640x480 with 1 Axes>"
    assert after["outputs"] == [result("1", 2)]


def test_widgets_work_without_a_kernel(box: Sandbox) -> None:
    (event,) = run(
        box,
        "import ipywidgets as w\n"
        "s = w.IntSlider()\n"
        "seen = []\n"
        "s.observe(lambda change: seen.append(change['new']), 'value')\n"
        "s.value = 3\n"
        "display(s)\n"
        "print(seen)",
    )
    assert event["status"] == "ok"
    assert "application/vnd.jupyter.widget-view+json" in event["outputs"][0]["data"]
    assert event["outputs"][1] == stream("[3]\n")


def test_magics_shell_and_await(box: Sandbox) -> None:
    time_it, shell, both, waited, written, whos = run(
        box,
        "%time x = 1",
        "!echo one; echo two >&2; exit 3",
        "out = !echo three\nprint(out, _exit_code)",
        "import asyncio\nawait asyncio.sleep(0, 'later')",
        "%%writefile note.txt\nhello",
        "print(open('note.txt').read(), end='')",
    )
    assert time_it["status"] == "ok"
    assert shell["outputs"] == [stream("one\ntwo\n")]
    assert both["outputs"] == [stream("['three'] 3\n")]
    assert waited["outputs"] == [result("'later'", 4)]
    assert written["outputs"] == [stream("Writing note.txt\n")]
    assert whos["outputs"] == [stream("hello\n")]


def test_output_of_native_code_and_children_is_kept(box: Sandbox) -> None:
    source = "import os, subprocess\nos.write(1, b'native ')\nsubprocess.run(['echo', 'child']);"
    (event,) = run(box, source)
    assert event["outputs"] == [stream("native child\n")]


def test_displays_are_updated_and_cleared(box: Sandbox) -> None:
    updated, cleared = run(
        box,
        "handle = display('old', display_id=True)\nhandle.update('new')",
        "from IPython.display import clear_output\nprint('gone')\nclear_output()\nprint('here')",
    )
    assert [output["data"]["text/plain"] for output in updated["outputs"]] == ["'new'"]
    assert cleared["outputs"] == [stream("here\n")]


def test_input_says_why_it_cannot(box: Sandbox) -> None:
    asked, after = run(box, "name = input('name? ')", "1")
    assert asked["error"]["name"] == "StdinNotImplementedError"
    assert asked["error"]["message"].startswith("input() cannot be answered")
    assert asked["flags"] == ["reads-input"]
    assert after["status"] == "ok"


def test_exit_does_not_end_the_notebook(box: Sandbox) -> None:
    left, quitted, after = run(box, "exit()", "import sys; sys.exit('bye')", "1")
    assert left["status"] == "ok"
    assert (quitted["status"], quitted["error"]["name"]) == ("error", "SystemExit")
    assert after["outputs"] == [result("1", 3)]


def test_the_seed_decides_what_is_drawn(box: Sandbox) -> None:
    draw = (
        "import random, numpy\n"
        "random.random(), float(numpy.random.rand()), list({'a', 'b', 'c', 'd'})"
    )
    outputs = [run(box, draw, seed=seed)[0]["outputs"] for seed in (5, 5, 6)]
    assert outputs[0] == outputs[1]
    assert outputs[0] != outputs[2]


def test_a_test_draws_the_same_each_time(box: Sandbox) -> None:
    replies = []
    for _ in range(2):
        source = "import random\ndef f(): return random.getrandbits(64)"
        worker = begin(box, source, ("test", "t"), seed=3)
        until_done(worker)
        worker.send({"op": "test", "id": "t"})
        replies.append(ask(worker, op="call", name="f"))
        worker.close()
    assert replies[0] == replies[1]


def test_a_test_sees_the_state_of_its_place(box: Sandbox) -> None:
    worker = begin(
        box,
        "x = 1\ndef f(a, *, b=0): return a + b + x",
        ("test", "early"),
        "x = 10",
        ("test", "late"),
        "%reset -f",
    )
    assert [event["event"] for event in until_done(worker)] == [
        *("cell", "test", "cell", "test", "cell"),
    ]
    for name, expected in (("late", 16), ("early", 7)):
        worker.send({"op": "test", "id": name})
        call = ask(worker, op="call", name="f", args=[["i", "4"]], kwargs={"b": ["i", "2"]})
        assert call == {"value": ["i", f"{expected:x}"]}
        worker.send({"op": "end"})
    assert "error" in ask(worker, op="test", id="early")
    worker.close()


def test_what_a_question_can_come_to(box: Sandbox) -> None:
    worker = begin(
        box,
        "class Odd(ValueError): pass\n"
        "def fail(): raise Odd('no')\n"
        "def leave(): raise SystemExit\n"
        "def stream(): yield 1\n"
        "def talk(): print('x' * 10_000_000)\n"
        "async def later(): pass\n"
        "pair = (1, 2.5)\n"
        "expect = ValueError\n"
        "thing = object()",
        ("test", "t"),
    )
    until_done(worker)
    worker.send({"op": "test", "id": "t"})
    assert ask(worker, op="get", name="pair") == {"value": ["t", [["i", "1"], ["f", (2.5).hex()]]]}
    assert ask(worker, op="get", name="expect") == {"value": ["x", "ValueError"]}
    assert ask(worker, op="get", name="fail") == {"callable": True}
    assert ask(worker, op="get", name="Odd") == {"callable": True}
    assert ask(worker, op="get", name="nothing") == {"missing": True}
    assert ask(worker, op="get", name="thing") == {"unsupported": "object"}
    assert ask(worker, op="call", name="fail") == {"raised": "ValueError", "message": "no"}
    assert ask(worker, op="call", name="leave") == {"raised": "SystemExit", "message": ""}
    assert ask(worker, op="call", name="stream") == {"unsupported": "generator"}
    assert ask(worker, op="call", name="later") == {"unsupported": "coroutine"}
    assert ask(worker, op="call", name="talk") == {"value": ["n"]}
    assert ask(worker, op="call", name="pair")["raised"] == "TypeError"
    worker.close()


def test_a_test_that_dies_leaves_the_others(box: Sandbox) -> None:
    worker = begin(box, "import os\ndef f(): os._exit(1)\nx = 1", ("test", "a"), ("test", "b"))
    until_done(worker)
    worker.send({"op": "test", "id": "a"})
    assert ask(worker, op="call", name="f") == {"crashed": True}
    worker.send({"op": "test", "id": "b"})
    assert ask(worker, op="get", name="x") == {"value": ["i", "1"]}
    worker.close()


def test_savepoints_change_nothing_for_an_honest_notebook(box: Sandbox) -> None:
    cells = ("import random\nx = random.random()", "print(x)", "x", "1 / 0", "x + 1; _")
    plain, saved = (run(box, *cells, savepoints=savepoints) for savepoints in (False, True))
    assert plain == saved


def test_more_cells_than_processes_with_savepoints(box: Sandbox) -> None:
    events = run(box, "x = 0", *["x += 1"] * 100, "x", savepoints=True)
    assert events[-1]["outputs"] == [result("100", 102)]


def test_a_lost_cell_is_as_if_it_had_not_been(box: Sandbox) -> None:
    worker = begin(
        box,
        "def f(): return 1",
        ("test", "before"),
        "def f(): return 2\nimport os; os._exit(0)",
        ("test", "after"),
        "print('end')",
        savepoints=True,
    )
    events = until_done(worker)
    assert [event.get("status", "test") for event in events] == [
        *("ok", "test", "crashed", "test", "ok"),
    ]
    for name in ("before", "after"):
        worker.send({"op": "test", "id": name})
        assert ask(worker, op="call", name="f") == {"value": ["i", "1"]}
        worker.send({"op": "end"})
    worker.close()


def test_output_is_bounded_over_the_submission(box: Sandbox) -> None:
    cells = ["print('x' * 100_000)"] * 5 + ["print('short')"]
    events = run(box, *cells, limits={"cell_s": 5, "output_kb": 256})
    sizes = [len(event["outputs"][0]["text"]) for event in events]
    assert sizes[:2] == [100_001, 100_001]
    assert sum(sizes) < (256 + 5 * 5) * 1024
    assert events[-1]["outputs"] == [stream("short\n")]
    assert [event["flags"] for event in events] == [
        *([], [], ["output-truncated"], ["output-truncated"], ["output-truncated"], []),
    ]


def test_large_pictures_are_left_out(box: Sandbox) -> None:
    source = (
        "from IPython.display import Image, display\n"
        "png = bytes.fromhex('89504e470d0a1a0a') + bytes(3 * 2**20)\n"
        "display(Image(data=png, format='png'))"
    )
    (event,) = run(box, source)
    assert "image/png" not in event["outputs"][0]["data"]
    assert event["flags"] == ["output-truncated"]


@pytest.mark.usefixtures("box")
def test_the_first_submissions_and_those_after_the_rehearsal_show_the_same() -> None:
    """The warm process rehearses after its first forks: no hand-in may tell on which side it is."""
    cells = (
        "import sys, warnings\nwarnings.warn('once')\nsorted(sys.modules), dir(sys)",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2], label='图例')\nplt.legend();",
        "def f(x):\n    return 1 / x\nf(0)",
        "undefined_name",
        "import numpy as np, random\nprint(np.random.rand(2), random.random())\nnp.arange(3)",
        # How much it may still take, in units of 4 MB.
        "import resource\n"
        "mapped = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "round((resource.getrlimit(resource.RLIMIT_AS)[0] - mapped) / 2**22)",
    )
    with Sandbox(limits=Limits(cell_s=5, submission_s=30)) as fresh:
        first = run(fresh, *cells)
        for _ in range(zygote._FEW):
            fresh.start_worker().close()
        assert run(fresh, *cells) == first
    assert [cell["status"] for cell in first] == ["ok", "ok", "error", "error", "ok", "ok"]
