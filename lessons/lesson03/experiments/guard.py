"""May an experiment run here, and how large? A class must not become the storm it studies.

`decide` is pure: what was asked for and what the machine is like go in, and what may be done or a
refusal comes out.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from lessons.lesson03.experiments.cgroups import Limits, limits_here
from lessons.lesson03.experiments.machine import available_bytes
from lessons.lesson03.experiments.mounts import Kind, Mount, existing_part, file_system_of, kind_of
from lessons.lesson03.experiments.said import Refused, Said

SHARED_WRITERS = 64
SHARED_BYTES = 256_000_000
ASK_FROM_BYTES = 2_000_000_000
_SPARE = 1.5
"""Free space needed, as a multiple of what will be written."""
_MEMORY_SHARE = 0.5
"""Of the memory left: what an experiment may put into a file system that is memory."""


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What an experiment would write at most at a time.

    Attributes:
        writers: That write at once.
        bytes: On disk at once.
    """

    writers: int
    bytes: int


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where an experiment would run.

    Attributes:
        path: An existing folder, or one whose parent exists.
        mount: The file system that holds it.
        explicit: Whether a person named the path.
        free_bytes: Space left there.
        memory_left: Memory of the machine that is left, None where unknown.
        limits: Of the cgroup.
    """

    path: Path
    mount: Mount
    explicit: bool
    free_bytes: int
    memory_left: int | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def kind(self) -> Kind:
        """What its file system means."""
        return kind_of(self.mount.type)


@dataclass(frozen=True, kw_only=True)
class Permit:
    """What may be done, and what has to be said about it.

    Attributes:
        wish: Within the caps.
        notes: About the place, for the record.
        question: To be agreed to before anything is written, or None.
    """

    wish: Wish
    notes: tuple[Said, ...]
    question: Said | None


def decide(wish: Wish, place: Place, *, own: bool) -> Permit:
    """Return what may be done.

    Args:
        wish: What was asked for.
        place: Where.
        own: A person said that they answer for this file system.

    Raises:
        Refused: It may not run there.
    """
    if place.mount.read_only:
        raise Refused(
            Said(
                zh=f"{place.path}：只读，写不进去。请用 --path 换一个目录。",
                en=f"{place.path}: read-only. Name another folder with --path.",
            )
        )
    notes = list(_about(place))
    if place.kind in {Kind.SHARED, Kind.UNKNOWN}:
        if not (place.explicit and own):
            raise Refused(_shared(place))
        capped = Wish(
            writers=min(wish.writers, SHARED_WRITERS), bytes=min(wish.bytes, SHARED_BYTES)
        )
        if capped != wish:
            notes.append(
                Said(
                    zh="共享文件系统：最多 64 个写者、256 MB，已按上限缩小。",
                    en="Shared file system: cut down to the cap of 64 writers and 256 MB.",
                )
            )
        wish = capped
    wish = _within_memory(wish, place, notes)
    if wish.bytes * _SPARE > place.free_bytes:
        raise Refused(
            Said(
                zh=f"{place.path}：只剩 {_mb(place.free_bytes)}，要写 {_mb(wish.bytes)}，"
                "还应留一半余量。请腾出空间，或换一个目录。",
                en=f"{place.path}: {_mb(place.free_bytes)} are left, {_mb(wish.bytes)} would be "
                "written, with half as much to spare. Make room or name another folder.",
            )
        )
    return Permit(wish=wish, notes=tuple(notes), question=_question(wish, place))


def place_of(path: Path | None, locate: Callable[[Path], Mount] = file_system_of) -> Place:
    """Return where to run: the path, or the working or the temporary folder, a local one first.

    Raises:
        Refused: The path cannot even be looked at.
    """
    try:
        return _looked_at(path, locate)
    except (OSError, RuntimeError, ValueError) as error:  # Runtime: a loop of links, no home
        why = getattr(error, "strerror", None) or error
        raise Refused(
            Said(
                zh=f"{path or '工作目录'}：打不开（{why}）。请用 --path 换一个目录。",
                en=f"{path or 'working folder'}: cannot be opened ({why}). Name another folder "
                "with --path.",
            )
        ) from error


def _looked_at(path: Path | None, locate: Callable[[Path], Mount]) -> Place:
    candidates = [path] if path is not None else [Path.cwd(), Path(tempfile.gettempdir())]
    found = [(one, locate(one)) for one in candidates]
    order = [Kind.LOCAL, Kind.OVERLAY, Kind.MEMORY, Kind.UNKNOWN, Kind.SHARED]
    chosen, mount = min(found, key=lambda one: order.index(kind_of(one[1].type)))
    there = existing_part(chosen)
    return Place(
        path=chosen.expanduser().resolve(),
        mount=mount,
        explicit=path is not None,
        free_bytes=shutil.disk_usage(there).free,
        memory_left=available_bytes(),
        limits=limits_here(mount.device),
    )


def settle(wish: Wish, place: Place, *, own: bool, agree: Callable[[Said], bool]) -> Permit:
    """Return what may be done, after asking where that is needed.

    Raises:
        Refused: It may not run there, or the person said no.
    """
    permit = decide(wish, place, own=own)
    if permit.question is not None and not agree(permit.question):
        raise Refused(
            Said(
                zh="没有同意，什么都没写。用更小的 --megabytes 再试，或加 --yes。",
                en="Not agreed to; nothing was written. Try a smaller --megabytes, or add --yes.",
            )
        )
    return permit


def _about(place: Place) -> list[Said]:
    notes = []
    if place.kind is Kind.MEMORY:
        notes.append(
            Said(
                zh=f"这里是 {place.mount.type}，数据只在内存里：fsync 什么也不做，量到的不是盘。",
                en=f"This is {place.mount.type}: data stay in memory, fsync does nothing, and "
                "what is measured is no disk.",
            )
        )
    if place.kind is Kind.OVERLAY:
        notes.append(
            Said(
                zh="这里是容器的叠加层（overlay），下面是哪种盘从里面看不见。",
                en="This is a container's overlay; what disk lies below cannot be seen.",
            )
        )
    for key, name in (("rbps", "B/s"), ("wbps", "B/s"), ("riops", "IOPS"), ("wiops", "IOPS")):
        if key in place.limits.io:
            way = ("读", "reads") if key[0] == "r" else ("写", "writes")
            much = f"{place.limits.io[key]:,} {name}"
            notes.append(
                Said(
                    zh=f"cgroup 把这块盘的{way[0]}限在 {much}，量到的是这个限额。",
                    en=f"The cgroup limits {way[1]} of this device to {much}.",
                )
            )
    return notes


def _within_memory(wish: Wish, place: Place, notes: list[Said]) -> Wish:
    """Cut down what would fill the memory that this process may use."""
    known = [one for one in (place.limits.memory_bytes, place.memory_left) if one is not None]
    # The page cache counts against the cgroup, so that a larger file is never all warm.
    room = int(min(known, default=wish.bytes * 4) * _MEMORY_SHARE)
    if wish.bytes <= room:
        return wish
    notes.append(
        Said(
            zh=f"内存（或 cgroup 限额）只容得下 {_mb(room)}，文件已缩小。",
            en=f"Memory, or the cgroup's limit, has room for {_mb(room)}: cut down to that.",
        )
    )
    return replace(wish, bytes=room)


def _shared(place: Place) -> Said:
    what = place.mount.type
    return Said(
        zh=f"{place.path} 在 {what} 上，可能有很多人在共用，实验不在这里跑。请用 --path 换到"
        "本地盘；确实归你管的话，同时写明 --path 和 --i-own-this（上限 64 个写者、256 MB）。",
        en=f"{place.path} is on {what}, which others may share, so the experiment does not run "
        "there. Name a local folder with --path; if it is yours to load, give both --path and "
        "--i-own-this (at most 64 writers, 256 MB).",
    )


def _question(wish: Wish, place: Place) -> Said | None:
    if wish.bytes <= ASK_FROM_BYTES:
        return None
    return Said(
        zh=f"将在 {place.path} 写入 {_mb(wish.bytes)}，结束后删除。继续吗？",
        en=f"{_mb(wish.bytes)} will be written in {place.path} and removed afterwards. Go on?",
    )


def _mb(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
