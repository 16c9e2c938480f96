"""Who is enrolled: lists of a class, Canvas gradebooks and Moodle worksheets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.grading.intake.csvtext import read_table
from autograder.grading.intake.lateness import due_time, seconds_late
from autograder.grading.intake.lms import Platform
from autograder.grading.intake.roster import Enrolled, Roster
from autograder.grading.intake.rosterfile import read_roster

LIST = '学号,姓名,邮箱\r\ns1,"张三, 李四",z3@x.cn\r\ns2,"O\'Brien, Zoë",zoe@x.ie\r\n'
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,lesson03 (98765),Current Score\n"
    ",,,,,Manual Posting,\n"
    "    Points Possible,,,,,10,(read only)\n"
    '"O\'Brien, Zoë",11,2026001,zob,"Sec 1, Sec 2",,\n'
    "李四,12,,lisi,Sec 1,7.5,\n"
    "王五,13,,,Sec 1,,\n"
    '"Student, Test",14,,abc123,Sec 1,,\n'
)
MOODLE = (
    "Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,"
    "Grade can be changed,Last modified (submission),Last modified (grade),Feedback comments\n"
    "Participant 41,Zoë O'Brien,2026001,zoe@x.ie,Submitted for grading,,10.00,Yes,-,-,\n"
    "Participant 42,张三,,z3@x.cn,No submission,,10.00,Yes,-,-,\n"
    "Participant 43,李四,,,No submission,,10.00,Yes,-,-,\n"
)
MOODLE_ZH = (
    "标识符,全名,电子邮件地址,状态,成绩,最高分,允许更改成绩,上次修改（作业）,上次修改（评分）\n"
    "参与人41,张三,z3@x.cn,没有提交,,10.00,是,-,-\n"
)


def put(tmp_path: Path, raw: bytes) -> Path:
    path = tmp_path / "class.csv"
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize(
    "raw",
    [
        LIST.encode(),
        LIST.encode("utf-8-sig"),
        LIST.encode("gb18030"),
        LIST.encode("utf-16"),
        LIST.encode("utf-16-le"),
        LIST.encode("utf-16-be"),
        LIST.replace("\r\n", "\n").encode(),
        LIST.replace("\r\n", "\r").encode(),
    ],
)
def test_a_list_in_any_encoding(tmp_path: Path, raw: bytes) -> None:
    roster = read_roster(put(tmp_path, raw))
    assert roster.platform is None
    assert roster.ids == ("s1", "s2")
    assert roster.students[0].name == "张三, 李四"
    assert roster.students[1].email == "zoe@x.ie"
    assert [student.line for student in roster.students] == [2, 3]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("head", ["", "sep={}\r\n"])
def test_delimiters(tmp_path: Path, delimiter: str, head: str) -> None:
    text = head.format(delimiter) + 'id,name\r\n1,"a\nb"\r\n\r\n2,=cmd()\r\n'.replace(
        ",", delimiter
    )
    roster = read_roster(put(tmp_path, text.encode()))
    assert [(student.id, student.name) for student in roster.students] == [
        ("1", "a\nb"),
        ("2", "=cmd()"),
    ]
    assert roster.students[1].line == 5 + bool(head)


@pytest.mark.parametrize("header", ["student", "Student ID", "学号", "id", "学生", "Email"])
def test_names_of_the_id_column(tmp_path: Path, header: str) -> None:
    assert read_roster(put(tmp_path, f"nr,{header}\n1,x7\n".encode())).ids == ("x7",)


def test_latin_1_of_old_excel(tmp_path: Path) -> None:
    roster = read_roster(put(tmp_path, "id;name\n1;Zoë\n".encode("cp1252")))
    assert roster.students[0].name == "Zoë"


def test_a_canvas_gradebook(tmp_path: Path) -> None:
    roster = read_roster(put(tmp_path, CANVAS.encode("utf-8-sig")))
    assert roster.platform is Platform.CANVAS
    assert roster.ids == ("2026001", "lisi", "13")
    zoe = roster.students[0]
    assert (zoe.number, zoe.login, zoe.section) == ("11", "zob", "Sec 1, Sec 2")
    assert zoe.line == 4
    assert roster.find("zob") is zoe
    assert roster.find(name="Zoë O'Brien") is zoe
    assert roster.find(name="obrienzoë") is zoe


def test_canvas_leaves_its_test_student_out(tmp_path: Path) -> None:
    text = 'Student,ID,Section\n"Student, Test",14,Sec\n李四,12,Sec\n'
    assert read_roster(put(tmp_path, text.encode())).ids == ("12",)


def test_canvas_with_names_apart(tmp_path: Path) -> None:
    text = "LastName,FirstName,ID,SIS Login ID,Section\nO'Brien,Zoë,11,zob,S\n"
    roster = read_roster(put(tmp_path, text.encode()))
    assert roster.platform is Platform.CANVAS
    assert roster.students[0].name == "O'Brien, Zoë"


def test_a_moodle_worksheet(tmp_path: Path) -> None:
    roster = read_roster(put(tmp_path, MOODLE.encode("utf-8-sig")))
    assert roster.platform is Platform.MOODLE
    assert roster.ids == ("2026001", "z3@x.cn", "43")
    assert [student.number for student in roster.students] == ["41", "42", "43"]


def test_a_moodle_worksheet_in_chinese(tmp_path: Path) -> None:
    (student,) = read_roster(put(tmp_path, MOODLE_ZH.encode("gb18030"))).students
    assert (student.id, student.number, student.name) == ("z3@x.cn", "41", "张三")


def test_what_two_students_share_names_neither() -> None:
    roster = Roster(
        [
            Enrolled(id="a", name="张三", email="x@y"),
            Enrolled(id="b", name="张三", email="x@y"),
        ]
    )
    assert roster.find("x@y", name="张三") is None
    found = roster.find("A")
    assert found is not None
    assert found.id == "a"


def test_an_id_wins_over_anothers_number() -> None:
    roster = Roster([Enrolled(id="7", number="1"), Enrolled(id="8", number="7")])
    found = roster.find("7")
    assert found is not None
    assert found.id == "7"


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n", r"class\.csv:1: has no column of student ids"),
        ("学号\n".encode(), "lists no student"),
        ("学号,姓名\ns1,a\n,b\n".encode(), r"class\.csv:3: has no student id"),
        ("学号\ns1\ns2\nS1\n".encode(), r"class\.csv:4: 'S1' stands in line 2 already"),
        (b'id,name\n1,"a\n2,b\n', r"class\.csv:2: a quoted cell has no closing quote"),
        (b"id,due\n1,tomorrow\n", r"class\.csv:2: the deadline 'tomorrow' is no ISO 8601"),
        (b"PK\x03\x04xlsx", "Excel workbook"),
        (b"\x00\x01\x02", "no text"),
    ],
)
def test_what_is_no_class_is_one_sentence(tmp_path: Path, raw: bytes, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        read_roster(put(tmp_path, raw))
    assert "\n" not in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_roster(tmp_path / "gone.csv")


def test_a_table_knows_where_its_cells_stand() -> None:
    text = 'a,"b ""x""",\r\n1\r\n'
    table = read_table(text.encode("utf-16"), "t")
    header, row = table.rows
    assert [cell.value for cell in header.cells] == ["a", 'b "x"', ""]
    assert [text[cell.start : cell.end] for cell in header.cells] == ["a", '"b ""x"""', ""]
    assert [cell.quoted for cell in header.cells] == [False, True, False]
    assert row.line == 2
    assert table.encoded(table.text) == text.encode("utf-16")


def test_deadlines() -> None:
    hour = timedelta(hours=8)
    assert due_time("2026-03-01T20:00+08:00", "x") == datetime(2026, 3, 1, 12, tzinfo=UTC)
    local = datetime(2026, 3, 2).astimezone()
    assert due_time("2026-03-01", "x") == local  # the end of that day, here
    assert due_time("2026/03/01 16:00", "x") == local - hour
    assert seconds_late("2026-03-01T12:00:01+00:00", due_time("2026-03-01T12:00Z", "x")) == 1.0
    assert seconds_late(None, local) is None
    assert seconds_late("2026-03-01T12:00:01+00:00", None) is None
