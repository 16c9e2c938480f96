"""The file that a platform gave: one column changes, every other byte stays."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from autograder.errors import UsageError
from autograder.grading.intake.lms import Platform
from autograder.grading.intake.roster import Enrolled, Roster
from autograder.grading.records import Graded
from autograder.grading.reports.report import Report
from autograder.grading.reports.template import fill_template

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Lesson 98 (1),{column},Current Score\r\n"
    "    Points Possible,,,,,10,4.5,(read only)\r\n"
    '"O\'Brien, Zoë",11,s1,zob,"Sec 1, Sec 2",9.5,,88.1\r\n'
    '"张三, 李四",12,s2,z3,Sec 1,,"1,0",\r\n'
    '"two\nlines",13,s3,tl,Sec 1,  7 ,EX,\r\n'
    "=cmd(),14,s4,cmd,Sec 1,,3,"
)
FILLED = (
    CANVAS.replace('Sec 2",9.5,,88.1', 'Sec 2",9.5,2.5,88.1')
    .replace(',"1,0",', ',"3.5",')
    .replace(",,3,", ",,0,")
)
MOODLE = (
    "{0},{1},Email address,Status,{2},{3},Last modified (grade),Feedback comments\n"
    "{4}41,Zoë O'Brien,zoe@x,Submitted,,4.50,-,\n"
    '{4}42,"张三, 李四",z3@x,Submitted,1.00,4.50,-,"<p>old, ""note""</p>"\n'
)


@pytest.fixture
def classroom(make_graded: Callable[..., Graded], unreadable: Graded) -> list[Graded]:
    """s1: 2.5; s2: 3.5; s3 waits for a person; s4: 0, unreadable."""

    def done(student: str, total: float) -> Graded:
        graded = make_graded(student)
        scores = {"normal": 2.0, "edge": 0.0, "q1": total - 2.0}
        result = dataclasses.replace(graded.result, scores=scores, total=total, passed=False)
        return dataclasses.replace(graded, result=result)

    zero = dataclasses.replace(unreadable.result, student="s4")
    return [
        done("s1", 2.5),
        done("s2", 3.5),
        make_graded("s3"),
        dataclasses.replace(unreadable, result=zero),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("column", ["lesson99", "第 99 课 (98765)", "LESSON99 (4)"])
def test_canvas(
    make_report: Callable[..., Report], classroom: list[Graded], encoding: str, column: str
) -> None:
    raw = CANVAS.format(column=column).encode(encoding)
    written = fill_template(raw, "canvas.csv", make_report(classroom))
    assert written.data == FILLED.format(column=column).encode(encoding)
    assert [note for note in written.notes if "canvas.csv" in note] == []


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_delimiter_and_line_ends_stay(
    make_report: Callable[..., Report], classroom: list[Graded], delimiter: str, newline: str
) -> None:
    def other(text: str) -> bytes:
        text = text.format(column="lesson99").replace("\r\n", newline)
        return (
            text.replace(", ", "§")
            .replace("1,0", "¤")
            .replace(",", delimiter)
            .replace("¤", "1,0")
            .replace("§", ", ")
            .encode()
        )

    written = fill_template(other(CANVAS), "c", make_report(classroom))
    assert written.data == other(FILLED)


def test_a_column_is_added_at_the_end(
    make_report: Callable[..., Report], classroom: list[Graded]
) -> None:
    raw = (
        "sep=;\nStudent;ID;SIS User ID;Section\n    Points Possible;;;\nZoë;11;s1;S\nX;19;s9\n"
        "Y;12;s2\n"
    ).encode()
    written = fill_template(raw, "c.csv", make_report(classroom), "Lesson 99")
    assert written.data.decode() == (
        "sep=;\nStudent;ID;SIS User ID;Section;Lesson 99\n    Points Possible;;;;4.5\n"
        "Zoë;11;s1;S;2.5\nX;19;s9\nY;12;s2;;3.5\n"
    )
    assert written.notes[1:] == (
        "c.csv had no column 'Lesson 99': it was added at the end.",
        "Not in c.csv, so not filled in: s3, s4.",
        "No grade here, left as they were in c.csv: s9.",
    )


@pytest.mark.parametrize(
    "words",
    [
        ("Identifier", "Full name", "Grade", "Maximum Grade", "Participant "),
        ("标识符", "全名", "成绩", "最高分", "参与人"),
    ],
)
def test_moodle(
    make_report: Callable[..., Report], classroom: list[Graded], words: tuple[str, ...]
) -> None:
    raw = MOODLE.format(*words).encode("utf-8-sig")
    roster = Roster(
        [Enrolled(id="s1", number="41"), Enrolled(id="s2", number="42")], Platform.MOODLE
    )
    written = fill_template(raw, "m.csv", make_report(classroom, roster=roster))
    expected = MOODLE.format(*words).replace("Submitted,,", "Submitted,2.5,")
    assert written.data.decode("utf-8-sig") == expected.replace("Submitted,1.00,", "Submitted,3.5,")
    assert written.data.startswith(b"\xef\xbb\xbf")
    assert "Not in m.csv, so not filled in: s3, s4." in written.notes


def test_moodle_by_the_numbers_in_folder_names(
    make_report: Callable[..., Report], classroom: list[Graded]
) -> None:
    raw = MOODLE.format("Identifier", "Full name", "Grade", "Maximum Grade", "Participant ")
    report = make_report(classroom[:1], handed_in={"s1": "Other Name_41_assignsubmission_file_"})
    written = fill_template(raw.encode(), "m.csv", report)
    assert "Submitted,2.5,4.50" in written.data.decode()


def test_points_that_mean_something_else_are_told(
    make_report: Callable[..., Report], classroom: list[Graded]
) -> None:
    raw = CANVAS.format(column="lesson99").replace("10,4.5,", "10,100,").encode()
    notes = fill_template(raw, "c.csv", make_report(classroom)).notes
    assert any("the most is 100 points, the lesson's are 4.5" in note for note in notes)


def test_by_name_when_it_is_sure(
    make_report: Callable[..., Report], make_graded: Callable[..., Graded]
) -> None:
    raw = 'Student,ID,Section,lesson99\n"O\'Brien, Zoë",11,S,\n王五,12,S,\n王五,13,S,\n'.encode()
    names = ("Zoë O'Brien", "王五")
    written = fill_template(raw, "c", make_report([make_graded(n, answer="") for n in names]))
    assert written.data.decode() == raw.decode().replace("11,S,", "11,S,2")
    assert "Not in c, so not filled in: 王五." in written.notes


def test_two_grades_for_one_line_fill_neither(
    make_report: Callable[..., Report], make_graded: Callable[..., Graded]
) -> None:
    raw = b"Student,ID,SIS User ID,Section,lesson99\nZoe,11,s1,S,\n"
    report = make_report([make_graded(name, answer="") for name in ("Zoe", "s1")])
    written = fill_template(raw, "c", report)
    assert written.data == raw
    assert "Not in c, so not filled in: Zoe, s1." in written.notes


def test_an_id_is_not_taken_for_a_platforms_number(
    make_report: Callable[..., Report], make_graded: Callable[..., Graded]
) -> None:
    raw = b"Student,ID,Section,lesson99\nZoe,11,S,\n"
    written = fill_template(raw, "c", make_report([make_graded("11", answer="")]))
    assert written.data == raw


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"Student,ID,Section,lesson99,Lesson99 (4)\nA,1,S,,\n", "several columns could be meant"),
        (b"Identifier,Full name\nParticipant 1,A\n", "has no column of grades"),
        (b"PK\x03\x04", "Save it as CSV"),
        (b"a,b\n1,2\n", "no column of student ids"),
    ],
)
def test_what_cannot_be_filled_is_one_sentence(
    make_report: Callable[..., Report], classroom: list[Graded], raw: bytes, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        fill_template(raw, "c.csv", make_report(classroom))
