"""A class of the worst hand-ins in one batch: everyone gets a score or a reason, nobody another's.

Names are those of people and of attackers; files are what people send instead of a notebook.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.commands.instructor import grade_into

pytestmark = pytest.mark.sandbox

LESSON = "lesson03"
MANUAL = ("explanation", "q1", "q2", "q3")
FULL = [2.0, 0.5, 0.5]
POISON = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "[click](javascript:alert(3))",
    "<svg onload=alert(4)>",
    "![x](http://example.org/track.png)",
    "</pre></div><iframe src='//example.org'></iframe>",
    "<a href='JaVaScRiPt:alert(5)'>x</a>",
    "<style>@import 'http://example.org/x.css'</style>",
)
NAMES = [
    "=cmd()",
    "+1+1",
    "@SUM(A1)",
    "-2+3",
    "O'Brien, Zoë",
    "张三, 李四",
    "two\nlines",
    "tab\there",
    '"quoted"',
    "<script>alert(6)<",
    "..",
    "CON",
    "a;DROP TABLE student",
    "%2e%2e%2f",
    "{{7*7}}",
    "名" * 80,
]


def put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def unreadable() -> dict[str, bytes]:
    right = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    return {
        "u-empty": b"",
        "u-cut": right[:30],
        "u-conflict": b"<<<<<<< HEAD\n" + right + b"\n=======\n>>>>>>> theirs\n",
        "u-pdf": b"%PDF-1.7\n...",
        "u-utf16": right.decode().encode("utf-16"),
        "u-deep": b"[" * 200_000,
        "u-zip": b"PK\x03\x04" + bytes(99),
        "u-large": b" " * (60 * 2**20),
        "u-list": b"[1, 2]",
        "u-number": b'{"cells": ' + b"9" * 9_000 + b"}",
    }


def poisoned(course: Any) -> bytes:
    hand_in = course.right()
    for name, text in zip((*MANUAL, *MANUAL), POISON, strict=True):
        hand_in[name]["source"] += f"\n\n{text}\n"
    hand_in["q1"]["attachments"] = {"x.svg": {"image/svg+xml": "<svg onload=alert(7)>"}}
    for text in POISON:
        hand_in.add(
            f"from IPython.display import HTML, SVG, Javascript, display\n"
            f"print({text!r})\ndisplay(HTML({text!r}), Javascript('alert(8)'))\n"
            f"display({{'image/svg+xml': {text!r}, 'text/html': {text!r}}}, raw=True)\n"
            f"raise ValueError({text!r})"
        )
        hand_in.add(text, kind="markdown")
        hand_in.add(text, kind="raw")
    return bytes(hand_in.raw())


@pytest.fixture(scope="module")
def sent(course: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class") / "in"
    right = course.right().raw()
    for name in NAMES:
        if name == "..":  # as a folder it cannot be; as a file it can
            continue
        put(folder / name / LESSON / f"{LESSON}.ipynb", right)
    for name, data in unreadable().items():
        put(folder / name / LESSON / f"{LESSON}.ipynb", data)
    put(folder / "poison" / LESSON / f"{LESSON}.ipynb", poisoned(course))
    put(folder / "renamed" / LESSON / "lesson03 (1).ipynb", right)
    os.mkfifo(_in(folder, "fifo"))
    _in(folder, "folder").mkdir()
    _in(folder, "link").symlink_to("/etc/passwd")
    _in(folder, "linked-class").symlink_to(folder / "renamed" / LESSON / "lesson03 (1).ipynb")
    put(Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe")) / LESSON / f"{LESSON}.ipynb", right)
    return folder


def _in(folder: Path, student: str) -> Path:
    place = folder / student / LESSON
    place.mkdir(parents=True)
    return place / f"{LESSON}.ipynb"


@pytest.fixture(scope="module")
def out(course: Any, sent: Path) -> Path:
    out = sent.parent / "out"
    before = set(sent.parent.iterdir())
    grade_into(course.project, sent, LESSON, out, sandboxed=True)
    assert set(sent.parent.iterdir()) - before == {out}  # nothing is written beside it
    return out


@pytest.fixture(scope="module")
def entries(out: Path) -> dict[str, dict[str, Any]]:
    grades = json.loads((out / "grades.json").read_text(encoding="utf-8"))
    return {entry["student"]: entry for entry in grades["submissions"]}


def points(entry: dict[str, Any]) -> list[float | None]:
    return [entry["scores"][name] for name in ("normal", "boundary", "boundary_case")]


@pytest.mark.parametrize("name", [name for name in NAMES if name != ".."])
def test_a_name_is_only_a_name(entries: dict[str, dict[str, Any]], name: str) -> None:
    assert points(entries[name]) == FULL
    assert entries[name]["status"] == "graded"


def test_a_name_of_no_encoding_is_graded(entries: dict[str, dict[str, Any]]) -> None:
    assert points(entries["\\udcff\\udcfe"]) == FULL


def test_a_renamed_notebook_is_graded_and_flagged(entries: dict[str, dict[str, Any]]) -> None:
    assert points(entries["renamed"]) == FULL
    assert entries["renamed"]["flags"] == ["renamed-notebook"]


@pytest.mark.parametrize("name", [*unreadable(), "fifo", "folder", "link", "linked-class"])
def test_what_cannot_be_graded_says_why(
    entries: dict[str, dict[str, Any]], out: Path, name: str
) -> None:
    entry = entries[name]
    assert entry["status"] == "unreadable"
    assert set(entry["scores"].values()) == {0.0}
    assert (entry["total"], entry["passed"]) == (0.0, False)
    assert re.search(r"[\u4e00-\u9fff]{4}", entry["reason"])
    assert "root:" not in entry["reason"]
    shown = next((out / "autograded" / name).rglob("*.ipynb")).read_text(encoding="utf-8")
    assert entry["reason"] in "".join(nbformat.reads(shown, 4).cells[0].source)


def test_nothing_of_a_poisoned_notebook_runs(out: Path) -> None:
    (page,) = (out / "feedback" / "poison").rglob("*.html")
    html = page.read_text(encoding="utf-8")
    assert "Content-Security-Policy" in html
    alive = r"<(script|iframe|svg|img(?=[^>]*\ssrc=(?!\"data:))|object|embed|form|base|link)\b"
    assert not re.search(alive, html, re.I)
    assert not re.search(r"<[a-z][^>]*\s(on\w+=|href=.?\s*javascript)", html, re.I)
    assert html.count("<style") == 1
    (notebook,) = (out / "autograded" / "poison").rglob("*.ipynb")
    for cell in nbformat.read(notebook, 4).cells:
        if cell.cell_type != "code":
            assert not re.search(r"<(script|img|svg|iframe|style|a)\b", cell.source, re.I)
            assert "](javascript" not in cell.source
        for output in cell.get("outputs", ()):
            assert not set(output.get("data", {})) & {"application/javascript", "image/svg+xml"}
            assert "onerror=" not in output.get("data", {}).get("text/html", "")


def test_the_table_opens_right_and_runs_nothing(out: Path) -> None:
    text = (out / "grades.csv").read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert len(rows) == len(NAMES) - 1 + len(unreadable()) + 7
    for row in rows:
        for value in row.values():
            assert value[:1] not in {"=", "+", "@", "\t", "\r"}
            assert not value.startswith("-") or value[1:].replace(".", "").isdigit()


def test_everything_written_is_within_the_output_folder(out: Path) -> None:
    for path in out.rglob("*"):
        assert not path.is_symlink()
        assert path.is_file() or path.is_dir()
        os.fsencode(path).decode("utf-8")


def test_no_secret_is_in_any_feedback(course: Any, out: Path) -> None:
    pages = list((out / "feedback").rglob("*.html"))
    assert len(pages) == len(NAMES) - 1 + len(unreadable()) + 7
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not [secret for secret in course.secrets if secret in text], page
