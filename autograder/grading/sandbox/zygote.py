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
from itertools import count
from typing import Any

from autograder.grading.sandbox import hugepages, privileges, warden
from autograder.grading.sandbox.channel import Channel

MODULE = "autograder.grading.sandbox.zygote"
_FAILED = 3
_CONTROL = 200
# The rehearsal takes what it saves with so many forks: a hand-in or two come out sooner without.
_FEW = 20
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
    from autograder.grading.worker.rehearsal import rehearse  # noqa: PLC0415  # after the font list

    privileges.close_streams()
    # What is there now is shared with every fork; collecting would copy it in each.
    gc.freeze()
    ready.send({"event": "ready", "nested": True})
    control.setblocking(True)
    for forked in count(1):
        _, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not descriptors:
            return  # the grader is gone
        _fork(descriptors[0], shell, order)
        if forked == _FEW:  # each further one is cheaper
            rehearse(shell)
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            hugepages.fill_holes()
            hugepages.gather()


def _fork(descriptor: int, shell: Any, order: warden.Order) -> None:
    ids = os.getuid(), os.getgid()
    if privileges.fork_into(_NAMESPACES):
        os.close(descriptor)
        return
    try:
        os.close(_CONTROL)
        _settle(*ids)
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


def _settle(uid: int, gid: int) -> None:
    """Arrange the new namespaces: the same ids, a loopback, private folders, its own processes."""
    for name, text in (
        ("setgroups", "deny"),  # else gid_map may not be written
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        _write(f"/proc/self/{name}", text)
    privileges.open_loopback()
    for folder, options in warden.CAPPED.items():
        privileges.mount("none", folder, "tmpfs", _FLAGS, options)
    privileges.mount("proc", "/proc", "proc", _FLAGS | privileges.MS_NOEXEC)


def _write(path: str, text: str) -> None:
    number = os.open(path, os.O_WRONLY)
    os.write(number, text.encode("ascii"))
    os.close(number)


def _try_namespaces() -> None:
    """Whether a fork can have what `_fork` gives it.

    Raises:
        OSError: It cannot: AppArmor and some containers allow one level only.
    """
    reading, writing = os.pipe()
    ids = os.getuid(), os.getgid()
    if privileges.fork_into(_NAMESPACES) == 0:
        with contextlib.suppress(BaseException):
            try:
                _settle(*ids)
                os.write(writing, b"ok")
            except OSError as error:
                os.write(writing, str(error).encode())
        os._exit(0)
    os.close(writing)
    said = os.read(reading, 1000)
    os.close(reading)
    if said != b"ok":
        raise OSError(said.decode() or "no reason given")


if __name__ == "__main__":
    main()
