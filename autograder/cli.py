"""The command `course`: declares the verbs, and is the only place that exits.

Nothing heavy is imported here at the top: `course --help` must answer at once. Each verb imports
what it needs.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import NoReturn

import click

from autograder.errors import CourseError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(package_name="selfgrading-lessons", prog_name="course")
def course(debug: bool) -> None:  # --debug is read by main(), which sees every error
    """Turn a Quarto lesson into a course notebook that teaches, checks and grades itself."""


@course.command()
@click.argument("lesson", required=False)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when a derived file is stale.")
@click.option("--watch", is_flag=True, help="Build again whenever a source changes, until Ctrl-C.")
def build(lesson: str | None, check: bool, watch: bool) -> None:
    """Build the editions of LESSON, or of every lesson listed in pyproject.toml."""
    from autograder.commands.author import build_lessons, watch_lessons

    if check and watch:
        raise click.UsageError("--check writes nothing, so there is nothing to --watch for.")
    sys.exit(watch_lessons(lesson) if watch else build_lessons(lesson, check=check))


@course.command()
@click.argument("lesson", required=False)
def check(lesson: str | None) -> None:
    """Try out the exercises of LESSON, and look for what is wrong with it."""
    from autograder.commands.author import check_lessons

    sys.exit(check_lessons(lesson))


@course.command()
@click.argument("slug")
def new(slug: str) -> None:
    """Write a small lesson SLUG to begin with."""
    from autograder.commands.author import new_lesson

    sys.exit(new_lesson(slug))


@course.command()
@click.option(
    "--edition",
    type=click.Choice(["student", "answer"]),
    default="student",
    show_default=True,
    help="The answer edition is for after the deadline.",
)
@click.option("--push", "remote", metavar="REMOTE", help="Push the branch there, too.")
@click.option("--force", is_flag=True, help="Push although REMOTE also holds the answers.")
def publish(edition: str, remote: str | None, force: bool) -> None:
    """Bring the branch that learners get up to date, after an audit that no answer is in it."""
    from autograder.commands.publisher import publish_edition

    sys.exit(publish_edition(edition, remote, force))


@course.command()
@click.option("--branch", help="One branch; without it, every published one.")
def audit(branch: str | None) -> None:
    """Compare the whole history of what learners get with what only the answer side holds."""
    from autograder.commands.publisher import audit_branches

    sys.exit(audit_branches(branch))


@course.command()
@click.argument("submitted", type=click.Path(path_type=Path))
@click.option("--lesson", required=True, help="Which lesson was handed in, e.g. lesson03.")
@click.option("--out", type=click.Path(path_type=Path), help="The folder where grades go.")
@click.option(
    "--course",
    "existing",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Instead of --out: an nbgrader course of yours; its gradebook is backed up first.",
)
@click.option(
    "--roster",
    type=click.Path(path_type=Path),
    help="The class: a CSV, a Canvas gradebook or a Moodle grading worksheet.",
)
@click.option("--due", metavar="TIME", help="The deadline, e.g. 2026-11-29T23:59+08:00.")
@click.option("--workers", type=click.IntRange(1, 256), help="How many at once.  [default: cores]")
@click.option("--resume", is_flag=True, help="Go on after a run that was stopped or killed.")
@click.option("--student", metavar="ID", help="Grade this one only; the others stay as they are.")
@click.option("--no-sandbox", is_flag=True, help="Run without isolation; every report says so.")
def grade(  # noqa: PLR0913  (a verb's options)
    submitted: Path,
    *,
    lesson: str,
    out: Path | None,
    existing: Path | None,
    roster: Path | None,
    due: str | None,
    workers: int | None,
    resume: bool,
    student: str | None,
    no_sandbox: bool,
) -> None:
    """Grade SUBMITTED, a folder or a zip.

    It holds nbgrader's tree, STUDENT.ipynb files, or a Canvas or Moodle download.
    """
    from autograder.commands.instructor import GradeOptions, grade_submissions

    options = GradeOptions(
        lesson=lesson,
        out=out,
        course=existing,
        roster=roster,
        due=due,
        workers=workers,
        resume=resume,
        student=student,
        sandboxed=not no_sandbox,
    )
    grade_submissions(submitted, options)


@course.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "layout",
    type=click.Choice(["csv", "json", "canvas", "moodle", "xlsx"]),
    default="csv",
    show_default=True,
)
@click.option(
    "--template",
    type=click.Path(path_type=Path),
    help="The CSV that Canvas or Moodle gave: a copy with this lesson's points filled in.",
)
@click.option("--column", help="The platform's name for the lesson, e.g. 'Lesson 3 (98765)'.")
@click.option("--to", type=click.Path(path_type=Path), help="Where to; - is stdout.")
@click.option("--bom/--no-bom", default=True, help="Excel needs it for Chinese names.")
def export(  # noqa: PLR0913  (a verb's options)
    out: Path,
    *,
    layout: str,
    template: Path | None,
    column: str | None,
    to: Path | None,
    bom: bool,
) -> None:
    """Write the grades in OUT as a table, with the points that people gave."""
    from autograder.commands.exporter import export_grades

    export_grades(out, layout, template=template, column=column, to=to, bom=bom)


@course.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--zip", "platform", type=click.Choice(["canvas", "moodle"]), help="Also pack them for it."
)
@click.option(
    "--download",
    "--template",
    type=click.Path(path_type=Path),
    help="The platform's download, when OUT was graded from something else.",
)
def feedback(out: Path, platform: str | None, download: Path | None) -> None:
    """Write every learner's page in OUT anew, with the points and comments that people gave."""
    from autograder.commands.exporter import write_feedback

    write_feedback(out, platform=platform, download=download)


