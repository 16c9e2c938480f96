"""One grader process: a sandbox of its own, one submission at a time.

Run with `python -m autograder.grading.batch.grader DESCRIPTOR PARENT`. It is told no place of the
output folder to write to and never opens the gradebook: what it makes goes back as a message.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.errors import CourseError
from autograder.grading.batch.wire import LostError, receive, send
from autograder.grading.sandbox import privileges
from autograder.grading.sandbox.box import Sandbox
from autograder.project import Limits

if TYPE_CHECKING:
    from autograder.grading.batch.workbench import Workbench


def main() -> None:
    """Grade until the batch hangs up."""
    endpoint = socket.socket(fileno=int(sys.argv[1]))
    endpoint.set_inheritable(False)
    if sys.platform == "linux":
        # A batch that was killed leaves no grader behind, and with it no sandbox.
        privileges.die_with_parent(signal.SIGKILL)
        if os.getppid() != int(sys.argv[2]):
            return
    setup = _Setup(endpoint)
    try:
        _serve(endpoint, setup)
    except CourseError as error:
        with contextlib.suppress(LostError):
            setup.whole()  # what is left unread would take the answer with it
            send(endpoint, {"error": str(error), "exit_code": error.exit_code})


class _Setup:
    """What is graded: the lesson's place and limits come first, the master when it is there."""

    def __init__(self, endpoint: socket.socket) -> None:
        self._endpoint = endpoint
        self.words = receive(endpoint)
        self._is_whole = False

    def whole(self) -> dict[str, Any]:
        """As `setup.setup_message` gives it."""
        if not self._is_whole:
            self.words |= receive(self._endpoint)
            self._is_whole = True
        return self.words


def _serve(endpoint: socket.socket, setup: _Setup) -> None:
    words = setup.words
    with Sandbox(
        lessons=Path(words["lessons"]),
        limits=Limits(**words["limits"]),
        enabled=words["sandboxed"],
        preload=words["preload"],
        hidden=[Path(folder) for folder in words["hidden"]],
    ) as box:
        box.warm()
        # While it starts, which takes a second, all else that grading needs.
        from autograder import nodes  # noqa: F401, PLC0415
        from autograder.grading.batch.workbench import Workbench  # noqa: PLC0415

        grader = Workbench(setup.whole(), box)
        send(endpoint, grader.ready)
        while True:
            try:
                message = receive(endpoint)
            except LostError:
                break
            send(endpoint, _answer(grader, message))
        grader.close()


def _answer(grader: Workbench, message: dict[str, Any]) -> dict[str, Any]:
    try:
        return grader.answer(message)
    except CourseError:
        raise
    except Exception as error:
        # The last resort: a fault of ours costs this submission, and is reported.
        traceback.print_exc()
        said = f"{type(error).__name__}: {error}"
        return {"fault": said.encode("utf-8", "backslashreplace").decode()}


if __name__ == "__main__":
    main()
