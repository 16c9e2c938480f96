"""Verbs of a learner: open the lesson, hand it in."""

from __future__ import annotations

from pathlib import Path

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
