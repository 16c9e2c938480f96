"""The course's own site, built once and put on disk and on a server of this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from autograder.project import find_project
from autograder.site.build import Site, build_site
from autograder.site.folder import write_site
from autograder.site.server import address, open_server

ROOT = Path(__file__).resolve().parents[2]


@cache
def built(*, answers: bool) -> Site:
    """The site of this repository."""
    return build_site(find_project(ROOT), answers=answers)


def on_disk(folder: Path, *, answers: bool) -> Path:
    """Write the site; return its folder."""
    site = built(answers=answers)
    write_site(folder, site.files, answers=answers, vendored=site.vendored)
    return folder


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The site's address while it is served."""
    with open_server(folder, 8600) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield address(server)
        server.shutdown()
