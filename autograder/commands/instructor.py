"""Instructors' verbs."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.editions.build import source_notebook
from autograder.editions.notebook import dumps
from autograder.editions.release import nbgrader_config, release
from autograder.errors import UsageError
from autograder.grading.batch import Assignment, grade
from autograder.grading.master import read_master
from autograder.grading.records import Result
from autograder.project import Project, find_project


def grade_submissions(submitted: Path, lesson: str, out: Path, *, sandboxed: bool) -> None:
    """Grade a class and say on stderr how it goes.

    Raises:
        UsageError: `submitted` holds no submissions, or `lesson` is not one.
        MissingOnMachine: No sandbox starts here.
    """
    if not sandboxed:
        click.echo("--no-sandbox: learners' code runs WITHOUT isolation.", err=True)
    results = grade_into(find_project(), submitted, lesson, out, sandboxed=sandboxed)
    click.echo(f"{len(results)} submissions graded. Open {out / 'grades.csv'}.")


def grade_into(
    project: Project, submitted: Path, lesson: str, out: Path, *, sandboxed: bool
) -> list[Result]:
    """Grade a class into the folder `out`; see `grading.batch.grade`."""
    if not project.source(lesson).is_file():
        raise UsageError(
            f"{project.source(lesson)}: no such lesson. Name one that has its source there."
        )
    if not submitted.exists():
        raise UsageError(f"{submitted}: not there. Name the folder or zip with the submissions.")
    source = source_notebook(project, lesson)
    assignment = Assignment(
        master=read_master(source),
        release=dumps(release(source)),
        release_config=nbgrader_config(),
        lessons=project.lesson_modules,
        assets=project.root / "assets",
        db_url=project.db_url,
        hidden=(project.root / "solutions", out.resolve(), submitted.resolve()),
        out=out.resolve(),
    )
    return grade(assignment, submitted, limits=project.limits, sandboxed=sandboxed, progress=_say)


def _say(result: Result) -> None:
    known = sum(points for points in result.scores.values() if points is not None)
    flags = f" [{', '.join(result.flags)}]" if result.flags else ""
    click.echo(f"  {result.student}: {result.status}, {known:g} so far{flags}", err=True)
