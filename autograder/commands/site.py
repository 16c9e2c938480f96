"""The verb `site`: build the readers' page, and show it."""

from __future__ import annotations

import click

from autograder.counting import counted
from autograder.project import Project, find_project

FOLDER = "_site"


def make_site(*, answers: bool, serve: bool) -> int:
    """Build the site into `_site/`, and serve it when asked to.

    Args:
        answers: Whether the answers are in it, folded.
        serve: Serve it on this machine until Ctrl-C.

    Returns:
        Exit code 0.

    Raises:
        CourseError: It cannot be built or written.
    """
    from autograder.site.build import build_site
    from autograder.site.folder import write_site

    project = find_project()
    site = build_site(project, answers=answers, say=_say)
    _say(f"writing {FOLDER}/")
    written = write_site(project.root / FOLDER, site.files, answers=answers, vendored=site.vendored)
    for warning in site.warnings:
        click.echo(f"warning: {warning}", err=True)
    size = sum(map(len, site.files.values())) / 1e6
    edition = "answers folded" if answers else "without answers"
    click.echo(
        f"{FOLDER}/: {counted(len(site.files), 'file')}, {size:.1f} MB, {edition}; "
        f"{written.changed} written, {written.removed} removed"
    )
    click.echo(f"open {FOLDER}/index.html, or put {FOLDER}/ on any static host")
    return _serve(project) if serve else 0


def _say(step: str) -> None:
    click.echo(f"  {step} ...", err=True)


def audit_site(project: Project) -> int | None:
    """Compare every file of the site that was built last with what its edition keeps back.

    Returns:
        How many files hold something of it; None where no site was built.

    Raises:
        CourseError: The site or the answer side cannot be read.
    """
    from autograder.site.folder import files_to_audit, read_manifest
    from autograder.site.leaks import fragments, leaks

    folder = project.root / FOLDER
    manifest = read_manifest(folder)
    if manifest is None:
        return None
    click.echo(f"{FOLDER}/ ({'answer' if manifest.answers else 'class'} edition):")
    files = files_to_audit(folder, manifest)
    found = leaks(project, files, answers=manifest.answers)
    for one in found:
        click.echo(f"{FOLDER}/{one} Take it out and run `course site` again.")
    count = fragments(project, answers=manifest.answers)
    compared = f"{counted(len(files), 'file')} compared with {counted(count, 'fragment')}"
    click.echo(f"{compared}: {counted(len(found), 'finding')}")
    return len(found)


def _serve(project: Project) -> int:
    from autograder.site.server import address, open_server

    with open_server(project.root / FOLDER) as server:
        click.echo(f"serving {address(server)} until Ctrl-C")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("stopped")
    return 0
