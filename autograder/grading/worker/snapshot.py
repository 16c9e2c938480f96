"""A fork that keeps a learner's process as it was at one test's place.

Runs inside the sandbox.
"""

from __future__ import annotations

import builtins
import os
import select
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.grading import wall
from autograder.grading.sandbox.channel import Channel, ChannelError, ChannelViolation
from autograder.grading.worker.shell import safe_text

_ORDERLY = b"1"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A waiting fork, as the process sees it that goes on.

    Attributes:
        pid: The fork.
        process: A pidfd: after a savepoint's fork it is no longer the child of who wakes it.
        alarm: Where a byte wakes it.
        farewell: Where it leaves a byte when it was told to end.
    """

    pid: int
    process: int
    alarm: int
    farewell: int

    @classmethod
    def take(
        cls,
        fork: Callable[[], int],
        answer: Callable[[], None],
        others: tuple[Snapshot, ...],
    ) -> Snapshot:
        """Fork; the fork waits, then runs `answer` and ends.

        Args:
            fork: `os.fork`, or better.
            answer: What the fork does once woken.
            others: Earlier snapshots, of which the fork must hold no descriptor.
        """
        asleep, alarm = os.pipe()
        farewell, leaving = os.pipe()
        child = fork()
        if child == 0:
            for number in (alarm, farewell, *(fd for other in others for fd in other._held())):
                os.close(number)
            _wait_and_answer(asleep, leaving, answer)
        os.close(asleep)
        os.close(leaving)
        return cls(child, os.pidfd_open(child), alarm, farewell)

    def wake(self) -> bool:
        """Let it answer until it ends; whether it ended as told."""
        try:
            os.write(self.alarm, b"1")
            select.select([self.process], [], [])
            ready, _, _ = select.select([self.farewell], [], [], 0)
            orderly = bool(ready) and os.read(self.farewell, 1) == _ORDERLY
        except BrokenPipeError:
            orderly = False
        for number in self._held():
            os.close(number)
        return orderly

    def _held(self) -> tuple[int, int, int]:
        return (self.process, self.alarm, self.farewell)


def _wait_and_answer(asleep: int, leaving: int, answer: Callable[[], None]) -> None:
    # _exit: a learner's atexit functions and finally blocks further up must not run here.
    code = 1
    try:
        if os.read(asleep, 1):
            _discard_output()
            answer()
            os.write(leaving, _ORDERLY)
            code = 0
    finally:
        os._exit(code)


def _discard_output() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    sys.stdout = sys.stderr = open(nowhere, "w", encoding="utf-8", errors="replace")  # noqa: SIM115, PTH123


def answer_questions(channel: Channel, names: Mapping[str, Any]) -> None:
    """Answer `get` and `call` until `end`."""
    while True:
        question = channel.receive()
        if question.get("op") == "end":
            return
        own = os.getpid()
        reply = answer(question, names)
        if os.getpid() != own:
            os._exit(0)  # a fork that the call did not end must not answer as well
        try:
            channel.send(reply, timeout_s=None)
        except ChannelViolation:
            channel.send({"unsupported": "too-large"}, timeout_s=None)


def answer(question: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to one question."""
    try:
        name = question["name"]
        if name not in names:
            return {"missing": True}
        if question["op"] == "get":
            return _value(names[name])
        arguments = [wall.decode(item) for item in question.get("args", [])]
        keywords = {key: wall.decode(item) for key, item in question.get("kwargs", {}).items()}
        return _encoded(names[name](*arguments, **keywords))
    except ChannelError:
        raise
    except BaseException as error:  # SystemExit and KeyboardInterrupt too
        return {"raised": builtin_name(type(error)), "message": safe_text(error)}


def _value(value: object) -> dict[str, Any]:
    reply = _encoded(value)
    return {"callable": True} if "unsupported" in reply and callable(value) else reply


def _encoded(value: object) -> dict[str, Any]:
    try:
        return {"value": wall.encode(value)}
    except wall.Unsupported as error:
        return {"unsupported": error.kind}


def builtin_name(kind: type[BaseException]) -> str:
    """The nearest built-in exception class above `kind`: only those can cross."""
    for base in kind.__mro__:
        if base.__module__ == "builtins" and getattr(builtins, base.__name__, None) is base:
            return str(base.__name__)
    return "Exception"
