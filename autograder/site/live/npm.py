"""npm of this machine, asked for one package; it never keeps a build waiting for long."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from autograder.errors import MissingOnMachine

PATIENCE_S = 120
_OUTPUT = "npm.txt"
# Without a network it has to say so at once; and nothing of a package may run.
_QUIETLY = (
    *("--loglevel=error", "--ignore-scripts", "--no-update-notifier"),
    *("--fetch-retries=0", "--fetch-timeout=60000"),
)


def packed(package: str, scratch: Path, *, patience_s: float = PATIENCE_S) -> bytes:
    """Return the archive of a package.

    Args:
        package: Its name with the version.
        scratch: An empty folder, for npm alone.
        patience_s: How long npm may take, in seconds.

    Raises:
        MissingOnMachine: npm is missing or broken, takes too long, or does not get the package.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise MissingOnMachine(
            f"npm is not on PATH, and {package} comes by it. Install Node.js with npm."
        )
    target = ["--pack-destination", str(scratch)]
    try:
        exit_code = _run([npm, "pack", package, *_QUIETLY, *target], scratch, patience_s)
    except subprocess.TimeoutExpired:
        raise MissingOnMachine(
            f"`npm pack {package}` took longer than {patience_s:g} s. Try again with a network."
        ) from None
    except OSError as error:
        raise MissingOnMachine(
            f"{npm}: cannot be run: {error.strerror}. Install Node.js with npm again."
        ) from error
    found = sorted(scratch.glob("*.tgz"))
    if exit_code or not found:
        said = (scratch / _OUTPUT).read_text(encoding="utf-8", errors="replace").strip()
        reason = said.partition("\n")[0] or f"exit {exit_code}"
        raise MissingOnMachine(
            f"`npm pack {package}` failed: {reason}. Look whether npm reaches its registry."
        )
    return found[0].read_bytes()


def _run(command: list[str], folder: Path, patience_s: float) -> int:
    """Run it to its end or to the end of patience; whatever it started ends with it."""
    # Into a file: a pipe stays open as long as any process that npm left behind.
    with (folder / _OUTPUT).open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - npm of this machine, arguments of ours
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait(patience_s)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
