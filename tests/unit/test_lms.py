"""Downloads of Canvas and Moodle, and zips whose names are in GBK."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from autograder.grading.intake.collect import collect, handed_in_as
from autograder.grading.intake.lateness import due_time
from autograder.grading.intake.lms import Platform, canvas_name, moodle_name
from autograder.grading.intake.roster import Enrolled, Roster
from autograder.grading.records import Flag, Submission

LESSON = "lesson03"
NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "hello"}],
    }
).encode()


def zipped(path: Path, names: list[str], encoding: str | None = None) -> Path:
    """A zip with these names; with an encoding, as a packer writes it that sets no UTF-8 mark."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, name in enumerate(names):
            stand_in = f"{place:02}".ljust(len(name.encode(encoding)), "x") if encoding else name
            archive.writestr(stand_in, NOTEBOOK)
    if encoding:
        data = path.read_bytes()
        for place, name in enumerate(names):
            raw = name.encode(encoding)
            data = data.replace(f"{place:02}".ljust(len(raw), "x").encode(), raw)
        path.write_bytes(data)
    return path


def read(path: Path, roster: Roster | None = None, due: str | None = None) -> dict[str, Submission]:
    deadline = None if due is None else due_time(due, "--due")
    return {s.student: s for s in collect(path, LESSON, roster=roster, due=deadline)}


@pytest.mark.parametrize(
    ("name", "owner", "number", "file", "late"),
    [
        ("obrienzoe_123_456_lesson03.ipynb", "obrienzoe_123", "123", "lesson03.ipynb", False),
        ("lastfirst_LATE_12_67_lesson03.ipynb", "lastfirst_12", "12", "lesson03.ipynb", True),
        ("张三_1_2_lesson03-2.ipynb", "张三_1", "1", "lesson03.ipynb", False),
        ("o_b_1_2_my_3_4_x.ipynb", "o_b_1", "1", "my_3_4_x.ipynb", False),
        ("anon_Ab3xY_7_lesson03.ipynb", "anon_Ab3xY", "anon_Ab3xY", "lesson03.ipynb", False),
        ("LATE_anon_Ab3xY_7_l.ipynb", "anon_Ab3xY", "anon_Ab3xY", "l.ipynb", True),
    ],
)
def test_names_of_canvas(name: str, owner: str, number: str, file: str, late: bool) -> None:
    found = canvas_name(name)
    assert found is not None
    assert (found.owner, found.number, found.file, found.late) == (owner, number, file, late)


@pytest.mark.parametrize("name", ["lesson03.ipynb", "s_001.ipynb", "12_34_x.ipynb", "a_1_b.ipynb"])
def test_names_that_are_not_of_canvas(name: str) -> None:
    assert canvas_name(name) is None


@pytest.mark.parametrize("tail", ["", "_"])
def test_folders_of_moodle(tail: str) -> None:
    found = moodle_name(f"Zoë O'Brien_4321_assignsubmission_file{tail}")
    assert found is not None
    assert (found.owner, found.name, found.number) == ("Zoë O'Brien_4321", "Zoë O'Brien", "4321")
    assert moodle_name("lesson03") is None


def test_a_canvas_download(tmp_path: Path) -> None:
    names = [
        "obrienzoe_11_101_lesson03.ipynb",
        "lisi_LATE_12_102_lesson03-1.ipynb",
        "wangwu_13_103_homework.ipynb",
        "zhaoliu_14_104_lesson03.ipynb",
        "zhaoliu_14_105_scratch.ipynb",
        "zhaoliu_14_106_notes.pdf",
        "__MACOSX/._obrienzoe_11_101_lesson03.ipynb",
        ".DS_Store",
    ]
    found = read(zipped(tmp_path / "submissions.zip", names))
    assert list(found) == ["lisi_12", "obrienzoe_11", "wangwu_13", "zhaoliu_14"]
    assert all(submission.notebook is not None for submission in found.values())
    assert [s.late for s in found.values()] == [True, False, False, False]
    assert found["lisi_12"].flags == frozenset()
    assert found["wangwu_13"].flags == {Flag.RENAMED_NOTEBOOK}


def test_a_canvas_download_and_its_gradebook(tmp_path: Path) -> None:
    path = zipped(
        tmp_path / "submissions.zip",
        ["obrienzoe_11_101_lesson03.ipynb", "x_99_100_lesson03.ipynb", "lisi_13_9_lesson03.ipynb"],
    )
    roster = Roster(
        [
            Enrolled(id="2026001", number="11", name="O'Brien, Zoë"),
            Enrolled(id="2026002", number="12", name="李四"),
            Enrolled(id="13", number="14", name="王五"),
        ],
        Platform.CANVAS,
    )
    found = read(path, roster)
    # 13 is a student's own id here, not the number of the file's owner.
    assert sorted(found) == ["13", "2026001", "2026002", "lisi_13", "x_99"]
    assert found["2026001"].notebook is not None
    assert found["2026002"].missing
    assert found["13"].missing
    assert found["x_99"].notebook is not None
    assert handed_in_as(path, LESSON, roster=roster) == {
        "2026001": "obrienzoe_11_101_lesson03.ipynb",
        "x_99": "x_99_100_lesson03.ipynb",
        "lisi_13": "lisi_13_9_lesson03.ipynb",
    }


