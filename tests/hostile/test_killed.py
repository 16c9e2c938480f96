"""A batch that is killed with -9, at any moment: --resume loses nothing and doubles nothing."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.commands.samples import Sample, write_samples
from autograder.editions.build import source_notebook
from autograder.editions.notebook import dumps
from autograder.editions.release import release
from autograder.project import find_project

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"

# What a batch is started with: the notebooks are built once, not in each of the many runs.
DRIVER = """
import json, sys
from pathlib import Path
import nbformat
from autograder.commands.progress import LineProgress
from autograder.errors import CourseError
from autograder.grading.batch.assignment import Assignment, Settings
from autograder.grading.batch.drive import grade
from autograder.grading.master import read_master
given = json.loads(sys.argv[1])
root, out = Path(given["root"]), Path(given["out"])
assignment = Assignment(
    master=read_master(nbformat.read(root / "source.ipynb", 4)),
    release=(root / "release.ipynb").read_text(encoding="utf-8"),
    release_config="",
    lessons=root / "lessons",
    assets=root / "assets",
    db_url=given["db_url"],
    hidden=(out,),
    out=out,
)
settings = Settings(workers=given["workers"], resume=given["resume"])
try:
    grade(assignment, Path(given["submitted"]), settings, LineProgress())
except CourseError as error:
    sys.exit(f"course: {error}")
"""

# normal and boundary by hand: 2 + 0.5 when right; floor division and the capacity are wrong.
FILLS = {
    "physical_bytes / interval_s": (2.0, 0.5),
    "backend_Bps": (0.0, 0.0),
    "physical_bytes // interval_s": (0.0, 0.0),
    "(physical_bytes) / interval_s  # same": (2.0, 0.5),
}


@dataclass(frozen=True, kw_only=True)
class Class:
    """A frozen copy of the lesson, and what was handed in."""

    root: Path
    submitted: Path
    size: int

    def command(
        self,
        out: Path,
        *,
        resume: bool = False,
        workers: int = 2,
        db_url: str = "sqlite:///gradebook.db",
    ) -> list[str]:
        given = {
            "root": str(self.root),
            "out": str(out),
            "submitted": str(self.submitted),
            "resume": resume,
            "workers": workers,
            "db_url": db_url,
        }
        return [sys.executable, "-c", DRIVER, json.dumps(given)]

    def run(self, out: Path, **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(out, **options), capture_output=True, text=True, check=False, cwd=self.root
        )


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lesson")
    shutil.copytree(
        ROOT / "lessons", root / "lessons", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "assets" / "feedback", root / "assets" / "feedback")
    source = source_notebook(find_project(ROOT), LESSON)
    (root / "source.ipynb").write_text(dumps(source), encoding="utf-8")
    (root / "release.ipynb").write_text(dumps(release(source)), encoding="utf-8")
    return root


def handed_in(root: Path, folder: Path, size: int) -> Class:
    released = nbformat.read(root / "release.ipynb", 4)  # type: ignore[no-untyped-call]
    fills = list(FILLS)
    samples = [
        Sample(
            student=f"s{number:03}",
            about="",
            fill={
                "checkpoint_io": [fills[number % len(fills)]],
                "my_boundary_case": ["(4e12, 10e9, 1.5, 600)", "(600.0, 1e10)"],
            },
        )
        for number in range(size)
    ]
    write_samples(samples, released, LESSON, folder)
    return Class(root=root, submitted=folder, size=size)


@pytest.fixture(scope="module")
def forty(lesson: Path, tmp_path_factory: pytest.TempPathFactory) -> Class:
    return handed_in(lesson, tmp_path_factory.mktemp("forty"), 40)


@pytest.fixture(scope="module")
def undisturbed(forty: Class, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    done = forty.run(out, workers=1)
    assert done.returncode == 0, done.stderr
    return out


def descendants(pid: int) -> set[int]:
    """Processes below `pid`, as far as this one can see them."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    found, new = set[int](), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found


def alive(pids: set[int]) -> set[int]:
    living = set()
    for pid in pids:
        try:
            stat = Path("/proc", str(pid), "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if stat.rpartition(")")[2].split()[0] not in "ZX":
            living.add(pid)
    return living


