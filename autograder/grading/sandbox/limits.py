"""Control groups: the limits on memory and processes that hold for a submission as a whole.

RLIMIT_AS holds per process only: 64 processes of 1 GB each are 64 GB.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from autograder.project import Limits

_ROOT = Path("/sys/fs/cgroup")
# The worker, its reaper and bubblewrap's two processes are not the submission's own.
OWN_PROCESSES = 8
_PREFIX = "course-"
_numbers = count()


@dataclass(frozen=True, kw_only=True, slots=True)
class Hierarchy:
    """Where groups can be made.

    Attributes:
        version: 1 or 2.
        parents: Controller (`memory`, `pids`) -> folder in which a group of ours can be made.
    """

    version: int
    parents: Mapping[str, Path]


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """The control group of one submission.

    Attributes:
        folders: Controller -> the group's folder (one and the same in version 2).
    """

    version: int
    folders: Mapping[str, Path]

    @property
    def joins(self) -> tuple[Path, ...]:
        """The files into which a process writes its id to join."""
        return tuple(sorted({folder / "cgroup.procs" for folder in self.folders.values()}))

    def add(self, pid: int) -> None:
        """Move a process into the group."""
        for file in self.joins:
            file.write_text(str(pid), encoding="ascii")

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel had to kill for this group's limit."""
        folder = self.folders.get("memory")
        if folder is None:
            return False
        name = "memory.oom_control" if self.version == 1 else "memory.events"
        try:
            text = (folder / name).read_text(encoding="ascii")
        except OSError:
            return False
        fields = dict(line.split() for line in text.splitlines() if line)
        return int(fields.get("oom_kill", "0")) > 0

    def kill(self) -> None:
        """End every process in it, also one that left its session."""
        for file in self.joins:
            with contextlib.suppress(OSError):
                for pid in map(int, file.read_text(encoding="ascii").split()):
                    if pid > 1:  # 0 stands for a process that this one cannot see
                        os.kill(pid, signal.SIGKILL)

    def remove(self, timeout_s: float = 5.0) -> bool:
        """Remove the group once its last process is gone; whether that happened in time."""
        deadline = time.monotonic() + timeout_s
        for folder in set(self.folders.values()):
            while folder.exists():
                try:
                    folder.rmdir()
                except OSError:
                    self.kill()
                    if time.monotonic() > deadline:
                        return False
                    time.sleep(0.005)  # a killed process leaves its group a moment later
        return True


def hierarchy() -> Hierarchy | None:
    """Where this process can make groups that limit memory or processes; None: nowhere."""
    entries = [
        line.split(":", 2)
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    ]
    parents: dict[str, Path] = {}
    unified: Path | None = None
    for _, controllers, path in entries:
        for controller in {"memory", "pids"} & set(controllers.split(",")):
            folder = _ROOT / controller / path.lstrip("/")
            if _can_make_groups(folder):
                parents[controller] = folder
        if not controllers:
            unified = _ROOT / path.lstrip("/")
    if parents:
        return Hierarchy(version=1, parents=parents)
    if unified is not None and (_ROOT / "cgroup.controllers").is_file():
        return _unified_hierarchy(unified)
    return None


def _unified_hierarchy(own: Path) -> Hierarchy | None:
    # A group with processes cannot hand controllers to its children, so look upwards for one
    # that does already (as systemd's user slices do) and in which we may make a group.
    for folder in (own, *own.parents):
        if _ROOT not in (folder, *folder.parents) or not _can_make_groups(folder):
            return None
        enabled = (folder / "cgroup.subtree_control").read_text(encoding="ascii").split()
        parents: dict[str, Path] = {name: folder for name in ("memory", "pids") if name in enabled}
        if parents:
            return Hierarchy(version=2, parents=parents)
    return None


def _can_make_groups(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def sweep(where: Hierarchy) -> None:
    """Remove the empty groups of graders that were killed."""
    for parent in set(where.parents.values()):
        for folder in parent.glob(f"{_PREFIX}*"):
            owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
            if owner.isdigit() and not Path("/proc", owner).exists():
                # Never more than this: the owner may be alive in a container that is not ours.
                with contextlib.suppress(OSError):
                    folder.rmdir()


def make_group(where: Hierarchy, limits: Limits) -> Group:
    """A new group with the limits set.

    Raises:
        OSError: The machine does not let us.
    """
    name = f"{_PREFIX}{os.getpid()}-{next(_numbers)}"
    folders = {controller: parent / name for controller, parent in where.parents.items()}
    for folder in set(folders.values()):
        folder.mkdir()
    group = Group(version=where.version, folders=folders)
    try:
        for file, value in _settings(group, limits):
            file.write_text(str(value), encoding="ascii")
    except OSError:
        group.remove(0.0)
        raise
    return group


def _settings(group: Group, limits: Limits) -> list[tuple[Path, int]]:
    settings = []
    memory, pids = group.folders.get("memory"), group.folders.get("pids")
    if memory is not None:
        names = ("memory.max", "memory.swap.max")
        if group.version == 1:
            names = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        size = limits.memory_mb * 2**20
        settings.append((memory / names[0], size))
        # Swap too where it is accounted: a submission that swaps slows its neighbours.
        if (memory / names[1]).exists():
            settings.append((memory / names[1], size if group.version == 1 else 0))
    if pids is not None:
        settings.append((pids / "pids.max", limits.processes + OWN_PROCESSES))
    return settings


def description(
    groups: Hierarchy | None, inside: Mapping[str, bool], *, contained: bool
) -> dict[str, str]:
    """What limits each kind of use, for people.

    Args:
        groups: Where control groups are made.
        inside: What the sandbox's first process found: `inodes`, `system-calls`.
        contained: Whether there is a sandbox.
    """
    kinds = {} if groups is None else groups.parents
    both = "" if groups is None else f" and cgroup v{groups.version}"
    words = {
        "time": "deadlines and RLIMIT_CPU",
        "memory": "RLIMIT_AS" + (both if "memory" in kinds else ""),
        "processes": ("RLIMIT_NPROC" if contained else "not limited")
        + (both if "pids" in kinds else ""),
        "file size": "RLIMIT_FSIZE" + (" and a 64 MB tmpfs" if contained else ""),
        "network": "none reachable" if contained else "not limited",
    }
    for key, name, how in (
        ("inodes", "files", "4000 inodes"),
        ("system-calls", "system calls", "seccomp"),
    ):
        if key in inside:
            words[name] = how if inside[key] else "not limited"
    return words
