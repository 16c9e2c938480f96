"""One read at an offset, in each way: through the page cache, past it, and straight to a GPU."""

from __future__ import annotations

import errno
import mmap
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from lessons.lesson03.experiments.said import ExperimentError, Said

Read = Callable[[int, int], int]
"""Takes offset and size in bytes, returns the bytes that were read."""


class Unavailable(ExperimentError):  # noqa: N818 - what is unavailable is the message
    """This platform lacks that way of reading."""


@contextmanager
def buffered(path: Path, largest: int) -> Iterator[tuple[int, Read]]:
    """Open a file for reads through the page cache; yields its descriptor and the read."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        with mmap.mmap(-1, largest) as memory, memoryview(memory) as buffer:
            yield handle, _read_into(handle, buffer)
    finally:
        os.close(handle)


@contextmanager
def direct(path: Path, largest: int) -> Iterator[Read]:
    """Open a file for reads past the page cache: offset, size and memory are page-aligned.

    Raises:
        Unavailable: The system or the file system has no O_DIRECT.
    """
    handle = _open_direct(path)
    try:
        # Anonymous memory begins at a page, as O_DIRECT wants.
        with mmap.mmap(-1, largest) as memory, memoryview(memory) as buffer:
            read = _read_into(handle, buffer)
            try:
                read(0, mmap.PAGESIZE)
            except OSError as error:
                if error.errno == errno.EINVAL:
                    raise Unavailable(_NOT_HERE) from error
                raise
            yield read
    finally:
        os.close(handle)


@contextmanager
def gds(path: Path, largest: int, kvikio: ModuleType, cupy: ModuleType) -> Iterator[Read]:
    """Open a file for reads into GPU memory with kvikio.

    The buffer is made and read into once before anything is timed: what registering costs at
    the start of a job is not what a read costs.
    """
    memory = cupy.empty(largest, dtype=cupy.uint8)
    with kvikio.CuFile(path, "r") as file:

        def read(offset: int, size: int) -> int:
            # get() waits until the bytes are there.
            return int(file.pread(memory[:size], size=size, file_offset=offset).get())

        read(0, largest)
        yield read


def _read_into(handle: int, buffer: memoryview) -> Read:
    if hasattr(os, "preadv"):

        def read(offset: int, size: int) -> int:
            return os.preadv(handle, [buffer[:size]], offset)

        return read

    def seek_and_read(offset: int, size: int) -> int:
        os.lseek(handle, offset, os.SEEK_SET)
        return len(os.read(handle, size))

    return seek_and_read


_NO_DIRECT = Said(
    zh="这个系统没有 Python 能用的 O_DIRECT，「直接读」这一组没有量。",
    en="This system has no O_DIRECT that Python can use, so no direct reads were measured.",
)
_NOT_HERE = Said(
    zh="这里的文件系统不支持 O_DIRECT，「直接读」这一组没有量。",
    en="The file system here does not support O_DIRECT, so no direct reads were measured.",
)


def _open_direct(path: Path) -> int:
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - there is none on Windows

        handle = os.open(path, os.O_RDONLY)
        fcntl.fcntl(handle, fcntl.F_NOCACHE, 1)
        return handle
    if not hasattr(os, "O_DIRECT"):
        raise Unavailable(_NO_DIRECT)
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECT)
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise Unavailable(_NOT_HERE) from error
        raise
