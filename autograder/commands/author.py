"""Authors' verbs."""

from __future__ import annotations

import click

from autograder.errors import UsageError
from autograder.project import Project, find_project


def build_lessons(lesson: str | None, *, check: bool) -> int:
    """Build a lesson, or all that the project lists.

    Args:
        lesson: Its slug; None for every listed lesson.
        check: Write nothing, report what is stale.

    Returns:
        Exit code: 0, or 1 when `check` found a stale file.
    """
    from autograder.editions.build import build

    project = find_project()
    stale = 0
    for slug in _slugs(project, lesson):
        outcome = build(project, slug, check=check)
        for warning in outcome.warnings:
            click.echo(f"warning: {warning}", err=True)
        for path in outcome:
            name = path.relative_to(project.root).as_posix()
            click.echo(f"{name}: stale; run `course build {slug}`" if check else f"wrote {name}")
        stale += len(outcome) if check else 0
        if not outcome:
            click.echo(f"{slug}: up to date")
    return 1 if stale else 0


def _slugs(project: Project, lesson: str | None) -> tuple[str, ...]:
    if lesson:
        return (lesson,)
    if not project.lessons:
        raise UsageError(
            f"{project.root / 'pyproject.toml'}: [tool.course] lists no lessons. "
            "Name one, or list them under `lessons`."
        )
    return project.lessons
