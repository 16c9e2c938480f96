"""The grader processes: each with its own sandbox, fed one submission at a time.

One that crashes or hangs is replaced, and its submission tried once more; a second time, the
submission is graded by a person. Only this thread talks to them: they end with it.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import msgspec

from autograder.errors import CourseError, MissingOnMachine
from autograder.grading.batch.assignment import Assignment, Settings
from autograder.grading.batch.facts import Facts
from autograder.grading.batch.journal import Opening
from autograder.grading.batch.keys import seed
from autograder.grading.batch.parcel import packed
from autograder.grading.batch.preload import lesson_modules
from autograder.grading.batch.wire import LostError, receive, send
from autograder.grading.export import SubmissionGrade
from autograder.grading.records import Submission
from autograder.grading.sandbox.limits import hierarchy, sweep

_PACKAGE = Path(__file__).parents[2]
_START_S = 180.0  # imports, the sandbox and its warm process, on a busy machine
_END_S = 10.0
_SLACK_S = 120.0  # reading a submission and making its pages, on a busy machine
_TICK_S = 1.0
_TRIES = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a grader made of one submission.

    Attributes:
        fault: What went wrong in the grader itself, for the instructor; None when nothing did.
    """

    submission: Submission
    entry: SubmissionGrade
    facts: Facts
    autograded: str
    feedback: str
    fault: str | None


@dataclass(kw_only=True, slots=True)
class _Job:
    submission: Submission
    tries: int = 0
    fault: str | None = None


@dataclass(kw_only=True, slots=True)
class _Grader:
    """One process; `deadline` (monotonic) is when its job must be done."""

    process: subprocess.Popen[bytes]
    endpoint: socket.socket
    errors: IO[bytes]
    job: _Job | None = None
    deadline: float = field(default=0.0)

    def kill(self) -> str:
        """End it; the last line that it said."""
        self.endpoint.close()
        self.process.kill()
        self.process.wait(_END_S)
        self.errors.seek(0)
        said = self.errors.read()[-4000:].decode("utf-8", "replace").strip()
        self.errors.close()
        return said.splitlines()[-1] if said else ""


