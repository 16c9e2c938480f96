"""Verbs of anybody: what the machine lacks, and all of it once on a sample class."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
def doctor() -> int:
    """Say what this machine lacks, and how to get it."""
    from autograder.commands.doctor import examine_machine

    return examine_machine()


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True)
def demo(out: Path) -> int:
    """Build the lesson, grade the bundled sample class, and say which files to open."""
    from autograder.commands.demo import run_demo

    return run_demo(out)
