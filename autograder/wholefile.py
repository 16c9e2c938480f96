"""A file replaced in one step: whoever reads it sees the old one or the new one, never half."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """Write a file of mode 0644 beside `path`, making its folder, then put it in its place.

    Raises:
        OSError: The folder cannot be written, or the disk is full; `path` is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not the file's own name: with something before it, a long one could be too long.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        temporary.chmod(0o644)  # mkstemp's files are for their owner alone
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
