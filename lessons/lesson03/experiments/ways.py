"""The ways to read a file at random that this platform has, each with its preparation."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lessons.lesson03.experiments import pagecache
from lessons.lesson03.experiments.bench import Bench
from lessons.lesson03.experiments.machine import has_gds
from lessons.lesson03.experiments.mounts import Kind
from lessons.lesson03.experiments.readers import Read, Unavailable, buffered, direct, gds
from lessons.lesson03.experiments.said import Said

COLD, WARM, DIRECT, GDS = "cold", "warm", "direct", "gds"
_NO_GDS = Said(
    zh="这里没有 NVIDIA GPU 加 kvikio，GDS 那一组没有量。",
    en="There is no NVIDIA GPU with kvikio here, so no GDS reads were measured.",
)
_MACOS = Said(
    zh="macOS 没有 O_DIRECT，「直接读」用的是 F_NOCACHE：读过的不留在缓存里，但不等于绕过缓存。",
    en="macOS has no O_DIRECT: the direct reads use F_NOCACHE, which keeps nothing in the cache "
    "but does not bypass it.",
)
_IN_MEMORY = Said(
    zh="文件就在内存里：清不掉，O_DIRECT 也没有可绕过的，「冷」与「直接读」两组没有量。",
    en="The file is in memory: it cannot be dropped and O_DIRECT has nothing to bypass, so neither "
    "cold nor direct reads were measured.",
)


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way to read.

    Attributes:
        name: Of its series.
        read: Reads bytes at an offset.
        prepare: Done before each read, with the same offset and size, and not timed.
    """

    name: str
    read: Read
    prepare: Callable[[int, int], object]


@contextmanager
def ways_here(here: Bench, path: Path, largest: int) -> Iterator[list[Way]]:
    """Open the file in every way that this platform has, and note what it lacks.

    Args:
        here: Where the notes go.
        path: The file; its bytes are on the disk.
        largest: The largest read, bytes.
    """
    with ExitStack() as stack:
        handle, read = stack.enter_context(buffered(path, largest))
        pagecache.no_readahead(handle)
        ways = []
        if here.place.kind is Kind.MEMORY:
            here.note(_IN_MEMORY)
        elif not pagecache.can_evict():
            here.note(pagecache.NO_EVICTION)
        else:
            here.note(pagecache.COLD_IN_GUEST)
            ways.append(
                Way(name=COLD, read=read, prepare=lambda at, n: pagecache.evict(handle, at, n))
            )
        ways.append(Way(name=WARM, read=read, prepare=read))
        if here.place.kind is not Kind.MEMORY:
            ways += _past_the_cache(here, stack, path, largest)
        if has_gds():
            modules = importlib.import_module("kvikio"), importlib.import_module("cupy")
            to_gpu = stack.enter_context(gds(path, largest, *modules))
            ways.append(Way(name=GDS, read=to_gpu, prepare=_nothing))
        else:
            here.note(_NO_GDS)
        yield ways


def _past_the_cache(here: Bench, stack: ExitStack, path: Path, largest: int) -> list[Way]:
    try:
        read = stack.enter_context(direct(path, largest))
    except Unavailable as error:
        here.note(error.said)
        return []
    if sys.platform == "darwin":
        here.note(_MACOS)
    return [Way(name=DIRECT, read=read, prepare=_nothing)]


def _nothing(_offset: int, _size: int) -> None:
    return
