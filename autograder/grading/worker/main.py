"""Runs a learner's notebook cell by cell and answers questions about what it left.

Runs inside the sandbox, in the learner's process; nothing it says is believed on the other side.
The tests never come here. A fork keeps the state at each test's place; once every cell has run,
the forks are woken one after the other and asked for values.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from autograder.grading.sandbox.channel import Channel, ChannelError
from autograder.grading.worker.recorder import Recorder
from autograder.grading.worker.shell import (
    NotebookShell,
    Observer,
    RawOutput,
    error_of,
    replace_streams,
)
from autograder.grading.worker.snapshot import Snapshot, answer_questions

_LESSONS = "/course/lessons"
_END_S, _PAUSE_S = 1.0, 0.005  # until processes that were killed are gone


class Worker:
    """One submission's session.

    Args:
        channel: To the controller.
        shell: A fresh shell.
        hand_over: Tells the warden the pid of the process that goes on in this one's place.
        contained: Whether the processes it sees are all this submission's, so that strays can be
            ended. Without a sandbox they are somebody's.
    """

    def __init__(
        self,
        channel: Channel,
        shell: NotebookShell,
        hand_over: Callable[[int], None],
        *,
        contained: bool,
    ) -> None:
        self._channel = channel
        self._hand_over = hand_over
        self._contained = contained
        self._shell = shell
        self._snapshots: dict[str, Snapshot] = {}

    def serve(self, folder: str) -> None:
        """Run the steps that the first frame brings, then answer until told to stop."""
        try:
            start = self._channel.receive()
            self._prepare(start, folder)
            for step in start["steps"]:
                if step["kind"] == "test":
                    self._keep_state(step["id"])
                elif start.get("savepoints"):
                    self._run_with_savepoint(step)
                else:
                    self._run(step)
            self._channel.send({"event": "done"}, timeout_s=None)
            self._examine()
        except ChannelError:
            return  # the controller is gone: nothing is left to do

    def _prepare(self, start: Mapping[str, Any], folder: str) -> None:
        limits = start.get("limits", {})
        self._cell_s = float(limits.get("cell_s", 10))
        output_kb = int(limits.get("output_kb", 1024))
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103  # pathlib's mkdir can be patched too
        os.chdir(folder)
        if self._contained:
            # A notebook's first cell looks for `lessons` above the folder it runs in.
            with contextlib.suppress(FileExistsError):
                os.symlink(_LESSONS, f"{folder}/../lessons")  # noqa: PTH211
        self._raw = RawOutput(folder, output_kb * 1024)
        self._recorder = Recorder(output_kb, self._raw.fetch)
        self._observer = Observer()
        replace_streams(self._recorder)
        self._shell.attach(self._recorder)
        seed = int(start.get("seed", 0))
        random.seed(seed)
        if (numpy := sys.modules.get("numpy")) is not None:
            numpy.random.seed(seed % 2**32)
        sys.path[:] = ["", *(path for path in sys.path if path != "/grader")]

    def _run(self, step: Mapping[str, Any]) -> None:
        own = os.getpid()
        self._recorder.begin()
        self._observer.flags = set()
        result = self._shell.run_cell(  # type: ignore[no-untyped-call]  # IPython's
            step["source"], store_history=True, cell_id=step["id"]
        )
        if os.getpid() != own:
            os._exit(0)  # the cell forked and did not end the fork: two would now go on
        error = result.error_before_exec or result.error_in_exec
        flags = set(self._observer.flags)
        outputs = self._recorder.finish()
        if self._recorder.truncated:
            flags.add("output-truncated")
        if isinstance(error, MemoryError):
            flags.add("memory")
        self._channel.send(
            {
                "event": "cell",
                "id": step["id"],
                "status": "ok" if result.success else "error",
                "outputs": outputs,
                "execution_count": result.execution_count,
                "error": error_of(error, _is_cell),
                "flags": sorted(flags),
            },
            timeout_s=None,
        )

    def _run_with_savepoint(self, step: Mapping[str, Any]) -> None:
        """Run a cell in a fork; if it dies or takes too long, go on without it.

        The one that lives goes on with the next cell, the other one ends: there are never more
        than two, however many cells there are.
        """
        reading, writing = os.pipe()
        child = self._fork()
        if child == 0:
            os.close(reading)
            # In this order: a cell that has closed the channel must not be kept.
            self._run(step)
            _say_alive(writing)
            return
        os.close(writing)
        status = self._wait_for(child, reading)
        os.close(reading)
        if status is None:
            self._hand_over(child)
            os._exit(0)
        self._end_strays()
        self._channel.send(
            {
                "event": "cell",
                "id": step["id"],
                "status": status,
                "outputs": self._left_behind(),
                "execution_count": None,
                "error": None,
                "flags": [status],
            },
            timeout_s=None,
        )

    def _wait_for(self, child: int, reading: int) -> str | None:
        """None: the child lives and goes on. Else what became of it."""
        # Its end, beside the end of the pipe: a process that it left behind may hold that open.
        ended = os.pidfd_open(child)
        ready, _, _ = select.select([reading, ended], [], [], self._cell_s)
        os.close(ended)
        if reading in ready and os.read(reading, 1):
            return None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)  # also if it has left its group
        os.waitpid(child, 0)
        return "crashed" if ready else "timeout"

    def _fork(self) -> int:
        # The random module seeds itself anew in a fork: the score would change from run to run.
        state = random.getstate()
        try:
            child = os.fork()
        except OSError:
            # The cells before have used up the processes; what they left running has to go.
            self._end_strays()
            child = os.fork()
        if child == 0:
            random.setstate(state)
        return child

    def _end_strays(self) -> None:
        if self._contained:
            _kill_strays({snapshot.pid for snapshot in self._snapshots.values()})

    def _left_behind(self) -> list[dict[str, Any]]:
        self._recorder.begin()
        return self._recorder.finish()

    def _keep_state(self, name: str) -> None:
        snapshot = Snapshot.take(self._fork, self._answer, tuple(self._snapshots.values()))
        self._snapshots[name] = snapshot
        self._channel.send({"event": "test", "id": name}, timeout_s=None)

    def _answer(self) -> None:
        answer_questions(self._channel, self._shell.user_ns)

    def _examine(self) -> None:
        while True:
            message = self._channel.receive()
            if message.get("op") == "stop":
                return
            snapshot = self._snapshots.pop(str(message.get("id")), None)
            if message.get("op") != "test" or snapshot is None:
                self._channel.send({"error": "no such test, or examined already"}, timeout_s=None)
            elif not snapshot.wake():
                # It ended before it was told to: without this the controller would wait for the
                # whole of its deadline.
                self._channel.send({"crashed": True}, timeout_s=None)


def _kill_strays(keep: set[int]) -> None:
    """End what a lost cell left running: a fork bomb would take the next cells with it.

    The kernel stops all of them at one moment. Ended one after the other, those not yet reached
    would fork meanwhile, and on a busy machine for ever.
    """
    keep = {1, os.getpid(), os.getppid(), *keep}
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGSTOP)  # not the first process, nor this one
    for pid in _processes() - keep:
        _send(pid, signal.SIGKILL)
    for pid in keep:
        _send(pid, signal.SIGCONT)
    # They count until their parent, or the warden, has taken note of their end.
    deadline = time.monotonic() + _END_S
    while _processes() - keep and time.monotonic() < deadline:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(_PAUSE_S)


def _processes() -> set[int]:
    """Those of the sandbox; also the ended ones that nobody has taken note of."""
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def _say_alive(writing: int) -> None:
    with contextlib.suppress(OSError):  # the cell may have ended its own parent
        os.write(writing, b"1")
    os.close(writing)


def _is_cell(filename: str) -> bool:
    return filename.startswith("<ipython-input-")
