"""The examiner's process: turn-taking, and what a child that dies or hangs costs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from autograder.grading import wall
from autograder.grading.sandbox.channel import Channel, pair


class Examiner:
    """A started examiner process and its channel."""

    def __init__(self) -> None:
        own, theirs = pair()
        fd = theirs.fileno()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-m", "autograder.grading.examiner.main", str(fd)],
            pass_fds=[fd],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        theirs.close()
        self.channel = Channel(own)

    def examine(self, source: str, *replies: Any, **more: Any) -> Any:
        """The verdict; each question but those for the function `f` gets the next reply."""
        given = iter(replies)
        self.channel.send({"op": "examine", "id": "normal", "source": source, **more})
        while True:
            message = self.channel.receive(20)
            if "verdict" in message:
                return message["verdict"]
            gets_f = message["ask"] == {"op": "get", "name": "f"}
            self.channel.send({"callable": True} if gets_f else next(given))


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    started = Examiner()
    yield started
    started.channel.close()
    assert started.process.wait(10) == 0
    assert started.process.stdout is not None
    with started.process.stdout as output:
        assert output.read() == b""


def value(data: object) -> dict[str, Any]:
    return {"value": wall.encode(data)}


def test_a_cell_is_examined_with_values_from_the_controller(examiner: Examiner) -> None:
    source = "print('noise')\nassert f(2, k=[x]) == (4.0, 1) and math.pi > 3\n0.5"
    replies = value("text"), value((4.0, 1))
    verdict = examiner.examine(source, *replies, imports=["import math"], points=2.0)
    assert verdict["outcome"] == "passed"
    assert (verdict["score"], verdict["points_fraction"]) == (0.5, 0.25)


def test_questions_are_the_protocols(examiner: Examiner) -> None:
    examiner.channel.send({"op": "examine", "id": "t", "source": "f(1, k='v')"})
    assert examiner.channel.receive(20) == {"ask": {"op": "get", "name": "f"}}
    examiner.channel.send({"callable": True})
    assert examiner.channel.receive(20) == {
        "ask": {"op": "call", "name": "f", "args": [["i", "1"]], "kwargs": {"k": ["s", "v"]}}
    }
    examiner.channel.send(value(None))
    assert examiner.channel.receive(20)["verdict"]["outcome"] == "passed"


def test_the_language_is_the_requests(examiner: Examiner) -> None:
    assert examiner.examine("assert False", lang="en")["sentence"] == (
        "The check `assert False` did not pass."
    )


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("while True: pass", "timeout"),
        ("import time\ntime.sleep(60)", "timeout"),
        ("9 ** 9 ** 9 ** 9", "timeout"),
        ("import os\nos._exit(3)", "error"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "error"),
        ("import ctypes\nctypes.string_at(0)", "error"),
        ("x = [0] * 10**9", "failed"),
        ("def f(): f()\nf()", "failed"),
        ("f(1)\nimport os\nos._exit(0)", "error"),
    ],
)
def test_a_test_that_hangs_or_dies_costs_itself_only(
    examiner: Examiner, source: str, outcome: str
) -> None:
    started = time.monotonic()
    assert examiner.examine(source, value(1), time_s=1)["outcome"] == outcome
    assert time.monotonic() - started < 10
    assert examiner.examine("assert f(1) == 1", value(1))["outcome"] == "passed"


def test_the_learners_time_is_not_the_tests(examiner: Examiner) -> None:
    examiner.channel.send({"op": "examine", "id": "t", "source": "x", "time_s": 0.5})
    examiner.channel.receive(20)
    time.sleep(1)
    examiner.channel.send(value(1))
    assert examiner.channel.receive(20)["verdict"]["outcome"] == "passed"


def test_nothing_of_one_test_is_left_for_the_next(examiner: Examiner) -> None:
    assert examiner.examine("import math\nmath.pi = 3\ny = 1")["outcome"] == "passed"
    source = "assert math.pi > 3.1\ntry:\n    y\nexcept NameError:\n    pass"
    verdict = examiner.examine(source, {"missing": True}, imports=["import math"])
    assert verdict["outcome"] == "passed"
