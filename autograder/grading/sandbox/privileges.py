"""What a process may do, given up for good: ids, namespaces, mounts, capabilities, system calls.

Bound into the sandbox and run by the launcher as root: standard library only.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource
import socket
import struct
from pathlib import Path

from autograder.grading.sandbox import seccomp

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096
MS_REC, MS_PRIVATE = 16384, 1 << 18
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID = 0x20000, 1 << 27, 1 << 28, 1 << 29
CLONE_NEWNET = 1 << 30
_CLONE_PARENT = 0x8000
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_SUBREAPER = (
    1,
    4,
    22,
    24,
    36,
)
_PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
_LAST_CAPABILITY_TRIED = 63
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1
_CAPABILITY_VERSION_3 = 0x20080522

# Above systemd's container ranges (they end at 0x6FFFFFFF) and below 2^31, where no package,
# user, subuid range or service has ids: a shared `nobody` may own other processes, which
# RLIMIT_NPROC would count and a signal could reach.
_HIGH_UID = 1_900_000_000
_HIGH_UIDS = 65_536
_SYSTEM_UIDS = 1_000  # below, distributions keep their own


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilityData(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable"))


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Leave the given namespaces for new ones.

    Raises:
        OSError: Not allowed here.
    """
    _check(_libc.unshare(flags), "unshare")


def fork_into(flags: int) -> int:
    """Fork into new namespaces: 0 in the child, which is the first process of a new PID namespace.

    The child is this process's sibling, so that whoever reaps this one reaps it too. Measured: to
    unshare and then to fork takes a process more, which costs 6 ms.

    Raises:
        OSError: Not allowed here, or unknown how on this machine.
    """
    try:
        number = seccomp.clone_number(os.uname().machine)
    except KeyError:
        raise OSError(errno.ENOSYS, "no system calls are known of this machine") from None
    ctypes.pythonapi.PyOS_BeforeFork()
    words = map(ctypes.c_long, (number, flags | _CLONE_PARENT, 0, 0, 0, 0))
    child: int = _libc.syscall(*words)
    if child == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return 0
    code = ctypes.get_errno()
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    if child < 0:
        raise OSError(code, os.strerror(code), "clone")
    return child


def mount(
    source: str | None, target: str, kind: str | None, flags: int, options: str | None = None
) -> None:
    """Mount a file system, or change how one is mounted.

    Raises:
        OSError: Not allowed here, or no such thing.
    """
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    data = None if options is None else options.encode()
    _check(_libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), data), target)


def make_mounts_private() -> None:
    """A mount namespace of one's own, from which nothing propagates back.

    Raises:
        OSError: Without CAP_SYS_ADMIN.
    """
    unshare(CLONE_NEWNS)
    mount(None, "/", None, MS_REC | MS_PRIVATE)


def open_loopback() -> None:
    """Let processes of a new network namespace reach each other, and nothing else.

    Raises:
        OSError: Not allowed here.
    """
    request = struct.pack("16sH22x", b"lo", _IFF_UP)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request)


def die_with_parent(signal: int) -> None:
    """Receive `signal` when the parent ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, signal, 0, 0, 0), "prctl")


def become_reaper() -> None:
    """Become the parent of every orphaned descendant, so that none is lost sight of."""
    _check(_libc.prctl(_PR_SET_SUBREAPER, 1, 0, 0, 0), "prctl")


def drop_to(uid: int) -> None:
    """Become an unprivileged user and group without further groups.

    Raises:
        OSError: Not root, or the id does not exist in this user namespace.
    """
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if os.getuid() != uid or os.geteuid() != uid or os.getgroups():
        raise OSError(errno.EPERM, "still privileged")


def unprivileged_uid(process: int) -> int:
    """A user id that nothing on this machine has.

    Args:
        process: Spreads graders that run at once over different ids.

    Raises:
        LookupError: This user namespace maps root only.
    """
    mapped = [
        (int(first), int(count))
        for first, _, count in map(str.split, Path("/proc/self/uid_map").read_text().splitlines())
    ]
    wanted = _HIGH_UID + process % _HIGH_UIDS
    if any(first <= wanted < first + count for first, count in mapped):
        return wanted
    # In a container: the highest ids that exist there, far above its packages' and users'.
    first, count = max(mapped)
    if first + count < _SYSTEM_UIDS:
        raise LookupError("this user namespace has no unprivileged id")
    return first + count - 1 - process % min(64, count)


def empty_capabilities() -> None:
    """Give up every capability, also for children and after exec."""
    for number in range(_LAST_CAPABILITY_TRIED + 1):
        _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)  # refused without CAP_SETPCAP: then moot
    _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header, data = _CapabilityHeader(_CAPABILITY_VERSION_3, 0), (_CapabilityData * 2)()
    _check(_libc.capset(ctypes.byref(header), ctypes.byref(data)), "capset")


def forbid_new_privileges() -> None:
    """set-uid programs give nothing from here on."""
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")


def filter_system_calls() -> None:
    """Install the filter of `seccomp`; needs `forbid_new_privileges` before.

    Raises:
        OSError: The kernel was built without it.
        KeyError: No table for this machine.
    """
    code = seccomp.program(os.uname().machine)
    filter_ = _FilterProgram(len(code) // 8, code)
    _check(_libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(filter_), 0, 0), "seccomp")


def close_streams() -> None:
    """Put /dev/null on the descriptors 0 to 2: none of the grader's files stays reachable."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    os.close(null)


def hide_process(hidden: bool) -> None:
    """Keep a process's memory and descriptors in /proc from others of the same user, or not."""
    _check(_libc.prctl(_PR_SET_DUMPABLE, 0 if hidden else 1, 0, 0, 0), "prctl")


def mapped_bytes(unknown: int) -> int:
    """What this process has mapped, which is far more than it uses; `unknown` where none says."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return unknown
    return pages * resource.getpagesize()


def limit(name: str, value: int) -> None:
    """Set soft and hard RLIMIT_<name>, never above the hard limit that holds already."""
    kind = getattr(resource, f"RLIMIT_{name}")
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def _check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what)
