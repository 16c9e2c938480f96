"""A process that is contained, from the outside: its channel, its end, what it leaves: nothing."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path
from typing import IO, Any

from autograder.grading.sandbox.channel import Channel, ChannelClosed, ChannelError, pair
from autograder.grading.sandbox.limits import Group

_END_S = 10.0
_MESSAGE_BYTES = 4_000


class Contained(Channel):
    """The grader's end of the channel to a contained process, and the process itself.

    Args:
        channel: Connected to it.
        process: What was started; its session holds whatever has not been isolated. None for a
            zygote's fork.
        first: The host's pid of the sandbox's first process, whose end is the end of all in it;
            None without a sandbox.
        group: Its control group, removed at the end.
        errors: Where it wrote before it was ready.
    """

    def __init__(
        self,
        channel: Channel,
        process: subprocess.Popen[bytes] | None,
        first: int | None,
        group: Group | None,
        errors: IO[bytes] | None,
    ) -> None:
        super().__init__(channel.detach())
        self._process = process
        self._group = group
        self._errors = errors
        self._out_of_memory = False
        self._ended = False
        # Opened while it certainly lives: later the number could be another process's.
        self._first = None if first is None else os.pidfd_open(first)

    @property
    def ended(self) -> bool:
        """Whether it was ended."""
        return self._ended

    @property
    def group_folders(self) -> tuple[Path, ...]:
        """Its control groups, which are gone once it has ended."""
        return () if self._group is None else tuple(self._group.folders.values())

    @property
    def out_of_memory(self) -> bool:
        """Whether the kernel ended something in it for want of memory; also valid once ended."""
        if not self._ended and self._group is not None:
            self._out_of_memory = self._group.ran_out_of_memory()
        return self._out_of_memory

    def complaint(self) -> str:
        """The end of what it wrote to its standard streams before it was ready."""
        if self._errors is None:
            return ""
        self._errors.seek(0)
        return self._errors.read()[-_MESSAGE_BYTES:].decode("utf-8", "replace").strip()

    def fork(self, group: Group | None, timeout_s: float) -> Contained:
        """A fresh fork, when this is a zygote; it has said that it is ready.

        Raises:
            ChannelError: There is none.
            OSError: The zygote is gone.
        """
        ours, theirs = pair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        try:
            self._socket.setblocking(True)
            socket.send_fds(self._socket, [b"\0"], [theirs.fileno()])
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        first = _sender(ours, timeout_s)
        child = Contained(Channel(ours), None, first, group, None)
        try:
            if group is not None:
                group.add(first)
            child.send({"op": "go"})
        except (OSError, ChannelError):
            child.kill()
            raise
        return child

    def close(self) -> None:
        """End it. There is nothing to wait for: what counts has been received."""
        self.kill()

    def kill(self) -> None:
        """End it, and return when no process, no file and no control group of it is left."""
        if self._ended:
            return
        super().close()
        _ = self.out_of_memory
        self._ended = True
        if self._first is not None:
            self._end_namespace(self._first)
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(_END_S)
        if self._group is not None:
            self._group.remove()
        if self._errors is not None:
            self._errors.close()

    def _end_namespace(self, first: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(first, signal.SIGKILL)
        # Readable when the namespace's last process has been reaped.
        select.select([first], [], [], _END_S)
        os.close(first)
        # bubblewrap reaps it and ends by itself. Were it killed before, the zombie would be left
        # to the machine's init, which in a container may not reap.
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)


def _sender(endpoint: socket.socket, timeout_s: float) -> int:
    """The pid, as this process sees it, of who sent the first byte: the kernel says so."""
    endpoint.settimeout(timeout_s)
    size = struct.calcsize("3i")
    try:
        _, ancillary, _, _ = endpoint.recvmsg(1, socket.CMSG_SPACE(size))
        credentials = next(
            data
            for level, kind, data in ancillary
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS
        )
    except (OSError, StopIteration) as error:
        endpoint.close()
        raise ChannelClosed("the zygote's fork did not start") from error
    endpoint.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    pid: int = struct.unpack("3i", credentials[:size])[0]
    if pid <= 0:
        endpoint.close()
        raise ChannelClosed("the zygote's fork did not start")
    return pid


def read_first(descriptor: int, timeout_s: float) -> int | None:
    """The pid that bubblewrap reports on its status descriptor; None when it failed."""
    deadline = time.monotonic() + timeout_s
    text = b""
    while b"\n" not in text:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        piece = os.read(descriptor, 4096) if ready else b""
        if not piece:
            return None
        text += piece
    report: dict[str, Any] = json.loads(text.split(b"\n", 1)[0])
    return int(report["child-pid"])
