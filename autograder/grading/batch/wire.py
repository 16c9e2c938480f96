"""Messages between the batch and its grader processes: both trusted, so any size, but no pickle.

8 bytes of length, then JSON in ASCII: a notebook may hold halves of surrogate pairs, which UTF-8
cannot.
"""

from __future__ import annotations

import json
import socket
import time
from typing import Any

import nbformat

from autograder.grading.records import Flag, Submission

_LENGTH = 8
_PIECE = 1 << 20
_nbformat: Any = nbformat  # half of it has no types


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


def packed(submission: Submission, *, seed: int, readable: bool = True) -> dict[str, Any]:
    """A submission as a message.

    Args:
        submission: What was handed in.
        seed: For the learner's random numbers.
        readable: False leaves the notebook out.
    """
    return {
        "student": submission.student,
        "notebook": submission.notebook if readable else None,
        "unreadable": submission.unreadable,
        "missing": submission.missing,
        "flags": sorted(submission.flags),
        "submitted_at": submission.submitted_at,
        "late_s": submission.late_s,
        "late": submission.late,
        "seed": seed,
    }


def unpacked(message: dict[str, Any]) -> Submission:
    """The submission of a message of `packed`."""
    notebook = message["notebook"]
    return Submission(
        student=message["student"],
        notebook=None if notebook is None else _nbformat.from_dict(notebook),
        unreadable=message["unreadable"],
        missing=message["missing"],
        flags=frozenset(map(Flag, message["flags"])),
        submitted_at=message["submitted_at"],
        late_s=message["late_s"],
        late=message["late"],
    )