def kill_after(command: list[str], lines: int, delay_s: float) -> set[int]:
    """Start a batch, kill it once so many lines of progress are there; the pids it leaves."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for number, _ in enumerate(process.stderr, start=1):
        if number >= lines:
            break
    time.sleep(delay_s)
    below = descendants(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()
    return below


def groups_of(pids: set[int]) -> list[Path]:
    names = tuple(f"course-{pid}-" for pid in pids)
    return [
        folder
        for folder in Path("/sys/fs/cgroup").rglob("course-*")
        if folder.name.startswith(names)
    ]


def gradebook(out: Path) -> list[tuple[Any, ...]]:
    """All that the gradebook says of anybody, in an order of its own."""
    with closing(sqlite3.connect(out / "gradebook.db")) as book:
        rows = book.execute(
            "select submitted_assignment.student_id, base_cell.name, grade.auto_score,"
            " grade.manual_score, grade.needs_manual_grade"
            " from grade join base_cell on base_cell.id = grade.cell_id"
            " join submitted_notebook on submitted_notebook.id = grade.notebook_id"
            " join submitted_assignment"
            " on submitted_assignment.id = submitted_notebook.assignment_id"
        ).fetchall()
    return sorted(rows)


def assert_same(out: Path, undisturbed: Path, size: int) -> None:
    for name in ("grades.json", "grades.csv", "class-view.json"):
        assert (out / name).read_bytes() == (undisturbed / name).read_bytes(), name
    assert gradebook(out) == gradebook(undisturbed)
    grades = json.loads((out / "grades.json").read_text(encoding="utf-8"))
    for number, entry in enumerate(grades["submissions"]):
        fill = list(FILLS)[number % len(FILLS)]
        assert entry["student"] == f"s{number:03}"
        assert (entry["scores"]["normal"], entry["scores"]["boundary"]) == FILLS[fill]
    assert len(grades["submissions"]) == size
    assert len(gradebook(out)) == size * len(grades["submissions"][0]["scores"])
    assert list(out.rglob(".*.tmp")) == []


def killed_many_times(cls: Class, out: Path, kills: int, rng: random.Random) -> None:
    left = set()
    for turn in range(kills):
        # Twice the lines that an even share would be: some kills come before the first, some after
        # everything is graded and while reports are written.
        lines = rng.randint(0, max(1, 2 * cls.size // kills)) if turn else 5
        command = cls.command(out, resume=turn > 0, workers=rng.choice((1, 2)))
        left |= kill_after(command, lines, rng.random() * 0.8)
    deadline = time.monotonic() + 10
    while alive(left) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(left)
    done = cls.run(out, resume=True)
    assert done.returncode == 0, done.stderr
    assert groups_of(left) == []


pytestmark = pytest.mark.sandbox


@pytest.mark.slow
def test_three_kills_change_nothing(forty: Class, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    killed_many_times(forty, out, 3, random.Random(7))
    assert_same(out, undisturbed, 40)


@pytest.mark.slow
def test_a_locked_gradebook_costs_a_sentence_and_resume_finishes(
    forty: Class, undisturbed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    kill_after(forty.command(out), 30, 0)
    db_url = "sqlite:///gradebook.db?timeout=1"
    path = out / "gradebook.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as book:
        book.execute("begin immediate")
        done = forty.run(out, resume=True, db_url=db_url)
        book.execute("rollback")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "database is locked" in last
    assert "run again with --resume" in last
    assert forty.run(out, resume=True).returncode == 0
    assert_same(out, undisturbed, 40)


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_graded(forty: Class, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = subprocess.Popen(forty.command(out), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for number, _ in enumerate(process.stderr, start=1):
        if number == 5:
            break
    below = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    last = process.stderr.read().strip().splitlines()[-1]
    process.stderr.close()
    assert process.wait() == 1
    assert last == (
        "course: Stopped; what was graded is kept. Run the same command with --resume to go on."
    )
    assert not alive(below)
    assert groups_of(below) == []
    with (out / f"journal-{LESSON}.jsonl").open("rb") as file:
        assert sum(b'"line":"graded"' in line for line in file) >= 5
    assert forty.run(out, resume=True).returncode == 0
    assert_same(out, undisturbed, 40)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB: half of what the reports of forty submissions need."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "course-test", str(disk)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.slow
def test_a_full_disk_costs_a_sentence_and_resume_finishes(
    forty: Class, undisturbed: Path, small_disk: Path
) -> None:
    out = small_disk / "out"
    done = forty.run(out)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "--resume" in last
    assert "Traceback" not in done.stderr
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert forty.run(out, resume=True).returncode == 0
    assert_same(out, undisturbed, 40)


@pytest.mark.slow
def test_three_hundred_submissions_and_twenty_kills(lesson: Path, tmp_path: Path) -> None:
    many = handed_in(lesson, tmp_path / "in", 300)
    calm, out = tmp_path / "calm", tmp_path / "out"
    assert many.run(calm).returncode == 0
    killed_many_times(many, out, 20, random.Random(11))
    assert_same(out, calm, 300)
