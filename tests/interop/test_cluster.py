"""A real dask scheduler with two workers on loopback, one of them killed midway."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from click.testing import CliRunner

from autograder.cli import course
from autograder.commands.samples import read_samples, write_samples

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"
START_S = 60.0
COPIES = 4
# A loop runs into its time limit, and what a clock ends may differ between two runs.
TIMED = {"s08-loop"}


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster") / "in"
    released = nbformat.read(ROOT / "lessons" / LESSON / f"{LESSON}.ipynb", 4)
    samples = read_samples(ROOT / "solutions" / LESSON / "samples.toml")
    many = [
        replace(sample, student=f"{sample.student}-{number}")
        for number in range(COPIES)
        for sample in samples
        if sample.student not in TIMED
    ]
    write_samples(many, released, LESSON, folder)
    return folder


class Cluster:
    """A scheduler and its workers, each a process group of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")

    def worker(self) -> subprocess.Popen[bytes]:
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        return self._start("worker", self.address, *options)

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        with (self._folder / f"{len(self._processes)}-{words[0]}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words],
                cwd=self._folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
            )
        self._processes.append(process)
        return process

    def end(self) -> None:
        for process in reversed(self._processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(20)


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    folder.mkdir()
    made = Cluster(folder)
    try:
        yield made
    finally:
        made.end()


def grade(submitted: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    words = ["grade", str(submitted), "--lesson", LESSON, "--out", str(out), *options]
    command = [sys.executable, "-c", "from autograder.cli import main; main()", *words]
    with out.with_suffix(".log").open("wb") as log:
        return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)


def said(out: Path) -> str:
    return out.with_suffix(".log").read_text("utf-8")


def results(out: Path) -> dict[str, Any]:
    entries = json.loads((out / "grades.json").read_text("utf-8"))["submissions"]
    return {entry["student"]: entry for entry in entries}


def pages(out: Path) -> dict[str, bytes]:
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in (out / "feedback").rglob("*.html")
    }


def journalled(out: Path) -> int:
    lines = 0
    for journal in out.rglob("*.jsonl"):
        lines += journal.read_bytes().count(b"\n")
    return lines


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_cluster_grades_as_one_machine_does_and_survives_a_lost_worker(
    submitted: Path, tmp_path: Path
) -> None:
    local = grade(submitted, tmp_path / "local", "--workers", "1")
    assert local.wait(240) == 0, said(tmp_path / "local")
    with cluster(tmp_path / "cluster") as made:
        first, _ = made.worker(), made.worker()
        out = tmp_path / "spread"
        spread = grade(submitted, out, "--cluster", made.address)
        deadline = time.monotonic() + 180
        while journalled(out) < 10 and spread.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert spread.poll() is None, "the class was graded before a worker could be killed"
        os.killpg(first.pid, signal.SIGKILL)
        assert spread.wait(240) == 0, said(out)
    assert results(out) == results(tmp_path / "local")
    assert pages(out) == pages(tmp_path / "local")
    assert len(results(out)) == COPIES * 11


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_lost_scheduler_keeps_what_was_graded(submitted: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with cluster(tmp_path / "cluster") as made:
        made.worker()
        grading = grade(submitted, out, "--cluster", made.address)
        deadline = time.monotonic() + 180
        while journalled(out) < 10 and grading.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert grading.poll() is None, said(out)
    assert grading.wait(180) == 1, said(out)
    assert "--resume" in said(out).splitlines()[-1]
    assert "Traceback" not in said(out)
    again = grade(submitted, out, "--resume", "--workers", "1")
    assert again.wait(240) == 0, said(out)
    assert len(results(out)) == COPIES * 11


def test_an_address_without_a_scheduler_is_one_sentence(
    submitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.grading.batch.cluster._CONNECT_S", 1.0)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{nobody.getsockname()[1]}"
        words = ["grade", str(submitted), "--lesson", LESSON, "--out", str(tmp_path / "out")]
        done = CliRunner().invoke(course, [*words, "--cluster", address])
    assert type(done.exception).__name__ == "CourseError"
    assert "no scheduler answers there" in str(done.exception)
    assert not list(tmp_path.glob("out/grades.*"))


def test_a_cluster_and_workers_do_not_go_together(submitted: Path, tmp_path: Path) -> None:
    words = ["grade", str(submitted), "--lesson", LESSON, "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(course, [*words, "--cluster", "tcp://127.0.0.1:1", "--workers", "2"])
    assert "Leave --workers out" in str(done.exception)
