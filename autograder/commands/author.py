"""Authors' verbs."""

from __future__ import annotations

import keyword
import re
import time
from collections.abc import Callable
from pathlib import Path

import click

from autograder.counting import counted
from autograder.errors import CourseError, UsageError
from autograder.project import Project, find_project

_SLUG = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PAUSE_S = 0.5


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
        for path in outcome.changed:
            name = path.relative_to(project.root).as_posix()
            click.echo(f"{name}: stale; run `course build {slug}`" if check else f"wrote {name}")
        stale += len(outcome.changed) if check else 0
        if not outcome.changed:
            click.echo(f"{slug}: up to date")
    return 1 if stale else 0


def check_lessons(lesson: str | None) -> int:
    """Check a lesson, or all that the project lists, and print what there is to mend.

    Returns:
        Exit code: 0, or 1 when there are errors.

    Raises:
        MissingOnMachine: A part could not be checked here; what the others found is printed.
    """
    from autograder.checking.lesson_check import check_lesson

    project = find_project()
    errors = 0
    for slug in _slugs(project, lesson):
        checked = check_lesson(project, slug)
        report = checked.report
        for finding in report.findings:
            click.echo(str(finding))
        if checked.missing is not None:
            raise checked.missing
        found = f"{counted(report.errors, 'error')}, {counted(report.warnings, 'warning')}"
        click.echo(f"{slug}: {found}; {report.counts}")
        errors += report.errors
    return 1 if errors else 0


def watch_lessons(lesson: str | None, *, sleep: Callable[[float], None] = time.sleep) -> int:
    """Build again whenever a source changes, until Ctrl-C.

    Args:
        lesson: Its slug; None for every listed lesson.
        sleep: Waits that many seconds.
    """
    project = find_project()
    slugs = _slugs(project, lesson)
    built: dict[str, int | None] = {}
    try:
        while True:
            for slug in slugs:
                changed_ns = _changed_ns(project.source(slug))
                if slug not in built or built[slug] != changed_ns:
                    built[slug] = changed_ns
                    _build_or_tell(slug)
            sleep(_PAUSE_S)
    except KeyboardInterrupt:
        return 0


def _build_or_tell(slug: str) -> None:
    try:
        build_lessons(slug, check=False)
    except CourseError as error:  # the author mends it and saves again
        click.echo(str(error), err=True)


def _changed_ns(source: Path) -> int | None:
    try:
        return source.stat().st_mtime_ns
    except OSError:  # an editor may replace the file by another
        return None


def new_lesson(slug: str) -> int:
    """Write the source of a new lesson.

    Raises:
        UsageError: The name cannot be a lesson's, or is taken.
    """
    from autograder.source.skeleton import skeleton

    project = find_project()
    if not _SLUG.fullmatch(slug) or keyword.iskeyword(slug):
        raise UsageError(
            f"{slug!r} cannot be a lesson's name: use at most 40 small letters, digits and `_`, a "
            "letter first, and no word of Python's."
        )
    source = project.source(slug)
    taken = (source.parent, project.lesson_modules / slug, project.lesson_modules / f"{slug}.py")
    for path in taken:
        if path.exists():
            name = path.relative_to(project.root).as_posix()
            raise UsageError(f"{name} is there already. Choose another name, or edit it.")
    source.parent.mkdir(parents=True)
    source.write_text(skeleton(slug, project.lang), encoding="utf-8", newline="\n")
    click.echo(f"wrote {source.relative_to(project.root).as_posix()}")
    click.echo(
        f"Next: course build {slug}, course check {slug}; "
        "list it in pyproject.toml, [tool.course], `lessons`."
    )
    return 0


def _slugs(project: Project, lesson: str | None) -> tuple[str, ...]:
    if lesson:
        return (lesson,)
    if not project.lessons:
        raise UsageError(
            f"{project.root / 'pyproject.toml'}: [tool.course] lists no lessons. "
            "Name one, or list them under `lessons`."
        )
    return project.lessons
