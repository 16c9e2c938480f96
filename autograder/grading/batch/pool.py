"""The grader processes: each with its own sandbox, fed one submission at a time.

One that crashes or hangs is replaced, and its submission tried once more; a second time, the
submission is graded by a person. Only this thread talks to them: they end with it.
"""

from __future__ import annotations

import contextlib
import selectors
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Self

from autograder.grading.batch.assignment import Assignment, Settings
from autograder.grading.batch.job import PATIENCE_S, TRIES, Answer, Job, unpacked_answer
from autograder.grading.batch.journal import Opening
from autograder.grading.batch.keys import seed
from autograder.grading.batch.parcel import packed
from autograder.grading.batch.process import GraderProcess, raised
from autograder.grading.batch.setup import setup_message
from autograder.grading.batch.wire import LostError, receive, send
from autograder.grading.records import Submission
from autograder.grading.sandbox.limits import hierarchy, sweep

_TICK_S = 1.0
_LINGERS_S = 0.2  # what a killed grader ran ends a moment after it


@dataclass(kw_only=True, slots=True)
class _Grader:
    """One process; `deadline` (monotonic) is when its job must be done."""

    process: GraderProcess
    job: Job | None = None
    deadline: float = 0.0


class Pool:
    """Use it in a `with`, from one thread.

    Args:
        assignment: What is graded.
        settings: How.
        command: Starts a grader; its descriptor and this process's id are added.

    They start when it is entered; `opening` waits for them.
    """

    def __init__(
        self,
        assignment: Assignment,
        settings: Settings,
        command: Sequence[str] = (sys.executable, "-P", "-m", "autograder.grading.batch.grader"),
    ) -> None:
        self._command = tuple(command)
        self._workers = max(1, settings.workers)
        self._patience_s = 2 * settings.limits.submission_s + PATIENCE_S
        self._graders: list[_Grader] = []
        self._setup = setup_message(assignment, settings)

    def __enter__(self) -> Self:
        try:
            # All at once: they import at the same time.
            for _ in range(self._workers):
                self._graders.append(self._started())
        except BaseException:
            self._end()
            raise
        return self

    @cached_property
    def opening(self) -> Opening:
        """What holds on this machine, once all graders are ready.

        Raises:
            MissingOnMachine: No sandbox starts here.
            CourseError: The graders do not start.
        """
        opening, *_ = [one.process.ready() for one in self._graders]
        return opening

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            for grader in self._graders:
                grader.process.hang_up()
            for grader in self._graders:
                grader.process.wait()
        self._end()

    def answers(self, submissions: Iterable[Submission]) -> Iterator[Answer | None]:
        """Begin to grade all of these; each answer as it is there, None when a while has passed.

        Raises:
            CourseError: Nothing can be graded any more, or ever (see `opening`).
        """
        _ = self.opening
        coming = (Job(submission=submission) for submission in submissions)
        again: deque[Job] = deque()
        self._feed(again, coming)
        return self._answers(again, coming)

    def _answers(self, again: deque[Job], coming: Iterator[Job]) -> Iterator[Answer | None]:
        while busy := [grader for grader in self._graders if grader.job is not None]:
            finished = self._finished(busy)
            for grader in finished:
                answer = self._answer(grader, again)
                self._feed(again, coming)  # before the answer is written: nobody waits for a disk
                if answer is not None:
                    yield answer
            if not finished:
                yield None

    def _feed(self, again: deque[Job], coming: Iterator[Job]) -> None:
        for grader in self._graders:
            if grader.job is None:
                job = again.popleft() if again else next(coming, None)
                if job is not None:
                    self._give(grader, job)

    def _give(self, grader: _Grader, job: Job) -> None:
        job.tries += 1
        grader.job = job
        grader.deadline = time.monotonic() + self._patience_s
        given_up = job.tries > TRIES
        message = packed(job.submission, seed=seed(job.submission), readable=not given_up)
        # A grader that is gone is found when its answer does not come.
        with contextlib.suppress(LostError):
            send(grader.process.endpoint, message | {"fault": given_up}, self._patience_s)

    def _finished(self, busy: list[_Grader]) -> list[_Grader]:
        with selectors.DefaultSelector() as selector:
            for grader in busy:
                selector.register(grader.process.endpoint, selectors.EVENT_READ)
            ready = {key.fileobj for key, _ in selector.select(_TICK_S)}
        now = time.monotonic()
        return [one for one in busy if one.process.endpoint in ready or now > one.deadline]

    def _answer(self, grader: _Grader, again: deque[Job]) -> Answer | None:
        job, grader.job = grader.job, None
        if job is None:
            return None
        try:
            left = max(0.1, grader.deadline - time.monotonic())
            reply = receive(grader.process.endpoint, left)
        except LostError as error:
            fault = f"its process ended or hung: {self._replaced(grader) or error}"
        else:
            if "error" in reply:
                raise raised(reply)
            if "fault" not in reply:
                return unpacked_answer(job, reply)
            fault = reply["fault"]
        job.failed(fault)
        again.append(job)
        return None

    def _replaced(self, grader: _Grader) -> str:
        said = grader.process.kill()
        fresh = self._started()
        self._graders[self._graders.index(grader)] = fresh
        fresh.process.ready()
        return said

    def _started(self) -> _Grader:
        return _Grader(process=GraderProcess.start(self._command, self._setup))

    def _end(self) -> None:
        killed = any(grader.process.is_running for grader in self._graders)
        for grader in self._graders:
            grader.process.kill()
        self._graders.clear()
        where = hierarchy() if killed and sys.platform == "linux" else None
        if where is not None:
            time.sleep(_LINGERS_S)
            sweep(where)
