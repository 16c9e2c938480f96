"""The examiner's process: runs tests cells, each in a fork that no value can outlive.

    python -I -m autograder.grading.examiner.main FD [FOLDER ...]

FD is an inherited, connected stream socket; FOLDERs go on the module path (where the lesson's
modules are). A request is a frame and, with one more byte, the grader's end of the channel to the
learner's process. The process that answers on FD never decodes a value itself: it imports once
what tests need and forks for each request; its child asks the learner's side directly, and it says
what became of a child that died or ran out of time.
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
from pathlib import Path
from typing import Any, Final, NoReturn

from autograder.grading.examiner.sentences import words
from autograder.grading.examiner.verdicts import verdict
from autograder.grading.sandbox import hugepages
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
    """Answer requests until the controller is gone or says stop."""
    imported: set[str] = set()
    with contextlib.suppress(ChannelClosed):
        while (request := controller.receive()).get("op") == "examine":
            learner = controller.receive_descriptor()
            wanted = [*request.get("imports", []), *_arrays(str(request.get("source")))]
            if new := [statement for statement in wanted if statement not in imported]:
                imported.update(new)
                for statement in new:
                    _preload(statement)
                # What is there now is shared with every fork; collecting would copy it in each.
                gc.collect()
                gc.freeze()
                hugepages.gather()
            found = _examine_in_fork(request, controller, learner)
            controller.send(found)


def _arrays(source: str) -> list[str]:
    """NumPy is large: a fork that has it costs twice as much. A child may still import it."""
    return ["import numpy"] if "numpy" in source else []


def _silence_standard_streams() -> None:
    # Whatever a module or a tests cell prints must not reach a channel that happens to be 0-2.
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(_STANDARD_FDS):
        os.dup2(null, standard)


def _preload(statement: str) -> None:
    """Import once what every test imports; a failure shows in the test itself."""
    with contextlib.suppress(Exception):
        exec(compile(statement, "<imports>", "exec", dont_inherit=True), {})  # noqa: S102 - the master's own


def _examine_in_fork(
    request: dict[str, Any], controller: Channel, learner: int
) -> dict[str, Any]:
    own, childs = pair()
    asking = mmap.mmap(-1, 1)
    child_id = os.fork()
    if child_id == 0:
        own.close()
        controller.close()
        _run_child(request, Channel(childs), learner, asking)
    childs.close()
    os.close(learner)
    say = words(str(request.get("lang", "zh-CN")))
    child = Channel(own)
    try:
        return child.receive()
    except ChannelError:
        _, status = os.waitpid(child_id, 0)
        child_id = 0
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in _OUT_OF_TIME:
            ended = verdict(
                "timeout", sentence=say["own-timeout"], detail="The test ran too long."
            )
        else:
            ended = verdict("error", sentence=say["limits"], detail="The test's process died.")
        # In the middle of a frame of the learner's nobody else can go on.
        return {"verdict": ended, "lost": None, "gone": asking[0] != 0}
    finally:
        asking.close()
        child.close()
        if child_id:
            os.kill(child_id, signal.SIGKILL)  # not yet waited for: the id is still the child's
            os.waitpid(child_id, 0)


class _Learner:
    """The learner's side, for one test.

    Args:
        channel: To the learner's process.
        asking: Its first byte tells the parent whether an answer is awaited.
        call_s: For one answer, seconds.
        time_s: For all answers, seconds, and for the test itself as much again.

    Attributes:
        lost: What became of it, once it is lost: every further question fails at once.
        gone: Whether nothing more can come from its whole process.
    """

    def __init__(
        self, channel: Channel, asking: mmap.mmap, call_s: float, time_s: float
    ) -> None:
        self._channel = channel
        self._asking = asking
        self._call_s = call_s
        self._deadline = time.monotonic() + time_s
        self.lost: str | None = None
        self.gone = False

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


def _run_child(
    request: dict[str, Any], parent: Channel, descriptor: int, asking: mmap.mmap
) -> NoReturn:
    try:
        time_s = float(request.get("time_s", DEFAULT_TIME_S))
        call_s = float(request.get("call_s", time_s))
        learner = _Learner(Channel.from_fd(descriptor), asking, call_s, time_s)
        _limit(request)
        signal.setitimer(signal.ITIMER_REAL, max(time_s, _TICK_S))
        found = _examine(request, learner)
        signal.setitimer(signal.ITIMER_REAL, 0)
        parent.send({"verdict": found, "lost": learner.lost, "gone": learner.gone})
    finally:
        os._exit(0)


def _examine(request: dict[str, Any], learner: _Learner) -> dict[str, Any]:
    examination: Any = importlib.import_module("autograder.grading.examiner.examination")
    optional = {"category", "points", "seed", "lang"} & request.keys()
    found: dict[str, Any] = examination.examine(
        request["source"],
        list(request.get("imports", [])),
        learner.ask,
        grade_id=str(request.get("id", "test")),
        **{name: request[name] for name in optional},
    )
    return found


def _limit(request: dict[str, Any]) -> None:
    memory = int(request.get("memory_mb", DEFAULT_MEMORY_MB)) * 2**20 + _mapped_bytes()
    seconds = math.ceil(float(request.get("time_s", DEFAULT_TIME_S))) + 1
    for limit, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        hard = resource.getrlimit(limit)[1]
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (ceiling, ceiling))


def _mapped_bytes() -> int:
    """What is mapped already (libraries reserve far more than they use); 1 GB when not known."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 2**30
    return pages * resource.getpagesize()


if __name__ == "__main__":
    main(sys.argv[1:])
