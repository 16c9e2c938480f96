"""Verbs of an instructor: release a lesson, grade what comes back, hand out the grades."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--edition",
    type=click.Choice(["student", "answer"]),
    default="student",
    show_default=True,
    help="The answer edition is for after the deadline.",
)
@click.option("--push", "remote", metavar="REMOTE", help="Push the branch there, too.")
@click.option("--force", is_flag=True, help="Push although REMOTE also holds the answers.")
def publish(edition: str, remote: str | None, force: bool) -> int:
    """Bring the branch that learners get up to date, after an audit that no answer is in it."""
    from autograder.commands.publisher import publish_edition

    return publish_edition(edition, remote, force)


@click.command()
@click.option("--branch", help="One branch; without it, every published one, and _site/.")
def audit(branch: str | None) -> int:
    """Compare the whole history of what learners get with what only the answer side holds."""
    from autograder.commands.publisher import audit_branches

    return audit_branches(branch)


@click.command()
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
@click.option("--cluster", metavar="ADDRESS", help="Send the work to this dask scheduler.")
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
    cluster: str | None,
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
        cluster=cluster,
    )
    grade_submissions(submitted, options)


@click.command()
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
@click.option(
    "--veto",
    metavar="keep|zero|N",
    help="What a veto does to the exported total: nothing, 0, or at most N.  [default: keep, or "
    "`veto` in [tool.course]]",
)
def export(  # noqa: PLR0913  (a verb's options)
    out: Path,
    *,
    layout: str,
    template: Path | None,
    column: str | None,
    to: Path | None,
    bom: bool,
    veto: str | None,
) -> None:
    """Write the grades in OUT as a table, with the points that people gave."""
    from autograder.commands.exporter import export_grades

    export_grades(out, layout, template=template, column=column, to=to, bom=bom, veto=veto)


@click.command()
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
@click.option(
    "--reference", is_flag=True, help="Also say what the missing links are, not only ask for them."
)
def feedback(out: Path, platform: str | None, download: Path | None, *, reference: bool) -> None:
    """Write every learner's page in OUT anew, with the points and comments that people gave."""
    from autograder.commands.exporter import write_feedback

    write_feedback(out, platform=platform, download=download, reference=reference)


@click.command()
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
def suggest(lesson: str, source: Path, out: Path) -> int:
    """Suggest points for free-text answers, with their evidence; a person decides."""
    from autograder.commands.reviewer import suggest_answers

    return suggest_answers(lesson, source, out)


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--as", "reviewer", metavar="NAME", help="Who you are.  [default: asked on the page]")
@click.option("--names", is_flag=True, help="Show who wrote what; else answers are nameless.")
@click.option(
    "--reopen", metavar="STUDENT", multiple=True, help="An appeal: read all of theirs again."
)
@click.option("--reason", default="", help="Why it is reopened.")
@click.option("--port", type=click.IntRange(0, 65535), help="Where the page is served.")
@click.option("--no-browser", is_flag=True, help="Print the address, open nothing.")
@click.option("--allow-root", is_flag=True, help="Serve although you are root.")
@click.argument("jupyter", nargs=-1, type=click.UNPROCESSED)
def review(  # noqa: PLR0913  (a verb's options)
    out: Path,
    *,
    reviewer: str | None,
    names: bool,
    reopen: tuple[str, ...],
    reason: str,
    port: int | None,
    no_browser: bool,
    allow_root: bool,
    jupyter: tuple[str, ...],
) -> int:
    """Open the page on which people read the answers in OUT and mark them.

    What follows OUT goes to Jupyter Server as it is, e.g. --ServerApp.base_url=/x/.
    """
    from autograder.commands.reviewer import ReviewOptions, review_class

    options = ReviewOptions(
        reviewer=reviewer,
        names=names,
        reopen=reopen,
        reason=reason,
        port=port,
        browser=not no_browser,
        allow_root=allow_root,
        jupyter=jupyter,
    )
    return review_class(out, options)