class Pool:
    """Use it in a `with`, from one thread.

    Args:
        assignment: What is graded.
        settings: How.
        command: Starts a grader; its descriptor and this process's id are added.

    Raises:
        MissingOnMachine: No sandbox starts here.
        CourseError: The graders do not start.
    """

    def __init__(
        self,
        assignment: Assignment,
        settings: Settings,
        command: Sequence[str] = (sys.executable, "-P", "-m", "autograder.grading.batch.grader"),
    ) -> None:
        self._command = tuple(command)
        self._workers = max(1, settings.workers)
        self._patience_s = 2 * settings.limits.submission_s + _SLACK_S
        self._graders: list[_Grader] = []
        self._setup = {
            "master": assignment.master.notebook,
            "lessons": str(assignment.lessons),
            "assets": str(assignment.assets),
            "hidden": [str(folder) for folder in assignment.hidden],
            "out": str(assignment.out),
            "limits": asdict(settings.limits),
            "sandboxed": settings.sandboxed,
            "preload": lesson_modules(assignment.master, assignment.lessons),
        }

    def __enter__(self) -> Self:
        try:
            # All at once: they import at the same time.
            for _ in range(self._workers):
                self._graders.append(self._spawned())
            self.opening, *_ = [self._readied(grader) for grader in self._graders]
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            for grader in self._graders:
                grader.endpoint.shutdown(socket.SHUT_RDWR)
            for grader in self._graders:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    grader.process.wait(_END_S)
        self._end()

    def answers(self, submissions: Iterable[Submission]) -> Iterator[Answer | None]:
        """Grade all of these, each answer as it is there; None when a while has passed.

        Raises:
            CourseError: Nothing can be graded any more.
        """
        coming = (_Job(submission=submission) for submission in submissions)
        again: deque[_Job] = deque()
        self._feed(again, coming)
        while busy := [grader for grader in self._graders if grader.job is not None]:
            finished = self._finished(busy)
            for grader in finished:
                answer = self._answer(grader, again)
                self._feed(again, coming)  # before the answer is written: nobody waits for a disk
                if answer is not None:
                    yield answer
            if not finished:
                yield None

    def _feed(self, again: deque[_Job], coming: Iterator[_Job]) -> None:
        for grader in self._graders:
            if grader.job is None:
                job = again.popleft() if again else next(coming, None)
                if job is not None:
                    self._give(grader, job)

    def _give(self, grader: _Grader, job: _Job) -> None:
        job.tries += 1
        grader.job = job
        grader.deadline = time.monotonic() + self._patience_s
        given_up = job.tries > _TRIES
        message = packed(job.submission, seed=seed(job.submission), readable=not given_up)
        # A grader that is gone is found when its answer does not come.
        with contextlib.suppress(LostError):
            send(grader.endpoint, message | {"fault": given_up}, self._patience_s)

    def _finished(self, busy: list[_Grader]) -> list[_Grader]:
        with selectors.DefaultSelector() as selector:
            for grader in busy:
                selector.register(grader.endpoint, selectors.EVENT_READ)
            ready = {key.fileobj for key, _ in selector.select(_TICK_S)}
        now = time.monotonic()
        return [one for one in busy if one.endpoint in ready or now > one.deadline]

    def _answer(self, grader: _Grader, again: deque[_Job]) -> Answer | None:
        job, grader.job = grader.job, None
        if job is None:
            return None
        try:
            left = max(0.1, grader.deadline - time.monotonic())
            reply = receive(grader.endpoint, left)
        except LostError as error:
            fault = f"its process ended or hung: {self._replaced(grader) or error}"
        else:
            if "error" in reply:
                raise _raised(reply)
            if "fault" not in reply:
                return _unpacked(job, reply)
            fault = reply["fault"]
        job.fault = fault
        if job.tries > _TRIES:
            raise CourseError(
                f"{job.submission.student}: grading cannot even note that it failed ({fault}). "
                "Report this, and take that submission out of the folder meanwhile."
            )
        again.append(job)
        return None

    def _replaced(self, grader: _Grader) -> str:
        said = grader.kill()
        place = self._graders.index(grader)
        self._graders[place] = self._spawned()
        self._readied(self._graders[place])
        return said

    def _spawned(self) -> _Grader:
        ours, theirs = socket.socketpair()
        errors = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        number = theirs.fileno()
        process = subprocess.Popen(  # noqa: S603  # our own module
            [*self._command, str(number), str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=(number,),
            # Ours first, whatever the working directory holds.
            env=os.environ | {"PYTHONPATH": str(_PACKAGE.parent)},
            # Ctrl-C is for the batch, which ends its graders itself.
            start_new_session=True,
        )
        theirs.close()
        return _Grader(process=process, endpoint=ours, errors=errors)

    def _readied(self, grader: _Grader) -> Opening:
        try:
            send(grader.endpoint, self._setup, _START_S)
            reply = receive(grader.endpoint, _START_S)
        except LostError as error:
            raise CourseError(
                f"A grader process does not start ({grader.kill() or error}). "
                "Run `course doctor`, then again with --resume."
            ) from error
        if "error" in reply:
            raise _raised(reply)
        return Opening(sandbox=reply["sandbox"], limits=reply["limits"])

    def _end(self) -> None:
        killed = False
        for grader in self._graders:
            killed = killed or grader.process.poll() is None
            if not grader.errors.closed:
                grader.kill()
        self._graders.clear()
        where = hierarchy() if killed and sys.platform == "linux" else None
        if where is not None:
            time.sleep(0.2)  # what a killed grader ran ends a moment after it
            sweep(where)


def _unpacked(job: _Job, reply: dict[str, Any]) -> Answer:
    return Answer(
        submission=job.submission,
        entry=msgspec.convert(reply["entry"], SubmissionGrade),
        facts=msgspec.convert(reply["facts"], Facts),
        autograded=reply["autograded"],
        feedback=reply["feedback"],
        fault=job.fault if job.tries > _TRIES else None,
    )


def _raised(reply: dict[str, Any]) -> CourseError:
    kinds = {kind.exit_code: kind for kind in (CourseError, MissingOnMachine)}
    return kinds.get(reply["exit_code"], CourseError)(reply["error"])
