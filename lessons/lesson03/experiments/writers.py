"""Many writers that begin at one moment, as the ranks of a job do after a step."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

_SCRIPT = Path(__file__).with_name("writer.py")
_HEAD_START_S = 0.02
_PER_ORDER_S = 0.0005
_LAST_WAIT_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Written:
    """What one writer did, in seconds since the common start.

    Attributes:
        began_s: When it really began; a busy machine begins late.
        created_s: How long creating the file took.
        took_s: How long all of it took: create, write, fsync, close.
        done_s: When its file was safe.
    """

    began_s: float
    created_s: float
    took_s: float
    done_s: float


class Writers(AbstractContextManager["Writers"]):
    """Processes that write files on order.

    Args:
        count: How many processes.
    """

    def __init__(self, count: int) -> None:
        self._processes: list[subprocess.Popen[str]] = []
        try:
            for _ in range(count):
                self._processes.append(_start())
        except BaseException:
            self.close()
            raise

    def save(self, paths: Sequence[Path], size: int) -> list[Written]:
        """Let one writer for each path write `size` random bytes; all begin at one moment.

        Raises:
            OSError: A writer could not write.
        """
        chosen = self._processes[: len(paths)]
        start = time.perf_counter() + _HEAD_START_S + _PER_ORDER_S * len(paths)
        for process, path in zip(chosen, paths, strict=True):
            order = {"path": str(path), "bytes": size, "start": start}
            assert process.stdin is not None  # noqa: S101 - it was opened as a pipe
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        return [_answer(process, start) for process in chosen]

    def close(self) -> None:
        """End all writers, and wait until they are gone."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait(_LAST_WAIT_S)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    _close(pipe)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def slowest_s(written: Iterable[Written]) -> float:
    """Return when the last file was safe, seconds since the common start: the save's time."""
    return max(one.done_s for one in written)


def _start() -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - our own script
        # Isolated and without site: nothing of the learner's settings, and a quick start.
        [sys.executable, "-I", "-S", str(_SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )


def _answer(process: subprocess.Popen[str], start: float) -> Written:
    assert process.stdout is not None  # noqa: S101 - it was opened as a pipe
    line = process.stdout.readline()
    if not line:
        raise ChildProcessError(0, "a writer ended before it answered")
    answer = json.loads(line)
    if "error" in answer:
        raise OSError(*answer["error"])
    began, created, done = answer["times"]
    return Written(
        began_s=began - start, created_s=created - began, took_s=done - began, done_s=done - start
    )


def _close(pipe: object) -> None:
    try:
        pipe.close()  # type: ignore[attr-defined]
    except OSError:
        return  # what was not written yet has no reader any more
