"""One submission through the worker and the examiner: `Plan` -> `Run`.

The worker runs the learner's cells and keeps a forked snapshot at each test. Only when every cell
has run, and everything that feedback may show exists, does the examiner send its first hidden
input into a snapshot.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from autograder.grading.attempt import Attempt, Job
from autograder.grading.master import Master
from autograder.grading.records import (
    Flag,
    Outcome,
    Plan,
    Run,
    Status,
    StepKind,
    Verdict,
)
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.sandbox.channel import ChannelClosed, ChannelTimeout
from autograder.grading.sandbox.contained import Contained
from autograder.grading.transcript import Transcript
from autograder.project import Limits

# The worker's own clock ends a cell at `cell_s`; the controller waits this much longer before it
# ends the whole worker, so that the gentler of the two acts first.
GRACE_S = 2.0
# With savepoints the clock is a process beside the cell's: among a hundred that a cell has forked
# it waits long for its turn on a busy machine.
_SAVEPOINT_GRACE_S = 6.0
_START_S = 60.0
_CRASHED = {"outcome": Outcome.CRASHED.value}


class Runner:
    """Runs plans in one sandbox.

    Args:
        box: An open sandbox.
        master: What is tested.
        limits: What a submission may use.
    """

    def __init__(self, box: Sandbox, master: Master, limits: Limits) -> None:
        self._box = box
        self._tests = {test.grade_id: test for test in master.tests}
        self._imports = list(master.imports)
        self._lang = master.lang
        self._limits = limits
        self._examiner: Contained | None = None
        self._is_ready = False

    def warm(self) -> None:
        """Start what runs submissions, so that the first need not wait.

        Raises:
            NoSandbox: The sandbox does not start.
        """
        self._begin_examiner()
        self._box.start_worker().close()  # now it is known what this machine holds

    def close(self) -> None:
        """End the examiner."""
        if self._examiner is not None:
            self._examiner.close()
            self._examiner = None

    def run(self, plan: Plan, *, seed: int) -> Run:
        """Execute a plan and examine its tests; never raises for what a submission does.

        What people get to see is of a run that began before any test's input left this process: a
        later one could have learnt of it, if only from the clock.
        """
        deadline = time.monotonic() + self._limits.submission_s
        job = Job(plan=plan, seed=seed, deadline=deadline)
        verdicts: dict[str, Verdict] = {}
        attempt = shown = self._attempt(job, verdicts, savepoints=False)
        flags = set(attempt.flags)
        lost = [attempt.lost] if attempt.lost else []
        secret = False
        while attempt.over and len(verdicts) < len(self._tests) and time.monotonic() < deadline:
            settled = len(verdicts)
            secret = secret or attempt.examined
            attempt = self._attempt(job, verdicts, savepoints=True)
            if not secret:
                shown = attempt
                flags |= attempt.flags
            if attempt.lost:
                lost.append(attempt.lost)
                if len(verdicts) == settled:  # lost before any test: another try would be the same
                    break
        return self._summary(shown, verdicts, flags, lost)

    def _summary(
        self,
        attempt: Attempt,
        verdicts: dict[str, Verdict],
        flags: set[Flag],
        lost: list[Outcome],
    ) -> Run:
        for test in self._tests:
            verdicts.setdefault(
                test, Verdict(grade_id=test, outcome=lost[-1] if lost else Outcome.CRASHED)
            )
        ends = {cell.status for cell in attempt.heard.cells.values()} | set(lost)
        ends |= {verdict.outcome for verdict in verdicts.values()}
        status = Status.GRADED
        for outcome, flag, ending in (
            (Outcome.CRASHED, Flag.CRASHED, Status.CRASHED),
            (Outcome.TIMEOUT, Flag.TIMEOUT, Status.TIMEOUT),
        ):
            if outcome in ends:
                flags.add(flag)
                status = ending
        return Run(
            cells=attempt.heard.cells, verdicts=verdicts, flags=frozenset(flags), status=status
        )

    def _attempt(self, job: Job, verdicts: dict[str, Verdict], *, savepoints: bool) -> Attempt:
        attempt = Attempt(
            job=job,
            worker=self._box.start_worker(),
            heard=Transcript(job.plan),
            savepoints=savepoints,
        )
        try:
            self._run_cells(attempt)
            self._examine(attempt, verdicts)
        finally:
            attempt.worker.close()
        attempt.flags |= attempt.heard.flags
        if attempt.worker.out_of_memory:
            attempt.flags.add(Flag.MEMORY)
        return attempt

    def _run_cells(self, attempt: Attempt) -> None:
        try:
            attempt.worker.send(self._start(attempt.job, savepoints=attempt.savepoints))
            while (event := self._receive(attempt)).get("event") != "done":
                attempt.heard.note(event)
        except ChannelTimeout:
            attempt.lost = Outcome.TIMEOUT
        except ChannelClosed:
            attempt.lost = Outcome.CRASHED

    def _start(self, job: Job, *, savepoints: bool) -> dict[str, Any]:
        limits = self._limits
        return {
            "op": "start",
            "seed": job.seed,
            "savepoints": savepoints,
            "steps": [
                {"kind": step.kind, "id": step.id}
                | ({"source": step.source} if step.kind is StepKind.CELL else {})
                for step in job.plan.steps
            ],
            "limits": {
                "cell_s": limits.cell_s,
                "memory_mb": limits.memory_mb,
                "processes": limits.processes,
                "output_kb": limits.output_kb,
            },
        }

    def _receive(self, attempt: Attempt) -> dict[str, Any]:
        left = attempt.job.deadline - time.monotonic()
        if left <= 0:  # also of a worker that never stops talking
            raise ChannelTimeout("the submission's time is over")
        grace_s = _SAVEPOINT_GRACE_S if attempt.savepoints else GRACE_S
        return attempt.worker.receive(min(self._limits.cell_s + grace_s, left))

    def _examine(self, attempt: Attempt, verdicts: dict[str, Verdict]) -> None:
        """Have every test examined for which the worker still holds a snapshot."""
        left = [test for test in self._tests if test in attempt.heard.snapshots - verdicts.keys()]
        while left and not attempt.over:
            attempt.examined = True
            # Of the tests that are left those after one that ended its process come again.
            for answer in self._answers(attempt, tuple(left)):
                verdicts[left.pop(0)] = self._judged(attempt, answer)

    def _judged(self, attempt: Attempt, answer: dict[str, Any]) -> Verdict:
        test = str(answer["id"])
        if answer["lost"] is None:
            attempt.cut = answer["gone"]
            if answer["died"] and not answer["gone"]:
                self._dismiss(attempt)
            return _verdict(test, answer["verdict"])
        # The learner's side failed under this test, whatever the examiner made of it.
        lost = Outcome(answer["lost"])
        if answer["gone"]:
            attempt.lost = lost
        return Verdict(grade_id=test, outcome=lost)

    def _dismiss(self, attempt: Attempt) -> None:
        """End the snapshot that was asked when the examiner's child died."""
        try:
            attempt.worker.send({"op": "end"})
        except (ChannelClosed, ChannelTimeout):
            attempt.lost = Outcome.CRASHED

    def _answers(self, attempt: Attempt, tests: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """What the examiner finds, asking the snapshots directly; the last one may end early."""
        left_s = max(1.0, attempt.job.deadline - time.monotonic())
        call_s = self._limits.cell_s + GRACE_S
        request = {"op": "examine", "ids": tests, "seed": attempt.job.seed}
        answered = 0
        try:
            examiner = self._begin_examiner()
            if not self._is_ready:
                examiner.receive(_START_S)
                self._is_ready = True
            examiner.send(request | {"time_s": left_s, "call_s": call_s})
            examiner.send_descriptor(attempt.worker.fileno())
            while answered < len(tests):
                # The learner's side and the test each have so long; both keep to it themselves.
                answer = examiner.receive(2 * left_s + GRACE_S)
                if answer.get("id") != tests[answered]:
                    raise ChannelClosed("an answer to something else")
                answered += 1
                yield answer
                if answer["died"] or answer["gone"]:
                    return
        except (ChannelClosed, ChannelTimeout):
            # Only a value could have brought it down, so it costs this test, and only this one:
            # the next test gets a new examiner.
            self.close()
            attempt.cut = True
            ended = {"verdict": _CRASHED, "lost": None, "gone": True, "died": True}
            yield {"id": tests[answered], **ended}

    def _begin_examiner(self) -> Contained:
        if self._examiner is None:
            self._is_ready = False
            self._examiner = self._box.start_examiner()
            self._examiner.send(
                {
                    "tests": [
                        {
                            "id": test.grade_id,
                            "source": test.source,
                            "points": test.points,
                            "category": test.category,
                        }
                        for test in self._tests.values()
                    ],
                    "imports": self._imports,
                    "lang": self._lang,
                }
            )
        return self._examiner


def _verdict(grade_id: str, data: dict[str, Any]) -> Verdict:
    return Verdict(
        grade_id=grade_id,
        outcome=Outcome(data["outcome"]),
        score=data.get("score"),
        sentence=data.get("sentence"),
        detail=data.get("detail"),
        hidden=bool(data.get("hidden", True)),
    )
