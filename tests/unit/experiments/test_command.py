"""`course experiment`: lists, measures, refuses, and leaves nothing when it is interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli import course
from autograder.commands import experiment as verb
from autograder.commands.experiment import Options, run_experiment
from autograder.errors import UsageError
from lessons.lesson03.experiments.mounts import Mount

ROOT = Path(__file__).resolve().parents[3]
COURSE = [sys.executable, "-c", "from autograder.cli import main; main()"]


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_without_a_name_it_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_experiment(None, Options()) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["small-files", "Q1"],
        ["samples", "Q1"],
        ["node-loss", "Q2"],
        ["random-reads", "Q3"],
    ]


def test_an_unknown_name_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="random-reads"):
        run_experiment("nope", Options())


@pytest.mark.parametrize(
    ("encoding", "written"), [("utf-8", "9 \u00b5s"), ("gbk", "9 \u03bcs"), ("ascii", "9 us")]
)
def test_microseconds_on_any_console(encoding: str, written: str) -> None:
    assert verb._with_micro("9 \u00b5s", encoding) == written
    assert written.encode(encoding, "strict")


@pytest.mark.parametrize("there", ["a file", "below a file", "nowhere"])
def test_an_out_that_cannot_be_had_is_told_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str
) -> None:
    monkeypatch.setattr(verb, "_record", lambda *_: pytest.fail("it measured"))
    (tmp_path / "file").write_text("x", "utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    out = {"a file": "file", "below a file": "file/sub/out", "nowhere": "link/out"}[there]
    with pytest.raises(UsageError, match="--out"):
        run_experiment("random-reads", Options(out=tmp_path / out))


def test_the_record_is_kept_when_its_figure_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lessons.fonts.SYSTEM_FAMILIES", ())
    monkeypatch.setattr("lessons.fonts.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"samples-recorded\.json；.*zhplot"):
        run_experiment("samples", Options(recorded=True, out=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["samples-recorded.json"]


def test_it_measures_prints_and_keeps_the_record(tmp_path: Path) -> None:
    out, there = tmp_path / "out", tmp_path / "there"
    arguments = ["random-reads", "--path", str(there), "--megabytes", "1", "--seconds", "1"]
    shown = CliRunner().invoke(course, ["experiment", *arguments, "--out", str(out)])
    assert shown.exit_code == 0, shown.output
    assert "p99" in shown.output
    assert "4 KiB" in shown.output
    assert not there.exists()
    record, picture = sorted(out.iterdir())
    assert json.loads(record.read_text("utf-8"))["experiment"] == "random-reads"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_shipped_record_can_be_shown_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COURSE_LANG", "en")
    run_experiment("small-files", Options(recorded=True, out=tmp_path))
    shown = capsys.readouterr().out
    assert shown.isascii() or "µs" in shown
    assert "ships with the lesson" in shown
    assert "save, until the slowest is done" in shown
    assert os.environ["COURSE_LANG"] == "en"


@pytest.mark.parametrize("own", [False, True])
def test_a_shared_file_system_is_refused_without_a_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    def lustre(_path: Path) -> Mount:
        return Mount(point="/", type="lustre")

    monkeypatch.setattr("lessons.lesson03.experiments.guard.place_of.__defaults__", (lustre,))
    options = Options(path=tmp_path / "run", own=own, seconds=1, out=tmp_path / "out", megabytes=1)
    if own:
        assert run_experiment("random-reads", options) == 0
        record = json.loads(next((tmp_path / "out").glob("*.json")).read_text("utf-8"))
        assert record["file_system"]["kind"] == "shared"
    else:
        with pytest.raises(UsageError, match="lustre"):
            run_experiment("random-reads", options)
    assert not (tmp_path / "run").exists()


def test_more_than_2_gb_is_not_written_where_nobody_can_agree(tmp_path: Path) -> None:
    arguments = ["random-reads", "--path", str(tmp_path / "run"), "--megabytes", "2100"]
    shown = subprocess.run(
        [*COURSE, "experiment", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        encoding="utf-8",
    )
    assert shown.returncode == 2
    assert "--yes" in shown.stderr
    assert "Traceback" not in shown.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups to interrupt")
@pytest.mark.parametrize("name", ["small-files", "samples", "node-loss", "random-reads"])
@pytest.mark.parametrize("after_s", [0.3, 1.5, 3.0])
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, name: str, after_s: float) -> None:
    """Ctrl-C at a terminal reaches the whole process group, writers and ranks included."""
    run = tmp_path / "run"
    process = subprocess.Popen(
        [*COURSE, "experiment", name, "--path", str(run), "--out", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        cwd=ROOT,
    )
    try:
        for _ in once_there(run):
            time.sleep(0.05)
        time.sleep(after_s)
        os.killpg(process.pid, signal.SIGINT)
        process.wait(60)
        assert process.returncode == 130
        assert list(tmp_path.iterdir()) == []
        for _ in still_running(process.pid):
            time.sleep(0.05)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def once_there(folder: Path) -> Iterator[None]:
    """Yield until the experiment has made its folder."""
    ends = time.monotonic() + 60
    while not list(folder.glob("course-experiment-*")):
        assert time.monotonic() < ends, "the experiment never began"
        yield


def still_running(group: int) -> Iterator[None]:
    """Yield while a process of the group lives; it must end soon."""
    ends = time.monotonic() + 20
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < ends, "a process of the experiment outlived it"
        yield
