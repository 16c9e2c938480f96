"""The examiner's process: runs tests cells, each in a fork that no value can outlive.

    python -I -m autograder.grading.examiner.main FD [FOLDER ...]

FD is an inherited, connected stream socket; FOLDERs go on the module path (where the lesson's
modules are). The process that answers on FD never decodes a value itself: it imports once what
tests need, forks for each request, passes on the frames of its child, and says what became of a
child that died or ran out of time.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import math
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


def main(arguments: list[str]) -> None:
    """Serve one controller until it closes its end."""
    fd = fcntl.fcntl(int(arguments[0]), fcntl.F_DUPFD_CLOEXEC, _STANDARD_FDS)
    _silence_standard_streams()
    sys.path[:0] = arguments[1:]
    # One thread is enough for comparing results, and forks and memory limits stay predictable.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("MPLBACKEND", "agg")
    with contextlib.suppress(ImportError):
        importlib.import_module("numpy")  # arrays may cross; a child would import it each time
    importlib.import_module("autograder.grading.examiner.examination")
    serve(Channel(socket.socket(fileno=fd)))


def serve(controller: Channel) -> None:
    """Answer requests until the controller is gone or says stop."""
    imported: set[str] = set()
    with contextlib.suppress(ChannelClosed):
        while (request := controller.receive()).get("op") == "examine":
            for statement in request.get("imports", []):
                if statement not in imported:
                    imported.add(statement)
                    _preload(statement)
            controller.send({"verdict": _examine_in_fork(request, controller)})


def _silence_standard_streams() -> None:
    # Whatever a module or a tests cell prints must not reach a channel that happens to be 0-2.
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(_STANDARD_FDS):
        os.dup2(null, standard)


def _preload(statement: str) -> None:
    """Import once what every test imports; a failure shows in the test itself."""
    with contextlib.suppress(Exception):
        exec(compile(statement, "<imports>", "exec", dont_inherit=True), {})  # noqa: S102 - the master's own


def _examine_in_fork(request: dict[str, Any], controller: Channel) -> dict[str, Any]:
    own, childs = pair()
    child_id = os.fork()
    if child_id == 0:
        own.close()
        controller.close()
        _run_child(request, Channel(childs))
    childs.close()
    child = Channel(own)
    try:
        return _relay(child, controller, request)
    finally:
        child.close()
        os.kill(child_id, signal.SIGKILL)  # not yet waited for, so the id is still the child's
        os.waitpid(child_id, 0)


def _relay(child: Channel, controller: Channel, request: dict[str, Any]) -> dict[str, Any]:
    """Pass questions and replies on until the child has a verdict.

    Only the child's own time counts: the controller keeps the clock of the learner's side.
    """
    left_s = float(request.get("time_s", DEFAULT_TIME_S))
    say = words(str(request.get("lang", "zh-CN")))
    while True:
        started = time.monotonic()
        try:
            message = child.receive(max(left_s, 0.0))
        except ChannelTimeout:
            return verdict("timeout", sentence=say["own-timeout"], detail="The test ran too long.")
        except ChannelError:
            return verdict("error", sentence=say["limits"], detail="The test's process died.")
        left_s -= time.monotonic() - started
        if "verdict" in message:
            found: dict[str, Any] = message["verdict"]
            return found
        controller.send({"ask": message.get("ask")}, timeout_s=None)
        reply = controller.receive()
        with contextlib.suppress(ChannelError):  # a child that died meanwhile is seen above
            child.send(reply)


def _run_child(request: dict[str, Any], parent: Channel) -> NoReturn:
    try:
        _limit(request)
        parent.send({"verdict": _examine(request, parent)})
    finally:
        os._exit(0)


def _examine(request: dict[str, Any], parent: Channel) -> dict[str, Any]:
    examination: Any = importlib.import_module("autograder.grading.examiner.examination")

    def ask(question: dict[str, Any]) -> dict[str, Any]:
        parent.send({"ask": question}, timeout_s=None)
        return parent.receive()

    optional = {"category", "points", "seed", "lang"} & request.keys()
    found: dict[str, Any] = examination.examine(
        request["source"],
        list(request.get("imports", [])),
        ask,
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
