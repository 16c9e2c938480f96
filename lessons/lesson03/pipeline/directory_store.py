"""A plain directory as object store: for a shared file system, a peer's disk, and the tests.

An object is written under a hidden name, flushed, read back, and then renamed into place.
The conditional PUT is a hard link, which fails when the name is taken and shows whole content or
none; where links are missing (FAT, some network shares) an exclusive create does, which a crash
may leave torn: readers take a torn manifest for none.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from lessons.classroom.language import say
from lessons.lesson03.pipeline.checksums import Block, best_algorithm, new_digest
from lessons.lesson03.pipeline.errors import AlreadyThere, NotThere, StoreRefused, StoreTrouble
from lessons.lesson03.pipeline.files import Files, blocks_of
from lessons.lesson03.pipeline.store import Blocks

_INCOMING = ".incoming"
_BLOCK_BYTES = 8 * 1024 * 1024
_ABANDONED_S = 86_400.0


class DirectoryStore:
    """Objects as files below a folder.

    Args:
        folder: The folder; made when it is missing.
        survives: "node" or "zone": what the folder's file system outlives.
        files: The file operations.
    """

    def __init__(self, folder: Path, *, survives: str = "node", files: Files | None = None) -> None:
        self.survives = survives
        self._folder = folder
        self._files = files or Files()
        with _told(folder):
            self._files.make_folder(folder / _INCOMING)
            self._sweep()

    def upload(self, key: str, blocks: Blocks) -> None:
        """See `Store.upload`."""
        target = self._file(key)
        with _told(target), self._incoming(blocks()) as temporary:
            self._files.make_folder(target.parent)
            self._files.replace(temporary, target)
            self._files.sync_folder(target.parent)

    def put(self, key: str, content: bytes) -> None:
        """See `Store.put`."""
        self.upload(key, lambda: iter((content,)))

    def create(self, key: str, content: bytes) -> None:
        """See `Store.create`."""
        target = self._file(key)
        with _told(target), self._incoming(iter((content,))) as temporary:
            self._files.make_folder(target.parent)
            try:
                self._link(temporary, target, content)
            finally:
                # Also when it was taken: what this answer says must outlive a crash.
                self._files.sync_folder(target.parent)

    def read(self, key: str) -> bytes:
        """See `Store.read`."""
        with _told(self._file(key)):
            return self._file(key).read_bytes()

    def stream(self, key: str) -> Iterator[Block]:
        """See `Store.stream`."""
        with _told(self._file(key)):
            yield from blocks_of(self._file(key), _BLOCK_BYTES)

    def size(self, key: str) -> int:
        """See `Store.size`."""
        with _told(self._file(key)):
            return self._file(key).stat().st_size

    def keys(self, prefix: str) -> list[str]:
        """See `Store.keys`."""
        with _told(self._folder):
            return sorted(self._files_below(self._folder / prefix))

    def delete(self, keys: Sequence[str]) -> None:
        """See `Store.delete`."""
        for key in keys:
            with _told(self._file(key)):
                self._files.remove(self._file(key))
        for folder in {self._file(key).parent for key in keys}:
            with _told(folder), contextlib.suppress(FileNotFoundError):
                self._files.sync_folder(folder)

    def _files_below(self, base: Path) -> Iterator[str]:
        """Name what is there; a folder that cannot be read is an error, never "empty"."""
        # Asked each time: of a share that was unmounted since, nothing at all is known.
        self._folder.stat()
        for place, _folders, names in os.walk(base, onerror=_unless_gone):
            for name in names:
                yield Path(place, name).relative_to(self._folder).as_posix()

    def _sweep(self) -> None:
        """Remove what a crash left under hidden names; younger ones may still be written."""
        for path in (self._folder / _INCOMING).iterdir():
            with contextlib.suppress(OSError):  # gone, or a file system that is now read-only
                if time.time() - path.stat().st_mtime > _ABANDONED_S:
                    self._files.remove(path)

    def _file(self, key: str) -> Path:
        return self._folder / key

    @contextlib.contextmanager
    def _incoming(self, blocks: Iterator[Block]) -> Iterator[Path]:
        """Write a durable file under a hidden name, which goes at the end."""
        path = self._folder / _INCOMING / secrets.token_hex(16)
        try:
            digest = self._write(path, blocks)
            if _digest(blocks_of(path, _BLOCK_BYTES)) != digest:
                raise StoreTrouble(
                    say(f"{path} 读回的内容与写入的不同。", f"{path} reads back differently.")
                )
            yield path
        finally:
            with contextlib.suppress(OSError):
                self._files.remove(path)

    def _write(self, path: Path, blocks: Iterator[Block]) -> str:
        digest = new_digest(best_algorithm())
        descriptor = self._files.create(path)
        try:
            for block in blocks:
                digest.update(block)
                self._files.write(descriptor, block)
            self._files.sync(descriptor)
        finally:
            self._files.close(descriptor)
        return digest.hexdigest()

    def _link(self, temporary: Path, target: Path, content: bytes) -> None:
        try:
            self._files.link(temporary, target)
        except FileExistsError:
            raise
        except OSError:
            descriptor = self._files.create(target)
            try:
                self._files.write(descriptor, content)
                self._files.sync(descriptor)
            finally:
                self._files.close(descriptor)


def _unless_gone(error: OSError) -> None:
    """Let a folder be removed, or not made yet, while others are listed."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _digest(blocks: Iterator[Block]) -> str:
    digest = new_digest(best_algorithm())
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


@contextlib.contextmanager
def _told(place: Path) -> Iterator[None]:
    """Turn the system's errors into a store's."""
    try:
        yield
    except FileExistsError as error:
        raise AlreadyThere(str(place)) from error
    except FileNotFoundError as error:
        raise NotThere(str(place)) from error
    except OSError as error:
        raise StoreRefused(
            say(
                f"目录存储 {place} 出错：{error.strerror or error}，请检查剩余空间与权限。",
                f"Directory store {place}: {error.strerror or error}; check space and access.",
            )
        ) from error
