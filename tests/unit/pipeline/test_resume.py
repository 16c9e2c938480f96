"""A job that goes on trains on from what was recovered, not from what it could work out anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lessons.lesson03.pipeline import (
    DirectoryAddress,
    Job,
    PipelineError,
    SaveOptions,
    ShardId,
    recover,
    spill_state,
)
from lessons.lesson03.pipeline.commit import commit, gather, report_done
from lessons.lesson03.pipeline.manifest import Manifest
from lessons.lesson03.pipeline.rank_process import Task, run_rank
from lessons.lesson03.pipeline.sources import NodeFile
from lessons.lesson03.pipeline.training import after_step, state_of
from lessons.lesson03.pipeline.upload import upload_shard

# No seed gives these numbers.
ODD = {
    "weights": np.array([-7, -70]),
    "moments": np.array([5, 50], np.float32),
    "step": np.array(3),
}


def test_a_step_worked_out_from_the_state_is_the_one_worked_out_anew() -> None:
    state = state_of(2, 0, seed=5, state_bytes=1200)
    for _ in range(300):
        state = after_step(state, 2)
    due = state_of(2, 300, seed=5, state_bytes=1200)
    assert {name: (a.dtype, a.tobytes()) for name, a in state.items()} == {
        name: (a.dtype, a.tobytes()) for name, a in due.items()
    }
    assert len(due["weights"]) == 100


@pytest.mark.parametrize("from_store", [False, True])
def test_a_rank_goes_on_from_what_was_recovered(tmp_path: Path, from_store: bool) -> None:
    address = DirectoryAddress(folder=tmp_path / "store")
    shard = ShardId(step=3, attempt="a", rank=0, ranks=1)
    spilled = spill_state(ODD, shard=shard, node=tmp_path / "node")
    if from_store:
        store = address.open()
        upload_shard(store, spilled)
        report_done(store, spilled)
        parts = gather(store, shard, patience_s=0)
        commit(store, Manifest(step=3, attempt="a", parts=parts))
        spilled.path.unlink()
    task = Task(
        rank=0,
        ranks=1,
        node=tmp_path / "node",
        store=address,
        attempt="b",
        resume=shard if from_store else NodeFile(shard=shard, path=spilled.path),
        steps=5,
        save_every=1,
        step_s=0,
        state_bytes=24,
        seed=3,
        options=SaveOptions(),
    )
    run_rank(task)
    found = recover(failure="node", store=address.open())
    state = found.load(0)
    assert (found.step, found.attempt, int(state["step"])) == (5, "b", 5)
    assert state["weights"].tolist() == [-5, -68]  # rank 0 adds 1 a step
    assert state["moments"].tolist() == [7, 52]


def test_another_number_of_ranks_is_refused_before_anything_starts(tmp_path: Path) -> None:
    for rank in range(2):
        shard = ShardId(step=3, attempt="a", rank=rank, ranks=2)
        spill_state(ODD, shard=shard, node=tmp_path / f"node-00{rank}")
    job = Job(folder=tmp_path, ranks=3, ranks_per_node=1)
    with pytest.raises(PipelineError, match=r"2 个 rank.*3 个"):
        job.start(resume="process")
    assert job.join() == []
    assert not (tmp_path / "node-002").exists()
