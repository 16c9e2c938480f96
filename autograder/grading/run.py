"""One submission through the worker and the examiner: `Plan` -> `Run`.

The worker runs the learner's cells and keeps a forked snapshot at each test. Only when every cell
has run, and everything that feedback may show exists, does the examiner send its first hidden
input into a snapshot.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from autograder.grading.channel import Channel, ChannelClosed, ChannelTimeout
from autograder.grading.master import Master, TestCell
from autograder.grading.outputs import well_formed
from autograder.grading.records import (
    CellRun,
    Flag,
    Outcome,
    Plan,
    Run,
    Status,
    StepKind,
    Verdict,
)
from autograder.grading.sandbox import Sandbox
from autograder.project import Limits

# The worker's own clock ends a cell at `cell_s`; the controller waits this much longer before it
# ends the whole worker, so that the gentler of the two acts first.
GRACE_S = 2.0


@dataclass(kw_only=True, slots=True)
class _Attempt:
    """What one worker gave before it was done or lost."""

    cells: dict[str, CellRun] = field(default_factory=dict)
    snapshots: set[str] = field(default_factory=set)
    flags: set[Flag] = field(default_factory=set)
    lost: Outcome | None = None


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
        self._examiner: Channel | None = None

    def close(self) -> None:
        """End the examiner."""
        if self._examiner is not None:
            self._examiner.close()
            self._examiner = None

    def run(self, plan: Plan, *, seed: int) -> Run:
        """Execute a plan and examine its tests; never raises for what a submission does."""
        deadline = time.monotonic() + self._limits.submission_s
        verdicts: dict[str, Verdict] = {}
        attempt = self._attempt(plan, verdicts, seed, deadline, savepoints=False)
        flags = set(attempt.flags)
        lost = [attempt.lost] if attempt.lost else []
        while attempt.lost and len(verdicts) < len(self._tests) and time.monotonic() < deadline:
            settled = len(verdicts)
            attempt = self._attempt(plan, verdicts, seed, deadline, savepoints=True)
            flags |= attempt.flags
            if attempt.lost:
                lost.append(attempt.lost)
                if len(verdicts) == settled:  # lost before any test: another try would be the same
                    break
        return self._summary(attempt, verdicts, flags, lost)

    def _summary(
        self,
        attempt: _Attempt,
        verdicts: dict[str, Verdict],
        flags: set[Flag],
        lost: list[Outcome],
    ) -> Run:
        for test in self._tests:
            verdicts.setdefault(
                test, Verdict(grade_id=test, outcome=lost[-1] if lost else Outcome.CRASHED)
            )
        ends = {cell.status for cell in attempt.cells.values()} | set(lost)
        ends |= {verdict.outcome for verdict in verdicts.values()}
        status = Status.GRADED
        if Outcome.CRASHED in ends:
            status, _ = Status.CRASHED, flags.add(Flag.CRASHED)
        if Outcome.TIMEOUT in ends:
            status, _ = Status.TIMEOUT, flags.add(Flag.TIMEOUT)
        return Run(
            cells=attempt.cells, verdicts=verdicts, flags=frozenset(flags), status=status
        )

    def _attempt(
        self,
        plan: Plan,
        verdicts: dict[str, Verdict],
        seed: int,
        deadline: float,
        *,
        savepoints: bool,
    ) -> _Attempt:
        attempt = _Attempt()
        worker = self._box.start_worker()
        try:
            self._run_cells(worker, plan, attempt, seed, deadline, savepoints=savepoints)
            for test in self._tests.values():
                if attempt.lost or test.grade_id in verdicts:
                    continue
                if test.grade_id in attempt.snapshots:
                    self._examine(worker, test, attempt, verdicts, seed, deadline)
        finally:
            worker.close()
        return attempt

    def _run_cells(
        self,
        worker: Channel,
        plan: Plan,
        attempt: _Attempt,
        seed: int,
        deadline: float,
        *,
        savepoints: bool,
    ) -> None:
        try:
            worker.send(self._start(plan, seed, savepoints=savepoints))
            while (event := worker.receive(self._patience(deadline))).get("event") != "done":
                self._note(event, attempt)
        except ChannelTimeout:
            attempt.lost = Outcome.TIMEOUT
        except ChannelClosed:
            attempt.lost = Outcome.CRASHED

    def _start(self, plan: Plan, seed: int, *, savepoints: bool) -> dict[str, Any]:
        limits = self._limits
        return {
            "op": "start",
            "seed": seed,
            "savepoints": savepoints,
            "steps": [
                {"kind": step.kind, "id": step.id}
                | ({"source": step.source} if step.kind is StepKind.CELL else {})
                for step in plan.steps
            ],
            "limits": {
                "cell_s": limits.cell_s,
                "memory_mb": limits.memory_mb,
                "processes": limits.processes,
                "output_kb": limits.output_kb,
            },
        }

    def _patience(self, deadline: float) -> float:
        return max(0.0, min(self._limits.cell_s + GRACE_S, deadline - time.monotonic()))

    def _note(self, event: dict[str, Any], attempt: _Attempt) -> None:
        """Take one event of the worker, which may be forged: only known shapes count."""
        match event:
            case {"event": "cell", "id": str(cell), "status": str(status)}:
                flags = frozenset(_flags(event.get("flags")))
                attempt.flags |= flags
                attempt.cells[cell] = CellRun(
                    id=cell,
                    status=status,
                    outputs=tuple(well_formed(event.get("outputs"))),
                    execution_count=_count(event.get("execution_count")),
                    error=event["error"] if isinstance(event.get("error"), dict) else None,
                    flags=flags,
                )
            case {"event": "test", "id": str(test)}:
                attempt.snapshots.add(test)

    def _examine(
        self,
        worker: Channel,
        test: TestCell,
        attempt: _Attempt,
        verdicts: dict[str, Verdict],
        seed: int,
        deadline: float,
    ) -> None:
        try:
            worker.send({"op": "test", "id": test.grade_id})
        except ChannelClosed:
            attempt.lost = Outcome.CRASHED
            return
        verdict = self._converse(worker, test, attempt, seed, deadline)
        if attempt.lost:  # the learner's side failed under this test, whatever the examiner says
            verdict = Verdict(grade_id=test.grade_id, outcome=attempt.lost)
        verdicts[test.grade_id] = verdict
        if not attempt.lost:
            try:
                worker.send({"op": "end"})
            except ChannelClosed:
                attempt.lost = Outcome.CRASHED

    def _converse(
        self, worker: Channel, test: TestCell, attempt: _Attempt, seed: int, deadline: float
    ) -> Verdict:
        """Relay between examiner and snapshot until there is a verdict."""
        examiner = self._examiner = self._examiner or self._box.start_examiner()
        time_s = max(1.0, deadline - time.monotonic())
        try:
            examiner.send(
                {
                    "op": "examine",
                    "id": test.grade_id,
                    "source": test.source,
                    "imports": self._imports,
                    "points": test.points,
                    "lang": self._lang,
                    "seed": seed,
                    "time_s": time_s,
                }
            )
            while True:
                message = examiner.receive(time_s + GRACE_S)
                if "verdict" in message:
                    return _verdict(test.grade_id, message["verdict"])
                examiner.send(self._ask(worker, message.get("ask"), attempt, deadline))
        except (ChannelClosed, ChannelTimeout):
            self.close()  # a new one is started for the next test
            return Verdict(grade_id=test.grade_id, outcome=Outcome.ERROR)

    def _ask(
        self, worker: Channel, question: Any, attempt: _Attempt, deadline: float
    ) -> dict[str, Any]:
        """The snapshot's reply; once it is lost, every further call fails at once."""
        if attempt.lost is None:
            try:
                worker.send(question)
                return worker.receive(self._patience(deadline))
            except ChannelTimeout:
                attempt.lost = Outcome.TIMEOUT
            except ChannelClosed:
                attempt.lost = Outcome.CRASHED
        return {"raised": "TimeoutError", "message": ""}


def _verdict(grade_id: str, data: dict[str, Any]) -> Verdict:
    return Verdict(
        grade_id=grade_id,
        outcome=Outcome(data["outcome"]),
        score=data.get("score"),
        sentence=data.get("sentence"),
        detail=data.get("detail"),
        hidden=bool(data.get("hidden", True)),
    )


def _flags(names: Any) -> Iterable[Flag]:
    known = {flag.value for flag in Flag}
    listed = names if isinstance(names, list) else ()
    return (Flag(name) for name in listed if isinstance(name, str) and name in known)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
