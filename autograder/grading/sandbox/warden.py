"""The first program in a sandbox: gives up its privileges, starts the worker, outlives it.

Run with `python -m autograder.grading.sandbox.warden JSON`. It never runs a learner's code itself;
when the worker and everything that it left behind has ended, or the grader closes the channel, it
ends, and with it the sandbox.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import sys
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.grading.sandbox import privileges
from autograder.grading.sandbox.channel import Channel

CAPPED = {"/tmp": "size=64m,nr_inodes=4000", "/dev/shm": "size=1m,nr_inodes=200"}  # noqa: S108  # the sandbox's own
_FILE_BYTES = 64 * 2**20
# What Python and a lesson's libraries map, counted as this much for all: it grows a little in the
# warm process, and no submission may have less room than the one before.
_OWN_BYTES, _LEAST_BYTES = 200 * 2**20, 16 * 2**20
_OPEN_FILES = 512
_PID_BYTES = 8
_FAILED = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """What the warden is told.

    Attributes:
        descriptor: The channel's.
        contained: Whether it is in a sandbox; otherwise only the limits of a process hold.
        memory_mb, processes, cpu_s: For each process of the submission.
        fonts: Matplotlib's font list, made before, or None.
        preload: Modules of the lesson to import before the learner's code.
    """

    descriptor: int
    contained: bool
    memory_mb: int
    processes: int
    cpu_s: int
    fonts: str | None = None
    preload: tuple[str, ...] = ()

    def argument(self) -> str:
        """As the command line carries it."""
        return json.dumps(asdict(self))


def main() -> None:
    """Serve one submission."""
    words: dict[str, Any] = json.loads(sys.argv[1])
    order = Order(**{**words, "preload": tuple(words["preload"])})
    channel = Channel.from_fd(out_of_the_way(order.descriptor))
    held: dict[str, bool] = {}
    if order.contained:
        held["inodes"] = cap_files()
        confine(held)
    shell = warm_up(order.fonts, order.preload)
    privileges.close_streams()
    channel.send({"event": "ready", "held": held})
    # Not sys.exit: taking Python apart takes 0.1 s, in which what the worker left would live on.
    os._exit(look_after(channel, shell, order))


def warm_up(fonts: str | None, preload: tuple[str, ...]) -> Any:
    """Import what submissions need; only the course's own code runs here."""
    if fonts is not None:
        # In place before matplotlib looks: making the list takes a second, for each submission.
        folder = Path(os.environ["MPLCONFIGDIR"])
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(fonts, folder / Path(fonts).name)
    from autograder.grading.worker import main  # noqa: F401, PLC0415  # warm, like the libraries
    from autograder.grading.worker.shell import (  # noqa: PLC0415  # after the font list
        load_libraries,
        make_shell,
    )

    shell = make_shell()
    # What each submission uses comes before the large libraries: side by side in memory, it lies
    # on fewer of the pages that its fork has to copy.
    for name in preload:
        # A lesson without such a module: the learner's cell that imports it says so.
        try:
            __import__(name)
        except ImportError as error:
            sys.stderr.write(f"preload {name}: {error}\n")
    load_libraries(shell)
    return shell


def look_after(channel: Channel, shell: Any, order: Order) -> int:
    """Fork the worker and reap until it has ended; its exit code.

    With savepoints the worker that started is not the one that ends: each hands over to the next.
    """
    if sys.platform == "linux":
        privileges.become_reaper()
    successors, handing_over = os.pipe()
    os.set_blocking(successors, False)
    if order.contained:
        privileges.hide_process(True)
        # The first process of a namespace gets no signal that it has no handler for; Python has
        # one for this.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    worker = os.fork()
    if worker == 0:
        if order.contained:
            privileges.hide_process(False)
        os.close(successors)
        _work(channel, shell, order, handing_over)
    channel.close()
    os.close(handing_over)
    ended: dict[int, int] = {}
    while True:
        while worker not in ended:
            pid, status = os.wait()
            ended[pid] = status
        successor = _successor(successors)
        if successor is None:
            # The end of this process is the end of whatever the worker left behind.
            return os.waitstatus_to_exitcode(ended[worker])
        worker = successor


def _successor(reading: int) -> int | None:
    try:
        word = os.read(reading, _PID_BYTES)
    except BlockingIOError:  # something that the worker left holds the other end
        return None
    return int.from_bytes(word, "big") if len(word) == _PID_BYTES else None


def _work(channel: Channel, shell: Any, order: Order, handing_over: int) -> None:
    from autograder.grading.worker.main import Worker  # noqa: PLC0415  # imports IPython

    def hand_over(pid: int) -> None:
        os.write(handing_over, pid.to_bytes(_PID_BYTES, "big"))

    code = _FAILED
    try:
        for name in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(name, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        limit_process(order)
        worker = Worker(channel, shell, hand_over, contained=order.contained)
        worker.serve(str(Path(os.environ["HOME"], "notebook")))
        code = 0
    except Exception:
        # Not the learner's doing: cells catch their own. Said, since nothing else can be seen.
        with contextlib.suppress(Exception):
            channel.send({"event": "failed", "detail": traceback.format_exc()[-4000:]})
    finally:
        # Not sys.exit: neither a learner's atexit functions nor those of the libraries.
        os._exit(code)


def limit_process(order: Order) -> None:
    """The limits that hold for each process; as root RLIMIT_NPROC would do nothing."""
    room = max(_LEAST_BYTES, order.memory_mb * 2**20 - _OWN_BYTES)
    privileges.limit("AS", privileges.mapped_bytes(unknown=_OWN_BYTES) + room)
    privileges.limit("FSIZE", _FILE_BYTES)
    privileges.limit("CORE", 0)
    privileges.limit("NOFILE", _OPEN_FILES)
    privileges.limit("CPU", order.cpu_s)
    privileges.limit("MEMLOCK", 0)
    privileges.limit("MSGQUEUE", 0)
    if order.contained or sys.platform != "linux":
        privileges.limit("NPROC", order.processes)


def confine(held: dict[str, bool]) -> None:
    """Give up everything that a learner's code must not have; notes what holds."""
    privileges.empty_capabilities()
    privileges.forbid_new_privileges()
    try:
        privileges.filter_system_calls()
        held["system-calls"] = True
    except (OSError, KeyError):
        held["system-calls"] = False
    held["processes"] = resource.getrlimit(resource.RLIMIT_NPROC)[0] != 0


def cap_files() -> bool:
    """Bound the number of files: bubblewrap bounds their size only, and an empty one costs 1 KB."""
    flags = privileges.MS_REMOUNT | privileges.MS_NOSUID | privileges.MS_NODEV
    try:
        for folder, options in CAPPED.items():
            privileges.mount(None, folder, None, flags, options)
    except OSError:
        return False
    return True


def out_of_the_way(descriptor: int) -> int:
    """The descriptor under a high number, closed on exec: not to be hit by accident."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    high = os.dup2(descriptor, min(most, _OPEN_FILES) - 1, inheritable=False)
    os.close(descriptor)
    return high


if __name__ == "__main__":
    main()
