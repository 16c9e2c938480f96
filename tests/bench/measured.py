"""A command, and what it took: time, processor time, memory, its child processes included."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psutil  # comes with ipykernel

PYTHON = sys.executable
SAMPLE_S = 1.0  # a look at all processes takes 20 ms of what is measured
_numbers = count()


class FailedError(Exception):
    """A command that was to be measured did not succeed."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What one run took.

    Attributes:
        wall_s: From start to end.
        cpu_s: Of all its processes.
        peak_mb: The most memory of all its processes at once; shared pages count once (PSS).
    """

    wall_s: float
    cpu_s: float
    peak_mb: float


def measure(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, log: Path
) -> Measured:
    """Run a command to its end.

    Args:
        command: Program and arguments.
        cwd: Where it runs.
        env: Beside this process's environment.
        log: Where its output goes.

    Raises:
        FailedError: It did not exit with 0.
    """
    group = _cpu_group()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=os.environ | dict(env or {}),
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
        )
        if group is not None:
            (group / "cgroup.procs").write_text(str(process.pid))
        sampler = _Sampler(process.pid)
        sampler.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    sampler.stop()
    cpu_s = usage.ru_utime + usage.ru_stime
    if group is not None:
        cpu_s = int((group / "cpuacct.usage").read_text()) / 1e9
        with contextlib.suppress(OSError):
            group.rmdir()
    if process.returncode != 0:
        tail = log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise FailedError(f"{' '.join(command[:6])} ... exited with {process.returncode}:\n{tail}")
    return Measured(wall_s=wall_s, cpu_s=cpu_s, peak_mb=sampler.peak_bytes / 2**20)


def _cpu_group() -> Path | None:
    """A control group that counts the processor time of what is killed, too; None: rusage's."""
    root = Path("/sys/fs/cgroup/cpuacct")
    if not (root / "cpuacct.usage").is_file() or not os.access(root, os.W_OK):
        return None
    group = root / f"bench-{os.getpid()}-{next(_numbers)}"
    try:
        group.mkdir()
    except OSError:
        return None
    return group


class _Sampler(threading.Thread):
    """Looks at the memory of a process and its descendants again and again."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._root = psutil.Process(pid)
        self._ended = threading.Event()
        self.peak_bytes = 0

    def run(self) -> None:
        while not self._ended.wait(SAMPLE_S):
            with contextlib.suppress(psutil.Error):
                tree = [self._root, *self._root.children(recursive=True)]
                self.peak_bytes = max(self.peak_bytes, sum(map(_bytes, tree)))

    def stop(self) -> None:
        self._ended.set()
        self.join()


def _bytes(process: psutil.Process) -> int:
    """PSS where the kernel gives it, else the resident size."""
    try:
        text = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii")
        return int(text.partition("\nPss:")[2].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        try:
            return int(process.memory_info().rss)
        except psutil.Error:
            return 0
