"""The extension app: its settings, its addresses, and the task that feeds the gradebook."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click
from jupyter_server.extension.application import ExtensionApp
from jupyter_server.utils import url_path_join
from tornado.httputil import url_concat
from traitlets import Bool, Unicode

from autograder.errors import UsageError
from autograder.project import find_project
from autograder.review.page.handlers import ROUTES
from autograder.review.page.session import Session

_BEAT_S = 1.0


def address(serverapp: Any) -> str:
    """The page's full address on a running server, with the token when it asks for one."""
    page = url_path_join(serverapp.connection_url, ReviewApp.extension_url)
    token = serverapp.identity_provider.token
    return url_concat(page, {"token": token}) if token else page


class ReviewApp(ExtensionApp):
    """Serves the reviewing page of one output folder.

    Inside a running Jupyter: `--ServerApp.jpserver_extensions="{'autograder.review.page': True}"
    --ReviewApp.out=OUT`, started in the course's folder.
    """

    name = "course_review"
    extension_url = "/course-review/"
    load_other_extensions = False

    out = Unicode(help="The output folder of `course grade`.").tag(config=True)
    course = Unicode(help="The course's folder; without it, that of OUT, then this one.").tag(
        config=True
    )
    reviewer = Unicode(help="Who reviews; without it, the page asks.").tag(config=True)
    names = Bool(help="Show who wrote what.").tag(config=True)

    @classmethod
    def get_extension_package(cls) -> str:
        """The module that Jupyter is told of: the package has other parts."""
        return "autograder.review.page"

    def initialize_settings(self) -> None:
        """Open the class."""
        if not self.out:
            raise UsageError("The review has no folder. Name it by --ReviewApp.out.")
        out = Path(self.out).resolve()
        project = find_project(Path(self.course) if self.course else None)
        assets = project.root / "assets" / "review"
        self.session = Session(out, project, reviewer=self.reviewer, names=self.names)
        self.static_paths = [str(assets)]
        self.settings["course_review_session"] = self.session
        self.settings["course_review_assets"] = assets

    def initialize_handlers(self) -> None:
        """Say what answers which address."""
        self.handlers.extend(ROUTES)

    async def _start_jupyter_server_extension(self, serverapp: Any) -> None:
        self._beat = asyncio.create_task(self._feed_gradebook())
        # Behind all that Jupyter logs while it starts: alone on its line, to be found and copied.
        if serverapp.starter_app is self and not serverapp.open_browser:
            click.echo(f"Open this address: {address(serverapp)}", err=True)

    async def stop_extension(self) -> None:
        """Give the gradebook what is left."""
        beat = getattr(self, "_beat", None)
        if beat is not None:
            beat.cancel()
            await self.session.deliver()

    async def _feed_gradebook(self) -> None:
        while True:
            await asyncio.sleep(_BEAT_S)
            try:
                await self.session.beat()
            except asyncio.CancelledError:
                raise
            except Exception:
                # A fault here must not end the task that carries people's marks.
                self.log.exception("the gradebook could not be fed; it is tried again")
