"""The drill by a cut log: the pipeline saves, its log is cut anywhere, and a disk laid out."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

from lessons.lesson03.experiments.bench import Bench
from lessons.lesson03.experiments.filelog import LoggedFiles, Operation, disk_after, lay_out
from lessons.lesson03.experiments.outcomes import (
    NODE,
    PER_NODE,
    PROCESS,
    RANKS,
    REBOOT,
    UNSYNCED,
    Outcome,
    newest_begun,
    recovered,
    state,
)
from lessons.lesson03.experiments.said import Said
from lessons.lesson03.pipeline import SaveOptions, Saver, Ticket, new_attempt
from lessons.lesson03.pipeline.directory_store import DirectoryStore

SAVES = 8
AFTER_COMMITS = 2
_PATIENCE_S = 60.0


def cut_drill(here: Bench, rng: random.Random, wanted: int) -> list[Outcome]:
    """Save on with a log, then recover from cuts of the log, once for each failure."""
    outcomes = []
    for start, syncs, failures in (
        (0.0, True, (PROCESS, REBOOT, NODE)),
        (0.4, False, (UNSYNCED,)),
    ):
        home = here.folder / f"logged-{syncs}"
        here.show(start, Said(zh="带日志地保存", en="saving, with a log"))
        log, first = save_logged(home, here.request.seed, LoggedFiles(syncs=syncs))
        cuts = sorted(rng.sample(range(first, len(log)), min(wanted, len(log) - first)))
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
            options=SaveOptions(in_flight=2, patience_s=_PATIENCE_S),
            files=files,
        )
        for rank in range(RANKS)
    ]
    first = 0
    tickets: list[Ticket] = []
    try:
        for step in range(1, SAVES + 1):
            for saver in savers:
                tickets.append(saver.save(step, state(saver.rank, step, seed)))
            if step == AFTER_COMMITS:
                for ticket in tickets:
                    ticket.wait(timeout_s=_PATIENCE_S)
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
        return recovered(wreck, failure, newest_begun(one.path for one in log), here.request.seed)
    finally:
        shutil.rmtree(wreck, ignore_errors=True)
