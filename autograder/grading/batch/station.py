"""Graders on a machine of a cluster: what runs inside a worker process of dask.distributed.

A worker keeps a grader process, with a sandbox of its own, for every submission that it grades at
the same time. It sees no file of the machine that sent the work: the lesson's modules and the
templates travel with it, once. Messages are bytes, as between a batch and its own graders.
"""

from __future__ import annotations

import atexit
import io
import json
import shutil
import sys
import tempfile
import threading
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.errors import CourseError
from autograder.grading.batch.process import GraderProcess
from autograder.grading.batch.wire import LostError, decoded, encoded, receive, send

_COMMAND = (sys.executable, "-P", "-m", "autograder.grading.batch.grader")
_FOLDERS = ("lessons", "assets")


@dataclass(frozen=True, kw_only=True, slots=True)
class Kit:
    """What a station needs before its first submission.

    Attributes:
        key: Names the run that it belongs to.
        setup: The first message to a grader, as JSON; its folders are those of the sender.
        archive: A zip with the folders `lessons` and `assets`.
    """

    key: str
    setup: str
    archive: bytes


def packed_kit(key: str, setup: dict[str, Any]) -> Kit:
    """The kit of a run, its folders read here.

    Args:
        key: Names the run.
        setup: As `setup.setup_message` gives it.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in _FOLDERS:
            root = Path(setup[name])
            for file in sorted(root.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, f"{name}/{file.relative_to(root).as_posix()}")
    return Kit(key=key, setup=json.dumps(setup), archive=buffer.getvalue())


class _Station:
    """The graders of one run in this process."""

    def __init__(self, kit: Kit) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="course-station-"))
        # The sandbox reads the modules as another user.
        self._folder.chmod(0o755)
        with zipfile.ZipFile(io.BytesIO(kit.archive)) as archive:
            archive.extractall(self._folder)
        here = {name: str(self._folder / name) for name in _FOLDERS}
        self._setup = json.loads(kit.setup) | here
        self._idle: list[GraderProcess] = []
        self._all: list[GraderProcess] = []
        self._lock = threading.Lock()

    def opening(self) -> dict[str, Any]:
        """Start a grader; the sandbox and the limits that it found here."""
        process, opening = self._started()
        self._rest(process)
        return {"sandbox": opening.sandbox, "limits": opening.limits}

    def answer(self, message: bytes, patience_s: float) -> dict[str, Any]:
        """Grade one submission; `fault` in the reply when the grader ended or hung."""
        process = self._taken()
        try:
            send(process.endpoint, decoded(message), patience_s)
            reply = receive(process.endpoint, patience_s)
        except LostError as error:
            said = process.kill()
            with self._lock:
                self._all.remove(process)
            return {"fault": f"its process ended or hung: {said or error}"}
        self._rest(process)
        return reply

    def close(self) -> None:
        """End the graders and forget the run."""
        with self._lock:
            for process in self._all:
                process.kill()
            self._all.clear()
            self._idle.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _started(self) -> tuple[GraderProcess, Any]:
        process = GraderProcess.start(_COMMAND, self._setup)
        with self._lock:
            self._all.append(process)
        return process, process.ready()

    def _taken(self) -> GraderProcess:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._started()[0]

    def _rest(self, process: GraderProcess) -> None:
        with self._lock:
            self._idle.append(process)


_stations: dict[str, _Station] = {}
_making = threading.Lock()


def open_station(kit: Kit) -> bytes:
    """The sandbox and the limits that a grader has on this machine, as `wire.encoded` gives it."""
    return _answered(lambda: _station(kit).opening())


def answer(kit: Kit, message: bytes, patience_s: float) -> bytes:
    """Grade one submission here.

    Args:
        kit: The run that it belongs to.
        message: As `parcel.packed` gives it, `wire.encoded`.
        patience_s: How long the grader may take, in seconds.

    Returns:
        The grader's reply, `wire.encoded`; `error` and `exit_code` in it when nothing can be
        graded here.
    """
    return _answered(lambda: _station(kit).answer(message, patience_s))


def close_station(key: str) -> None:
    """End the graders of a run, if there are any here."""
    with _making:
        station = _stations.pop(key, None)
    if station is not None:
        station.close()


def _station(kit: Kit) -> _Station:
    with _making:
        if kit.key not in _stations:
            _stations[kit.key] = _Station(kit)
        return _stations[kit.key]


def _answered(work: Any) -> bytes:
    try:
        return encoded(work())
    except CourseError as error:
        return encoded({"error": str(error), "exit_code": error.exit_code})


@atexit.register
def _close_all() -> None:
    for key in list(_stations):
        close_station(key)
