"""The files that were handed in, in a folder or a zip, listed without reading them.

A folder and a zip give the same entries, so the rules of who handed in what are written once.
Reading is bounded by the bytes that actually come, never by what a header says.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.errors import UsageError
from autograder.grading.intake.zipnames import member_names

MAX_NOTEBOOK_BYTES = 20 * 1024 * 1024
"""Bytes of one notebook that are read; a larger one is refused."""

MAX_ENTRIES = 200_000
"""Files listed in one folder or zip."""

_MAX_DEPTH = 8
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # the others unpack without a bound


class RefusedError(Exception):
    """A file is not read.

    Attributes:
        key: Which sentence says so (autograder.grading.phrases).
    """

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One file, or what stands in its place.

    Attributes:
        parts: Its path below the folder or zip, in parts.
        refused: Why it is not read (a key of phrases), None when it can be.
        folder: Whether it is a folder.
        read: Returns its bytes; raises RefusedError, beyond the given cap too.
    """

    parts: tuple[str, ...]
    read: Callable[[int], bytes]
    refused: str | None = None
    folder: bool = False


def entries(submitted: Path) -> list[Entry]:
    """List a folder or zip, sorted by path.

    Raises:
        UsageError: It is neither, or holds too many files.
    """
    if submitted.is_dir():
        found = _folder(submitted, ())
    elif submitted.is_file() and zipfile.is_zipfile(submitted):
        found = _zip(submitted)
    elif submitted.exists():
        raise UsageError(f"{submitted}: is neither a folder nor a zip. Name what was handed in.")
    else:
        raise UsageError(f"{submitted}: there is no such folder or zip. Check the path.")
    listed = []
    for entry in found:
        if not _ignored(entry.parts):
            listed.append(entry)
        if len(listed) > MAX_ENTRIES:
            raise UsageError(
                f"{submitted}: holds more than {MAX_ENTRIES} files. Name the folder of one lesson."
            )
    return sorted(listed, key=lambda entry: entry.parts)


def _ignored(parts: tuple[str, ...]) -> bool:
    """Tell what operating systems and Jupyter leave behind: hidden files, `__MACOSX`."""
    return any((p.startswith(".") and p != "..") or p == "__MACOSX" for p in parts)


def _refusing(key: str) -> Callable[[int], bytes]:
    def read(cap: int) -> bytes:  # noqa: ARG001  # nothing of it is read
        raise RefusedError(key)

    return read


def _folder(folder: Path, above: tuple[str, ...]) -> Iterator[Entry]:
    try:
        with os.scandir(folder) as scan:
            items = list(scan)
    except OSError:
        return
    for item in items:
        parts = (*above, item.name)
        if item.is_symlink():
            yield Entry(parts=parts, read=_refusing("link"), refused="link")
        elif item.is_dir(follow_symlinks=False):
            yield Entry(
                parts=parts, read=_refusing("not-a-file"), refused="not-a-file", folder=True
            )
            if len(parts) < _MAX_DEPTH:
                yield from _folder(Path(item.path), parts)
        elif item.is_file(follow_symlinks=False):
            yield Entry(parts=parts, read=_file_reader(Path(item.path)))
        else:
            yield Entry(parts=parts, read=_refusing("not-a-file"), refused="not-a-file")


def _file_reader(path: Path) -> Callable[[int], bytes]:
    def read(cap: int) -> bytes:
        # The file may have been replaced by a link or pipe since it was listed.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
        except OSError:
            raise RefusedError("damaged") from None
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise RefusedError("not-a-file")
            try:
                return _bounded(file.read(cap + 1), cap)
            except OSError:
                raise RefusedError("damaged") from None

    return read


def _zip(path: Path) -> Iterator[Entry]:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise UsageError(f"{path}: is a damaged zip. Fetch it again.") from None
    for info, plain in zip(infos, member_names(infos), strict=True):
        name = plain.replace("\\", "/")  # decoded before: in GBK a letter may end in this byte
        folder = name.endswith("/")
        refused = _refusal(info, name)
        read = _refusing(refused) if refused else _member_reader(path, info)
        parts = tuple(p for p in name.split("/") if p not in {"", "."})
        if parts:
            yield Entry(parts=parts, read=read, refused=refused, folder=folder)


def _refusal(info: zipfile.ZipInfo, name: str) -> str | None:
    """Return why a member is not read; nothing is ever unpacked to a path it names."""
    if name.startswith("/") or ".." in PurePosixPath(name).parts or name[1:2] == ":":
        return "unsafe-path"
    mode = stat.S_IFMT(info.external_attr >> 16)
    if mode == stat.S_IFLNK:
        return "link"
    if name.endswith("/") or mode not in {0, stat.S_IFREG}:
        return "not-a-file"
    if info.flag_bits & 0x1:
        return "encrypted"
    return None if info.compress_type in _METHODS else "compression"


def _member_reader(path: Path, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(cap: int) -> bytes:
        try:
            with zipfile.ZipFile(path) as archive, archive.open(info) as file:
                return _bounded(file.read(cap + 1), cap)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError):
            raise RefusedError("damaged") from None

    return read


def _bounded(data: bytes, cap: int) -> bytes:
    if len(data) > cap:
        raise RefusedError("too-large")
    return data
