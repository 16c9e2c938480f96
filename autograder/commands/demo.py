"""`course demo`: the whole way from a lesson's source to grades, on bundled samples."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from autograder.commands.author import build_lessons
from autograder.commands.instructor import grade_into
from autograder.commands.samples import read_samples, write_samples
from autograder.editions.build import source_notebook
from autograder.editions.release import release
from autograder.errors import MissingOnMachine, UsageError
from autograder.grading.records import Result
from autograder.grading.reports.coursedir import CourseDir
from autograder.grading.sandbox.box import Sandbox
from autograder.project import Project, find_project

LESSON = "lesson03"
_MARK = ".course-demo"


def run_demo(out: Path) -> int:
    """Build the lesson, grade the sample class into `out`, print a table and what to open.

    Returns:
        Exit code 0; without a sandbox too, where only the harmless samples are graded.
    """
    started = time.monotonic()
    project = find_project()
    out = out.resolve()
    _make_room(out)
    # Narrower than this, the table's sentences would be columns of single words.
    console = Console(width=max(110, Console().width))
    console.rule(f"1. Build {LESSON}")
    build_lessons(LESSON, check=False)
    console.rule("2. Grade a sample class")
    remedy = _missing_sandbox()
    if remedy:
        console.print(f"[bold red]NO SANDBOX[/]: {remedy}")
        console.print("Only the harmless samples are graded, without isolation. See course doctor.")
    samples = read_samples(project.root / "solutions" / LESSON / "samples.toml")
    chosen = [sample for sample in samples if not (remedy and sample.contained)]
    handed_in = out / "handed-in"
    write_samples(chosen, release(source_notebook(project, LESSON)), LESSON, handed_in)
    results = grade_into(project, handed_in, LESSON, out / "course", sandboxed=remedy is None)
    console.print(_table(results))
    _say_what_to_open(console, project, out, results)
    console.print(f"Done in {time.monotonic() - started:.0f} s.")
    return 0


def _make_room(out: Path) -> None:
    """Empty the demo's folder, but never one that the demo did not make."""
    if out.exists() and any(out.iterdir()):
        if not (out / _MARK).exists():
            raise UsageError(f"{out}: not empty, and not made by the demo. Name another --out.")
        shutil.rmtree(out)
    out.mkdir(parents=True, exist_ok=True)
    (out / _MARK).touch()


def _missing_sandbox() -> str | None:
    try:
        with Sandbox() as box:
            box.start_worker().close()
    except MissingOnMachine as error:
        return str(error)
    return None


def _table(results: list[Result]) -> Table:
    table = Table(title=f"{LESSON}: sample class", show_lines=True)
    for heading in ("student", "auto score", "flags", "reason"):
        table.add_column(heading, overflow="fold")
    for result in results:
        automatic = [result.scores[name] for name in ("normal", "boundary", "boundary_case")]
        known = sum(points for points in automatic if points is not None)
        still = "" if None not in automatic else " + ?"
        reasons = dict.fromkeys(
            result.reasons[name]
            for name in ("normal", "boundary", "boundary_case")
            if name in result.reasons
        )
        table.add_row(
            result.student,
            f"{known:g}{still} / 3",
            ", ".join(result.flags) or "-",
            result.reason or " ".join(reasons) or "-",
        )
    return table


def _say_what_to_open(console: Console, project: Project, out: Path, results: list[Result]) -> None:
    course = out / "course"
    feedback = CourseDir(root=course, lesson=LESSON).feedback(results[0].student)
    rows = (
        ("the lesson", project.root / "lessons" / LESSON / f"{LESSON}.ipynb", "make lab opens it"),
        ("grades", course / "grades.csv", "and grades.json"),
        ("a learner's feedback", feedback, "open in a browser"),
        ("the marking page", course, "course review opens this folder"),
        ("nbgrader's gradebook", course / "gradebook.db", "formgrader opens this folder"),
        ("the readers' page", project.root / "_site" / "index.html", "make site builds it"),
    )
    console.rule("3. What to open")
    for what, path, how in rows:
        name = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
        click.echo(f"  {what}: {name.as_posix()} ({how})")
