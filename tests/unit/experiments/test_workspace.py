"""Nothing stays behind: not after success, an error, an interrupt, or a kill."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lessons.lesson03.experiments.workspace import PREFIX, clear_abandoned, workspace

ROOT = Path(__file__).resolve().parents[3]
LIVES_LONG = """
import sys, time
from pathlib import Path
from lessons.lesson03.experiments.workspace import workspace
with workspace(Path(sys.argv[1])) as folder:
    (folder / "big").write_bytes(bytes(1000))
    print("ready", flush=True)
    time.sleep(60)
"""


def test_it_is_gone_afterwards_with_what_it_made(tmp_path: Path) -> None:
    parent = tmp_path / "a" / "b"
    with workspace(parent) as folder:
        (folder / "file").write_text("x")
        assert folder.parent == parent
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_before_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with workspace(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_it_is_gone_after_an_error(tmp_path: Path, error: type[BaseException]) -> None:
    with pytest.raises(error), workspace(tmp_path) as folder:
        (folder / "file").write_text("x")
        raise error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_is_gone_after_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    process = start(tmp_path)
    process.send_signal(number)
    assert process.wait(20) != 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_second_interrupt_does_not_stop_the_cleaning(tmp_path: Path) -> None:
    process = start(tmp_path)
    for _ in range(5):
        process.send_signal(signal.SIGINT)
        time.sleep(0.002)
    process.wait(20)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows does not tell who is alive this way")
def test_what_a_hard_kill_left_is_cleared_by_the_next(tmp_path: Path) -> None:
    process = start(tmp_path)
    process.kill()
    process.wait(20)
    assert len(list(tmp_path.glob(f"{PREFIX}*"))) == 1
    with workspace(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert list(tmp_path.iterdir()) == []


def test_folders_of_the_living_and_of_other_machines_stay(tmp_path: Path) -> None:
    for name, owner in {
        "here": {"process": os.getpid(), "host": platform.node()},
        "elsewhere": {"process": 2**22 - 3, "host": "another"},
    }.items():
        folder = tmp_path / f"{PREFIX}{name}"
        folder.mkdir()
        (folder / "owner.json").write_text(json.dumps(owner))
    (tmp_path / f"{PREFIX}unsigned").mkdir()
    assert clear_abandoned(tmp_path) == []
    assert len(list(tmp_path.iterdir())) == 3


def start(parent: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", LIVES_LONG, str(parent)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.stdout.close()
    return process
