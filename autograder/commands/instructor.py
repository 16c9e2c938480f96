"""Instructors' verbs."""

from __future__ import annotations

# isort: off
from autograder import nodes  # noqa: F401  # before all that imports nbformat
# isort: on

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import click

from autograder.commands.prepared import prepared
from autograder.commands.progress import progress_shown
from autograder.commands.summary import summary
from autograder.errors import UsageError
from autograder.grading.batch.assignment import Assignment, Settings, cores
from autograder.grading.batch.drive import grade
from autograder.grading.batch.existing import existing_gradebook
from autograder.grading.batch.outcome import Outcome
from autograder.grading.batch.outfolder import set_reports_aside
from autograder.grading.batch.progress import Progress
from autograder.grading.intake.classlist import ClassList, read_class, write_class
from autograder.grading.intake.collect import handed_in_as
from autograder.grading.intake.handins import readable
from autograder.grading.intake.lateness import due_time
from autograder.grading.intake.roster import Roster
from autograder.grading.intake.rosterfile import read_roster
from autograder.grading.master import read_master
from autograder.grading.phrases import quoted
from autograder.grading.records import Result
from autograder.grading.reports.export import SubmissionGrade
from autograder.project import Project, find_project


@dataclass(frozen=True, kw_only=True, slots=True)
class GradeOptions:
    """The options of `course grade`, as they were given.

    Attributes:
        out: A folder of our own; exactly one of it and `course` is given.
        course: An instructor's own nbgrader course.
        workers: How many at once; None: as many as there are processors.
        cluster: Address of a dask.distributed scheduler; None: this machine grades.
    """

    lesson: str
    out: Path | None
    course: Path | None
    roster: Path | None
    due: str | None
    workers: int | None
    resume: bool
    student: str | None
    sandboxed: bool
    cluster: str | None = None


def grade_submissions(submitted: Path, options: GradeOptions) -> None:
    """Grade a class; how it goes is said on stderr, what it came to on stdout.

    Raises:
        UsageError: The options do not go together, `submitted` holds no submissions, or something
            named in the options is not there.
        MissingOnMachine: No sandbox starts here.
        CourseError: The output folder or the gradebook cannot be written.
    """
    if (options.out is None) == (options.course is None):
        raise UsageError("Name either --out, a folder for the grades, or --course.")
    if options.resume and options.student:
        raise UsageError("--student grades that one anew. Leave --resume out.")
    if options.cluster and options.workers:
        raise UsageError("A cluster has the workers that it has. Leave --workers out.")
    if not options.sandboxed:
        click.echo("--no-sandbox: learners' code runs WITHOUT isolation.", err=True)
    out = options.out or options.course or Path()
    settings = Settings(
        roster=read_roster(options.roster) if options.roster else None,
        due=due_time(options.due, "--due") if options.due else None,
        sandboxed=options.sandboxed,
        workers=options.workers or cores(),
        resume=options.resume,
        student=options.student,
        cluster=options.cluster,
    )
    project = find_project()
    outcome = grade_class(
        project,
        submitted,
        options.lesson,
        out,
        settings=settings,
        progress=progress_shown(),
        existing=options.course is not None,
    )
    _bring_up_to_date(out, project, options.lesson)
    click.echo(summary(outcome, out))


def _bring_up_to_date(out: Path, project: Project, lesson: str) -> None:
    """Put the review's decisions into the reports, when there are any."""
    if (out / f"review-{lesson}.jsonl").is_file():
        # The review takes 0.3 s to import.
        from autograder.commands.class_report import class_report, refresh_grades

        refresh_grades(out, class_report(out, project))


def grade_into(
    project: Project, submitted: Path, lesson: str, out: Path, *, sandboxed: bool
) -> list[Result]:
    """Grade a class into the folder `out`, with the project's own limits; see `grade_class`."""
    settings = Settings(sandboxed=sandboxed, workers=cores())
    outcome = grade_class(
        project, submitted, lesson, out, settings=settings, progress=progress_shown()
    )
    return [entry.result() for entry in outcome.grades.submissions]


def grade_class(  # noqa: PLR0913  (what is graded, where to, and how)
    project: Project,
    submitted: Path,
    lesson: str,
    out: Path,
    *,
    settings: Settings,
    progress: Progress,
    existing: bool = False,
) -> Outcome:
    """Grade a class; see `grading.batch.drive.grade`.

    Without a roster, the one that `out` holds from an earlier run counts. The limits are those of
    the project, whatever `settings` says.

    Args:
        project: Has the lesson.
        submitted: What was handed in.
        lesson: Slug of the lesson.
        out: The output folder.
        settings: How.
        progress: Is told how it goes.
        existing: Whether `out` is an instructor's own nbgrader course.
    """
    made = prepared(project, lesson)
    if not submitted.exists():
        raise UsageError(f"{submitted}: not there. Name the folder or zip with the submissions.")
    db_url = existing_gradebook(out, project.db_url) if existing else project.db_url
    assignment = Assignment(
        master=read_master(made.source),
        release=made.release,
        release_config=made.config,
        lessons=project.lesson_modules,
        assets=project.root / "assets",
        db_url=db_url,
        hidden=(project.root / "solutions", out.resolve(), submitted.resolve()),
        out=out.resolve(),
        existing=existing,
    )
    roster = settings.roster or read_class(out).roster
    _list_class(out, submitted, lesson, roster, progress)
    settings = replace(settings, roster=roster, limits=project.limits)
    outcome = grade(assignment, submitted, settings, progress)
    _warn_of_strangers(outcome.grades.submissions, roster, progress)
    return outcome


def _list_class(
    out: Path, submitted: Path, lesson: str, roster: Roster | None, progress: Progress
) -> None:
    handed_in = handed_in_as(submitted, lesson, roster=roster)
    kept = set_reports_aside(out, lesson)
    if kept is not None:
        progress.note(
            f"{out} held the reports of {kept.name}: copies are in {kept}, and "
            f"`course grade ... --lesson {kept.name} --resume` brings them back."
        )
    write_class(out, ClassList(roster=roster, handed_in=handed_in))


def _warn_of_strangers(
    entries: Iterable[SubmissionGrade], roster: Roster | None, progress: Progress
) -> None:
    if roster is None:
        return
    enrolled = {readable(student) for student in roster.ids}
    strangers = [entry.student for entry in entries if entry.student not in enrolled]
    if strangers:
        progress.note(
            f"Not on the roster, graded all the same: {', '.join(map(quoted, strangers))}. "
            "Mend the roster, or the names of the files."
        )
