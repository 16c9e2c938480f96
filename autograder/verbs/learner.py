"""Verbs of a learner: open the lesson, measure, hand it in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("lesson", default="lesson03")
@click.option("--answers", is_flag=True, help="Open the notebook with the folded answers.")
def lab(lesson: str, answers: bool) -> int:
    """Open LESSON in JupyterLab, in a copy of your own."""
    from autograder.commands.learner import open_lab

    return open_lab(lesson, answers=answers)


@click.command()
@click.argument("lesson")
@click.option("--id", "student", required=True, help="Your id, as the class list has it.")
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="The notebook; without it, your own copy under work/.",
)
def submit(lesson: str, student: str, file: Path | None) -> int:
    """Look LESSON's notebook through, and write the file to hand in with a receipt."""
    from autograder.commands.handin import submit_lesson

    return submit_lesson(lesson, student, file)


@click.command()
@click.argument("name", required=False)
@click.option(
    "--path", type=click.Path(path_type=Path), help="Where to run: any folder you may write to."
)
@click.option(
    "--i-own-this", "own", is_flag=True, help="Run on a shared file system, for which you answer."
)
@click.option("--yes", is_flag=True, help="Agree to writing more than 2 GB.")
@click.option("--writers", type=int, help="At most so many writers at once.")
@click.option("--megabytes", type=int, help="At most so much on disk, 10^6 bytes.")
@click.option("--seconds", type=float, default=120.0, show_default=True, help="Time budget.")
@click.option("--seed", type=int, default=3, show_default=True, help="Of every random choice.")
@click.option(
    "--drop-caches", is_flag=True, help="As root: empty the caches of everyone on this machine."
)
@click.option("--recorded", is_flag=True, help="Show the run that ships with the lesson.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where record and figure go.  [default: work/experiments]",
)
def experiment(name: str | None, **asked: Any) -> int:
    """Measure what lesson 3 is about with experiment NAME; without NAME, list them."""
    from autograder.commands.experiment import Options, run_experiment

    return run_experiment(name, Options(**asked))
