"""An HTTP proxy before an S3 server that fails on purpose, each request by a seeded draw."""

from __future__ import annotations

import contextlib
import http.client
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

FAULTS = ("503", "500 after", "reset", "reset after", "hang", "flip", "cut body")
HANG_S = 1.5


@dataclass
class Plan:
    """What goes wrong.

    Attributes:
        rate: Chance of a fault, for each request.
        faults: Which.
        done: How often each happened.
    """

    seed: int
    rate: float = 0.0
    faults: tuple[str, ...] = FAULTS
    done: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self._lock = threading.Lock()

    def draw(self, body: bytes) -> str | None:
        with self._lock:
            if self._chance.random() >= self.rate:
                return None
            some = [one for one in self.faults if body or one not in {"flip", "cut body"}]
            if not some:
                return None
            fault = self._chance.choice(some)
            self.done[fault] += 1
            return fault

    def flipped(self, body: bytes) -> bytes:
        with self._lock:
            place = self._chance.randrange(len(body))
        changed = bytearray(body)
        changed[place] ^= 1
        return bytes(changed)


class Proxy(ThreadingHTTPServer):
    """Passes requests on to `endpoint`."""

    daemon_threads = True

    def __init__(self, endpoint: str, plan: Plan) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream = urlsplit(endpoint)
        self.plan = plan

    def handle_error(self, *_: object) -> None:
        """Broken connections are what this is for."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.server.plan.draw(body)
        if fault in {"503", "reset"}:
            self._fail(fault)
            return
        if fault == "hang":
            time.sleep(HANG_S)
        if fault == "flip":
            body = self.server.plan.flipped(body)
        status, headers, answer = self._ask(body, cut=fault == "cut body")
        if fault in {"500 after", "reset after", "hang", "cut body"}:
            self._fail("reset" if fault == "reset after" else "500")
            return
        self._answer(status, headers, answer)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any  # noqa: N815  called by name

    def _answer(self, status: int, headers: list[tuple[str, str]], answer: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in {"transfer-encoding", "connection", "content-length"}:
                self.send_header(name, value)
        size = dict(headers).get("Content-Length") if self.command == "HEAD" else None
        self.send_header("Content-Length", size or str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _ask(self, body: bytes, *, cut: bool) -> tuple[int, list[tuple[str, str]], bytes]:
        upstream = self.server.upstream
        server = http.client.HTTPConnection(str(upstream.hostname), upstream.port or 80)
        server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            server.putheader(name, value)
        server.endheaders()
        if cut:
            server.send(body[: len(body) // 2])
            server.close()
            return 500, [], b""
        if body:
            server.send(body)
        answer = server.getresponse()
        content = answer.read()
        server.close()
        return answer.status, answer.getheaders(), content

    def _fail(self, fault: str) -> None:
        self.close_connection = True
        if fault == "reset":
            self.connection.close()
            return
        with contextlib.suppress(OSError):
            self.send_response(int(fault))
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextlib.contextmanager
def faulty_proxy(endpoint: str, plan: Plan) -> Iterator[str]:
    """Give the endpoint of a proxy that passes requests on to `endpoint`, with faults."""
    with Proxy(endpoint, plan) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
