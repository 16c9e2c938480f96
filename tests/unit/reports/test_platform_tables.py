"""The class in the layouts of Canvas and Moodle, and as a workbook."""

from __future__ import annotations

import csv
import dataclasses
import io
import zipfile
from collections.abc import Callable

import pytest
from openpyxl import load_workbook

from autograder.grading.intake.lms import Platform
from autograder.grading.intake.roster import Enrolled, Roster
from autograder.grading.records import Graded
from autograder.grading.reports.canvas import canvas_table
from autograder.grading.reports.moodle import moodle_table
from autograder.grading.reports.report import Report, Written, named, points
from autograder.grading.reports.workbook import grades_workbook

NAMES = {
    "s1": "=cmd()",
    "s2": "O'Brien, Zoë",
    "s3": "张三, 李四",
    "s4": "two\nlines",
}


def rows(written: Written) -> list[list[str]]:
    assert written.data.startswith(b"\xef\xbb\xbf")
    text = written.data.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def roster(platform: Platform) -> Roster:
    return Roster(
        (
            Enrolled(
                id=student,
                name=name,
                number=str(40 + place),
                sis_id=student,
                login=f"l{student}",
                email=f"{student}@x",
                section="S 1",
            )
            for place, (student, name) in enumerate(NAMES.items(), start=1)
        ),
        platform,
    )


@pytest.fixture
def graded(make_graded: Callable[..., Graded]) -> list[Graded]:
    """s1 has 3.5 points, the others wait for q1."""
    first = make_graded("s1")
    scores = {"normal": 2.0, "edge": 0.0, "q1": 1.5}
    done = dataclasses.replace(first.result, scores=scores, total=3.5, passed=False)
    return [dataclasses.replace(first, result=done), *map(make_graded, ("s2", "s3", "s4"))]


def test_canvas(make_report: Callable[..., Report], graded: list[Graded]) -> None:
    written = canvas_table(make_report(graded, roster=roster(Platform.CANVAS)), "Lesson 99 (7)")
    assert rows(written) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lesson 99 (7)"],
        ["    Points Possible", "", "", "", "", "4.5"],
        ["'=cmd()", "41", "s1", "ls1", "S 1", "3.5"],
        ["O'Brien, Zoë", "42", "s2", "ls2", "S 1", ""],
        ["张三, 李四", "43", "s3", "ls3", "S 1", ""],
        ["two\nlines", "44", "s4", "ls4", "S 1", ""],
    ]
    assert written.notes == (
        "s2, s3, s4 have no total yet: questions wait for a person (formgrader, or the review).",
    )


def test_canvas_without_a_roster_goes_by_file_names(
    make_report: Callable[..., Report], make_graded: Callable[..., Graded]
) -> None:
    report = make_report(
        [make_graded("zoe_41", answer=""), make_graded("s9", answer="")],
        handed_in={"zoe_41": "zoe_41_5_lesson99.ipynb"},
    )
    written = canvas_table(report, bom=True)
    assert rows(written)[0][-1] == "lesson99"
    assert rows(written)[2:] == [["s9", "", "s9", "", "", "2"], ["zoe", "41", "", "", "", "2"]]
    assert written.notes[0].startswith("No Canvas ID is known of s9: ")


def test_moodle(make_report: Callable[..., Report], graded: list[Graded]) -> None:
    report = make_report(
        graded, roster=roster(Platform.MOODLE), comments={"s1": {"q1": "好 <b>\nx"}}
    )
    table = rows(moodle_table(report))
    assert table[0] == [
        "Identifier",
        "Full name",
        "Email address",
        "Status",
        "Grade",
        "Maximum Grade",
        "Grade can be changed",
        "Last modified (submission)",
        "Last modified (grade)",
        "Feedback comments",
    ]
    assert table[1] == [
        "Participant 41",
        "'=cmd()",
        "s1@x",
        "Submitted for grading",
        "3.5",
        "4.50",
        "Yes",
        "2026-11-29T10:00:00+08:00",
        "-",
        "<p>edge: double 返回的值不对。</p><p>q1: 好 &lt;b&gt;<br>x</p>",
    ]
    assert [row[4] for row in table[2:]] == ["", "", ""]


def test_a_canvas_number_is_no_participant_of_moodle(
    make_report: Callable[..., Report], graded: list[Graded]
) -> None:
    written = moodle_table(make_report(graded, roster=roster(Platform.CANVAS)))
    assert [row[0] for row in rows(written)[1:]] == ["", "", "", ""]
    assert "No Moodle participant number is known of s1, s2, s3, s4" in written.notes[1]


def test_a_workbook_holds_texts_and_numbers(
    make_report: Callable[..., Report], graded: list[Graded], unreadable: Graded
) -> None:
    report = make_report([*graded, unreadable], roster=roster(Platform.CANVAS))
    data = grades_workbook(report).data
    book = load_workbook(io.BytesIO(data))
    assert book.sheetnames == ["grades", "questions"]
    grades = [list(row) for row in book["grades"].iter_rows(values_only=True)]
    assert grades[0][:8] == [
        "student",
        "name",
        "status",
        "normal",
        "edge",
        "q1",
        "total",
        "max_score",
    ]
    assert grades[1][:9] == ["s1", "=cmd()", "graded", 2, 0, 1.5, 3.5, 4.5, False]
    assert grades[2][1:7] == ["O'Brien, Zoë", "graded", 2, 0, None, None]
    assert grades[3][1] == "张三, 李四"
    assert grades[4][1] == "two\nlines"
    assert grades[5][:2] == ["s404", None]
    assert book["grades"]["B2"].data_type == "s"
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        assert b"<f>" not in parts.read("xl/worksheets/sheet1.xml")
    questions = [list(row) for row in book["questions"].iter_rows(values_only=True)]
    assert questions[1] == ["normal", "练习：double", 2, "tests", "normal"]
    assert questions[3] == ["q1", "Q1 为什么？", 2, "a person", None]


@pytest.mark.parametrize(
    "student", ["=1+1", "+1", "-1", "@x", "#N/A", "\ttab", "\x00\x1b", "\udcb0", "x" * 40_000, ""]
)
def test_odd_texts_in_a_workbook(
    make_report: Callable[..., Report], make_graded: Callable[..., Graded], student: str
) -> None:
    book = load_workbook(io.BytesIO(grades_workbook(make_report([make_graded(student)])).data))
    cell = book["grades"]["A2"]
    assert cell.data_type in {"s", "inlineStr"} or not student
    if student.isprintable() and len(student) < 100:
        assert cell.value == (student or None)


@pytest.mark.parametrize(
    ("number", "text"), [(0.0, "0"), (10.0, "10"), (7.5, "7.5"), (2 / 3, "0.6667"), (100.0, "100")]
)
def test_points(number: float, text: str) -> None:
    assert points(number) == text


def test_many_students_in_a_sentence() -> None:
    assert named(["a", "b\n"]) == "a, b\ufffd"
    assert named(map(str, range(12))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"
