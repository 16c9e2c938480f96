"""Starts a program as nobody in particular: joins groups, hides root's folders, drops to a uid.

Run with `python -S -m autograder.grading.sandbox.launcher JSON`, a process of its own: forking the
grader and working in the child would not be safe once it has threads. Standard library only, since
it runs before the Python prefix may be readable.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from autograder.grading.sandbox import privileges

# What `python -S -m` gives when it fails before the program starts.
FAILED = 125


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """What to start, and as whom.

    Attributes:
        argv: The program, absolute, and its arguments.
        uid: The unprivileged user to become; None when the grader is an ordinary user.
        reach: Files and folders that the user must be able to reach, whatever lies above them.
        groups: `cgroup.procs` files to join.
        environment: The program's, whole.
    """

    argv: tuple[str, ...]
    uid: int | None
    reach: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)

    def command(self) -> list[str]:
        """The command that starts it; needs PYTHONPATH to hold the folder of `autograder`."""
        words = json.dumps(asdict(self))
        return [sys.executable, "-S", "-P", "-m", "autograder.grading.sandbox.launcher", words]


def main() -> None:
    """Do what the JSON in the first argument says; never returns when it worked."""
    words: dict[str, Any] = json.loads(sys.argv[1])
    launch = Launch(**{key: _frozen(value) for key, value in words.items()})
    try:
        _start(launch)
    except OSError as error:
        sys.stderr.write(f"launcher: {error}\n")
        sys.exit(FAILED)


def _start(launch: Launch) -> None:
    for file in launch.groups:  # as root still: nobody may move itself
        Path(file).write_text(str(os.getpid()), encoding="ascii")
    privileges.limit("CORE", 0)
    if launch.uid is not None:
        _open_ways([Path(path) for path in launch.reach])
        privileges.drop_to(launch.uid)
    if sys.platform == "linux":
        privileges.forbid_new_privileges()
        # Set last: changing ids clears it.
        privileges.die_with_parent(signal.SIGKILL)
    os.execve(launch.argv[0], launch.argv, launch.environment)  # noqa: S606  # a launcher's purpose


def _open_ways(reach: list[Path]) -> None:
    """Make `reach` reachable although a folder above is closed to others, like a 700 /root.

    A small file system is mounted over that folder, for this process alone, and holds nothing
    but the way to what was asked for. The rest of the folder is hidden by that, too.
    """
    barred: dict[Path, list[Path]] = {}
    for path in reach:
        closed = _first_closed(path)
        if closed is not None:
            barred.setdefault(closed, []).append(path)
    if not barred:
        return
    privileges.make_mounts_private()
    for closed, paths in barred.items():
        # Opened before the folder is covered, bound through the descriptor afterwards.
        opened = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in paths]
        privileges.mount("tmpfs", str(closed), "tmpfs", privileges.MS_NOSUID, "mode=755,size=1m")
        for path, descriptor in opened:
            _way(path, stat.S_ISDIR(os.fstat(descriptor).st_mode))
            flags = privileges.MS_BIND | privileges.MS_REC
            privileges.mount(f"/proc/self/fd/{descriptor}", str(path), None, flags)
            os.close(descriptor)


def _way(path: Path, is_folder: bool) -> None:
    if path.exists():
        return
    old = os.umask(0o022)
    try:
        if is_folder:
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    finally:
        os.umask(old)


def _first_closed(path: Path) -> Path | None:
    """The topmost folder above `path` that others cannot pass."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


if __name__ == "__main__":
    main()
