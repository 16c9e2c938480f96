"""Which file system holds a path, and whether others share it.

Pure functions read the tables as text, so that tests can fake them; `file_system_of` asks this
machine.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath


class Kind(StrEnum):
    """What a file system means for an experiment."""

    LOCAL = "local"
    MEMORY = "memory"
    """Pages of RAM: nothing ever reaches a disk."""
    OVERLAY = "overlay"
    """A container's layers; what lies below cannot be seen from inside."""
    SHARED = "shared"
    """Others use it at the same time, over a network."""
    UNKNOWN = "unknown"


_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "rootfs"})
_OVERLAY = frozenset({"overlay", "overlayfs", "aufs", "unionfs", "fuse.fuse-overlayfs"})
_LOCAL = frozenset(
    {
        *("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "reiserfs"),
        *("ntfs", "ntfs3", "fuseblk", "vfat", "msdos", "exfat", "apfs", "hfs", "hfsplus", "ufs"),
        *("refs", "fat32", "nilfs2", "fuse.ntfs-3g"),
    }
)
_SHARED = frozenset(
    {
        *("nfs", "nfs4", "lustre", "gpfs", "mmfs", "ceph", "fuse.ceph", "fuse.ceph-fuse", "cifs"),
        *("smb", "smb2", "smb3", "smbfs", "afpfs", "afs", "beegfs", "fhgfs", "glusterfs"),
        *("fuse.glusterfs", "pvfs2", "orangefs", "panfs", "wekafs", "9p", "virtiofs", "davfs"),
        *("webdav", "ocfs2", "gfs2", "fuse.sshfs", "fuse.s3fs", "fuse.juicefs", "fuse.gcsfuse"),
        *("quobyte", "fuse.quobyte", "moosefs", "fuse.mfs", "vboxsf", "prl_fs", "vmhgfs"),
    }
)
_ESCAPE = re.compile(r"\\([0-7]{3})")
_FIELDS_BEFORE_DASH = 6
_MACOS_LINE = re.compile(r"^(?P<device>.+?) on (?P<point>/.*) \((?P<type>[^,)]+)(?:,[^)]*)?\)$")
_DRIVE_REMOTE, _DRIVE_FIXED, _DRIVE_REMOVABLE, _DRIVE_RAM = 4, 3, 2, 6


@dataclass(frozen=True, kw_only=True)
class Mount:
    """One line of a mount table.

    Attributes:
        point: Where it is mounted.
        type: Name of the file system, as the kernel has it.
        device: "major:minor" where the table tells, else "".
        read_only: Whether nothing can be written.
    """

    point: str
    type: str
    device: str = ""
    read_only: bool = False


def kind_of(type_: str) -> Kind:
    """Return what a type of file system means; any other FUSE counts as shared, to be safe."""
    name = type_.lower()
    for kind, names in (
        (Kind.MEMORY, _MEMORY),
        (Kind.OVERLAY, _OVERLAY),
        (Kind.LOCAL, _LOCAL),
        (Kind.SHARED, _SHARED),
    ):
        if name in names:
            return kind
    return Kind.SHARED if name.startswith(("fuse", "nfs", "macfuse", "osxfuse")) else Kind.UNKNOWN


def parse_mountinfo(text: str) -> list[Mount]:
    """Return the mounts of Linux' /proc/self/mountinfo, later ones last."""
    mounts = []
    for line in text.splitlines():
        fields = line.split(" ")
        if "-" not in fields[_FIELDS_BEFORE_DASH:]:
            continue
        dash = fields.index("-", _FIELDS_BEFORE_DASH)
        mounts.append(
            Mount(
                point=_ESCAPE.sub(lambda code: chr(int(code[1], 8)), fields[4]),
                type=fields[dash + 1],
                device=fields[2],
                read_only="ro" in fields[5].split(","),
            )
        )
    return mounts


def parse_mount_command(text: str) -> list[Mount]:
    """Return the mounts that macOS' `mount` prints: `/dev/disk3s1 on / (apfs, local)`."""
    found = (_MACOS_LINE.match(line) for line in text.splitlines())
    return [
        Mount(point=one["point"], type=one["type"], read_only="read-only" in one[0])
        for one in found
        if one
    ]


def mount_of(path: PurePosixPath, mounts: Sequence[Mount]) -> Mount | None:
    """Return the mount that holds an absolute path: the deepest, of equal ones the last."""
    best: Mount | None = None
    for mount in mounts:
        point = PurePosixPath(mount.point)
        if point != path and point not in path.parents:
            continue
        if best is None or len(point.parts) >= len(PurePosixPath(best.point).parts):
            best = mount
    return best


def existing_part(path: Path) -> Path:
    """Return the path, or the nearest folder above it that exists, links followed."""
    resolved = path.expanduser().resolve()
    for folder in (resolved, *resolved.parents):
        # Not exists(): what it says no to instead of raising differs between versions of Python.
        with suppress(FileNotFoundError, NotADirectoryError):
            folder.stat()
            return folder
    return resolved


def file_system_of(path: Path, mounts: Iterable[Mount] | None = None) -> Mount:
    """Return the mount that holds a path; its type is "unknown" where the system does not tell.

    Args:
        path: Need not exist yet.
        mounts: Instead of this machine's own table.
    """
    unknown = Mount(point="", type="unknown")
    # The look at the path comes first: an automounter puts the real mount there then.
    there = existing_part(path)
    if mounts is None and sys.platform == "win32":
        return _windows(there)
    table = list(_mounts_here() if mounts is None else mounts)
    return mount_of(PurePosixPath(there.as_posix()), table) or unknown


def _mounts_here() -> list[Mount]:
    table = Path("/proc/self/mountinfo")
    if table.exists():
        return parse_mountinfo(table.read_text(encoding="utf-8", errors="surrogateescape"))
    try:
        shown = subprocess.run(
            ["/sbin/mount"], capture_output=True, timeout=10, check=True, text=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return parse_mount_command(shown.stdout)


def _windows(path: Path) -> Mount:
    root = os.path.splitdrive(path)[0] + "\\"
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - mypy on Linux knows no windll
    drive = kernel.GetDriveTypeW(root)
    if root.startswith("\\\\") or drive == _DRIVE_REMOTE:
        return Mount(point=root, type="smb")
    if drive == _DRIVE_RAM:
        return Mount(point=root, type="ramfs")
    name = ctypes.create_unicode_buffer(64)
    known = kernel.GetVolumeInformationW(root, None, 0, None, None, None, name, len(name))
    fixed = drive in {_DRIVE_FIXED, _DRIVE_REMOVABLE}
    return Mount(point=root, type=name.value.lower() if known and fixed else "unknown")
