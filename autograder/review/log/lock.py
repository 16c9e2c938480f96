"""A lock on an open file, held by one process at a time; the system lets go when it ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 40  # beyond any content: Windows would keep readers from locked bytes

    @contextmanager
    def locked(file: IO[bytes]) -> Iterator[None]:
        """Hold the lock, waiting for whoever has it."""
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        try:
            yield
        finally:
            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    @contextmanager
    def locked(file: IO[bytes]) -> Iterator[None]:
        """Hold the lock, waiting for whoever has it."""
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)
