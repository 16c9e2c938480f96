"""A cluster's graders in the place of this machine's: work goes to a dask.distributed scheduler.

A worker that is lost hands its submissions to another: the scheduler sees to that. What a grader
makes of a submission depends on the submission alone, so the results are those of a local run.
"""

from __future__ import annotations

import logging
import queue
import time
import uuid
from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Self

from autograder.errors import CourseError, MissingOnMachine
from autograder.grading.batch import station
from autograder.grading.batch.assignment import Assignment, Settings
from autograder.grading.batch.job import PATIENCE_S, TRIES, Answer, Job, unpacked_answer
from autograder.grading.batch.journal import Opening
from autograder.grading.batch.keys import seed
from autograder.grading.batch.parcel import packed
from autograder.grading.batch.process import raised
from autograder.grading.batch.setup import setup_message
from autograder.grading.batch.wire import decoded, encoded
from autograder.grading.records import Submission

_CONNECT_S = 30.0
_ALONE_S = 120.0  # a cluster without a single worker for so long is given up
_TICK_S = 1.0
_LOST = (OSError, TimeoutError, ValueError)
_AHEAD = 2  # submissions sent for each thread of a worker, so that none waits for the network


class ClusterPool:
    """Use it in a `with`, from one thread, like `pool.Pool`.

    Args:
        assignment: What is graded.
        settings: How; `workers` is the cluster's affair.
        address: The scheduler's, such as `tcp://10.0.0.5:8786`.

    Raises:
        MissingOnMachine: dask.distributed is not installed here, or no sandbox starts there.
        CourseError: There is no scheduler at the address, or no worker.
    """

    def __init__(self, assignment: Assignment, settings: Settings, address: str) -> None:
        self._address = address
        self._patience_s = 2 * settings.limits.submission_s + PATIENCE_S
        self._kit = station.packed_kit(uuid.uuid4().hex, setup_message(assignment, settings))
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._jobs: dict[Any, Job] = {}
        self._seen = time.monotonic()

    def __enter__(self) -> Self:
        self._client = _connected(self._address)
        try:
            self._there = self._client.scatter(self._kit, broadcast=True)
            self.opening = self._opened()
        except BaseException:
            self._client.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self._client.status == "running":
                self._client.cancel(list(self._jobs), force=True)
                self._client.run(station.close_station, self._kit.key, on_error="ignore")
        except _LOST:
            pass  # whoever is gone has nothing left to close
        finally:
            self._client.close()

    def answers(self, submissions: Iterable[Submission]) -> Iterator[Answer | None]:
        """Grade all of these, each answer as it is there; None when a while has passed.

        Raises:
            CourseError: Nothing can be graded any more.
        """
        coming = (Job(submission=submission) for submission in submissions)
        again: deque[Job] = deque()
        self._feed(again, coming)
        while self._jobs:
            try:
                future = self._done.get(timeout=_TICK_S)
            except queue.Empty:
                self._look_after_workers()
                yield None
                continue
            answer = self._answer(future, again)
            self._feed(again, coming)
            if answer is not None:
                yield answer

    def _feed(self, again: deque[Job], coming: Iterator[Job]) -> None:
        room = _AHEAD * max(1, self._threads()) - len(self._jobs)
        for _ in range(room):
            job = again.popleft() if again else next(coming, None)
            if job is None:
                return
            self._give(job)

    def _give(self, job: Job) -> None:
        job.tries += 1
        given_up = job.tries > TRIES
        message = packed(job.submission, seed=seed(job.submission), readable=not given_up)
        future = self._client.submit(
            station.answer,
            self._there,
            encoded(message | {"fault": given_up}),
            self._patience_s,
            pure=False,
        )
        self._jobs[future] = job
        future.add_done_callback(self._done.put)

    def _answer(self, future: Any, again: deque[Job]) -> Answer | None:
        job = self._jobs.pop(future)
        reply = _reply(future)
        if "error" in reply:
            raise raised(reply)
        if "fault" not in reply:
            return unpacked_answer(job, reply)
        job.failed(reply["fault"])
        again.append(job)
        return None

    def _opened(self) -> Opening:
        reply = decoded(self._client.submit(station.open_station, self._there).result())
        if "error" in reply:
            raise raised(reply)
        return Opening(sandbox=reply["sandbox"], limits=reply["limits"])

    def _look_after_workers(self) -> None:
        if self._threads():
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > _ALONE_S:
            raise CourseError(
                f"{self._address}: its last worker is gone. What was graded is kept; start "
                "workers, then run the same command with --resume."
            )

    def _threads(self) -> int:
        """How many submissions the cluster grades at once, as of now."""
        try:
            # A client that lost its scheduler would wait long for it in any other call.
            if self._client.status == "running":
                return sum(self._client.nthreads().values())
        except _LOST:
            pass
        raise CourseError(
            f"{self._address}: the scheduler is gone. What was graded is kept; start it "
            "again, then run the same command with --resume."
        )


def _connected(address: str) -> Any:
    """A client of the scheduler, with at least one worker that has this project."""
    try:
        import distributed  # noqa: PLC0415  # an extra: not everybody has it
    except ImportError:
        raise MissingOnMachine(
            "--cluster needs dask.distributed. Install it: "
            "pip install 'selfgrading-lessons[cluster]'."
        ) from None
    _distributed: Any = distributed  # half of it has no types
    _hush()
    try:
        client: Any = _distributed.Client(address, timeout=_CONNECT_S, set_as_default=False)
    except _LOST as error:
        raise CourseError(
            f"{address}: no scheduler answers there ({str(error).splitlines()[0]}). "
            "Start one with `dask scheduler`, and name its tcp:// address."
        ) from error
    try:
        client.wait_for_workers(1, timeout=_CONNECT_S)
    except TimeoutError:
        client.close()
        raise CourseError(
            f"{address}: has no worker. Start some with `dask worker {address}`, each where this "
            "project is installed."
        ) from None
    return client


def _hush() -> None:
    """What the library logs of a lost connection, with tracebacks, is said here in a sentence."""
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _reply(future: Any) -> dict[str, Any]:
    """What came of a task; a lost worker counts as a fault, like a grader that is lost."""
    try:
        reply = decoded(future.result())
    except ImportError as error:
        raise CourseError(
            f"A worker of the cluster lacks this project ({error}). Install it there, with the "
            "same version."
        ) from error
    except Exception as error:  # whatever a cluster comes up with costs a try, not the batch
        return {"fault": f"the cluster lost it ({type(error).__name__}: {error})"}
    return reply
