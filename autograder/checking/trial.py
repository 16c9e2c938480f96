"""Runs in the sandbox: cells in one learner's process, and tests cells across the wall.

The only module of `checking` that knows `grading`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from autograder.grading.master import Master, TestCell, read_master
from autograder.grading.records import CellRun, Plan, Step, StepKind, Verdict
from autograder.grading.run import Runner
from autograder.grading.sandbox.box import Sandbox
from autograder.project import Limits, Project

__all__ = ["Sandbox", "Trial", "Variant", "sandbox"]

# One worker keeps a waiting fork for every test of every variant.
_MOST_FORKS = 200
_FORK_MB = 8
_SEED = 0
# A whole batch of variants counts as one submission.
_SUBMISSION_S = 600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """One content of an exercise cell, to be tested across the wall.

    Attributes:
        id: Unique among the variants of a lesson.
        cells: Sources to run, the exercise first.
        tests: Grade ids of the tests cells to examine after them.
    """

    id: str
    cells: tuple[str, ...]
    tests: tuple[str, ...]


class Trial:
    """A lesson's code and tests, to be run.

    Args:
        box: From `sandbox`.
        notebook: The lesson's source notebook.
        limits: What a submission may use.
    """

    def __init__(self, box: Sandbox, notebook: Any, limits: Limits) -> None:
        self._box = box
        self._limits = limits
        self._master: Master = read_master(notebook)

    def run(self, cells: Sequence[str], *, cell_s: float) -> list[CellRun | None]:
        """Run sources one after the other in one process; None for one that was not reached."""
        steps = [
            Step(kind=StepKind.CELL, id=str(number), source=source)
            for number, source in enumerate(cells)
        ]
        # Long before the controller's clock, the probe's own ends a variant.
        limits = replace(self._limits, cell_s=cell_s, submission_s=cell_s * (len(cells) + 1))
        found = self._finish(steps, (), limits)[0]
        return [found.get(step.id) for step in steps]

    def examine(
        self, before: Sequence[str], variants: Sequence[Variant]
    ) -> Mapping[tuple[str, str], Verdict]:
        """Examine the tests of variants across the wall.

        Args:
            before: Sources that every variant starts from. The last of them has to bind
                `course_restore` to a function that brings their names back.
            variants: Run in one process, one after the other.

        Returns:
            Variant and tests cell -> verdict.
        """
        verdicts: dict[tuple[str, str], Verdict] = {}
        for some in _batches(variants):
            steps, tests = self._steps(before, some)
            limits = replace(self._limits, submission_s=self._limits.submission_s * len(some))
            found = self._finish(steps, tests.values(), limits)[1]
            verdicts |= {key: found[test.grade_id] for key, test in tests.items()}
        return MappingProxyType(verdicts)

    def _steps(
        self, before: Sequence[str], variants: Sequence[Variant]
    ) -> tuple[list[Step], dict[tuple[str, str], TestCell]]:
        known = {test.grade_id: test for test in self._master.tests}
        steps = [
            Step(kind=StepKind.CELL, id=f"before-{number}", source=source)
            for number, source in enumerate(before)
        ]
        tests: dict[tuple[str, str], TestCell] = {}
        for variant in variants:
            sources = ("course_restore()", *variant.cells)
            steps += [
                Step(kind=StepKind.CELL, id=f"{variant.id}-{number}", source=source)
                for number, source in enumerate(sources)
            ]
            for grade_id in variant.tests:
                name = f"{grade_id}:{variant.id}"
                tests[variant.id, grade_id] = replace(known[grade_id], grade_id=name)
                steps.append(Step(kind=StepKind.TEST, id=name))
        return steps, tests

    def _finish(
        self, steps: Sequence[Step], tests: Iterable[TestCell], limits: Limits
    ) -> tuple[Mapping[str, CellRun], Mapping[str, Verdict]]:
        plan = Plan(
            steps=tuple(steps),
            fills={},
            free_texts={},
            flags=frozenset(),
            reasons={},
            notebook=None,
        )
        runner = Runner(self._box, replace(self._master, tests=tuple(tests)), limits)
        try:
            run = runner.run(plan, seed=_SEED)
        finally:
            runner.close()
        return run.cells, run.verdicts


@contextmanager
def sandbox(project: Project) -> Iterator[Sandbox]:
    """Open the sandbox for the code of a project's lessons.

    Raises:
        MissingOnMachine: No sandbox starts here.
    """
    lessons = project.lesson_modules if project.lesson_modules.is_dir() else None
    limits = replace(
        project.limits,
        processes=project.limits.processes + _MOST_FORKS,
        memory_mb=project.limits.memory_mb + _MOST_FORKS * _FORK_MB,
        submission_s=max(project.limits.submission_s, _SUBMISSION_S),
    )
    with Sandbox(lessons=lessons, limits=limits, hidden=(project.root / "solutions",)) as box:
        yield box


def _batches(variants: Sequence[Variant]) -> Iterator[list[Variant]]:
    """Variants for one process each, within the number of forks that it may have."""
    batch: list[Variant] = []
    forks = 0
    for variant in variants:
        if batch and forks + len(variant.tests) > _MOST_FORKS:
            yield batch
            batch, forks = [], 0
        batch.append(variant)
        forks += len(variant.tests)
    if batch:
        yield batch
