"""Verbs of anybody: what the machine lacks, all of it on a sample class, the readers' page."""

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


@click.command()
@click.option("--serve", is_flag=True, help="Serve it on this machine afterwards, until Ctrl-C.")
@click.option("--no-answers", is_flag=True, help="The class edition: no answer is in any file.")
def site(serve: bool, no_answers: bool) -> int:
    """Build the readers' page into _site/: it opens from disk and from any static host."""
    from autograder.commands.site import make_site

    return make_site(answers=not no_answers, serve=serve)
