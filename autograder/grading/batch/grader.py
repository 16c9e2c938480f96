"""One grader process: a sandbox of its own, one submission at a time.

Run with `python -m autograder.grading.batch.grader DESCRIPTOR PARENT`; what `setup.setup_message`
gives comes on its standard input, all else over the socket that the descriptor is. It is told no
place of the output folder to write to and never opens the gradebook: what it makes goes back as a
message.
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
from autograder.grading.batch.wire import LostError, decoded, receive, send
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
    try:
        _serve(endpoint, decoded(sys.stdin.buffer.read()))
    except CourseError as error:
        with contextlib.suppress(LostError):
            send(endpoint, {"error": str(error), "exit_code": error.exit_code})


def _serve(endpoint: socket.socket, setup: dict[str, Any]) -> None:
    with Sandbox(
        lessons=Path(setup["lessons"]),
        limits=Limits(**setup["limits"]),
        enabled=setup["sandboxed"],
        preload=setup["preload"],
        hidden=[Path(folder) for folder in setup["hidden"]],
    ) as box:
        box.warm()
        # While it starts, which takes a second, all else that grading needs.
        from autograder import nodes  # noqa: F401, PLC0415
        from autograder.grading.batch.workbench import Workbench  # noqa: PLC0415

        grader = Workbench(setup, box)
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
