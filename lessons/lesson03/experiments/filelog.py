"""A log of every file operation of the pipeline, and the disks that a cut of it leaves behind.

Nobody can pull the plug of a learner's machine forty times. Instead the pipeline runs once with
its file operations written down; then the log is cut anywhere, and the disk is laid out as it may
be found. After a process crash all operations count: the page cache lives on. After a reboot only
what was synced counts, the worst that POSIX allows: data up to the file's last fsync, names up to
the folder's last fsync. That is a simulation; a real disk may lose less.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from lessons.lesson03.pipeline.files import Files


class Did(Enum):
    """A kind of operation."""

    CREATE = auto()
    WRITE = auto()
    SYNC = auto()
    REPLACE = auto()
    LINK = auto()
    REMOVE = auto()
    SYNC_FOLDER = auto()


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation that succeeded.

    Attributes:
        did: What.
        path: The file or folder it was done to.
        target: The new name of a rename or a link.
        data: What was written.
    """

    did: Did
    path: Path
    target: Path | None = None
    data: bytes = b""


class LoggedFiles(Files):
    """The operating system's files, with a log; several threads may use it.

    Args:
        syncs: False leaves every fsync out, to see what it is good for.
    """

    def __init__(self, *, syncs: bool = True) -> None:
        self.log: list[Operation] = []
        self._lock = threading.Lock()
        self._open: dict[int, Path] = {}
        self._syncs = syncs

    def create(self, path: Path) -> int:
        """See `Files.create`."""
        with self._lock:
            descriptor = super().create(path)
            self._open[descriptor] = path
            self.log.append(Operation(did=Did.CREATE, path=path))
        return descriptor

    def write(self, descriptor: int, data: bytes | bytearray | memoryview) -> None:
        """See `Files.write`."""
        with self._lock:
            super().write(descriptor, data)
            done = Operation(did=Did.WRITE, path=self._open[descriptor], data=bytes(data))
            self.log.append(done)

    def sync(self, descriptor: int) -> None:
        """See `Files.sync`."""
        with self._lock:
            if self._syncs:
                self.log.append(Operation(did=Did.SYNC, path=self._open[descriptor]))

    def close(self, descriptor: int) -> None:
        """See `Files.close`."""
        with self._lock:
            super().close(descriptor)
            del self._open[descriptor]

    def replace(self, source: Path, target: Path) -> None:
        """See `Files.replace`."""
        with self._lock:
            super().replace(source, target)
            self.log.append(Operation(did=Did.REPLACE, path=source, target=target))

    def link(self, source: Path, target: Path) -> None:
        """See `Files.link`."""
        with self._lock:
            super().link(source, target)
            self.log.append(Operation(did=Did.LINK, path=source, target=target))

    def remove(self, path: Path) -> None:
        """See `Files.remove`."""
        with self._lock:
            there = path.exists()
            super().remove(path)
            if there:
                self.log.append(Operation(did=Did.REMOVE, path=path))

    def sync_folder(self, folder: Path) -> None:
        """See `Files.sync_folder`."""
        with self._lock:
            if self._syncs:
                self.log.append(Operation(did=Did.SYNC_FOLDER, path=folder))


@dataclass(eq=False)
class _File:
    """A file by itself, whatever its names are."""

    data: bytearray
    synced: bytes = b""


class Disk:
    """What is on a disk after some operations: as processes see it, and as a reboot finds it."""

    def __init__(self) -> None:
        self._names: dict[Path, _File] = {}
        self._durable: dict[Path, dict[Path, _File]] = {}

    def apply(self, operation: Operation) -> None:
        """Do one more operation."""
        path, names = operation.path, self._names
        match operation.did:
            case Did.CREATE:
                names[path] = _File(bytearray())
            case Did.WRITE:
                names[path].data += operation.data
            case Did.SYNC:
                names[path].synced = bytes(names[path].data)
            case Did.REPLACE if operation.target is not None:
                names[operation.target] = names.pop(path)
            case Did.LINK if operation.target is not None:
                names[operation.target] = names[path]
            case Did.REMOVE:
                del names[path]
            case Did.SYNC_FOLDER:
                self._durable[path] = {one: f for one, f in names.items() if one.parent == path}

    def seen(self) -> dict[Path, bytes]:
        """Return what processes see: after a crash of theirs, all of it is still there."""
        return {path: bytes(file.data) for path, file in self._names.items()}

    def survived(self) -> dict[Path, bytes]:
        """Return what a reboot finds at worst."""
        return {
            path: file.synced for names in self._durable.values() for path, file in names.items()
        }


def disk_after(log: Sequence[Operation]) -> Disk:
    """Return the disk after all operations of a log, or of the beginning of one."""
    disk = Disk()
    for operation in log:
        disk.apply(operation)
    return disk


def lay_out(files: dict[Path, bytes], moved: Callable[[Path], Path | None]) -> None:
    """Write files to where `moved` puts each; those it puts nowhere are lost."""
    for path, data in files.items():
        target = moved(path)
        if target is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
