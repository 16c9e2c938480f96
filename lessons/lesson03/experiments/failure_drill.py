"""Q2: which step comes back after a process crash, a reboot, and the loss of a node's directory.

Two drills. In the first the pipeline of the lesson saves step after step, with a log of its file
operations; the log is cut at many places, and each cut is recovered from, once for each failure.
In the second rank processes are really killed, and a directory is really removed. Every state
that comes back is compared with what it must be, byte for byte.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lessons.lesson03.experiments.bench import Bench, Request, bench
from lessons.lesson03.experiments.cut_drill import AFTER_COMMITS, SAVES, cut_drill
from lessons.lesson03.experiments.guard import Wish
from lessons.lesson03.experiments.outcomes import (
    FAILURES,
    NODE,
    PER_NODE,
    PROCESS,
    RANKS,
    STATE_BYTES,
    Outcome,
    newest_begun,
    recovered,
)
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.said import ExperimentError, Said
from lessons.lesson03.experiments.series import Series
from lessons.lesson03.pipeline import DirectoryAddress, SaveOptions
from lessons.lesson03.pipeline.job import Job

NAME = "node-loss"
LOST, RECOVER = "lost-steps", "recover"
CUTS, KILLS = 40, 3
_STARTING_S = 60.0
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
        cuts = cut_drill(here, rng, CUTS)
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
        begun = newest_begun(home.glob("node-*/step-*"))
        outcomes.append(recovered(home, PROCESS, begun, here.request.seed))
        shutil.rmtree(job.nodes[0])
        outcomes.append(recovered(home, NODE, begun, here.request.seed))
        shutil.rmtree(home)
    return outcomes


def _wait_for_commits(store: Path) -> None:
    ends = time.monotonic() + _STARTING_S
    while len(list(store.glob("manifests/*.json"))) < AFTER_COMMITS:
        if time.monotonic() > ends:
            raise ExperimentError(
                Said(
                    zh="训练进程一分钟内没有提交任何一步：机器太忙，请稍后再试。",
                    en="The job committed nothing within a minute: the machine is too busy.",
                )
            )
        time.sleep(0.02)
