"""A folder for one experiment that is gone afterwards, whatever happened.

It is removed on success, on errors, on Ctrl-C and on a polite kill (SIGTERM, SIGHUP). What even
that cannot catch, a SIGKILL or a power cut, the next experiment in the same place clears away.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

PREFIX = "course-experiment-"
_OWNER = "owner.json"
_TRIES = 5


@contextmanager
def workspace(parent: Path) -> Iterator[Path]:
    """Make an empty folder in `parent` and remove it in the end.

    Args:
        parent: Made if it is not there, and then removed, too.
    """
    missing = _missing(parent)
    with _polite_kills():
        parent.mkdir(parents=True, exist_ok=True)
        clear_abandoned(parent)
        folder: Path | None = None
        try:
            with uninterrupted():
                folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
                _sign(folder)
            yield folder
        finally:
            with uninterrupted():
                if folder is not None:
                    remove(folder)
                for one in missing:
                    _remove_empty(one)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C until the block is done, then let it happen."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[tuple[int, FrameType | None]] = []
    before = {
        number: signal.signal(number, lambda *call: held.append(call)) for number in _signals()
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
    if held:
        signal.raise_signal(held[0][0])


def remove(folder: Path) -> None:
    """Remove a folder; a file that someone still holds open (Windows) is tried again."""
    for attempt in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1 * (attempt + 1))


def clear_abandoned(parent: Path) -> list[Path]:
    """Remove folders here whose experiment is dead, and return them."""
    gone = []
    for folder in sorted(parent.glob(f"{PREFIX}*")):
        try:
            owner = json.loads((folder / _OWNER).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # not signed yet: someone is just making it
        if owner.get("host") == platform.node() and not _alive(owner.get("process")):
            remove(folder)
            gone.append(folder)
    return gone


def _sign(folder: Path) -> None:
    owner = {"process": os.getpid(), "host": platform.node()}
    (folder / _OWNER).write_text(json.dumps(owner), encoding="utf-8")


def _alive(process: Any) -> bool:
    # On Windows a signal 0 would end the process: there, abandoned folders stay.
    if not isinstance(process, int) or process <= 0 or os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _signals() -> list[signal.Signals]:
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


@contextmanager
def _polite_kills() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the block the way Ctrl-C does, so that cleaning up happens."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {
        number: signal.signal(number, stop)
        for number in _signals()
        if number != signal.SIGINT and signal.getsignal(number) == signal.SIG_DFL
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _missing(folder: Path) -> list[Path]:
    """Folders that making `folder` would make, the deepest first."""
    return [one for one in (folder, *folder.parents) if not one.exists()]


def _remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # someone else put something there meanwhile
