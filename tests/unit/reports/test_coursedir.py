from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest
from traitlets.config import PyFileConfigLoader

from autograder.errors import CourseError
from autograder.grading.records import Submission
from autograder.grading.reports.coursedir import (
    CourseDir,
    folder_name,
    gradebook_url,
    student_of,
    utc_time,
    write_atomically,
)

NAMES = {
    "s001": "s001",
    "张三, 李四": "张三, 李四",
    "O'Brien, Zoë": "O'Brien, Zoë",
    "=cmd()": "=cmd()",
    "two\nlines": "two~0Alines",
    "../../etc/passwd": "~2E.~2F..~2Fetc~2Fpasswd",
    "..": "~2E~2E",
    ".hidden": "~2Ehidden",
    "a/b\\c": "a~2Fb~5Cc",
    "a+b": "a~2Bb",
    "100%": "100~25",
    "~2E": "~7E2E",
    "nul\0": "nul~00",
    "CON": "~43ON",
    "com1.txt": "~63om1.txt",
    "trailing.": "trailing~2E",
    " spaced ": "~20spaced~20",
    '<script>"x"': "~3Cscript~3E~22x~22",
    "*?[a]": "~2A~3F~5Ba~5D",
    "\u202egnp": "~E2~80~AEgnp",
    "\udcb0\udca1": "~B0~A1",
    "": "~",
}


@pytest.mark.parametrize("student", NAMES)
def test_a_name_is_spelt_safely_and_read_back(student: str) -> None:
    assert folder_name(student) == NAMES[student]
    assert student_of(NAMES[student]) == student


@pytest.mark.parametrize("student", ["x" * 121, "长" * 100, "/" * 60, "\ud800"])
def test_a_name_too_long_stays_short_and_apart(student: str) -> None:
    name = folder_name(student)
    assert len(name) <= 120
    assert len(name.encode()) <= 200
    assert student_of(name) is None
    assert folder_name(student + "1") != name
    assert folder_name(student) == name


def test_what_is_handed_in_stays_inside(tmp_path: Path) -> None:
    out = CourseDir(root=tmp_path / "out", lesson="lesson99")
    for student in NAMES:
        out.write_submitted(Submission(student=student, raw=b"{}"))
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == len(NAMES)
    assert {path.relative_to(tmp_path / "out" / "submitted").parts[1] for path in written} == {
        "lesson99"
    }


def test_the_bytes_and_the_time_are_kept(tmp_path: Path) -> None:
    out = CourseDir(root=tmp_path, lesson="lesson99")
    raw = b"\xff\xfe not a notebook"
    out.write_submitted(Submission(student="s1", raw=raw, submitted_at="2026-11-29T10:00:00+08:00"))
    folder = tmp_path / "submitted" / "s1" / "lesson99"
    assert (folder / "lesson99.ipynb").read_bytes() == raw
    assert (folder / "timestamp.txt").read_text() == "2026-11-29 02:00:00.000000 UTC\n"
    out.write_submitted(Submission(student="s1", raw=raw, submitted_at="yesterday"))
    assert not (folder / "timestamp.txt").exists()
    out.write_submitted(Submission(student="s2", missing=True))
    assert not (tmp_path / "submitted" / "s2").exists()


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "feedback").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CourseError, match="leads out of"):
        CourseDir(root=tmp_path / "out", lesson="lesson99").write_feedback("s1", "<p>")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "grades.json"
    write_atomically(path, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CourseError, match="No space left on device"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["grades.json"]


def test_a_draft_of_a_killed_run_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / ".grades.json.tmp").write_bytes(b"half")
    write_atomically(tmp_path / "grades.json", b"whole")
    assert [file.name for file in tmp_path.iterdir()] == ["grades.json"]


def test_the_configuration_is_python_that_names_this_folder(tmp_path: Path) -> None:
    out = CourseDir(root=tmp_path, lesson="lesson99")
    url = gradebook_url(tmp_path, "sqlite:///gradebook.db")
    out.prepare(db_url=url, release_config="c.GenerateAssignment.preprocessors = []\n")
    config = PyFileConfigLoader("nbgrader_config.py", path=str(tmp_path)).load_config()
    assert config.CourseDirectory.root == str(tmp_path)
    assert config.CourseDirectory.db_url == f"sqlite:///{tmp_path}/gradebook.db"
    assert config.HTMLExporter.sanitize_html is True
    assert config.CsvExportPlugin.to == str(tmp_path / "nbgrader-export.csv")
    assert config.GenerateAssignment.preprocessors == []
    assert str(tmp_path) not in (tmp_path / "nbgrader_config.py").read_text()


def test_a_password_is_not_for_everybody(tmp_path: Path) -> None:
    out = CourseDir(root=tmp_path, lesson="lesson99")
    out.prepare(db_url="postgresql+psycopg://grader:secret@host/marks")
    assert (tmp_path / "nbgrader_config.py").stat().st_mode & 0o077 == 0


def test_times_are_utc_or_nothing() -> None:
    assert utc_time("2026-11-29T10:00:00+08:00") == datetime(2026, 11, 29, 2)
    assert utc_time("2026-11-29 10:00") == datetime(2026, 11, 29, 10)
    assert utc_time("0001-01-01T00:00:00+08:00") is None
    assert utc_time("soon") is None
    assert utc_time(None) is None


def test_only_relative_sqlite_follows_the_folder(tmp_path: Path) -> None:
    assert gradebook_url(tmp_path, "sqlite:////srv/g.db") == "sqlite:////srv/g.db"
    assert gradebook_url(tmp_path, "postgresql://h/d") == "postgresql://h/d"
