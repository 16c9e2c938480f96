"""A sandbox starts wherever the environment lies, also where it has folders of its own."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from autograder.errors import MissingOnMachine
from autograder.grading.sandbox import rootfs

ROOT = Path(__file__).resolve().parents[2]

GRADE = """
import sys
from autograder.grading.sandbox.box import Sandbox
with Sandbox() as box:
    worker = box.start_worker()
    worker.send({"op": "start", "seed": 1, "savepoints": False,
        "steps": [{"kind": "cell", "id": "c", "source": "import numpy, sys; sys.prefix"}],
        "limits": {"cell_s": 10, "memory_mb": 1024, "processes": 64, "output_kb": 64}})
    print(worker.receive(30)["outputs"][0]["data"]["text/plain"])
"""


@pytest.mark.sandbox
def test_an_environment_under_tmp(tmp_path: Path) -> None:
    assert tmp_path.is_relative_to("/tmp")
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    packages = next((environment / "lib").glob("python*/site-packages"))
    (packages / "further.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    done = subprocess.run(
        [environment / "bin" / "python", "-c", GRADE],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "'/environment'"


def test_what_lies_in_no_taken_place_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/srv/venv")
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    assert rootfs.inside(Path("/srv/venv/bin/python")) == Path("/srv/venv/bin/python")


def test_a_python_itself_in_tmp_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/tmp/python")
    monkeypatch.setattr(sys, "base_prefix", "/tmp/python")
    with pytest.raises(MissingOnMachine, match="/tmp/python/bin/python"):
        rootfs.inside(Path("/tmp/python/bin/python"))
