"""What a crash may leave of a directory tree: files recorded op by op, replayed with losses.

POSIX promises little without fsync. Data of a file is durable up to its last fsync; what was
written later may be there, page by page, or not, or read as zeros. A name is durable once its
folder was synced; of later creations, renames, links and removals any subset may have happened.
A rename between two folders is two changes. A folder whose own name is lost takes all with it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from lessons.lesson03.pipeline.checksums import Block
from lessons.lesson03.pipeline.files import Files

PAGE = 4096


@dataclass(frozen=True, kw_only=True)
class Op:
    """One call: `kind` is create, write, sync, name, unname, mkdir, sync_folder or ack."""

    kind: str
    inode: int = -1
    folder: int = -1
    name: str = ""
    data: bytes = b""
    group: int = -1  # ops of one group happen together or not at all
    ack: tuple[str, int] = ("", -1)


@dataclass
class Recorder(Files):
    """Does what `Files` does below `root`, and writes it down."""

    root: Path
    ops: list[Op] = field(default_factory=list)
    _inodes: dict[Path, int] = field(default_factory=dict)
    _open: dict[int, int] = field(default_factory=dict)
    _next: int = 1

    def __post_init__(self) -> None:
        self._inodes[self.root] = 0

    def acknowledge(self, what: str, step: int) -> None:
        self.ops.append(Op(kind="ack", ack=(what, step)))

    def _new(self, path: Path) -> int:
        self._inodes[path] = self._next
        self._next += 1
        return self._inodes[path]

    def _name(self, path: Path, inode: int, group: int = -1) -> Op:
        folder = self._inodes[path.parent]
        return Op(kind="name", inode=inode, folder=folder, name=path.name, group=group)

    def _unname(self, path: Path, group: int = -1) -> Op:
        return Op(kind="unname", folder=self._inodes[path.parent], name=path.name, group=group)

    def make_folder(self, folder: Path) -> None:
        missing = [one for one in (folder, *folder.parents) if not one.exists()]
        for one in reversed(missing):
            one.mkdir()
            inode = self._new(one)
            self.ops += [Op(kind="mkdir", inode=inode), self._name(one, inode)]
        for one in missing:  # the same syncs as the original
            self.sync_folder(one.parent)

    def create(self, path: Path) -> int:
        descriptor = super().create(path)
        inode = self._open[descriptor] = self._new(path)
        self.ops += [Op(kind="create", inode=inode), self._name(path, inode)]
        return descriptor

    def write(self, descriptor: int, data: Block) -> None:
        self.ops.append(Op(kind="write", inode=self._open[descriptor], data=bytes(data)))
        super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        super().sync(descriptor)
        self.ops.append(Op(kind="sync", inode=self._open[descriptor]))

    def replace(self, source: Path, target: Path) -> None:
        super().replace(source, target)
        inode = self._inodes.pop(source)
        self._inodes[target] = inode
        same = source.parent == target.parent
        group = len(self.ops) if same else -1
        self.ops += [self._name(target, inode, group), self._unname(source, group)]

    def link(self, source: Path, target: Path) -> None:
        super().link(source, target)
        self._inodes[target] = self._inodes[source]
        self.ops.append(self._name(target, self._inodes[target]))

    def remove(self, path: Path) -> None:
        if path.exists():
            super().remove(path)
            self._inodes.pop(path)
            self.ops.append(self._unname(path))

    def sync_folder(self, folder: Path) -> None:
        super().sync_folder(folder)
        self.ops.append(Op(kind="sync_folder", folder=self._inodes[folder]))


@dataclass(frozen=True, kw_only=True)
class Crash:
    """Where and how it crashes.

    Attributes:
        at: So many ops had begun.
        cut: Of the last op, if it is a write, so many bytes got through; -1: all.
        power: Whether the page cache is lost too.
        keep: Chance of each change that nothing made durable to have happened all the same.
        seed: Of the choices.
    """

    at: int
    cut: int = -1
    power: bool = False
    keep: float = 0.5
    seed: int = 0


def acknowledged(ops: list[Op], crash: Crash, what: str) -> int:
    """Return the newest step that was acknowledged as `what` before the crash, -1 for none."""
    return max((op.ack[1] for op in ops[: crash.at] if op.ack[0] == what), default=-1)


def replay(ops: list[Op], crash: Crash, target: Path) -> None:
    """Make in `target` what the crash leaves of the recorded tree."""
    chance = random.Random(crash.seed)
    done = _cut(ops[: crash.at], crash.cut)
    content = _content(done, crash, chance)
    folders = _folders(done, crash, chance)
    _make(0, target, content, folders)


def _cut(ops: list[Op], cut: int) -> list[Op]:
    if ops and cut >= 0 and ops[-1].kind == "write":
        last = ops[-1]
        return [*ops[:-1], Op(kind="write", inode=last.inode, data=last.data[:cut])]
    return ops


def _content(ops: list[Op], crash: Crash, chance: random.Random) -> dict[int, bytes]:
    data: dict[int, bytearray] = {}
    durable: dict[int, int] = {}
    for op in ops:
        if op.kind == "create":
            data[op.inode], durable[op.inode] = bytearray(), 0
        elif op.kind == "write":
            data[op.inode] += op.data
        elif op.kind == "sync":
            durable[op.inode] = len(data[op.inode])
    if crash.power:
        for inode, whole in data.items():
            data[inode] = _weathered(whole, durable[inode], crash.keep, chance)
    return {inode: bytes(whole) for inode, whole in data.items()}


def _weathered(whole: bytearray, durable: int, keep: float, chance: random.Random) -> bytearray:
    """Return a file after a power cut: the durable part, then pages that may be zeros or gone."""
    if durable == len(whole):
        return whole
    size = len(whole) if chance.random() < keep else chance.randint(durable, len(whole))
    left = whole[:size]
    for start in range(durable, size, PAGE):
        if chance.random() >= keep:
            end = min(start + PAGE, size)
            torn = chance.choice((start, chance.randint(start, end)))
            left[torn:end] = bytes(end - torn)
    return left


def _folders(ops: list[Op], crash: Crash, chance: random.Random) -> dict[int, dict[str, int]]:
    """Return each folder's names; changes after its last sync happen or not, each on its own."""
    last_sync = {op.folder: place for place, op in enumerate(ops) if op.kind == "sync_folder"}
    verdicts: dict[int, bool] = {}
    names: dict[int, dict[str, int]] = {0: {}}
    for place, op in enumerate(ops):
        if op.kind == "mkdir":
            names[op.inode] = {}
        if op.kind not in {"name", "unname"}:
            continue
        if crash.power and place > last_sync.get(op.folder, -1):
            fresh = chance.random() < crash.keep
            happened = verdicts.setdefault(op.group, fresh) if op.group >= 0 else fresh
            if not happened:
                continue
        if op.kind == "name":
            names[op.folder][op.name] = op.inode
        else:
            names[op.folder].pop(op.name, None)
    return names


def _make(
    inode: int, target: Path, content: dict[int, bytes], folders: dict[int, dict[str, int]]
) -> None:
    if inode in folders:
        target.mkdir(exist_ok=True)
        for name, child in folders[inode].items():
            _make(child, target / name, content, folders)
    else:
        target.write_bytes(content[inode])
