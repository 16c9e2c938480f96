"""The gradebook on a real PostgreSQL server, started here on a private socket."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook
from sqlalchemy import create_engine, text

from autograder.commands.instructor import grade_class
from autograder.commands.progress import LineProgress
from autograder.commands.samples import read_samples, write_samples
from autograder.errors import CourseError
from autograder.grading.batch.assignment import Settings
from autograder.grading.gradebook.database import open_gradebook
from autograder.grading.gradebook.marks import read_marks
from autograder.project import find_project

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"
START_S = 60.0
# Grades one folder into one database; both are arguments.
GRADE = """
import sys
from dataclasses import replace
from pathlib import Path
from autograder.commands.instructor import grade_class
from autograder.commands.progress import LineProgress
from autograder.grading.batch.assignment import Settings
from autograder.project import find_project
root, submitted, out, url = sys.argv[1:]
project = replace(find_project(Path(root)), db_url=url)
grade_class(
    project, Path(submitted), "lesson03", Path(out),
    settings=Settings(workers=1), progress=LineProgress(),
)
"""


@dataclass(frozen=True, kw_only=True)
class Server:
    folder: Path
    names: Iterator[int]

    def database(self) -> str:
        """URL of a new, empty database."""
        name = f"course{next(self.names)}"
        admin = create_engine(self._url("postgres"), isolation_level="AUTOCOMMIT")
        with admin.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        admin.dispose()
        return self._url(name)

    def _url(self, database: str) -> str:
        return f"postgresql+psycopg://course@/{database}?host={self.folder}"


def _binaries() -> Path:
    found = shutil.which("initdb")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if found is None and not installed:
        pytest.skip("no PostgreSQL server here: apt-get install postgresql")
    return Path(found).parent if found else installed[-1]


def _owner() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    return {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    binaries = _binaries()
    folder.mkdir(mode=0o700)
    if owner := _owner():
        who = pwd.getpwnam(owner["user"])
        os.chown(folder, who.pw_uid, who.pw_gid)
    data = folder / "data"
    making = [binaries / "initdb", "-D", data, "-U", "course", "-A", "trust", "-N", "-E", "UTF8"]
    subprocess.run(making, check=True, capture_output=True, cwd="/", **owner)
    options = ("-k", folder, "-h", "", "-F")
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [binaries / "postgres", "-D", data, *options], stdout=log, stderr=log, cwd="/", **owner
        )
    try:
        _wait(folder, server)
        yield Server(folder=folder, names=count())
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(20)


def _wait(folder: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    engine = create_engine(f"postgresql+psycopg://course@/postgres?host={folder}")
    while True:
        try:
            engine.connect().close()
            break
        except Exception:
            assert server.poll() is None, (folder / "server.log").read_text("utf-8")
            assert time.monotonic() < deadline, "PostgreSQL does not answer"
            time.sleep(0.1)
    engine.dispose()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    # A socket's path has room for about 100 characters; pytest's folders take more.
    folder = Path("/tmp") / f"course-pg-{os.getpid()}"
    with served(folder) as running:
        yield running
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def released() -> Any:
    return nbformat.read(ROOT / "lessons" / LESSON / f"{LESSON}.ipynb", 4)


def hand_in(folder: Path, released: Any, students: Sequence[str]) -> Path:
    """The first, right sample of the bundled class under each of these names."""
    samples = read_samples(ROOT / "solutions" / LESSON / "samples.toml")
    write_samples(
        [replace(samples[0], student=name) for name in students], released, LESSON, folder
    )
    return folder


def start(submitted: Path, out: Path, url: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", GRADE, str(ROOT), str(submitted), str(out), url],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
    )


def marks(url: str) -> dict[str, dict[str, tuple[float | None, bool]]]:
    """Automatic score and whether a person is asked, by student and cell, as nbgrader reads it."""
    with Gradebook(url) as book:
        return {
            submission.student.id: {
                grade.name: (grade.auto_score, grade.needs_manual_grade)
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in book.assignment_submissions(LESSON)
        }


@pytest.mark.sandbox
def test_the_same_marks_as_with_sqlite_and_a_person_s_points_stay(
    server: Server, released: Any, tmp_path: Path
) -> None:
    submitted = hand_in(tmp_path / "in", released, ["s1", "张三"])
    project = find_project(ROOT)
    urls = {"lite": f"sqlite:///{tmp_path}/lite.db", "pg": server.database()}
    for name, url in urls.items():
        grade_class(
            replace(project, db_url=url),
            submitted,
            LESSON,
            tmp_path / name,
            settings=Settings(workers=1),
            progress=LineProgress(),
        )
    assert marks(urls["pg"]) == marks(urls["lite"])
    assert marks(urls["pg"])["张三"]["normal"] == (2.0, False)
    assert marks(urls["pg"])["s1"]["q1"] == (None, True)

    with Gradebook(urls["pg"]) as book:
        grade = book.find_grade("q1", LESSON, LESSON, "s1")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        book.db.commit()
    assert read_marks(urls["pg"], LESSON)["s1"]["q1"].score == 1.5
    config = (tmp_path / "pg" / "nbgrader_config.py").read_text("utf-8")
    assert urls["pg"] in config


@pytest.mark.slow
@pytest.mark.sandbox
def test_two_graders_at_once_lose_nothing(server: Server, released: Any, tmp_path: Path) -> None:
    """Both begin with an empty database: who makes the tables, the lesson, a shared student?"""
    url = server.database()
    names = [[f"{half}{number:02d}" for number in range(20)] for half in ("a", "b")]
    shared = [f"both{number}" for number in range(5)]
    graders = [
        start(hand_in(tmp_path / f"in{n}", released, [*half, *shared]), tmp_path / f"out{n}", url)
        for n, half in enumerate(names)
    ]
    for grader in graders:
        said, _ = grader.communicate(timeout=240)
        assert grader.returncode == 0, said
    found = marks(url)
    assert sorted(found) == sorted([*names[0], *names[1], *shared])
    assert {entry["normal"] for entry in found.values()} == {(2.0, False)}
    assert {entry["boundary_case"] for entry in found.values()} == {(0.5, False)}


@pytest.mark.slow
def test_many_graders_may_open_an_empty_database_at_once(server: Server) -> None:
    url = server.database()
    code = (
        "import sys; from autograder.grading.gradebook.database import open_gradebook as o; "
        "o(sys.argv[1]).close()"
    )
    opening = [
        subprocess.Popen([sys.executable, "-c", code, url], stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in opening:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said


def test_a_server_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    url = f"postgresql+psycopg://course:secret@/x?host={tmp_path}"
    with pytest.raises(CourseError, match="the gradebook refused") as raised:
        open_gradebook(url)
    assert "secret" not in str(raised.value)
