"""A page with a lesson's live parts and nothing else, from disk and from a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from autograder.model import Lesson
from autograder.project import Project
from autograder.site.live import CSP_EXTRA
from autograder.site.parts import LiveParts
from autograder.site.policy import policy
from autograder.source import parse

STYLES = ("tokens", "page", "prose", "code", "boxes")
SPACE_PX = 2500
PAGE = """<!doctype html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>试一试</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../style.css">
{head}
<script src="../js.js"></script>
</head>
<body><main>
<h1>试一试</h1>
<div style="height: {space}px"></div>
{plot}
{exercises}
</main>
{body}
</body>
</html>
"""


@dataclass(frozen=True, kw_only=True)
class LivePage:
    """A page on disk, in a folder that is also served.

    Attributes:
        file: Its address from disk.
        served: Its address from the server.
        path: The file.
    """

    file: str
    served: str
    path: Path

    def at(self, how: str) -> str:
        """Return the address by "file" or "served"."""
        return self.file if how == "file" else self.served


def lesson_of(project: Project, slug: str = "lesson03") -> Lesson:
    """Return a lesson's source, understood."""
    path = project.source(slug)
    name = path.relative_to(project.root).as_posix()
    return parse(path.read_text(encoding="utf-8"), slug=slug, path=name, lang=project.lang)


@contextmanager
def live_page(project: Project, parts: LiveParts, folder: Path) -> Iterator[LivePage]:
    """Write the page and serve its folder; far down, so that nothing of it is in the first view."""
    styles = project.root / "assets" / "site" / "css"
    files = {
        **{f"lesson03/{name}": data for name, data in parts.files.items()},
        "style.css": b"\n".join((styles / f"{name}.css").read_bytes() for name in STYLES),
        "js.js": b"document.documentElement.classList.add('js')",
        "lesson03/figures/dump_time.svg": b'<svg xmlns="http://www.w3.org/2000/svg"/>',
        "lesson03/index.html": PAGE.format(
            policy=policy(CSP_EXTRA),
            head=parts.head_html,
            space=SPACE_PX,
            plot=parts.plot_html,
            exercises="".join(
                f'<section class="exercise" aria-label="{name}">{html}</section>'
                for name, html in parts.exercise_html.items()
            ),
            body=parts.body_html,
        ).encode(),
    }
    for name, data in files.items():
        path = (folder / name).resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    page = folder / "lesson03" / "index.html"
    with _served(folder) as origin:
        yield LivePage(file=page.as_uri(), served=f"{origin}/lesson03/index.html", path=page)


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()
