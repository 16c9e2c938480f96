"""One grader process, from the batch's side."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Self

from autograder.errors import CourseError, MissingOnMachine
from autograder.grading.batch.journal import Opening
from autograder.grading.batch.wire import LostError, encoded, receive

_PACKAGE = Path(__file__).parents[2]
_START_S = 180.0  # imports, the sandbox and its warm process, on a busy machine
_END_S = 10.0
_SAID_BYTES = 4000


class GraderProcess:
    """A started grader and the channel to it.

    Args:
        process: What was started.
        endpoint: Our end of the channel.
        errors: What it says on its standard streams.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], endpoint: socket.socket, errors: IO[bytes]
    ) -> None:
        self.endpoint = endpoint
        self._process = process
        self._errors = errors

    @classmethod
    def start(cls, command: Sequence[str], setup: dict[str, Any]) -> Self:
        """Start one.

        Args:
            command: Its descriptor and this process's id are added.
            setup: What is graded, which it reads on its standard input.
        """
        ours, theirs = socket.socketpair()
        errors = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        number = theirs.fileno()
        with _in_memory() as told:
            told.write(encoded(setup))
            told.seek(0)
            process = subprocess.Popen(  # noqa: S603  # our own module
                [*command, str(number), str(os.getpid())],
                stdin=told,
                stdout=errors,
                stderr=errors,
                pass_fds=(number,),
                # Ours first, whatever the working directory holds.
                env=os.environ | {"PYTHONPATH": str(_PACKAGE.parent)},
                # Ctrl-C is for the batch, which ends its graders itself.
                start_new_session=True,
            )
        theirs.close()
        return cls(process, ours, errors)

    def ready(self) -> Opening:
        """Wait until it can grade.

        Raises:
            MissingOnMachine: No sandbox starts here.
            CourseError: It does not start.
        """
        try:
            reply = receive(self.endpoint, _START_S)
        except LostError as error:
            raise CourseError(
                f"A grader process does not start ({self.kill() or error}). "
                "Run `course doctor`, then again with --resume."
            ) from error
        if "error" in reply:
            raise raised(reply)
        return Opening(sandbox=reply["sandbox"], limits=reply["limits"])

    def hang_up(self) -> None:
        """Let it end by itself."""
        self.endpoint.shutdown(socket.SHUT_RDWR)

    def wait(self) -> bool:
        """Whether it ends by itself in time."""
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return False
        return True

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def kill(self) -> str:
        """End it, once or again; the last line that it said."""
        self.endpoint.close()
        self._process.kill()
        self._process.wait(_END_S)
        if self._errors.closed:
            return ""
        self._errors.seek(0)
        said = self._errors.read()[-_SAID_BYTES:].decode("utf-8", "replace").strip()
        self._errors.close()
        return said.splitlines()[-1] if said else ""


def _in_memory() -> IO[bytes]:
    """A file on no disk, which may be full; more than a pipe or a socket takes at once."""
    if sys.platform == "linux":
        return os.fdopen(os.memfd_create("setup"), "w+b")
    return tempfile.TemporaryFile()


def raised(reply: dict[str, Any]) -> CourseError:
    """The error that a grader reports, as it was raised there."""
    kinds = {kind.exit_code: kind for kind in (CourseError, MissingOnMachine)}
    return kinds.get(reply["exit_code"], CourseError)(reply["error"])
