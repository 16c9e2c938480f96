"""Frames between the grader and the processes it does not trust.

A frame is a 4-byte big-endian length and that many bytes of UTF-8 JSON, one object. This module
is bound into the sandbox too, so it imports nothing but the standard library.
"""

from __future__ import annotations

import json
import select
import socket
import time
from typing import Any

MAX_FRAME_BYTES = 32 * 2**20
# A list costs 64 bytes in Python and 3 in JSON: 32 MB of "[],[],..." would be 700 MB here. Values
# that may cross the wall have at most 1e6 nodes, each ["i","ff"]: two commas and a bracket.
MAX_FRAME_NODES = 4_000_000
_HEADER_BYTES = 4
_CHUNK_BYTES = 2**20
_PAUSE_S = 0.001
# Made once: json.dumps would make an encoder for each frame.
_TO_JSON = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


class ChannelError(Exception):
    """The other end did not keep to the protocol, or is gone."""


class ChannelTimeout(ChannelError):  # noqa: N818  # named as the builtin TimeoutError is not: an event
    """Nothing, or not all of a frame, came or went in time."""


class ChannelClosed(ChannelError):  # noqa: N818  # the same
    """The other end is gone."""


class ChannelViolation(ChannelClosed):
    """What came is no frame: too long, not JSON, not an object. There is no going on after it."""


class Channel:
    """One end of a stream of frames.

    Args:
        endpoint: A connected stream socket; the channel owns it from now on.
    """

    def __init__(self, endpoint: socket.socket) -> None:
        endpoint.setblocking(False)
        self._socket = endpoint
        self._polls: dict[int, select.poll] = {}

    @classmethod
    def from_fd(cls, fd: int) -> Channel:
        """The channel on an inherited descriptor."""
        return cls(socket.socket(fileno=fd))

    def fileno(self) -> int:
        """The descriptor, -1 once closed."""
        return self._socket.fileno()

    def send(self, message: dict[str, Any], timeout_s: float | None = 10.0) -> None:
        """Send one object.

        Raises:
            ChannelTimeout: The other end does not read.
            ChannelClosed: It is gone.
            ChannelViolation: The message is longer than a frame may be.
        """
        try:
            body = _TO_JSON(message).encode("ascii")
        except RecursionError as error:  # what came in a frame, and is passed on, nests too deep
            raise ChannelViolation("a frame nests too deep") from error
        if len(body) > MAX_FRAME_BYTES:
            raise ChannelViolation(f"a frame of {len(body)} bytes is over {MAX_FRAME_BYTES}")
        rest = memoryview(len(body).to_bytes(_HEADER_BYTES, "big") + body)
        deadline = _deadline(timeout_s)
        waited = False
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:
                if waited:
                    time.sleep(_PAUSE_S)  # writable, as it was said, and yet full
                self._wait(select.POLLOUT, deadline)
                waited = True
            except OSError as error:
                raise ChannelClosed("the other end is gone") from error
            if rest:
                _check(deadline)

    def receive(self, timeout_s: float | None = None) -> dict[str, Any]:
        """The next object.

        Args:
            timeout_s: For the whole frame, so that one byte a second does not keep it alive.

        Raises:
            ChannelTimeout: No whole frame came in time.
            ChannelClosed: The other end is gone.
            ChannelViolation: What came is no frame.
        """
        deadline = _deadline(timeout_s)
        length = int.from_bytes(self._exactly(_HEADER_BYTES, deadline), "big")
        if length > MAX_FRAME_BYTES:
            raise ChannelViolation(f"a frame of {length} bytes is over {MAX_FRAME_BYTES}")
        # It comes with its length: to ask first whether it is there would be a call more.
        return decode_frame(self._exactly(length, deadline, wait=False))

    def send_descriptor(self, descriptor: int) -> None:
        """Give the other end a copy of an open descriptor.

        Raises:
            ChannelClosed: It is gone.
        """
        try:
            self._wait(select.POLLOUT, _deadline(10.0))
            socket.send_fds(self._socket, [b"\0"], [descriptor])
        except OSError as error:
            raise ChannelClosed("the other end is gone") from error

    def receive_descriptor(self) -> int:
        """The descriptor that `send_descriptor` gave; the caller owns it.

        Raises:
            ChannelClosed: The other end is gone, or sent none.
        """
        self._wait(select.POLLIN, None)
        try:
            _, descriptors, _, _ = socket.recv_fds(self._socket, 1, 1)
        except OSError as error:
            raise ChannelClosed("the other end is gone") from error
        if not descriptors:
            raise ChannelClosed("the other end is gone")
        return descriptors[0]

    def detach(self) -> socket.socket:
        """The socket, for another channel to own."""
        return self._socket

    def close(self) -> None:
        """Close this end; harmless when closed."""
        self._socket.close()

    def _exactly(self, count: int, deadline: float | None, *, wait: bool = True) -> bytes:
        # Never a byte more than the frame: worker and snapshots take turns on one channel.
        pieces: list[bytes] = []
        while count:
            if wait:
                self._wait(select.POLLIN, deadline)
            try:
                piece = self._socket.recv(min(count, _CHUNK_BYTES))
            except BlockingIOError:
                if wait:
                    # Readable, yet nothing to read: an out-of-band byte of the other end's.
                    time.sleep(_PAUSE_S)
                    _check(deadline)
                wait = True
                continue
            except OSError as error:
                raise ChannelClosed("the other end is gone") from error
            if not piece:
                raise ChannelClosed("the other end is gone")
            pieces.append(piece)
            count -= len(piece)
            if count:
                _check(deadline)
        return b"".join(pieces)

    def _wait(self, event: int, deadline: float | None) -> None:
        if self._socket.fileno() < 0:
            raise ChannelClosed("this end is closed")
        poll = self._polls.get(event)
        if poll is None:  # made once: a test asks a hundred times
            poll = self._polls[event] = select.poll()
            poll.register(self._socket, event)
        left_ms = None
        if deadline is not None:
            left_ms = max(0, int((deadline - time.monotonic()) * 1000) + 1)
        if not poll.poll(left_ms):
            raise ChannelTimeout("nothing came or went in time")


def decode_frame(body: bytes) -> dict[str, Any]:
    """The object in a frame's body, which may be hostile.

    Raises:
        ChannelViolation: It is not JSON, not an object, or would not fit in memory.
    """
    if body.count(b",") + body.count(b"[") + body.count(b"{") > MAX_FRAME_NODES:
        raise ChannelViolation("a frame holds too many values")
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ChannelViolation("a frame is not JSON") from error
    if not isinstance(message, dict):
        raise ChannelViolation("a frame is not an object")
    return message


def pair() -> tuple[socket.socket, socket.socket]:
    """Two connected ends, neither inherited by accident (both close on exec)."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)


def _check(deadline: float | None) -> None:
    """Without this, an end that is always ready, a byte at a time, would outlast its deadline."""
    if deadline is not None and time.monotonic() > deadline:
        raise ChannelTimeout("not all of a frame came or went in time")


def _deadline(timeout_s: float | None) -> float | None:
    return None if timeout_s is None else time.monotonic() + timeout_s
