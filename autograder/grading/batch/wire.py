"""Messages between the batch and its grader processes: both trusted, so any size, but no pickle.

8 bytes of length, then MessagePack, which carries what was handed in and what is filed as bytes.
"""

from __future__ import annotations

import socket
import time
from typing import Any

import msgspec

_LENGTH = 8
_PIECE = 1 << 20


class LostError(Exception):
    """The other side is gone, or says nothing for too long."""


def encoded(message: dict[str, Any]) -> bytes:
    """A message as bytes.

    Raises:
        UnicodeEncodeError: A text in it holds half of a surrogate pair.
    """
    return msgspec.msgpack.encode(message)


def decoded(data: bytes | bytearray) -> dict[str, Any]:
    """The message of `encoded`."""
    return msgspec.msgpack.decode(data, type=dict[str, Any])


def send(endpoint: socket.socket, message: dict[str, Any], timeout_s: float | None = None) -> None:
    """Send one message.

    Raises:
        LostError: It is not taken.
    """
    data = encoded(message)
    try:
        endpoint.settimeout(timeout_s)
        endpoint.sendall(len(data).to_bytes(_LENGTH, "big") + data)
    except OSError as error:
        raise LostError(str(error)) from error


def receive(endpoint: socket.socket, timeout_s: float | None = None) -> dict[str, Any]:
    """Wait for one message.

    Raises:
        LostError: There is none.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    size = int.from_bytes(_exactly(endpoint, _LENGTH, deadline), "big")
    return decoded(_exactly(endpoint, size, deadline))


def _exactly(endpoint: socket.socket, size: int, deadline: float | None) -> bytearray:
    data = bytearray(size)
    view, at = memoryview(data), 0
    while at < size:
        try:
            endpoint.settimeout(
                None if deadline is None else max(0.001, deadline - time.monotonic())
            )
            count = endpoint.recv_into(view[at:], min(_PIECE, size - at))
        except OSError as error:
            raise LostError(str(error)) from error
        if not count:
            raise LostError("ended")
        at += count
    return data
