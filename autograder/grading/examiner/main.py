"""The examiner's process: runs a submission's tests cells in a fork that no value can outlive.

    python -I -m autograder.grading.examiner.main FD [FOLDER ...]

FD is an inherited, connected stream socket; FOLDERs go on the module path (where the lesson's
modules are). First comes a frame with the lesson's tests. A request is a frame with the ids of
tests and, with one more byte, the grader's end of the channel to the learner's process. The process
that answers on FD never decodes a value itself: it imports once what tests need and forks for each
request; its child wakes the learner's snapshots and asks them directly, and it passes on the
verdicts, or says what became of a child that died or ran out of time. What a test changes in a
module the next tests of the same submission see, as in a notebook's kernel; no other submission's.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import math
import mmap
import os
import resource
import signal
import socket
import sys
import time
from typing import Any, Final, NoReturn

from autograder.grading.examiner.sentences import words
from autograder.grading.examiner.verdicts import verdict
from autograder.grading.sandbox import hugepages, privileges
from autograder.grading.sandbox.channel import (
    Channel,
    ChannelClosed,
    ChannelError,
    ChannelTimeout,
    pair,
)

DEFAULT_TIME_S: Final = 20.0
DEFAULT_MEMORY_MB: Final = 1024
_STANDARD_FDS: Final = 3
_TICK_S: Final = 0.001  # a timer of 0 would be none
_LEAST_S: Final = 1.0
_OUT_OF_TIME: Final = (signal.SIGALRM, signal.SIGXCPU)


def main(arguments: list[str]) -> None:
    """Serve one controller until it closes its end."""
    fd = fcntl.fcntl(int(arguments[0]), fcntl.F_DUPFD_CLOEXEC, _STANDARD_FDS)
    _silence_standard_streams()
    sys.path[:0] = arguments[1:]
    # One thread is enough for comparing results, and forks and memory limits stay predictable.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("MPLBACKEND", "agg")
    importlib.import_module("autograder.grading.examiner.examination")
    serve(Channel(socket.socket(fileno=fd)))


def serve(controller: Channel) -> None:
    """Answer requests until the controller is gone."""
    with contextlib.suppress(ChannelClosed):
        lesson = controller.receive()
        tests = {str(test["id"]): test for test in lesson["tests"]}
        imports = [str(statement) for statement in lesson.get("imports", [])]
        _prepare(imports, [(str(test["source"]), name) for name, test in tests.items()])
        controller.send({"event": "ready"})
        while True:
            request = controller.receive()
            learner = controller.receive_descriptor()
            wanted = [tests[name] for name in request["ids"]]
            sitting = _Sitting(request, wanted, imports, str(lesson.get("lang", "zh-CN")))
            sitting.hold(controller, learner)


def _prepare(imports: list[str], tests: list[tuple[str, str]]) -> None:
    """Import and compile once what every fork would."""
    # NumPy is large: a fork that has it costs twice as much. A child may still import it.
    arrays = any("numpy" in source for source, _ in tests)
    for statement in [*imports, *(["import numpy"] if arrays else [])]:
        _preload(statement)
    examination: Any = importlib.import_module("autograder.grading.examiner.examination")
    examination.prepare(imports, tests)
    # What is there now is shared with every fork; collecting would copy it in each.
    gc.collect()
    gc.freeze()
    hugepages.fill_holes()
    hugepages.gather()


def _silence_standard_streams() -> None:
    # Whatever a module or a tests cell prints must not reach a channel that happens to be 0-2.
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(_STANDARD_FDS):
        os.dup2(null, standard)


def _preload(statement: str) -> None:
    """Import once what every test imports; a failure shows in the test itself."""
    with contextlib.suppress(Exception):
        exec(compile(statement, "<imports>", "exec", dont_inherit=True), {})  # noqa: S102 - the master's own


class _Sitting:
    """One request: some tests of one submission, one after the other.

    Args:
        request: `seed`; seconds `call_s` for one answer and `time_s` for all of them.
        tests: `id`, `source`, `points` and `category` of each.
        imports: Statements that run before each.
        lang: BCP 47 language of the sentences.
    """

    def __init__(
        self, request: dict[str, Any], tests: list[dict[str, Any]], imports: list[str], lang: str
    ) -> None:
        self._tests = tests
        self._imports = imports
        self._lang = lang
        self._seed = int(request.get("seed", 0))
        self._time_s = float(request.get("time_s", DEFAULT_TIME_S))
        self._call_s = float(request.get("call_s", self._time_s))
        self._memory_mb = int(request.get("memory_mb", DEFAULT_MEMORY_MB))

    def hold(self, controller: Channel, learner: int) -> None:
        """Give the controller one answer a test, until all are done or the child has died."""
        own, childs = pair()
        # A byte that both see: whether the child is in the middle of a frame of the learner's.
        asking = mmap.mmap(-1, 1)
        child_id = os.fork()
        if child_id == 0:
            own.close()
            controller.close()
            self._work(Channel(childs), Channel.from_fd(learner), asking)
        childs.close()
        os.close(learner)
        child = Channel(own)
        try:
            for test in self._tests:
                found = child.receive()
                controller.send({**found, "id": test["id"], "died": False})
                if found["gone"]:
                    break
        except ChannelError:
            found = self._died(child_id)
            child_id = 0
            gone = asking[0] != 0
            controller.send({**found, "id": test["id"], "lost": None, "gone": gone, "died": True})
        finally:
            asking.close()
            child.close()
            if child_id:
                os.kill(child_id, signal.SIGKILL)  # not yet waited for: the id is still its own
                os.waitpid(child_id, 0)

    def _died(self, child_id: int) -> dict[str, Any]:
        _, status = os.waitpid(child_id, 0)
        say = words(self._lang)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in _OUT_OF_TIME:
            detail = "The test ran too long."
            return {"verdict": verdict("timeout", sentence=say["own-timeout"], detail=detail)}
        detail = "The test's process died."
        return {"verdict": verdict("error", sentence=say["limits"], detail=detail)}

    def _work(self, parent: Channel, channel: Channel, asking: mmap.mmap) -> NoReturn:
        try:
            deadline = time.monotonic() + self._time_s
            _limit(self._memory_mb, math.ceil(self._time_s) + len(self._tests) + 1)
            for test in self._tests:
                learner = _Learner(channel, asking, self._call_s, deadline)
                found: dict[str, Any] = {"verdict": None}
                if learner.wake(test["id"]):
                    left_s = max(_LEAST_S, deadline - time.monotonic())
                    signal.setitimer(signal.ITIMER_REAL, min(left_s, self._time_s))
                    found["verdict"] = self._examine(test, learner)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                learner.dismiss()
                parent.send({**found, "lost": learner.lost, "gone": learner.gone})
        finally:
            os._exit(0)

    def _examine(self, test: dict[str, Any], learner: _Learner) -> dict[str, Any]:
        examination: Any = importlib.import_module("autograder.grading.examiner.examination")
        found: dict[str, Any] = examination.examine(
            test["source"],
            self._imports,
            learner.ask,
            grade_id=str(test["id"]),
            category=test.get("category"),
            points=test.get("points"),
            seed=self._seed,
            lang=self._lang,
        )
        return found


class _Learner:
    """The learner's side, for one test.

    Args:
        channel: To the learner's process.
        asking: Its first byte tells the parent whether an answer is awaited.
        call_s: For one answer, seconds.
        deadline: For all answers, on the monotonic clock.

    Attributes:
        lost: What became of it, once it is lost: every further question fails at once.
        gone: Whether nothing more can come from its whole process.
    """

    def __init__(self, channel: Channel, asking: mmap.mmap, call_s: float, deadline: float) -> None:
        self._channel = channel
        self._asking = asking
        self._call_s = call_s
        self._deadline = deadline
        self.lost: str | None = None
        self.gone = False

    def wake(self, test: str) -> bool:
        """Let the snapshot of a test answer from now on; whether that could be said."""
        return self._tell({"op": "test", "id": test})

    def dismiss(self) -> None:
        """Let the snapshot end."""
        if self.lost is None:
            self._tell({"op": "end"})

    def _tell(self, message: dict[str, Any]) -> bool:
        try:
            self._channel.send(message)
        except ChannelError:
            self.lost, self.gone = "crashed", True
        return not self.gone

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The reply. While it is awaited the test's own clock stands still."""
        if self.lost is None:
            left_s, _ = signal.setitimer(signal.ITIMER_REAL, 0)
            self._asking[0] = 1
            reply = self._reply(question)
            self._asking[0] = 0
            signal.setitimer(signal.ITIMER_REAL, max(left_s, _TICK_S))
            if reply is not None:
                return reply
        return {"lost": self.lost}

    def _reply(self, question: dict[str, Any]) -> dict[str, Any] | None:
        try:
            self._channel.send(question)
            left_s = self._deadline - time.monotonic()
            if left_s <= 0:  # also of a learner's side that never stops talking
                raise ChannelTimeout("the submission's time is over")
            reply = self._channel.receive(min(self._call_s, left_s))
        except ChannelTimeout:
            self.lost, self.gone = "timeout", True
            return None
        except ChannelClosed:
            self.lost, self.gone = "crashed", True
            return None
        if "crashed" in reply:  # the snapshot; those of other tests can still be examined
            self.lost = "crashed"
            return None
        return reply


def _limit(memory_mb: int, seconds: int) -> None:
    memory = memory_mb * 2**20 + privileges.mapped_bytes(unknown=2**30)
    for limit, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        hard = resource.getrlimit(limit)[1]
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (ceiling, ceiling))


if __name__ == "__main__":
    main(sys.argv[1:])
