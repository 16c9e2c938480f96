"""Who handed in what: trees, flat folders, zips, and what is refused by name."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.grading.intake import collect as intake
from autograder.grading.intake import listing
from autograder.grading.intake.collect import collect
from autograder.grading.intake.roster import Roster
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


def put(path: Path, data: bytes = NOTEBOOK) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def read(path: Path, **options: object) -> dict[str, Submission]:
    found = list(collect(path, LESSON, **options))  # type: ignore[arg-type]  # keyword options
    assert [s.student for s in found] == sorted(s.student for s in found)
    return {submission.student: submission for submission in found}


def first_source(submission: Submission) -> str:
    assert submission.notebook is not None
    return str(submission.notebook.cells[0].source)


def test_tree(tmp_path: Path) -> None:
    put(tmp_path / "zoe" / LESSON / "lesson03.ipynb")
    put(tmp_path / "zoe" / LESSON / "timestamp.txt", b"2026-03-01 12:30:00.5 UTC\n")
    put(tmp_path / "zoe" / LESSON / ".ipynb_checkpoints" / "lesson03-checkpoint.ipynb")
    put(tmp_path / "adam" / LESSON / "lesson03 (1).ipynb")
    put(tmp_path / "eve" / "lesson02" / "lesson02.ipynb")
    (tmp_path / "nobody" / LESSON).mkdir(parents=True)
    found = read(tmp_path)
    assert sorted(found) == ["adam", "nobody", "zoe"]
    assert first_source(found["zoe"]) == "hello"
    assert found["zoe"].submitted_at == "2026-03-01T12:30:00.500000+00:00"
    assert found["zoe"].raw == NOTEBOOK
    assert found["zoe"].flags == frozenset()
    assert found["adam"].flags == {Flag.RENAMED_NOTEBOOK}
    assert found["adam"].notebook is not None
    assert found["nobody"].missing


def test_timestamp_that_is_none(tmp_path: Path) -> None:
    put(tmp_path / "zoe" / LESSON / "lesson03.ipynb")
    put(tmp_path / "zoe" / LESSON / "timestamp.txt", b"\xff yesterday, I think")
    assert read(tmp_path)["zoe"].submitted_at is None


def test_flat_folder_and_roster(tmp_path: Path) -> None:
    put(tmp_path / "张三, 李四.ipynb")
    put(tmp_path / "=cmd().ipynb")
    put(tmp_path / "notes.txt", b"x")
    found = read(tmp_path, roster=Roster.of_ids(["s9", "=cmd()"]))
    assert sorted(found) == ["=cmd()", "s9", "张三, 李四"]
    assert found["s9"].missing
    assert found["=cmd()"].notebook is not None
    assert found["=cmd()"].flags == frozenset()


@pytest.mark.parametrize("wrapped", ["", "hw3/", "downloads/hw3/"])
@pytest.mark.parametrize("layout", ["s1.ipynb", "s1/lesson03/lesson03.ipynb"])
def test_zip(tmp_path: Path, wrapped: str, layout: str) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(wrapped + layout, NOTEBOOK)
        archive.writestr("__MACOSX/" + layout, b"junk")
    found = read(path)
    assert sorted(found) == ["s1"]
    assert first_source(found["s1"]) == "hello"


def test_several_notebooks(tmp_path: Path) -> None:
    put(tmp_path / "a" / LESSON / "lesson03.ipynb")
    put(tmp_path / "a" / LESSON / "scratch.ipynb", b"junk")
    put(tmp_path / "b" / LESSON / "one.ipynb")
    put(tmp_path / "b" / LESSON / "two.ipynb")
    found = read(tmp_path)
    assert found["a"].notebook is not None
    assert found["b"].notebook is None
    assert "one.ipynb, two.ipynb" in (found["b"].unreadable or "")


@pytest.mark.parametrize("name", ["empty", "other.txt", "gone", "text.zip", "wrong"])
def test_nothing_of_the_lesson_is_a_usage_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    put(tmp_path / "other.txt", b"x")
    put(tmp_path / "text.zip", b"no zip")
    put(tmp_path / "wrong" / "s1" / "lesson02" / "lesson02.ipynb")
    with pytest.raises(UsageError, match=name):
        collect(tmp_path / name, LESSON)


def test_links_and_special_files_are_refused(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside.ipynb")
    tree = tmp_path / "tree"
    put(tree / "good" / LESSON / "lesson03.ipynb")
    for name in ("link", "pipe", "folder", "linked-folder"):
        (tree / name / LESSON).mkdir(parents=True)
    (tree / "link" / LESSON / "lesson03.ipynb").symlink_to(outside)
    os.mkfifo(tree / "pipe" / LESSON / "lesson03.ipynb")
    (tree / "folder" / LESSON / "lesson03.ipynb").mkdir()
    (tree / "linked-folder" / LESSON).rmdir()
    (tree / "linked-folder" / LESSON).symlink_to(tmp_path, target_is_directory=True)
    (tree / "linked-student").symlink_to(tmp_path, target_is_directory=True)
    found = read(tree)
    assert found["good"].notebook is not None
    for name in ("link", "pipe", "folder", "linked-folder", "linked-student"):
        assert found[name].notebook is None
        assert found[name].raw is None
        assert "没有读取" in (found[name].unreadable or "")
    assert "符号链接" in (found["link"].unreadable or "")


def test_a_large_notebook_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert listing.MAX_NOTEBOOK_BYTES == 20 * 1024 * 1024
    monkeypatch.setattr(intake, "MAX_NOTEBOOK_BYTES", 1024 * 1024)
    put(tmp_path / "s1.ipynb", NOTEBOOK + b" " * 1024 * 1024)
    put(tmp_path / "s2.ipynb")
    found = read(tmp_path)
    assert found["s1"].raw is None
    assert "超过 1 MB" in (found["s1"].unreadable or "")
    assert found["s2"].notebook is not None


def test_a_zip_bomb_is_read_up_to_the_cap(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.ipynb", b"0" * (60 * 1024 * 1024))
        archive.writestr("good.ipynb", NOTEBOOK)
    # A header that promises 10 bytes: only what comes counts.
    data = path.read_bytes().replace((60 * 1024 * 1024).to_bytes(4, "little"), b"\x0a\0\0\0")
    path.write_bytes(data)
    found = read(path)
    assert found["bomb"].notebook is None
    assert found["bomb"].raw is None or len(found["bomb"].raw) <= listing.MAX_NOTEBOOK_BYTES
    assert found["good"].notebook is not None


def test_hostile_zip_members(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    link = zipfile.ZipInfo("linked.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    packed = zipfile.ZipInfo("packed.ipynb")
    packed.compress_type = zipfile.ZIP_BZIP2
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("good.ipynb", NOTEBOOK)
        archive.writestr("../../evil.ipynb", NOTEBOOK)
        archive.writestr("../good.ipynb", b"not good's")
        archive.writestr("/etc/absolute.ipynb", NOTEBOOK)
        archive.writestr("C:\\drive.ipynb", NOTEBOOK)
        archive.writestr(link, "/etc/passwd")
        archive.writestr(packed, NOTEBOOK)
    found = read(path)
    assert sorted(found) == ["absolute", "drive", "evil", "good", "linked", "packed"]
    assert found["good"].notebook is not None
    for name in ("absolute", "drive", "evil", "linked", "packed"):
        assert found[name].notebook is None
        assert found[name].raw is None
    assert "指向了别处" in (found["evil"].unreadable or "")
    assert "符号链接" in (found["linked"].unreadable or "")
    assert "压缩方式" in (found["packed"].unreadable or "")
    assert not (tmp_path.parent / "evil.ipynb").exists()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_student(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("s1.ipynb", NOTEBOOK)
        archive.writestr("s1.IPYNB", NOTEBOOK)
        archive.writestr("s2.ipynb", NOTEBOOK)
        archive.writestr("s2.ipynb", NOTEBOOK)
        archive.writestr("s3/lesson03/lesson03.ipynb", NOTEBOOK)
        archive.writestr("s3.ipynb", NOTEBOOK)
        archive.writestr("Zoe\u0308.ipynb", NOTEBOOK)
        archive.writestr("Zo\u00eb.ipynb", NOTEBOOK)
        archive.writestr("s4.ipynb", NOTEBOOK)
        archive.writestr("s5/lesson03/lesson03.ipynb", NOTEBOOK)
        archive.writestr("s5/lesson03/lesson03.ipynb", NOTEBOOK)
    found = read(path)
    assert sorted(found) == ["Zo\u00eb", "s1", "s2", "s3", "s4", "s5"]
    assert found["s4"].notebook is not None
    for name in ("s1", "s2", "s3", "Zo\u00eb", "s5"):
        assert found[name].notebook is None
        assert "请只提交一个" in (found[name].unreadable or "")


def test_reading_is_lazy(tmp_path: Path) -> None:
    put(tmp_path / "a.ipynb")
    last = put(tmp_path / "b.ipynb")
    found = collect(tmp_path, LESSON)
    assert next(found).raw == NOTEBOOK
    last.unlink()
    assert "损坏" in (next(found).unreadable or "")
