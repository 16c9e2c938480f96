"""A process that forks children which save, and kill themselves at a given file operation.

Reads lines of JSON {"root", "at", "share"} and answers each with the newest acknowledged steps of
the child that died: {"spilled", "committed", "killed"}. A fork of a process that has imported
everything costs a hundredth of a new one.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path

from lessons.lesson03.pipeline.checksums import Block
from lessons.lesson03.pipeline.directory_store import DirectoryStore
from lessons.lesson03.pipeline.errors import PipelineError
from lessons.lesson03.pipeline.files import Files
from lessons.lesson03.pipeline.saver import SaveOptions, Saver
from tests.pipeline.scenarios import FIRST, RANKS, nodes, state

STEPS = range(1, 5)


class Deadly(Files):
    """Kills the process at operation `at`; a write gets `share` of its bytes through first."""

    def __init__(self, at: int, share: float) -> None:
        self._left = at
        self._share = share
        self._lock = threading.Lock()

    def _count(self) -> bool:
        with self._lock:
            self._left -= 1
            return self._left == 0

    def _die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def create(self, path: Path) -> int:
        if self._count():
            self._die()
        return super().create(path)

    def write(self, descriptor: int, data: Block) -> None:
        if self._count():
            os.write(descriptor, memoryview(data).cast("B")[: int(len(data) * self._share)])
            self._die()
        super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        if self._count():
            self._die()
        super().sync(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        if self._count():
            self._die()
        super().replace(source, target)

    def link(self, source: Path, target: Path) -> None:
        if self._count():
            self._die()
        super().link(source, target)

    def remove(self, path: Path) -> None:
        if self._count():
            self._die()
        super().remove(path)

    def sync_folder(self, folder: Path) -> None:
        if self._count():
            self._die()
        super().sync_folder(folder)


def live(root: Path, files: Files, acks: int) -> None:
    """Save some steps on all ranks at once; write down what is acknowledged."""
    store = DirectoryStore(root / "store", survives="zone", files=files)
    savers = [
        Saver(
            rank=rank,
            ranks=RANKS,
            node=nodes(root)[rank],
            store=store,
            attempt=FIRST,
            options=SaveOptions(keep=1, block_bytes=8192, patience_s=20),
            files=files,
        )
        for rank in range(RANKS)
    ]
    for step in STEPS:
        tickets = [saver.save(step, state(step, FIRST, saver.rank)) for saver in savers]
        for ticket in reversed(tickets):
            try:
                stage = ticket.wait(timeout_s=30).stage
            except PipelineError:
                continue
            if stage == "committed":
                os.write(acks, f"{step}\n".encode())
    for saver in savers:
        saver.close()


def one(root: Path, at: int, share: float) -> dict[str, int]:
    """Let a child live and die; return what it acknowledged."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        live(root, Deadly(at, share), writer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as acks:
        steps = [int(line) for line in acks]
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return {"committed": max(steps, default=-1), "killed": int(killed)}


if __name__ == "__main__":
    for line in sys.stdin:
        told = json.loads(line)
        sys.stdout.write(json.dumps(one(Path(told["root"]), told["at"], told["share"])) + "\n")
        sys.stdout.flush()
