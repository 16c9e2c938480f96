"""Messages between the batch and its grader processes: both trusted, so any size, but no pickle.

8 bytes of length, then JSON in ASCII: a notebook may hold halves of surrogate pairs, which UTF-8
cannot.
"""

from __future__ import annotations

import json
import socket
import time
from typing import Any

_LENGTH = 8
_PIECE = 1 << 20


class LostError(Exception):
    """The other side is gone, or says nothing for too long."""


def send(endpoint: socket.socket, message: dict[str, Any], timeout_s: float | None = None) -> None:
    """Send one message.

    Raises:
        LostError: It is not taken.
    """
    text = json.dumps(message).encode("ascii")
    try:
        endpoint.settimeout(timeout_s)
        endpoint.sendall(len(text).to_bytes(_LENGTH, "big") + text)
    except OSError as error:
        raise LostError(str(error)) from error


def receive(endpoint: socket.socket, timeout_s: float | None = None) -> dict[str, Any]:
    """Wait for one message.

    Raises:
        LostError: There is none.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    size = int.from_bytes(_exactly(endpoint, _LENGTH, deadline), "big")
    message: dict[str, Any] = json.loads(_exactly(endpoint, size, deadline))
    return message


def _exactly(endpoint: socket.socket, size: int, deadline: float | None) -> bytearray:
    data = bytearray()
    while len(data) < size:
        try:
            endpoint.settimeout(
                None if deadline is None else max(0.001, deadline - time.monotonic())
            )
            piece = endpoint.recv(min(_PIECE, size - len(data)))
        except OSError as error:
            raise LostError(str(error)) from error
        if not piece:
            raise LostError("ended")
        data += piece
    return data
