"""Limits that a container or a job scheduler puts on memory and on a device.

Version 2 is one tree with `memory.max` and `io.max`; version 1 has a tree for each controller.
A limit on any group above ours binds us, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
_NO_LIMIT_FROM = 1 << 60
"""Bytes: version 1 writes "no limit" as a number near 2^63."""
_V1_IO = {
    "blkio.throttle.read_bps_device": "rbps",
    "blkio.throttle.write_bps_device": "wbps",
    "blkio.throttle.read_iops_device": "riops",
    "blkio.throttle.write_iops_device": "wiops",
}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What this process may use.

    Attributes:
        memory_bytes: None where nothing limits it.
        io: Of one device: rbps, wbps (B/s), riops, wiops (operations a second).
    """

    memory_bytes: int | None = None
    io: dict[str, int] = field(default_factory=dict)


def limits_of(groups: str, device: str, root: Path = CGROUPS) -> Limits:
    """Return the tightest limits of our groups and of all above them.

    Args:
        groups: Text of /proc/self/cgroup.
        device: "major:minor" of the device that will be used.
        root: Where cgroups are mounted.
    """
    memory: list[int] = []
    io: dict[str, int] = {}
    for line in groups.splitlines():
        _number, controllers, path = line.split(":", 2)
        for folder in _folders(root, controllers, path):
            memory += _numbers(folder / "memory.max", folder / "memory.limit_in_bytes")
            for name, value in _io(folder, device).items():
                io[name] = min(value, io.get(name, value))
    real = [one for one in memory if one < _NO_LIMIT_FROM]
    return Limits(memory_bytes=min(real, default=None), io=io)


def limits_here(device: str) -> Limits:
    """Return the limits of this process; none where there are no cgroups."""
    try:
        groups = Path("/proc/self/cgroup").read_text(encoding="utf-8")
    except OSError:
        return Limits()
    return limits_of(groups, device)


def _folders(root: Path, controllers: str, path: str) -> list[Path]:
    """Our group and those above it; in a container the path may be the host's, so the root too."""
    bases = [root / controllers] if controllers else [root, root / "unified"]
    found = []
    for base in bases:
        inner = base / path.strip("/")
        found += [one for one in (inner, *inner.parents) if one == base or base in one.parents]
    return list(dict.fromkeys(found))


def _numbers(*files: Path) -> list[int]:
    found = []
    for file in files:
        text = _read(file).strip()
        if text.isdigit():
            found.append(int(text))
    return found


def _io(folder: Path, device: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in _read(folder / "io.max").splitlines():
        name, *settings = line.split()
        if name == device:
            pairs = (setting.split("=") for setting in settings)
            found |= {key: int(value) for key, value in pairs if value.isdigit()}
    for file, key in _V1_IO.items():
        for line in _read(folder / file).splitlines():
            fields = line.split()
            if fields[:1] == [device] and fields[-1].isdigit() and int(fields[-1]):
                found[key] = int(fields[-1])
    return found


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""
