"""The system-call filter of the sandbox, assembled here: libseccomp cannot be relied on.

Bound into the sandbox: standard library only.
"""

from __future__ import annotations

import errno
import struct

# linux/audit.h
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# What a submission never needs, with its number on x86_64 and aarch64 (None: not there).
# Without the memory calls (shmget, memfd_*) RLIMIT_AS is bypassed: 3 GB were held under a limit
# of 1 GB. mount, umount2 and the namespaces would uncover what the private /tmp covers.
DENIED: dict[str, tuple[int | None, int | None]] = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "fsconfig": (431, 431),
    "fspick": (433, 433),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "mount_setattr": (442, 442),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "fanotify_init": (300, 262),
    "personality": (135, 92),
}
# The families whose sockets a network namespace holds in, and which Python's library needs.
# AF_VSOCK does not belong to any namespace: through it a virtual machine reaches its host.
_SOCKET = (41, 198)
_FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
_CLONE = (56, 220)
# clone3 hides its flags behind a pointer that a filter cannot read. ENOSYS, not EPERM: the C
# library then falls back to clone, whose flags can be checked.
_CLONE3 = 435
# CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}; the bit of NEWTIME is part of clone's exit signal.
_NAMESPACE_FLAGS = 0x7E020000
_X32_BIT = 0x40000000

_LOAD_WORD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_AT_NUMBER, _AT_ARCHITECTURE, _AT_FIRST_ARGUMENT = 0, 4, 16  # struct seccomp_data, little endian


def program(machine: str) -> bytes:
    """The filter as an array of `struct sock_filter`.

    Args:
        machine: As `os.uname().machine` says it.

    Raises:
        KeyError: No table for that machine.
    """
    column = _column(machine)
    lines = [
        (_LOAD_WORD, 0, 0, _AT_ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),  # a 32-bit call has other numbers: nothing below would hold
        (_LOAD_WORD, 0, 0, _AT_NUMBER),
    ]
    if machine == "x86_64":
        # x32 calls carry the same architecture and a bit of their own.
        lines += [(_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT), _refuse(errno.ENOSYS)]
    for numbers in DENIED.values():
        number = numbers[column]
        if number is not None:
            lines += [(_JUMP_EQUAL, 0, 1, number), _refuse(errno.EPERM)]
    lines += [(_JUMP_EQUAL, 0, 1, _CLONE3), _refuse(errno.ENOSYS)]
    families = sorted(_FAMILIES.values())
    lines += [
        (_JUMP_EQUAL, 0, len(families) + 3, _SOCKET[column]),
        (_LOAD_WORD, 0, 0, _AT_FIRST_ARGUMENT),
        # Each to the last line of this block.
        *((_JUMP_EQUAL, len(families) - at, 0, one) for at, one in enumerate(families)),
        _refuse(errno.EAFNOSUPPORT),
        (_RETURN, 0, 0, _ALLOW),
    ]
    lines += [
        (_JUMP_EQUAL, 0, 3, _CLONE[column]),
        (_LOAD_WORD, 0, 0, _AT_FIRST_ARGUMENT),
        (_JUMP_SET, 0, 1, _NAMESPACE_FLAGS),
        _refuse(errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def clone_number(machine: str) -> int:
    """The number of the system call `clone`.

    Args:
        machine: As `os.uname().machine` says it.

    Raises:
        KeyError: No table for that machine.
    """
    return _CLONE[_column(machine)]


def _column(machine: str) -> int:
    if machine not in _ARCHITECTURES:
        raise KeyError(machine)
    return list(_ARCHITECTURES).index(machine)


def _refuse(code: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _ERRNO | code)
