"""A server of this machine for a site: nobody else can reach it."""

from __future__ import annotations

import functools
import http.server
import mimetypes
from pathlib import Path
from typing import Any

from autograder.errors import MissingOnMachine

HOST = "127.0.0.1"
FIRST_PORT = 8000
_TRIED = 50


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Says nothing for each request, and lets no browser keep an old page."""

    extensions_map = {  # noqa: RUF012  as in the base class
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".woff2": "font/woff2",
    }

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class's name
        """Keep still."""

    def end_headers(self) -> None:
        """Add what every answer says."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


class _Server(http.server.ThreadingHTTPServer):
    # Another server's port must not be taken over.
    allow_reuse_address = False
    daemon_threads = True


def open_server(folder: Path, first_port: int = FIRST_PORT) -> http.server.ThreadingHTTPServer:
    """A server on the first free port from `first_port` on, not yet serving.

    Raises:
        MissingOnMachine: No port is free.
    """
    mimetypes.init()
    handler = functools.partial(_Handler, directory=str(folder))
    for port in range(first_port, first_port + _TRIED):
        try:
            return _Server((HOST, port), handler)
        except OSError:
            continue
    raise MissingOnMachine(
        f"No port from {first_port} to {first_port + _TRIED - 1} is free. Stop another server."
    )


def address(server: http.server.ThreadingHTTPServer) -> str:
    """Where a browser finds the site."""
    return f"http://{HOST}:{server.server_address[1]}/"