def test_a_plain_list_matches_by_name(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", ["obrienzoë_11_1_lesson03.ipynb", "张三_12_2_lesson03.ipynb"])
    roster = Roster([Enrolled(id="12", name="Zoë O'Brien"), Enrolled(id="s2", name="张三")])
    assert sorted(read(path, roster)) == ["12", "s2"]


@pytest.mark.parametrize("tail", ["", "_"])
@pytest.mark.parametrize("wrapped", ["", "AI-Lesson 3-77/"])
def test_a_moodle_download(tmp_path: Path, tail: str, wrapped: str) -> None:
    names = [
        f"O'Brien, Zoë_41_assignsubmission_file{tail}/lesson03.ipynb",
        f"O'Brien, Zoë_41_assignsubmission_file{tail}/.ipynb_checkpoints/lesson03.ipynb",
        f"张三_42_assignsubmission_file{tail}/homework/lesson03 (1).ipynb",
        f"李四_43_assignsubmission_onlinetext{tail}/onlinetext.html",
    ]
    path = zipped(tmp_path / "moodle.zip", [wrapped + name for name in names])
    found = read(path)
    assert sorted(found) == ["O'Brien, Zoë_41", "张三_42", "李四_43"]
    assert found["O'Brien, Zoë_41"].notebook is not None
    assert found["O'Brien, Zoë_41"].late is None
    assert found["张三_42"].flags == {Flag.RENAMED_NOTEBOOK}
    assert found["李四_43"].missing
    roster = Roster([Enrolled(id="s1", number="42", name="三张")], Platform.MOODLE)
    assert read(path, roster)["s1"].notebook is not None
    assert handed_in_as(path, LESSON)["张三_42"] == f"张三_42_assignsubmission_file{tail}"


def test_one_moodle_folder_is_no_wrapper(tmp_path: Path) -> None:
    path = zipped(tmp_path / "m.zip", ["张三_42_assignsubmission_file/lesson03.ipynb"])
    assert list(read(path)) == ["张三_42"]


def test_moodle_files_without_folders(tmp_path: Path) -> None:
    path = zipped(tmp_path / "m.zip", ["张三_42_assignsubmission_file_lesson03.ipynb"])
    found = read(path)
    assert list(found) == ["张三_42"]
    assert found["张三_42"].flags == frozenset()


def test_two_downloads_of_one_student_are_not_graded(tmp_path: Path) -> None:
    names = ["a_1_assignsubmission_file/lesson03.ipynb", "b_1_assignsubmission_file/lesson03.ipynb"]
    path = zipped(tmp_path / "m.zip", names)
    found = read(path, Roster([Enrolled(id="s", number="1")], Platform.MOODLE))
    assert found["s"].notebook is None
    assert "a_1, b_1" in (found["s"].unreadable or "")


@pytest.mark.parametrize("encoding", ["gbk", "utf-8", "gb18030"])
def test_zip_names_without_a_mark(tmp_path: Path, encoding: str) -> None:
    names = ["张三, 李四.ipynb", "誠.ipynb", "plain.ipynb"]
    # In GBK the character 乗 ends in the byte of a backslash.
    names.append("乗.ipynb")
    assert encoding == "utf-8" or b"\\" in "乗".encode(encoding)
    found = read(zipped(tmp_path / "class.zip", names, encoding))
    assert sorted(found) == sorted(name.removesuffix(".ipynb") for name in names)
    assert all(submission.notebook is not None for submission in found.values())


def test_zip_names_that_are_neither(tmp_path: Path) -> None:
    found = read(zipped(tmp_path / "class.zip", ["Zoë.ipynb"], "cp437"))
    assert list(found) == ["Zoë"]


@pytest.mark.parametrize(
    ("stamp", "late_s", "late"),
    [
        ("2026-03-01 12:30:00 UTC", 1800.0, True),
        ("2026-03-01 12:00:00 UTC", 0.0, False),
        ("2026-03-01 10:00:00 UTC", 0.0, False),
        ("?", None, None),
    ],
)
def test_lateness(tmp_path: Path, stamp: str, late_s: float | None, late: bool | None) -> None:
    folder = tmp_path / "zoe" / LESSON
    folder.mkdir(parents=True)
    (folder / "lesson03.ipynb").write_bytes(NOTEBOOK)
    (folder / "timestamp.txt").write_text(stamp, encoding="utf-8")
    submission = read(tmp_path, due="2026-03-01T20:00+08:00")["zoe"]
    assert (submission.late_s, submission.late) == (late_s, late)
    own = Roster([Enrolled(id="zoe", due=due_time("2026-03-02T00:00+00:00", "x"))])
    if late_s is not None:
        assert read(tmp_path, own, "2026-03-01T20:00+08:00")["zoe"].late_s == 0.0
