"""The verb `site`: build the readers' page, and show it."""

from __future__ import annotations

import click

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
    site = build_site(project, answers=answers)
    written = write_site(project.root / FOLDER, site.files, answers=answers, vendored=site.vendored)
    for warning in site.warnings:
        click.echo(f"warning: {warning}", err=True)
    size = sum(map(len, site.files.values())) / 1e6
    edition = "answers folded" if answers else "without answers"
    click.echo(
        f"{FOLDER}/: {len(site.files)} files, {size:.1f} MB, {edition}; "
        f"{written.changed} written, {written.removed} removed"
    )
    click.echo(f"open {FOLDER}/index.html, or put {FOLDER}/ on any static host")
    return _serve(project) if serve else 0


def _serve(project: Project) -> int:
    from autograder.site.server import address, open_server

    with open_server(project.root / FOLDER) as server:
        click.echo(f"serving {address(server)} until Ctrl-C")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("stopped")
    return 0
