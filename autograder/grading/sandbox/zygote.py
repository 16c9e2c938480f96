"""A warm process in a sandbox that forks a fresh one for each submission.

Run with `python -m autograder.grading.sandbox.zygote JSON`. Libraries are imported once; a
submission then costs milliseconds. Each fork has namespaces of its own for users, mounts,
processes, IPC and the network, a new /tmp, /dev/shm and /proc, and is as confined as if it had a
sandbox of its own: one submission can neither see nor outlive another.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

from autograder.grading.sandbox import hugepages, privileges, warden
from autograder.grading.sandbox.channel import Channel

MODULE = "autograder.grading.sandbox.zygote"
_FAILED = 3
_CONTROL = 200
# All in one heap, which huge pages can hold: Python's own arenas lie scattered.
ENVIRONMENT = {"PYTHONMALLOC": "malloc"}
_FLAGS = privileges.MS_NOSUID | privileges.MS_NODEV
_NAMESPACES = (
    privileges.CLONE_NEWUSER
    | privileges.CLONE_NEWNS
    | privileges.CLONE_NEWPID
    | privileges.CLONE_NEWIPC
    # 0.7 ms. In a shared one the kernel keeps ports in TIME_WAIT and counts packets after a
    # submission has ended, and the next reads them.
    | privileges.CLONE_NEWNET
)


def main() -> None:
    """Import, then fork for each descriptor that comes over the channel."""
    words: dict[str, Any] = json.loads(sys.argv[1])
    order = warden.Order(**{**words, "preload": tuple(words["preload"])})
    for name in ENVIRONMENT:  # for this process; a learner's own child processes do without
        os.environ.pop(name, None)
    os.dup2(order.descriptor, _CONTROL, inheritable=False)
    os.close(order.descriptor)
    control = socket.socket(fileno=_CONTROL)
    ready = Channel(control)
    try:
        _try_namespaces()
    except OSError as error:
        ready.send({"event": "ready", "nested": False, "reason": str(error)})
        return
    shell = warden.warm_up(order.fonts, order.preload)
    _rehearse(shell)
    privileges.close_streams()
    # What is there now is shared with every fork; collecting would copy it in each.
    gc.collect()
    gc.freeze()
    hugepages.fill_holes()
    hugepages.gather()
    ready.send({"event": "ready", "nested": True})
    control.setblocking(True)
    while True:
        _, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not descriptors:
            return  # the grader is gone
        _fork(descriptors[0], shell, order)


def _rehearse(shell: Any) -> None:
    """Do once what the first cell, error and figure of each submission would import and load.

    Measured: 4 ms for a first cell, 15 ms for a first traceback, 50 ms for a first figure.
    """
    from IPython.core.pylabtools import print_figure  # noqa: PLC0415  # imported by warm_up
    from matplotlib.figure import Figure  # noqa: PLC0415

    for source in ("rehearsal = 1\nrehearsal", "1 / 0"):
        shell.run_cell(source, store_history=False)
    shell.reset(new_session=True)
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        vars(sys).pop(name, None)
    figure = Figure()
    figure.subplots().plot([1, 2], label="0123456789")
    print_figure(figure)  # type: ignore[no-untyped-call]  # IPython's


def _fork(descriptor: int, shell: Any, order: warden.Order) -> None:
    entering = os.fork()
    if entering:
        os.close(descriptor)
        os.waitpid(entering, 0)
        return
    try:
        os.close(_CONTROL)
        _enter_namespaces()
        if os.fork():
            os._exit(0)
        _mount()
        _serve(descriptor, shell, order)
    finally:
        os._exit(_FAILED)


def _serve(descriptor: int, shell: Any, order: warden.Order) -> None:
    held: dict[str, bool] = {"inodes": True}
    warden.confine(held)
    endpoint = socket.socket(fileno=warden.out_of_the_way(descriptor))
    # The kernel adds this process's id as the grader sees it. It is put into its control group
    # before it does anything: hence the wait.
    endpoint.send(b"\0")
    channel = Channel(endpoint)
    channel.receive()
    channel.send({"event": "ready", "held": held})
    os._exit(warden.look_after(channel, shell, order))


def _enter_namespaces() -> None:
    uid, gid = os.getuid(), os.getgid()
    privileges.unshare(_NAMESPACES)
    for name, text in (
        ("setgroups", "deny"),  # else gid_map may not be written
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        Path("/proc/self", name).write_text(text, encoding="ascii")
    privileges.open_loopback()


def _mount() -> None:
    for folder, options in warden.CAPPED.items():
        privileges.mount("none", folder, "tmpfs", _FLAGS, options)
    privileges.mount("proc", "/proc", "proc", _FLAGS | privileges.MS_NOEXEC)


def _try_namespaces() -> None:
    """Whether a fork can have what `_fork` gives it.

    Raises:
        OSError: It cannot: AppArmor and some containers allow one level only.
    """
    reading, writing = os.pipe()
    entering = os.fork()
    if entering == 0:
        with contextlib.suppress(BaseException):
            try:
                _enter_namespaces()
                inner = os.fork()
                if inner == 0:
                    _mount()
                    os.write(writing, b"ok")
                else:
                    os.waitpid(inner, 0)
            except OSError as error:
                os.write(writing, str(error).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(entering, 0)
    said = os.read(reading, 1000)
    os.close(reading)
    if said != b"ok":
        raise OSError(said.decode() or "no reason given")


if __name__ == "__main__":
    main()
