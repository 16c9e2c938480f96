"""Verbs of an author: write a lesson, build it, prove it."""

from __future__ import annotations

import click


@click.command()
@click.argument("slug")
def new(slug: str) -> int:
    """Write a small lesson SLUG to begin with."""
    from autograder.commands.author import new_lesson

    return new_lesson(slug)


@click.command()
@click.argument("lesson", required=False)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when a derived file is stale.")
@click.option("--watch", is_flag=True, help="Build again whenever a source changes, until Ctrl-C.")
def build(lesson: str | None, check: bool, watch: bool) -> int:
    """Build the editions of LESSON, or of every lesson listed in pyproject.toml."""
    from autograder.commands.author import build_lessons, watch_lessons

    if check and watch:
        raise click.UsageError("--check writes nothing, so there is nothing to --watch for.")
    return watch_lessons(lesson) if watch else build_lessons(lesson, check=check)


@click.command()
@click.argument("lesson", required=False)
def check(lesson: str | None) -> int:
    """Try out the exercises of LESSON, and look for what is wrong with it."""
    from autograder.commands.author import check_lessons

    return check_lessons(lesson)
