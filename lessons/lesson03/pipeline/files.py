"""The file operations that the pipeline uses, and nothing else.

They stand behind one small class, so that the tests can record them and replay what a crash may
leave behind: without fsync a write, a new name or a rename may be lost, each on its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lessons.lesson03.pipeline.checksums import Block

_BINARY = getattr(os, "O_BINARY", 0)  # Windows would translate line ends without it


class Files:
    """The operating system's files."""

    def make_folder(self, folder: Path) -> None:
        """Make a folder and those above it, and make their names durable."""
        missing = [one for one in (folder, *folder.parents) if not one.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for one in missing:
            self.sync_folder(one.parent)

    def create(self, path: Path) -> int:
        """Create a file that must not exist yet and return its descriptor."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o644)

    def write(self, descriptor: int, data: Block) -> None:
        """Append all of `data`; the system may take it in several pieces."""
        left = memoryview(data).cast("B")
        while left:
            left = left[os.write(descriptor, left) :]

    def sync(self, descriptor: int) -> None:
        """Return when the file's data is on the disk."""
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Close a descriptor."""
        os.close(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        """Give a file another name at once; a file of that name goes."""
        source.replace(target)

    def link(self, source: Path, target: Path) -> None:
        """Give a file a second name; `FileExistsError` when it is taken."""
        target.hardlink_to(source)

    def remove(self, path: Path) -> None:
        """Remove a name; fine when there is none."""
        path.unlink(missing_ok=True)

    def sync_folder(self, folder: Path) -> None:
        """Return when the names in a folder are on the disk.

        Windows has no such call: NTFS journals its names itself.
        """
        if os.name == "nt":
            return
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def blocks_of(path: Path, block_bytes: int) -> Iterator[memoryview]:
    """Read a file in blocks; each block is valid until the next is asked for."""
    with path.open("rb", buffering=0) as file:
        buffer = memoryview(bytearray(block_bytes))
        while (count := file.readinto(buffer)) > 0:
            yield buffer[:count]
