"""Push a file's pages out of the page cache, and look whether they are gone.

`posix_fadvise(DONTNEED)` drops the clean pages of one file: nobody else pays. Writing to
/proc/sys/vm/drop_caches drops everyone's; it is done only where a person asked for it.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from lessons.lesson03.experiments.said import Said

PAGE = 4096
_DROP = Path("/proc/sys/vm/drop_caches")
_PAGES_AND_INODES = "3\n"

NO_EVICTION = Said(
    zh="这个系统不让程序清掉自己文件的缓存（没有 posix_fadvise），「冷」这一组没有量。",
    en="This system does not let a program drop its file from the cache (no posix_fadvise), so "
    "nothing cold was measured.",
)
IN_MEMORY = Said(
    zh="文件就在内存里，没有「冷」可言，「冷」这一组没有量。",
    en="The files are in memory and never cold, so nothing cold was measured.",
)
COLD_IN_GUEST = Said(
    zh="「冷」指这台机器的 page cache 里没有；虚拟机下面的宿主机、盘自己的缓存看不见，也没有清。",
    en="Cold means: not in this machine's page cache. Caches of a host below it, or of the disk "
    "itself, cannot be seen and were not emptied.",
)
NO_ROOT = Said(
    zh="清空整机缓存要 root，这里不是；改为只清实验自己的文件（目录项与 inode 仍是热的）。",
    en="Dropping the machine's caches needs root: only the experiment's own files were dropped; "
    "directory entries and inodes stay warm.",
)
DROPPED_ALL = Said(
    zh="清空了整机的 page cache、目录项与 inode：这台机器上的每个人都要重新预热。",
    en="The whole machine's page cache, directory entries and inodes were dropped: everyone on "
    "it has to warm up again.",
)


def can_evict() -> bool:
    """Whether this system can drop the pages of one file."""
    return hasattr(os, "posix_fadvise")


def evict(handle: int, offset: int = 0, size: int = 0) -> None:
    """Drop clean pages of an open file; all of it with size 0. Dirty ones stay: sync before."""
    if sys.platform == "linux":
        os.posix_fadvise(handle, offset, size, os.POSIX_FADV_DONTNEED)


def evict_file(path: Path) -> None:
    """Drop the clean pages of a file."""
    handle = os.open(path, os.O_RDONLY)
    try:
        evict(handle)
    finally:
        os.close(handle)


def no_readahead(handle: int) -> None:
    """Tell the kernel that reads will be random, so that it does not read more than is asked."""
    if sys.platform == "linux":
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_RANDOM)


def is_cached(handle: int, offset: int) -> bool | None:
    """Whether the page at an offset is in the cache; None where the system does not tell.

    It reads one byte under the condition that this needs no waiting.
    """
    if sys.platform != "linux":
        return None
    try:
        return os.preadv(handle, [bytearray(1)], offset, os.RWF_NOWAIT) == 1
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in {errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS}:
            return None
        raise


def drop_everything() -> Said:
    """Drop the caches of the whole machine if that is allowed, and say what was done."""
    try:
        os.sync()
        _DROP.write_text(_PAGES_AND_INODES, encoding="ascii")
    except (OSError, AttributeError):
        return NO_ROOT
    return DROPPED_ALL
