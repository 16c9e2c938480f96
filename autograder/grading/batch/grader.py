"""One grader process: a sandbox of its own, one submission at a time.

Run with `python -m autograder.grading.batch.grader DESCRIPTOR PARENT`. It is told no place of the
output folder to write to and never opens the gradebook: what it makes goes back as a message.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

import msgspec
import nbformat

from autograder.errors import CourseError
from autograder.grading.batch.assignment import head, limits_held
from autograder.grading.batch.facts import facts_of
from autograder.grading.batch.parcel import unpacked
from autograder.grading.batch.undecided import undecided
from autograder.grading.batch.wire import LostError, receive, send
from autograder.grading.integrity.plan import plan
from autograder.grading.master import read_master
from autograder.grading.records import Graded
from autograder.grading.reports.autograded import autograded_notebook, notebook_text
from autograder.grading.reports.export import grades_of
from autograder.grading.reports.feedback import FeedbackPages
from autograder.grading.run import Runner
from autograder.grading.sandbox import privileges
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.scoring import score
from autograder.project import Limits

_nbformat: Any = nbformat  # half of it has no types


class _Grader:
    """Grades what messages ask for.

    Args:
        setup: As `setup.setup_message` gives it.
        box: An open sandbox.
    """

    def __init__(self, setup: dict[str, Any], box: Sandbox) -> None:
        self._master = read_master(_nbformat.from_dict(setup["master"]))
        limits = Limits(**setup["limits"])
        self._runner = Runner(box, self._master, limits)
        held = limits_held(limits, box.held)
        self.ready = {"sandbox": box.name, "limits": held}
        self._batch = head(self._master, Path(setup["out"]), sandbox=box.name, limits=held)
        self._pages = FeedbackPages(self._batch, self._master.notebook, Path(setup["assets"]))

    def close(self) -> None:
        """End what runs."""
        self._runner.close()

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Grade one submission; `fault` in the message asks for a grade without a run."""
        graded = self._graded(message)
        notebook = autograded_notebook(graded, self._master.notebook)
        entry = grades_of(self._batch, [graded.result]).submissions[0]
        facts = facts_of(self._master, graded.plan, graded.run, graded.result)
        return {
            "entry": msgspec.to_builtins(entry),
            "facts": msgspec.to_builtins(facts),
            "autograded": notebook_text(notebook),
            "feedback": self._pages.page(graded.result, notebook),
        }

    def _graded(self, message: dict[str, Any]) -> Graded:
        master, submission = self._master, unpacked(message)
        if message.get("fault"):
            result = undecided(master.questions, submission, lang=master.lang)
            return Graded(submission=submission, plan=None, run=None, result=result)
        read = run = None
        if submission.notebook is not None:
            read = plan(master.notebook, submission.notebook, master.lang)
            run = self._runner.run(read, seed=message["seed"])
        result = score(
            master.questions, submission, read, run, lang=master.lang, pass_total=master.pass_total
        )
        return Graded(submission=submission, plan=read, run=run, result=result)


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
        _serve(endpoint)
    except CourseError as error:
        send(endpoint, {"error": str(error), "exit_code": error.exit_code})


def _serve(endpoint: socket.socket) -> None:
    setup = receive(endpoint)
    with Sandbox(
        lessons=Path(setup["lessons"]),
        limits=Limits(**setup["limits"]),
        enabled=setup["sandboxed"],
        preload=setup["preload"],
        hidden=[Path(folder) for folder in setup["hidden"]],
    ) as box:
        box.start_worker().close()  # now it is known what this machine holds, and the rest is warm
        grader = _Grader(setup, box)
        send(endpoint, grader.ready)
        while True:
            try:
                message = receive(endpoint)
            except LostError:
                break
            send(endpoint, _answer(grader, message))
        grader.close()


def _answer(grader: _Grader, message: dict[str, Any]) -> dict[str, Any]:
    try:
        return grader.answer(message)
    except CourseError:
        raise
    except Exception as error:
        # The last resort: a fault of ours costs this submission, and is reported.
        traceback.print_exc()
        return {"fault": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    main()
