"""A disk that is really full: what the system itself refuses, in the middle of a write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from lessons.lesson03.pipeline import recover

ROOT = Path(__file__).resolve().parents[2]
SAVES = """
import json, resource, sys
from pathlib import Path
import numpy as np
from lessons.lesson03.pipeline import PipelineError, Saver, DirectoryAddress
root = Path(sys.argv[1])
state = {"weights": np.arange(4000.0)}  # 32,000 bytes, 40,960 as a file
store = DirectoryAddress(folder=root / "store", survives="zone").open()
said = []
with Saver(rank=0, ranks=1, node=root / "node", store=store, attempt="a") as saver:
    for step, room in ((1, -1), (2, 20_000), (3, 40_000), (4, 0), (5, -1)):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, -1))
        ticket = saver.save(step, state)
        try:
            said.append(ticket.wait(20).stage)
        except PipelineError as error:
            said.append(type(error).__name__)
print(json.dumps(said))
"""


def test_the_system_refuses_a_write_half_way(tmp_path: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", SAVES, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=os.environ,
    )
    refused = ["SpillFailed"] * 3
    assert json.loads(shown.stdout) == ["committed", *refused, "committed"]
    assert recover(failure="process", nodes=[tmp_path / "node"]).step == 5
    assert not list((tmp_path / "node").glob("*.tmp"))
