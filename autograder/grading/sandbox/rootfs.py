"""What a sandbox sees of the machine: bubblewrap's arguments for a minimal, read-only root.

Nothing is there by default. Python, the system's libraries and what the caller names are bound
read-only; no home, no /etc/passwd, no environment, no device but the harmless ones.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from autograder.errors import MissingOnMachine

GRADER = Path("/grader")
COURSE = Path("/course")
# Where a venv is bound whose own place, inside, is the learner's: a checkout in /tmp, say.
_MOVED = Path("/environment")
_TAKEN = (Path("/tmp"), Path("/dev"), Path("/proc"), GRADER, COURSE)  # noqa: S108
_DEVICES = ("null", "zero", "full", "random", "urandom")
# Of a prefix only what Python needs: a course may well lie in /usr/src or /opt/conda/work.
_PARTS = ("bin", "lib", "lib32", "lib64", "libexec", "share", "pyvenv.cfg")
_PACKAGES = frozenset({"site-packages", "dist-packages"})
# The linker's index, and Debian's choice of BLAS: the only files of /etc, both without secrets.
_ETC = ("/etc/ld.so.cache", "/etc/alternatives")
_TMP_BYTES = 64 * 2**20
_SHM_BYTES = 2**20  # enough for semaphores, not for data

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108  # the sandbox's own
    "TMPDIR": "/tmp",  # noqa: S108
    "USER": "learner",
    "LOGNAME": "learner",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "dumb",
    "IPYTHONDIR": "/tmp/.ipython",  # noqa: S108
    "MPLCONFIGDIR": "/tmp/.matplotlib",  # noqa: S108
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    # One thread each: 64 processes are allowed, and the batch has a worker per core.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # The order of a set must not change a score from run to run.
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONSAFEPATH": "1",
    "PYTHONNOUSERSITE": "1",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What is bound into one sandbox.

    Attributes:
        bound: Path inside -> path outside, read-only.
        writable: Whether /tmp and /dev/shm exist (small, in memory).
        hidden: Folders covered by an empty one if they lie in something bound.
        capabilities: What the first program keeps until it gives it up, in its own user namespace.
        environment: Beside ENVIRONMENT.
    """

    bound: Mapping[Path, Path]
    writable: bool
    hidden: tuple[Path, ...] = ()
    capabilities: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def sources(self) -> tuple[Path, ...]:
        """Every path outside that must be reachable, topmost ones only."""
        return _topmost([*python_paths(), *self.bound.values()])

    def arguments(self) -> list[str]:
        """The arguments for bubblewrap, without the program."""
        # --unshare-all alone tolerates that there is no user namespace.
        words = [
            "--unshare-all",
            "--unshare-user",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
        ]
        words += ["--uid", "1000", "--gid", "1000", "--hostname", "course"]
        for name in self.capabilities:
            words += ["--cap-add", name]
        for name, value in {**ENVIRONMENT, **self.environment}.items():
            words += ["--setenv", name, value]
        words += _system_arguments()
        system = [Path("/usr") / part for part in _PARTS]
        for path in _topmost([path for path in python_paths() if not _within(path, system)]):
            words += ["--ro-bind", str(path), str(inside(path))]
        words += self._hiding()
        for place, outside in sorted(self.bound.items()):
            words += ["--ro-bind", str(outside), str(place)]
        # Without --dev: its devpts would cost a second user namespace, in which the first program
        # could not mount. No terminal, no /dev/shm of the host's size.
        words += ["--proc", "/proc", "--dir", "/dev"]
        for name in _DEVICES:
            words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
        words += ["--symlink", "/proc/self/fd", "/dev/fd"]
        if self.writable:
            words += ["--size", str(_TMP_BYTES), "--tmpfs", "/tmp"]  # noqa: S108
            words += ["--size", str(_SHM_BYTES), "--tmpfs", "/dev/shm"]  # noqa: S108
        return [*words, "--remount-ro", "/", "--chdir", "/"]

    def _hiding(self) -> list[str]:
        shown = python_paths()
        words: list[str] = []
        for folder in self.hidden:
            around = [path for path in shown if path != folder and path in folder.parents]
            if around or _within(folder, [Path("/usr") / part for part in _PARTS]):
                words += ["--tmpfs", str(folder)]
                for path in shown:  # a venv inside the course's folder stays
                    if folder in path.parents:
                        words += ["--ro-bind", str(path), str(path)]
        return words


def environment(home: Path) -> dict[str, str]:
    """ENVIRONMENT without a sandbox: `home` in the place of /tmp."""
    return {name: value.replace("/tmp", str(home)) for name, value in ENVIRONMENT.items()}  # noqa: S108


def python_paths() -> list[Path]:
    """The parts of this Python, its base and its venv, and its further site-packages."""
    prefixes = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix)}
    prefixes |= {prefix.resolve() for prefix in prefixes}
    paths = {prefix / part for prefix in prefixes for part in _PARTS}
    paths |= {path for path in map(Path, sys.path) if path.name in _PACKAGES}
    paths |= set(_links(Path(sys.executable)))
    return sorted(path for path in paths if path.exists())


def inside(path: Path) -> Path:
    """Where a path of this Python or its venv is, in the sandbox.

    Raises:
        MissingOnMachine: Python itself lies where the sandbox has folders of its own.
    """
    if not _within(path, _TAKEN):
        return path
    for prefix in (Path(sys.prefix), Path(sys.prefix).resolve()):
        if sys.prefix != sys.base_prefix and _within(path, [prefix]):
            return _MOVED / path.relative_to(prefix)
    if path.name in _PACKAGES:  # another environment's, which this one imports from
        return _MOVED / "further" / sha256(str(path).encode()).hexdigest()[:12]
    raise MissingOnMachine(
        f"Python lies in {path}, which is no place that a sandbox can show. "
        "Make the environment with a Python installed elsewhere."
    )


def import_path(folders: Iterable[Path]) -> str:
    """PYTHONPATH inside: `folders`, then site-packages that Python would not find itself."""
    own = [Path(sys.prefix), Path(sys.prefix).resolve(), Path(sys.base_prefix)]
    further = [
        path for path in map(Path, sys.path) if path.name in _PACKAGES and not _within(path, own)
    ]
    return os.pathsep.join(str(path) for path in [*folders, *map(inside, further)])


def _links(file: Path) -> list[Path]:
    """Every hop of a link, such as a venv's `python`."""
    hops = []
    while file.is_symlink():
        file = Path(os.path.normpath(file.parent / file.readlink()))
        hops.append(file)
    return hops


def _system_arguments() -> list[str]:
    words: list[str] = []
    for prefix in ("/usr", "/usr/local"):
        for part in _PARTS:
            path = Path(prefix) / part
            if path.is_symlink():
                words += ["--symlink", str(path.readlink()), str(path)]
            elif path.exists():
                words += ["--ro-bind", str(path), str(path)]
    for name in ("bin", "lib", "lib32", "lib64"):
        path = Path("/") / name
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for file in _ETC:
        words += ["--ro-bind-try", file, file]
    return words


def _topmost(paths: Iterable[Path]) -> tuple[Path, ...]:
    kept: list[Path] = []
    for path in sorted(set(paths)):
        if not _within(path, kept):
            kept.append(path)
    return tuple(kept)


def _within(path: Path, folders: Iterable[Path]) -> bool:
    return any(folder == path or folder in path.parents for folder in folders)
