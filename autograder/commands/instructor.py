"""Instructors' verbs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import click

from autograder.editions.build import source_notebook
from autograder.editions.notebook import dumps
from autograder.editions.release import nbgrader_config, release
from autograder.errors import UsageError
from autograder.grading.batch import Assignment, grade
from autograder.grading.intake.classlist import ClassList, read_class, write_class
from autograder.grading.intake.collect import handed_in_as
from autograder.grading.intake.handins import readable
from autograder.grading.intake.lateness import due_time
from autograder.grading.intake.roster import Roster
from autograder.grading.intake.rosterfile import read_roster
from autograder.grading.master import read_master
from autograder.grading.phrases import quoted
from autograder.grading.records import Result
from autograder.project import Project, find_project


def grade_submissions(  # noqa: PLR0913  (the options of the verb)
    submitted: Path,
    lesson: str,
    out: Path,
    *,
    sandboxed: bool,
    roster: Path | None = None,
    due: str | None = None,
) -> None:
    """Grade a class and say on stderr how it goes.

    Raises:
        UsageError: `submitted` holds no submissions, `lesson` is not one, `roster` lists no class,
            or `due` is no time.
        MissingOnMachine: No sandbox starts here.
    """
    if not sandboxed:
        click.echo("--no-sandbox: learners' code runs WITHOUT isolation.", err=True)
    results = grade_into(
        find_project(),
        submitted,
        lesson,
        out,
        sandboxed=sandboxed,
        roster=read_roster(roster) if roster else None,
        due=due_time(due, "--due") if due else None,
    )
    click.echo(f"{len(results)} submissions graded. Open {out / 'grades.csv'}.")


def grade_into(  # noqa: PLR0913  (as `grading.batch.grade`)
    project: Project,
    submitted: Path,
    lesson: str,
    out: Path,
    *,
    sandboxed: bool,
    roster: Roster | None = None,
    due: datetime | None = None,
) -> list[Result]:
    """Grade a class into the folder `out`; see `grading.batch.grade`.

    Without a roster, the one that `out` holds from an earlier run counts.
    """
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
    if roster is None:
        roster = read_class(out).roster
    handed_in = handed_in_as(submitted, lesson, roster=roster)
    write_class(out, ClassList(roster=roster, handed_in=handed_in))
    results = grade(
        assignment,
        submitted,
        roster=roster,
        due=due,
        limits=project.limits,
        sandboxed=sandboxed,
        progress=_say,
    )
    _warn_of_strangers(results, roster)
    return results


def _warn_of_strangers(results: Iterable[Result], roster: Roster | None) -> None:
    if roster is None:
        return
    enrolled = {readable(student) for student in roster.ids}
    strangers = [result.student for result in results if result.student not in enrolled]
    if strangers:
        click.echo(
            f"Not on the roster, graded all the same: {', '.join(map(quoted, strangers))}. "
            "Mend the roster, or the names of the files.",
            err=True,
        )


def _say(result: Result) -> None:
    known = sum(points for points in result.scores.values() if points is not None)
    flags = f" [{', '.join(result.flags)}]" if result.flags else ""
    click.echo(f"  {result.student}: {result.status}, {known:g} so far{flags}", err=True)
