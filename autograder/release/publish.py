"""The branch for learners: one commit on top of the last, made from a commit of the course."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autograder.errors import CourseError, UsageError
from autograder.project import Project
from autograder.release.audit import TRAILER, Report, audit
from autograder.release.contents import SOURCES, contents
from autograder.release.gitstore import GitStore
from autograder.release.secrets import Edition

# What still stands against publishing, one sentence each.
Gate = Callable[[Project], Sequence[str]]
_SHOWN = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """What publishing came to.

    Attributes:
        branch: Its name.
        commit: Its newest commit; None when nothing was published.
        made: Whether that commit is new.
        report: What the audit compared and found; with findings the branch was left alone.
        untracked: Files that git does not know and that therefore were not published.
    """

    branch: str
    commit: str | None
    made: bool
    report: Report
    untracked: tuple[str, ...] = ()


def publish(store: GitStore, project: Project, edition: Edition, gate: Gate) -> Published:
    """Bring a branch up to the current commit of the course.

    Nothing but objects and, at the end, the branch's own ref is written.

    Args:
        store: The repository of the project.
        project: What is published.
        edition: Which branch.
        gate: Says what stands against it: stale derived files, a failing check.

    Raises:
        CourseError: Something is not committed, may not leave, or stands against it.
        UsageError: There is no commit yet, or the branch is checked out.
    """
    branch = branch_of(project, edition)
    source = _source(store, branch)
    _refuse_changes(store)
    _refuse(gate(project), "Not published")
    chosen = contents(store, project, source, edition)
    _refuse(chosen.refused, "Not published: files that may not leave")
    tree = store.write_tree(chosen.entries)
    parent = store.resolve(f"refs/heads/{branch}")
    made = parent is None or store.resolve(f"{parent}^{{tree}}") != tree
    tip = (
        parent if parent is not None and not made else _commit(store, tree, parent, source, edition)
    )
    report = audit(store, project, tip, edition, fresh=tip if made else None)
    if report.findings:
        return Published(branch=branch, commit=None, made=False, report=report)
    if made:
        store.move_branch(branch, tip, parent)
    untracked = tuple(store.untracked_files(SOURCES))
    return Published(branch=branch, commit=tip, made=made, report=report, untracked=untracked)


def branch_of(project: Project, edition: Edition) -> str:
    """The branch's name, from [tool.course] branches, else the edition's own."""
    return project.branches.get(edition.value, edition.value)


def _source(store: GitStore, branch: str) -> str:
    source = store.resolve("HEAD^{commit}")
    if source is None:
        raise UsageError(f"{store.folder}: no commit here yet. Commit the course first.")
    if store.checked_out(branch):
        raise UsageError(
            f"The branch {branch!r} is checked out, and publishing would change it under your "
            "feet. Switch to the branch with the sources."
        )
    return source


def _refuse_changes(store: GitStore) -> None:
    changed = store.changed_files(SOURCES)
    _refuse(
        [f"{path}: changed since the last commit. Commit it." for path in changed], "Not published"
    )


def _refuse(reasons: Sequence[str], head: str) -> None:
    if reasons:
        more = [f"... and {len(reasons) - _SHOWN} more"] if len(reasons) > _SHOWN else []
        raise CourseError("\n  ".join([f"{head}:", *reasons[:_SHOWN], *more]))


def _commit(store: GitStore, tree: str, parent: str | None, source: str, edition: Edition) -> str:
    """The new commit. Its message says where it comes from, by id only."""
    message = f"Publish the {edition.value} edition\n\n{TRAILER}: {source}\n"
    return store.write_commit(tree, parent, message, store.person(source))
