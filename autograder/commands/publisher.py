"""Verbs that release a course: `publish` and `audit`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from autograder.checking.report import Severity
from autograder.commands.site import audit_site
from autograder.errors import UsageError
from autograder.project import Project, find_project
from autograder.release.audit import Report, audit
from autograder.release.gitstore import GitStore
from autograder.release.publish import Gate, branch_of, publish
from autograder.release.remote import push, refuse_unsafe
from autograder.release.secrets import Edition

_UNTRACKED_SHOWN = 5


def failing_check(project: Project) -> list[str]:
    """The gate of publishing: what `course check` calls an error in a lesson that is released.

    Where this machine cannot check everything, a warning says so, and stale files still count.
    """
    from autograder.checking.lesson_check import check_lesson

    reasons: list[str] = []
    for slug in _released(project):
        click.echo(f"checking {slug} ...", err=True)
        checked = check_lesson(project, slug)
        reasons += [str(one) for one in checked.report.findings if one.severity is Severity.ERROR]
        if checked.missing is not None:
            click.echo(f"warning: {slug}: not checked as a whole: {checked.missing}", err=True)
            reasons += stale_files(project, slug)
    return reasons


def stale_files(project: Project, slug: str) -> list[str]:
    """Derived files of a lesson that differ from what would be built."""
    from autograder.editions.build import build

    return [
        f"{path.relative_to(project.root).as_posix()}: stale. Run `course build {slug}`, commit."
        for path in build(project, slug, check=True).changed
    ]


def _released(project: Project) -> list[str]:
    """The lessons that are listed, and those that have a student notebook."""
    books = sorted(project.lesson_modules.glob("*/*.ipynb"))
    own = [book.stem for book in books if book.stem == book.parent.name]
    found = [slug for slug in own if project.source(slug).is_file()]
    return list(dict.fromkeys([*project.lessons, *found]))


def publish_edition(
    edition: str, remote: str | None, force: bool, *, gate: Gate = failing_check
) -> int:
    """Bring the branch of an edition up to date, and push it when `remote` is given.

    Args:
        edition: "student" or "answer".
        remote: Where to push it, or None.
        force: Push to a remote that also holds the sources.
        gate: What may stand against publishing; see `release.publish`.

    Returns:
        Exit code: 0, or 1 when the audit found something and nothing was published.

    Raises:
        UsageError: There is no such edition, no repository, no such remote.
        CourseError: Something is not committed, stale or may not leave; an unsafe remote.
    """
    kind = _edition(edition)
    project = find_project()
    store = GitStore(project.root)
    branches = frozenset(branch_of(project, one) for one in Edition)
    if remote is not None and Path(remote).is_dir() and remote not in store.remotes():
        remote = str(Path(remote).resolve())  # git runs in the project's folder
    if remote is not None and not force:
        refuse_unsafe(store, remote, branches)
    done = publish(store, project, kind, gate)
    _say(done.report)
    if done.commit is None:
        click.echo(f"{done.branch}: not published; the branch is as it was.", err=True)
        return 1
    _warn_of_untracked(done.untracked)
    state = "published" if done.made else "up to date"
    click.echo(f"{done.branch}: {state} at {done.commit[:10]}")
    if remote is not None:
        push(store, remote, done.branch)
        click.echo(f"{done.branch}: pushed to {remote}")
    return 0


def audit_branches(branch: str | None) -> int:
    """Audit a branch, or both branches of the course and its site as far as there are any.

    Returns:
        Exit code: 0, or 1 when something was found.

    Raises:
        UsageError: There is no such branch, or none at all.
    """
    project = find_project()
    store = GitStore(project.root)
    named = {branch_of(project, edition): edition for edition in Edition}
    wanted = [branch] if branch is not None else [n for n in named if _tip(store, n)]
    on_site = audit_site(project) if branch is None else None
    if not wanted and on_site is None:
        raise UsageError("No branch is published yet. Run `course publish` first.")
    found = on_site or 0
    for name in wanted:
        tip = _tip(store, name)
        if tip is None:
            raise UsageError(f"{name!r}: no such branch. Name one of `git branch --all`.")
        edition = named.get(name.rpartition("/")[2], Edition.STUDENT)
        click.echo(f"{name} ({edition.value} edition):")
        report = audit(store, project, tip, edition)
        _say(report)
        found += len(report.findings)
    return 1 if found else 0


def _tip(store: GitStore, name: str) -> str | None:
    return store.resolve(f"refs/heads/{name}^{{commit}}") or store.resolve(f"{name}^{{commit}}")


def _edition(name: str) -> Edition:
    try:
        return Edition(name)
    except ValueError as error:
        known = ", ".join(one.value for one in Edition)
        raise UsageError(f"{name!r} is no edition. Name one of: {known}.") from error


def _say(report: Report) -> None:
    for finding in report.findings:
        click.echo(str(finding))
    for note in report.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(report.summary)


def _warn_of_untracked(paths: Sequence[str]) -> None:
    for path in paths[:_UNTRACKED_SHOWN]:
        click.echo(f"warning: {Path(path).as_posix()}: not in git, so not published", err=True)
    if len(paths) > _UNTRACKED_SHOWN:
        click.echo(f"warning: ... and {len(paths) - _UNTRACKED_SHOWN} more files", err=True)
