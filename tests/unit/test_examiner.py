"""The examiner's process: turn-taking, and what a child that dies or hangs costs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest

from autograder.grading import wall
from autograder.grading.sandbox.channel import Channel, ChannelClosed, pair


class Examiner:
    """A started examiner process, its channel, and a learner's side played by the test."""

    def __init__(
        self, *tests: dict[str, Any], imports: list[str] | None = None, **more: Any
    ) -> None:
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
        self.channel.send({"tests": list(tests), "imports": imports or [], **more})
        assert self.channel.receive(20) == {"event": "ready"}

    def ask(self, *ids: str, time_s: float = 20.0, **more: Any) -> Channel:
        """Ask for tests; the learner's end of the channel that was lent."""
        lent, learners = pair()
        self.channel.send({"op": "examine", "ids": ids, "time_s": time_s, **more})
        with lent:
            self.channel.send_descriptor(lent.fileno())
        return Channel(learners)

    def examine(self, name: str, *replies: Any, **more: Any) -> Any:
        """The answer about one test; each question but those for `f` gets the next reply."""
        learner = self.ask(name, **more)
        with closing(learner):
            assert learner.receive(20) == {"op": "test", "id": name}
            reply(learner, iter(replies))
        answer = self.channel.receive(20)
        assert answer["id"] == name
        return answer

    def close(self) -> None:
        """End it: it ends by itself, and has said nothing."""
        self.channel.close()
        assert self.process.wait(10) == 0
        assert self.process.stdout is not None
        with self.process.stdout as output:
            assert output.read() == b""


def reply(learner: Channel, given: Iterator[Any]) -> None:
    """Answer as a snapshot does, until told to end or nobody asks any more."""
    with suppress(ChannelClosed):
        while (question := learner.receive(20)) != {"op": "end"}:
            gets_f = question == {"op": "get", "name": "f"}
            learner.send({"callable": True} if gets_f else next(given))


HANGS_OR_DIES = {
    "loops": ("while True: pass", "timeout"),
    "sleeps": ("import time\ntime.sleep(60)", "timeout"),
    "computes": ("9 ** 9 ** 9 ** 9", "timeout"),
    "exits": ("import os\nos._exit(3)", "error"),
    "is-killed": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "error"),
    "falls": ("import ctypes\nctypes.string_at(0)", "error"),
    "fills": ("x = [0] * 10**9", "failed"),
    "recurses": ("def f(): f()\nf()", "failed"),
    "asks-and-exits": ("f(1)\nimport os\nos._exit(0)", "error"),
}
SOURCES = {
    "half": "print('noise')\nassert f(2, k=[x]) == (4.0, 1) and math.pi > 3\n0.5",
    "calls": "f(1, k='v')",
    "x": "x",
    "slow": "x\nimport time\ntime.sleep(1.5)",
    "fine": "assert f(1) == 1",
    "changes": "import math\nmath.pi = 3\ny = 1",
    "sees": "assert math.pi > 3.1\ntry:\n    y\nexcept NameError:\n    pass",
    "false": "assert False",
    **{name: source for name, (source, _) in HANGS_OR_DIES.items()},
}
TESTS = [{"id": name, "source": source, "points": 2.0} for name, source in SOURCES.items()]


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    started = Examiner(*TESTS, imports=["import math"])
    yield started
    started.close()


def value(data: object) -> dict[str, Any]:
    return {"value": wall.encode(data)}


def test_a_cell_is_examined_with_values_from_the_learners_side(examiner: Examiner) -> None:
    answer = examiner.examine("half", value("text"), value((4.0, 1)))
    assert (answer["lost"], answer["gone"], answer["died"]) == (None, False, False)
    verdict = answer["verdict"]
    assert verdict["outcome"] == "passed"
    assert (verdict["score"], verdict["points_fraction"]) == (0.5, 0.25)


def test_questions_are_the_protocols(examiner: Examiner) -> None:
    with closing(examiner.ask("calls")) as learner:
        assert learner.receive(20) == {"op": "test", "id": "calls"}
        assert learner.receive(20) == {"op": "get", "name": "f"}
        learner.send({"callable": True})
        assert learner.receive(20) == {
            "op": "call",
            "name": "f",
            "args": [["i", "1"]],
            "kwargs": {"k": ["s", "v"]},
        }
        learner.send(value(None))
        assert learner.receive(20) == {"op": "end"}
    assert examiner.channel.receive(20)["verdict"]["outcome"] == "passed"


def test_the_language_is_the_lessons() -> None:
    english = Examiner(*TESTS, lang="en")
    sentence = english.examine("false")["verdict"]["sentence"]
    english.close()
    assert sentence == "The check `assert False` did not pass."


@pytest.mark.parametrize("name", HANGS_OR_DIES)
def test_a_test_that_hangs_or_dies_costs_itself_only(examiner: Examiner, name: str) -> None:
    started = time.monotonic()
    answer = examiner.examine(name, value(1), time_s=1)
    assert answer["verdict"]["outcome"] == HANGS_OR_DIES[name][1]
    assert (answer["lost"], answer["gone"]) == (None, False)
    assert time.monotonic() - started < 10
    assert examiner.examine("fine", value(1))["verdict"]["outcome"] == "passed"


def test_of_several_tests_those_after_a_dead_one_can_be_asked_for_again(
    examiner: Examiner,
) -> None:
    with closing(examiner.ask("fine", "exits", "x")) as learner:
        for _ in range(2):
            learner.receive(20)  # which test
            reply(learner, iter([value(1)]))
    first, second = examiner.channel.receive(20), examiner.channel.receive(20)
    assert [first["id"], first["verdict"]["outcome"], first["died"]] == ["fine", "passed", False]
    assert [second["id"], second["verdict"]["outcome"], second["died"]] == ["exits", "error", True]
    assert examiner.examine("x", value(1))["verdict"]["outcome"] == "passed"


@pytest.mark.parametrize(
    ("end", "lost", "gone"),
    [
        ({"crashed": True}, "crashed", False),
        (None, "crashed", True),
        ("silence", "timeout", True),
    ],
)
def test_a_learners_side_that_is_lost_is_said(
    examiner: Examiner, end: Any, lost: str, gone: bool
) -> None:
    with closing(examiner.ask("x", call_s=0.5)) as learner:
        learner.receive(20)
        learner.receive(20)
        if end is None:
            learner.close()
        elif end != "silence":
            learner.send(end)
        answer = examiner.channel.receive(20)
    assert (answer["lost"], answer["gone"], answer["died"]) == (lost, gone, False)


def test_the_learners_time_is_not_the_tests(examiner: Examiner) -> None:
    with closing(examiner.ask("slow", time_s=2)) as learner:
        for _ in range(2):
            learner.receive(20)
        time.sleep(1.5)
        learner.send(value(1))
        assert examiner.channel.receive(20)["verdict"]["outcome"] == "passed"


def test_nothing_of_one_submission_is_left_for_the_next(examiner: Examiner) -> None:
    assert examiner.examine("changes")["verdict"]["outcome"] == "passed"
    assert examiner.examine("sees", {"missing": True})["verdict"]["outcome"] == "passed"
