"""The same state saved by PyTorch Distributed Checkpoint and by this pipeline, side by side.

Several rank processes (gloo, CPU, loopback) hold tensors of their own and save them in turn by
`save` (training stands still until all is written), `async_save` (until the state is staged) and
by this pipeline. DCP writes at least one file a rank and one `.metadata`: it does not make the
number of files go away, it makes it one a rank, and all ranks create theirs at one instant. It
runs with its defaults here; a staging cache of its own would block for less.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lessons.classroom.language import say
from lessons.lesson03.pipeline.directory_store import DirectoryStore
from lessons.lesson03.pipeline.errors import MissingPackage, PipelineError
from lessons.lesson03.pipeline.naming import new_attempt
from lessons.lesson03.pipeline.saver import Saver
from lessons.lesson03.pipeline.store import PatientStore

WAYS = ("DCP save", "DCP async_save", "spill", "spill and commit")
_PATIENCE_S = 240


@dataclass(frozen=True, kw_only=True)
class Timed:
    """One save by one rank.

    Attributes:
        way: One of `WAYS`.
        repeat: From 0; 0 also pays for what is set up once.
        rank: From 0.
        blocked_s: Seconds that training stood still.
        total_s: Seconds until this rank's part was durable (for "spill and commit", on rank 0,
            until the manifest was).
    """

    way: str
    repeat: int
    rank: int
    blocked_s: float
    total_s: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All saves of all ranks, and what each way left on the disk.

    Attributes:
        ranks: How many processes.
        state_bytes: Of one rank.
        timed: The saves.
        files: For each way the files of its last save: path below its folder, bytes.
    """

    ranks: int
    state_bytes: int
    timed: tuple[Timed, ...]
    files: dict[str, tuple[tuple[str, int], ...]]


def compare_with_dcp(
    folder: Path, *, ranks: int = 4, state_bytes: int = 16_000_000, repeats: int = 3
) -> Comparison:
    """Save a state by each way, some times, with real rank processes.

    Args:
        folder: Where everything is written; subfolders are made and stay.
        ranks: How many processes.
        state_bytes: Of one rank.
        repeats: Saves by each way.

    Raises:
        MissingPackage: torch is not installed.
        PipelineError: A rank failed.
    """
    try:
        import torch  # noqa: F401, PLC0415  only the extra `labs` has it
    except ModuleNotFoundError:
        raise MissingPackage("torch") from None
    folder.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    told = (folder, ranks, state_bytes, repeats, new_attempt())
    processes = [context.Process(target=_rank, args=(rank, *told)) for rank in range(ranks)]
    for process in processes:
        process.start()
    end = time.monotonic() + _PATIENCE_S
    for process in processes:
        process.join(max(0.0, end - time.monotonic()))
    codes = [process.exitcode for process in processes]
    for process in processes:
        process.kill()
    if any(codes):
        raise PipelineError(
            say(f"有 rank 失败，退出码为 {codes}。", f"A rank failed, exit codes {codes}.")
        )
    rows = [
        Timed(**row)
        for rank in range(ranks)
        for row in json.loads((folder / f"rank-{rank}.json").read_text(encoding="utf-8"))
    ]
    files = {way: _listed(folder / _name(way)) for way in WAYS}
    return Comparison(ranks=ranks, state_bytes=state_bytes, timed=tuple(rows), files=files)


def _name(way: str) -> str:
    return way.lower().replace(" ", "-")


def _listed(folder: Path) -> tuple[tuple[str, int], ...]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return tuple(
        sorted((path.relative_to(folder).as_posix(), path.stat().st_size) for path in files)
    )


def _rank(  # noqa: PLR0913, PLR0917  what a process is told
    rank: int, folder: Path, ranks: int, state_bytes: int, repeats: int, attempt: str
) -> None:
    """Be one rank."""
    import torch  # noqa: PLC0415
    import torch.distributed as dist  # noqa: PLC0415

    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    meeting = (folder / f"meeting-{attempt}").resolve().as_uri()
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=ranks)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(rank)
    count = max(1, state_bytes // 4 // 8)
    state = {
        f"rank{rank}.layer{number}": torch.randn(count, generator=generator) for number in range(8)
    }
    rows = []
    ways = _ways(rank, ranks, folder, attempt, state)
    for repeat in range(repeats):
        for way in WAYS:
            _clear(rank, folder / _name(way), dist.barrier)
            blocked_s, total_s = ways[way](repeat)
            rows.append(
                Timed(way=way, repeat=repeat, rank=rank, blocked_s=blocked_s, total_s=total_s)
            )
    text = json.dumps([asdict(row) for row in rows])
    (folder / f"rank-{rank}.json").write_text(text, encoding="utf-8")
    dist.barrier()
    dist.destroy_process_group()


def _clear(rank: int, folder: Path, barrier: Callable[[], object]) -> None:
    """Remove a folder's files and let all ranks begin at one moment, with nothing left to flush."""
    barrier()
    if rank == 0:
        for path in folder.rglob("*"):
            if path.is_file():
                path.unlink()
        if hasattr(os, "sync"):
            os.sync()
    barrier()


def _ways(
    rank: int, ranks: int, folder: Path, attempt: str, state: dict[str, Any]
) -> dict[str, Callable[[int], tuple[float, float]]]:
    """Return for each way a function that saves once: (blocked, total) seconds."""
    import torch.distributed.checkpoint as dcp  # noqa: PLC0415

    member: dict[str, Any] = {"rank": rank, "ranks": ranks, "attempt": attempt}
    spill = folder / _name("spill")
    both = folder / _name("spill and commit")
    spiller = Saver(node=spill / f"node-{rank}", store=None, **member)
    store = PatientStore(DirectoryStore(both / "store"))
    saver = Saver(node=both / f"node-{rank}", store=store, **member)
    for one in (spiller, saver):
        one.reserve(state)

    def save(_: int) -> tuple[float, float]:
        began = time.perf_counter()
        dcp.save(state, checkpoint_id=folder / _name("DCP save"))
        total_s = time.perf_counter() - began
        return total_s, total_s

    def async_save(_: int) -> tuple[float, float]:
        began = time.perf_counter()
        future = dcp.async_save(state, checkpoint_id=folder / _name("DCP async_save"))
        blocked_s = time.perf_counter() - began
        future.result()
        return blocked_s, time.perf_counter() - began

    def ours(with_: Saver) -> Callable[[int], tuple[float, float]]:
        def once(repeat: int) -> tuple[float, float]:
            saved = with_.save(repeat, state).wait(_PATIENCE_S)
            return saved.blocked_s, saved.total_s

        return once

    return dict(zip(WAYS, (save, async_save, ours(spiller), ours(saver)), strict=True))
