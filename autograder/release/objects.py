"""Many git objects read through one process."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from autograder.errors import CourseError
from autograder.release.gitstore import FOLDER, Entry, GitStore


@dataclass(frozen=True, kw_only=True, slots=True)
class Commit:
    """A commit as it is stored: its id, its tree, all of its bytes, its message."""

    oid: str
    tree: str
    raw: bytes
    message: str

    def trailer(self, name: str) -> str | None:
        """The value of the last `name: value` line of the message."""
        found = [
            line.partition(":")[2].strip()
            for line in self.message.splitlines()
            if line.startswith(f"{name}:")
        ]
        return found[-1] if found else None


class Objects:
    """Reads objects of a repository; a context manager, as it keeps a git process open."""

    def __init__(self, store: GitStore) -> None:
        self._store = store
        self._folders: dict[str, tuple[tuple[str, str, str], ...]] = {}

    def __enter__(self) -> Self:
        self._git = subprocess.Popen(  # noqa: S603  # git itself, arguments as a list
            ["git", "--no-replace-objects", "-C", str(self._store.folder), "cat-file", "--batch"],  # noqa: S607
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._git.communicate()

    def read(self, oid: str) -> bytes:
        """The bytes of an object.

        Raises:
            CourseError: The repository does not have it.
        """
        if self._git.stdin is None or self._git.stdout is None:
            raise CourseError("git cat-file has no pipes. Run the command again.")
        self._git.stdin.write(oid.encode() + b"\n")
        self._git.stdin.flush()
        head = self._git.stdout.readline().split()
        if len(head) != 3:  # noqa: PLR2004  # id, kind, size
            raise CourseError(f"{oid}: this object is missing. Fetch the whole history.")
        data = self._git.stdout.read(int(head[2]) + 1)
        return data[:-1]

    def commit(self, oid: str) -> Commit:
        """Read a commit."""
        raw = self.read(oid)
        head, _, message = raw.partition(b"\n\n")
        tree = head.split(b"\n", 1)[0].removeprefix(b"tree ").decode()
        return Commit(oid=oid, tree=tree, raw=raw, message=message.decode("utf-8", "replace"))

    def files(self, tree: str, below: str = "") -> Iterator[Entry]:
        """All files of a tree, submodules and links among them."""
        for mode, name, oid in self._folder(tree):
            path = f"{below}{name}"
            if mode == FOLDER:
                yield from self.files(oid, f"{path}/")
            else:
                yield Entry(mode=mode, oid=oid, path=path)

    def below(self, tree: str, path: str) -> str | None:
        """Id of the folder at a path, "" for the tree itself; None when there is none."""
        for part in filter(None, path.split("/")):
            rows = {name: oid for mode, name, oid in self._folder(tree) if mode == FOLDER}
            if part not in rows:
                return None
            tree = rows[part]
        return tree

    def _folder(self, tree: str) -> tuple[tuple[str, str, str], ...]:
        if tree not in self._folders:
            self._folders[tree] = tuple(_rows(self.read(tree), len(tree) // 2))
        return self._folders[tree]


def _rows(data: bytes, width: int) -> Iterator[tuple[str, str, str]]:
    """Mode, name and id of each row of a stored tree; ids take `width` bytes."""
    place = 0
    while place < len(data):
        end = data.index(b"\0", place)
        mode, _, name = data[place:end].partition(b" ")
        oid = data[end + 1 : end + 1 + width].hex()
        yield mode.decode(), name.decode("utf-8", "surrogateescape"), oid
        place = end + 1 + width
