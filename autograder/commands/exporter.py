"""`course export` and `course feedback`: what leaves the output folder."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import click
import msgspec

from autograder.commands.class_report import (
    class_report,
    refresh_grades,
    rubric_words,
    veto_effect,
)
from autograder.counting import counted
from autograder.errors import UsageError
from autograder.grading.intake.collect import handed_in_as
from autograder.grading.intake.lms import Platform
from autograder.grading.records import Batch
from autograder.grading.reports.canvas import canvas_table
from autograder.grading.reports.coursedir import write_atomically
from autograder.grading.reports.export import grades_csv
from autograder.grading.reports.feedback import FeedbackPages
from autograder.grading.reports.moodle import moodle_table
from autograder.grading.reports.report import Report, Written, named, read_autograded
from autograder.grading.reports.returned import feedback_zip
from autograder.grading.reports.template import fill_template
from autograder.grading.reports.workbook import grades_workbook
from autograder.grading.totals import with_vetoes
from autograder.project import Project, find_project

_ENDINGS = {
    "csv": ".csv",
    "json": ".json",
    "canvas": "-canvas.csv",
    "moodle": "-moodle.csv",
    "xlsx": ".xlsx",
}


def export_grades(  # noqa: PLR0913  (the options of the verb)
    out: Path,
    layout: str,
    *,
    template: Path | None,
    column: str | None,
    to: Path | None,
    bom: bool,
    veto: str | None = None,
) -> None:
    """Write a class's grades, people's decisions included, and say on stderr what is not in them.

    Args:
        out: The output folder of `course grade`.
        layout: One of csv, json, canvas, moodle, xlsx.
        template: The file that the platform gave; it is not changed, a filled copy is written.
        column: The platform's name for the lesson.
        to: Where to; `-` is stdout, and the folder `exports` of `out` when not given.
        bom: Whether a CSV that is not from a template begins with a byte order mark.
        veto: What a veto does to the exported total; None: as the project has it.

    Raises:
        UsageError: The options do not go together, or the template is none.
        CourseError: The output folder is broken, or the file cannot be written.
    """
    if template is not None and layout not in {"csv", "canvas", "moodle"}:
        raise UsageError(f"--template is a CSV, not {layout}. Leave --format out.")
    project = find_project()
    effect = veto_effect(project.veto if veto is None else veto)
    report = refresh_grades(out, class_report(out, project))
    grades, lowered = with_vetoes(report.grades, effect)
    report = replace(report, grades=grades)
    if lowered:
        _say([f"A veto stands: the exported total of {named(lowered)} is {effect.most:g}."])
    if template is not None:
        written = fill_template(_bytes(template), str(template), report, column)
        path = to or out / "exports" / template.name
        if path.resolve() == template.resolve():
            raise UsageError(f"{template}: would be overwritten. Name another file by --to.")
    else:
        written = _written(report, layout, column, bom=bom)
        path = to or out / "exports" / f"{report.grades.lesson}{_ENDINGS[layout]}"
    _say(written.notes)
    if str(path) == "-":
        sys.stdout.buffer.write(written.data)
        return
    write_atomically(path, written.data)
    click.echo(f"{counted(len(report.entries), 'student')} exported. Open {path}.")


def write_feedback(
    out: Path, *, platform: str | None, download: Path | None, reference: bool = False
) -> None:
    """Write every learner's page anew, with people's points and comments, and pack them.

    Args:
        out: The output folder of `course grade`.
        platform: `canvas` or `moodle` for the zip that it takes back.
        download: The platform's download, when `out` was not graded from it.
        reference: Whether the pages may say what a missing link of the chain is.

    Raises:
        UsageError: `download` is none.
        CourseError: The output folder is broken, or a file cannot be written.
    """
    project = find_project()
    report = class_report(out, project, chains=True, reference=reference)
    refresh_grades(out, report)
    pages = _pages(report, project)
    for student, page in pages.items():
        report.folder.write_feedback(student, page)
    click.echo(f"{len(pages)} pages of feedback written. Open {out / 'feedback'}.")
    if platform is None:
        _say(report.notes())
        return
    names: Mapping[str, str] = report.members.handed_in
    if download is not None:
        names = handed_in_as(download, report.grades.lesson, roster=report.members.roster)
    written = feedback_zip(Platform(platform), report, pages, names)
    path = out / "exports" / f"{report.grades.lesson}-feedback-{platform}.zip"
    write_atomically(path, written.data)
    _say(written.notes)
    click.echo(f"Upload {path} to {platform.capitalize()}.")


def _written(report: Report, layout: str, column: str | None, *, bom: bool) -> Written:
    match layout:
        case "canvas":
            return canvas_table(report, column, bom=bom)
        case "moodle":
            return moodle_table(report, bom=bom)
        case "xlsx":
            return grades_workbook(report)
        case "json":
            data = msgspec.json.format(msgspec.json.encode(report.grades), indent=1) + b"\n"
        case _:
            text = grades_csv(report.grades, report.names)
            data = text.encode("utf-8-sig" if bom else "utf-8")
    return Written(data=data, notes=report.notes())


def _pages(report: Report, project: Project) -> dict[str, str]:
    """Everybody's page: student id -> HTML."""
    master, grades = report.master, report.grades
    batch = Batch(
        lesson=grades.lesson,
        title=master.title,
        lang=master.lang,
        max_score=grades.max_score,
        sandbox=grades.sandbox,
        limits=grades.limits,
        questions=master.questions,
        out=report.folder.root,
    )
    pages = FeedbackPages(
        batch, master.notebook, project.root / "assets", rubric_words(project, grades.lesson)
    )
    return {
        entry.student: pages.page(
            entry.result(),
            read_autograded(report, entry.student),
            report.comments_for(entry.student),
            report.reviewed.get(entry.student),
        )
        for entry in report.entries
    }


def _say(notes: Iterable[str]) -> None:
    for note in notes:
        click.echo(note, err=True)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}). Check the path.") from error
