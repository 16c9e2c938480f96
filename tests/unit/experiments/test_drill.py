"""The node-loss drill: what comes back is right, and a node's loss costs more than a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from lessons.lesson03.experiments import cut_drill, failure_drill, outcomes
from lessons.lesson03.experiments.bench import Request
from lessons.lesson03.experiments.filelog import LoggedFiles, disk_after
from lessons.lesson03.experiments.progress import Silent


def test_the_newest_step_begun_is_that_of_the_last_rank() -> None:
    paths = [
        Path(f"step-000000000{step}.a.rank-0000{rank}-of-00004.shard{end}")
        for step, rank, end in [(1, 0, ""), (2, 0, ".tmp"), (1, 1, ""), (1, 2, ""), (3, 3, "")]
    ]
    assert outcomes.newest_begun([*paths, Path("manifests/1.json")]) == 1
    assert outcomes.newest_begun(paths[:2]) == 0


def test_without_fsync_a_reboot_leaves_nothing_of_a_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cut_drill, "SAVES", 2)
    log, first = cut_drill.save_logged(tmp_path / "job", 3, LoggedFiles(syncs=False))
    assert 0 < first <= len(log)
    assert disk_after(log).survived() == {}
    assert len(disk_after(log).seen()) > 0


def test_a_drill_by_cuts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure_drill, "CUTS", 4)
    monkeypatch.setattr(failure_drill, "KILLS", 0)
    monkeypatch.setattr(cut_drill, "SAVES", 3)
    record = failure_drill.run(Request(path=tmp_path, seconds=60, progress=Silent()))
    assert list(tmp_path.iterdir()) == []
    lost = {one.how: one.values for one in record.of("lost-steps")}
    assert set(lost) == {"process", "reboot", "reboot-unsynced", "node"}
    assert all(len(values) == 4 for values in lost.values())
    # The same cuts: losing a node is never better than losing a process.
    assert all(n >= p for n, p in zip(lost["node"], lost["process"], strict=True))
    assert all(r >= p for r, p in zip(lost["reboot"], lost["process"], strict=True))
    assert {fact["exactly_right"] for fact in record.facts} == {4}
    assert any("模拟" in note.zh and "没有真的断电" in note.zh for note in record.notes)


@pytest.mark.slow
def test_a_drill_that_really_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure_drill, "CUTS", 1)
    monkeypatch.setattr(failure_drill, "KILLS", 2)
    record = failure_drill.run(Request(path=tmp_path, seconds=100, progress=Silent()))
    killed = {fact["failure"]: fact for fact in record.facts if fact["drill"] == "kill"}
    assert set(killed) == {"process", "node"}
    assert all(fact["recoveries"] == fact["exactly_right"] == 2 for fact in killed.values())
    assert list(tmp_path.iterdir()) == []
