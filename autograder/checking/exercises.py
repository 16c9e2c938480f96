"""Exercises, tried out: stub, reference, fills and mutants against the tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autograder.checking import kernel, wall_agreement
from autograder.checking.fills import Content, Kind, contents, edits
from autograder.checking.kernel import Judgement, Seen
from autograder.checking.report import Counts, Finding, Severity
from autograder.checking.stage import Stage, stages
from autograder.checking.trial import Sandbox, Trial
from autograder.model import Cell, Lesson, Role
from autograder.project import Project


def try_exercises(
    box: Sandbox, project: Project, lesson: Lesson, notebook: Any
) -> tuple[list[Finding], Counts]:
    """Run every exercise with everything that may stand in its blanks.

    Raises:
        MissingOnMachine: The sandbox does not start.
    """
    findings = [finding for one in lesson.cells(Role.EXERCISE) for finding in edits(lesson, one)]
    counts: Counter[str] = Counter(tests=len(lesson.cells(Role.TESTS)))
    trial = Trial(box, notebook, project.limits)
    for stage in stages(lesson, notebook):
        found, seen = _try(trial, project, lesson, stage)
        findings += found
        counts += seen
    return findings, Counts(**counts)


def _try(
    trial: Trial, project: Project, lesson: Lesson, stage: Stage
) -> tuple[list[Finding], Counter[str]]:
    if not stage.tests:
        return [_untested(lesson.path, stage.exercise)], Counter(exercises=1)
    tried = contents(lesson, stage.exercise)
    judged = kernel.judge(trial, stage, tried, limit_s=project.limits.cell_s)
    walled = wall_agreement.across(trial, stage, tried, judged)
    findings = [
        *_of_stub(lesson.path, stage, judged),
        *_of_reference(lesson, stage, judged, tried),
        *_of_fills(lesson.path, stage, judged, tried),
        *wall_agreement.disagreements(lesson.path, stage, tried, judged, walled),
    ]
    counts = Counter(exercises=1, fills=sum(one.kind in {Kind.RIGHT, Kind.WRONG} for one in tried))
    # What the tests make of mutants says nothing while they do not even pass the reference.
    if not findings:
        for one in tried:
            if one.kind is Kind.MUTANT:
                fate = _fate(stage, judged[one.id])
                counts.update(("mutants", fate))
                findings += _of_mutant(lesson.path, stage, one, judged[one.id], fate)
    return findings, counts


def _untested(path: str, exercise: Cell) -> Finding:
    return Finding(
        path=path,
        line=exercise.line,
        what=f"The exercise {exercise.grade_id!r} has no tests, so nothing is graded.",
        mend="Add a cell with `#| course_role: tests`.",
        severity=Severity.WARNING,
    )


def _of_stub(path: str, stage: Stage, judged: Mapping[str, Judgement]) -> Iterator[Finding]:
    for test in stage.tests:
        seen = judged[f"{Kind.STUB}-0"].tests[str(test.grade_id)]
        if seen.gives_points:
            yield Finding(
                path=path,
                line=test.line,
                what=f"The tests {test.grade_id!r} pass while the blank is not filled in.",
                mend="Test something that depends on the blank.",
            )


def _of_reference(
    lesson: Lesson, stage: Stage, judged: Mapping[str, Judgement], tried: Sequence[Content]
) -> Iterator[Finding]:
    reference = next(one for one in tried if one.kind is Kind.REFERENCE)
    judgement = judged[reference.id]
    if judgement.cell.outcome != "passed":
        yield Finding(
            path=lesson.path,
            line=reference.line,
            what=f"The reference of {stage.exercise.grade_id!r} does not run: "
            f"{judgement.cell.why}.",
            mend="Mend it.",
        )
    for test in stage.tests:
        seen = judgement.tests[str(test.grade_id)]
        if not seen.is_full(test.points):
            yield Finding(
                path=lesson.path,
                line=test.line if seen.line is None else test.source_line + seen.line - 1,
                what=f"The tests {test.grade_id!r} do not give the reference full points: "
                f"{_why(seen)}.",
                mend="Mend the tests or the reference.",
            )


def _of_fills(
    path: str, stage: Stage, judged: Mapping[str, Judgement], tried: Sequence[Content]
) -> Iterator[Finding]:
    for one in tried:
        results = judged[one.id].tests
        short = [test for test in stage.tests if not _full(test, results)]
        if one.kind is Kind.WRONG and not short:
            yield Finding(
                path=path,
                line=one.line,
                what=f"The wrong fill `{one.words}` gets full points.",
                mend="Add a hidden test that catches it.",
            )
        if one.kind is Kind.RIGHT and short:
            test = short[0]
            yield Finding(
                path=path,
                line=one.line,
                what=f"The right fill `{one.words}` does not get full points: the tests "
                f"{test.grade_id!r} say {_why(results[str(test.grade_id)])}.",
                mend="Mend the tests, or say that the fill is wrong.",
            )


def _full(test: Cell, results: Mapping[str, Seen]) -> bool:
    return results[str(test.grade_id)].is_full(test.points)


def _fate(stage: Stage, judgement: Judgement) -> str:
    """Which count a mutant adds to."""
    if not judgement.hidden or not all(_full(test, judgement.hidden) for test in stage.tests):
        return "killed"
    if not all(_full(test, judgement.tests) for test in stage.tests):
        return "shown_only"
    return "equivalent" if judgement.difference == "" else "surviving"


def _of_mutant(
    path: str, stage: Stage, mutant: Content, judgement: Judgement, fate: str
) -> Iterator[Finding]:
    name = stage.exercise.grade_id
    if fate == "shown_only":
        yield Finding(
            path=path,
            line=mutant.line,
            what=f"In {name!r} only the visible tests catch `{mutant.words}`.",
            mend="Add a hidden test: what learners see can be fitted.",
            severity=Severity.WARNING,
        )
    if fate == "surviving":
        why = judgement.difference or "the tests give nothing to compare it by"
        yield Finding(
            path=path,
            line=mutant.line,
            what=f"In {name!r} the tests accept `{mutant.words}`: {why}.",
            mend="Add such an input to the hidden tests, or list it as a right fill.",
            severity=Severity.WARNING,
        )


def _why(seen: Seen) -> str:
    if seen.why:
        return seen.why
    return seen.outcome if seen.score is None else f"{seen.score:g} points"