@course.command()
@click.option("--lesson", required=True, help="Whose answers they are, e.g. lesson03.")
@click.option(
    "--in",
    "source",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path),
    help='JSON lines, each {"id": ..., "question": "Q1", "answer": "..."}.',
)
@click.option(
    "--out",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path),
    help="Where the suggestions go, one line for each answer.",
)
def suggest(lesson: str, source: Path, out: Path) -> None:
    """Suggest points for free-text answers, with their evidence; a person decides."""
    from autograder.commands.reviewer import suggest_answers

    sys.exit(suggest_answers(lesson, source, out))


@course.command()
@click.argument("lesson", default="lesson03")
@click.option("--answers", is_flag=True, help="Open the notebook with the folded answers.")
def lab(lesson: str, answers: bool) -> None:
    """Open LESSON in JupyterLab, in a copy of your own."""
    from autograder.commands.learner import open_lab

    sys.exit(open_lab(lesson, answers=answers))


@course.command()
@click.argument("lesson")
@click.option("--id", "student", required=True, help="Your id, as the class list has it.")
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="The notebook; without it, your own copy under work/.",
)
def submit(lesson: str, student: str, file: Path | None) -> None:
    """Look LESSON's notebook through, and write the file to hand in with a receipt."""
    from autograder.commands.handin import submit_lesson

    sys.exit(submit_lesson(lesson, student, file))


@course.command()
def doctor() -> None:
    """Say what this machine lacks, and how to get it."""
    from autograder.commands.doctor import examine_machine

    sys.exit(examine_machine())


@course.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True)
def demo(out: Path) -> None:
    """Build the lesson, grade the bundled sample class, and say which files to open."""
    from autograder.commands.demo import run_demo

    sys.exit(run_demo(out))


def main() -> None:
    """Run `course` and exit: 0 done, 1 findings, 2 usage, 3 the machine lacks something."""
    # Chinese paths and sentences must not crash a console with a narrower encoding.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        course.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except CourseError as error:
        _fail(str(error), error.exit_code)
    except Exception as error:  # the last resort: a sentence, no traceback
        what = f"{type(error).__name__}: {error}"
        _fail(f"a fault of this program ({what}). Run again with --debug and report it.", 1)


def _fail(message: str, exit_code: int) -> NoReturn:
    if "--debug" in sys.argv:
        traceback.print_exc()
    click.echo(f"course: {message}", err=True)
    sys.exit(exit_code)
