"""Q2: which step comes back after a process crash, a reboot, and the loss of a node's directory.

Two drills. In the first the pipeline of the lesson saves step after step, with a log of its file
operations; the log is cut at many places, and each cut is recovered from three times, once for
each failure. In the second rank processes are really killed, and a directory is really removed.
Every state that comes back is compared with what it must be, byte for byte.
"""

from __future__ import annotations

import random
import re
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from lessons.lesson03.experiments.bench import Bench, Request, bench
from lessons.lesson03.experiments.filelog import LoggedFiles, Operation, disk_after, lay_out
from lessons.lesson03.experiments.guard import Wish
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.said import ExperimentError, Said
from lessons.lesson03.experiments.series import Series
from lessons.lesson03.pipeline import (
    DirectoryAddress,
    SaveOptions,
    Saver,
    Ticket,
    new_attempt,
    recover,
)
from lessons.lesson03.pipeline.directory_store import DirectoryStore
from lessons.lesson03.pipeline.errors import NothingToRecover
from lessons.lesson03.pipeline.job import Job, state_of

NAME = "node-loss"
PROCESS, REBOOT, NODE = "process", "reboot", "node"
UNSYNCED = "reboot-unsynced"
"""A reboot, had the pipeline left every fsync out."""
FAILURES = (PROCESS, REBOOT, UNSYNCED, NODE)
LOST, RECOVER = "lost-steps", "recover"
RANKS, PER_NODE = 4, 2
SAVES, CUTS, KILLS = 8, 40, 3
STATE_BYTES = 96_000
_SHARD = re.compile(r"step-(\d{10})\..*\.rank-(\d{5})-of-")
_STARTING_S = 60.0
_AFTER_COMMITS = 2
_SIMULATED = Said(
    zh="「重启」是模拟：按操作日志截断，只留下已 fsync 的数据和目录项，这是 POSIX 允许的最坏情形；"
    "没有真的断电。截断点按操作序号均匀取，不按时间。",
    en="The reboot is simulated: the log of operations is cut, and only fsynced data and names "
    "stay, the worst that POSIX allows. No power was cut. Cuts are even by operation, not in time.",
)
_STORE_STANDS = Said(
    zh="对象存储用同一块盘上的目录代替，并假定它不随节点丢失。",
    en="The object store is a directory on the same disk, taken to outlive the node.",
)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one recovery gave.

    Attributes:
        failure: After which failure.
        begun: Newest step that all ranks had begun to save.
        step: The step that came back, 0 for none.
        took_s: To find it, verify it and load it on all ranks.
        same: Whether all ranks' states are what they must be.
    """

    failure: str
    begun: int
    step: int
    took_s: float
    same: bool


def run(request: Request) -> Record:
    """Drill the loss of a process, of a page cache, of a node.

    Series, for the failures "process", "reboot", "reboot-unsynced" (every fsync left out, to see
    what it is for) and "node", with `at` = ranks: "lost-steps", the newest step that all ranks had
    begun to save less the one that came back; "recover", seconds until it was back.
    Facts: for each drill and failure how many recoveries, how many steps lost, how many states
    were exactly right.

    Raises:
        Refused: It may not run there.
        ExperimentError: A recovery gave a state that was never saved, or the job did not start.
    """
    with bench(Wish(writers=RANKS, bytes=40 * RANKS * STATE_BYTES), request) as here:
        here.note(_SIMULATED)
        here.note(_STORE_STANDS)
        rng = random.Random(here.request.seed)  # noqa: S311 - where to cut, no secret
        cuts = _cut_drill(here, rng)
        kills = _kill_drill(here, rng)
        for outcome in (*cuts, *kills):
            if not outcome.same:
                raise ExperimentError(_WRONG)
        return here.record(
            NAME,
            series=_series(cuts),
            facts=[*_facts("cut", cuts), *_facts("kill", kills)],
            settings={
                "ranks": RANKS,
                "ranks_per_node": PER_NODE,
                "state_bytes": STATE_BYTES,
                "saves": SAVES,
                "cuts": sum(one.failure == PROCESS for one in cuts),
                "kills": len(kills) // 2,
            },
        )


def _series(outcomes: Sequence[Outcome]) -> list[Series]:
    found = []
    for failure in FAILURES:
        mine = [one for one in outcomes if one.failure == failure]
        lost = tuple(float(max(one.begun - one.step, 0)) for one in mine)
        took = tuple(one.took_s for one in mine)
        found.append(Series(what=LOST, how=failure, at=RANKS, values=lost, unit="1"))
        found.append(Series(what=RECOVER, how=failure, at=RANKS, values=took))
    return found


_WRONG = Said(
    zh="恢复出的状态与当时保存的不一致：这是流水线的错误，请报告给课程作者。",
    en="A state came back that was never saved: a fault of the pipeline, please report it.",
)


def _facts(drill: str, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    rows = []
    for failure in FAILURES:
        lost = [max(o.begun - o.step, 0) for o in outcomes if o.failure == failure]
        if lost:
            right = sum(o.same for o in outcomes if o.failure == failure)
            rows.append(
                {
                    "drill": drill,
                    "failure": failure,
                    "recoveries": len(lost),
                    "lost": ", ".join(f"{n} × {lost.count(n)}" for n in sorted(set(lost))),
                    "exactly_right": right,
                }
            )
    return rows


def _cut_drill(here: Bench, rng: random.Random) -> list[Outcome]:
    """Save on with a log, then recover from cuts of the log, once for each failure."""
    outcomes = []
    for start, syncs, failures in (
        (0.0, True, (PROCESS, REBOOT, NODE)),
        (0.4, False, (UNSYNCED,)),
    ):
        home = here.folder / f"logged-{syncs}"
        here.show(start, Said(zh="带日志地保存", en="saving, with a log"))
        log, first = save_logged(home, here.request.seed, LoggedFiles(syncs=syncs))
        cuts = sorted(rng.sample(range(first, len(log)), min(CUTS, len(log) - first)))
        for number, cut in enumerate(cuts):
            if number and not here.time_left:
                break
            share = start + 0.2 + 0.15 * number / len(cuts)
            here.show(share, Said(zh="截断并恢复", en="cutting, recovering"))
            outcomes += [_after_cut(here, log[:cut], failure, home) for failure in failures]
    return outcomes


def save_logged(home: Path, seed: int, files: LoggedFiles) -> tuple[list[Operation], int]:
    """Save some steps, ranks as threads of this process; return the log of file operations.

    Args:
        home: Gets the nodes' directories and the store.
        seed: Of the states.
        files: Operations to log; some that never sync show what syncing is for.

    Returns:
        The log, and how long it was after two commits.
    """
    attempt = new_attempt()
    store = DirectoryStore(home / "store", files=files)
    savers = [
        Saver(
            rank=rank,
            ranks=RANKS,
            node=home / f"node-{rank // PER_NODE}",
            store=store,
            attempt=attempt,
            options=SaveOptions(in_flight=2, patience_s=_STARTING_S),
            files=files,
        )
        for rank in range(RANKS)
    ]
    first = 0
    tickets: list[Ticket] = []
    try:
        for step in range(1, SAVES + 1):
            for saver in savers:
                tickets.append(saver.save(step, _state(saver.rank, step, seed)))
            if step == _AFTER_COMMITS:
                for ticket in tickets:
                    ticket.wait(timeout_s=_STARTING_S)
                first = len(files.log)
    except BaseException:
        # Rank 0 would wait for the reports of ranks that never began this step.
        for ticket in tickets:
            ticket.cancel()
        raise
    finally:
        for saver in savers:
            saver.close()
    return files.log, first


def _after_cut(here: Bench, log: Sequence[Operation], failure: str, home: Path) -> Outcome:
    """Lay out what the failure leaves of a cut log, and recover from it."""
    disk = disk_after(log)
    wreck = here.folder / "wreck"

    def of_store(path: Path) -> Path | None:
        inside = path.is_relative_to(home / "store")
        return wreck / path.relative_to(home) if inside else None

    def of_nodes(path: Path) -> Path | None:
        lost = failure == NODE and path.parent.name == "node-0"
        inside = path.parent.parent == home and path.parent.name.startswith("node-")
        return wreck / path.relative_to(home) if inside and not lost else None

    try:
        # The store is another machine: what it answered for is there.
        lay_out(disk.seen(), of_store)
        lay_out(disk.survived() if failure in {REBOOT, UNSYNCED} else disk.seen(), of_nodes)
        return _recovered(wreck, failure, _newest_begun(one.path for one in log), here.request.seed)
    finally:
        shutil.rmtree(wreck, ignore_errors=True)


def _recovered(home: Path, failure: str, begun: int, seed: int) -> Outcome:
    # After a reboot the disks that are left are what a crash would leave, too.
    scope: Literal["process", "node"] = "node" if failure == NODE else "process"
    nodes = sorted(home.glob("node-*"))
    began = time.perf_counter()
    try:
        found = recover(
            failure=scope, nodes=nodes, store=DirectoryAddress(folder=home / "store").open()
        )
    except NothingToRecover:
        took = time.perf_counter() - began
        return Outcome(failure=failure, begun=begun, step=0, took_s=took, same=True)
    states = [found.load(rank) for rank in range(found.ranks)]
    took = time.perf_counter() - began
    wanted = [_state(rank, found.step, seed) for rank in range(RANKS)]
    same = len(states) == RANKS and all(map(_same, states, wanted))
    return Outcome(failure=failure, begun=begun, step=found.step, took_s=took, same=same)


def _kill_drill(here: Bench, rng: random.Random) -> list[Outcome]:
    """Really kill the ranks of a job, then really remove a node's directory."""
    outcomes = []
    for number in range(KILLS):
        if number and not here.time_left:
            break
        here.show(0.8 + 0.2 * number / KILLS, Said(zh="真的杀进程", en="killing processes"))
        home = here.folder / f"job-{number}"
        job = Job(
            folder=home,
            ranks=RANKS,
            ranks_per_node=PER_NODE,
            store=DirectoryAddress(folder=home / "store"),
            steps=100_000,
            save_every=1,
            step_s=0.01,
            state_bytes=STATE_BYTES,
            seed=here.request.seed,
            options=SaveOptions(in_flight=2),
        )
        try:
            job.start()
            _wait_for_commits(home / "store")
            time.sleep(rng.uniform(0.0, 0.3))
        finally:
            job.kill()
        begun = _newest_begun(home.glob("node-*/step-*"))
        outcomes.append(_recovered(home, PROCESS, begun, here.request.seed))
        shutil.rmtree(job.nodes[0])
        outcomes.append(_recovered(home, NODE, begun, here.request.seed))
        shutil.rmtree(home)
    return outcomes


def _wait_for_commits(store: Path) -> None:
    ends = time.monotonic() + _STARTING_S
    while len(list(store.glob("manifests/*.json"))) < _AFTER_COMMITS:
        if time.monotonic() > ends:
            raise ExperimentError(
                Said(
                    zh="训练进程一分钟内没有提交任何一步：机器太忙，请稍后再试。",
                    en="The job committed nothing within a minute: the machine is too busy.",
                )
            )
        time.sleep(0.02)


def _state(rank: int, step: int, seed: int) -> dict[str, Any]:
    return state_of(rank, step, seed=seed, state_bytes=STATE_BYTES)


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype and np.array_equal(one[name], other[name])
        for name in one
    )


def _newest_begun(paths: Iterable[Path]) -> int:
    """Return the newest step that all ranks had begun to save, by the names of their files."""
    newest = dict.fromkeys(range(RANKS), 0)
    for path in paths:
        found = _SHARD.match(path.name)
        if found:
            newest[int(found[2])] = max(newest[int(found[2])], int(found[1]))
    return min(newest.values())
