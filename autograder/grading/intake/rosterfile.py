"""A class from a file: a list, a Canvas gradebook or a Moodle grading worksheet.

A student's id in the reports is the institution's own where the table has it: the id column of a
list; `SIS User ID`, else `SIS Login ID`, else `ID` of Canvas; `ID number`, else the e-mail address,
else the participant's number of Moodle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from autograder.errors import UsageError
from autograder.grading.intake.csvtext import Row, Table, read_table
from autograder.grading.intake.lateness import due_time
from autograder.grading.intake.lms import Platform
from autograder.grading.intake.roster import Enrolled, Roster, composed

_HEADERS: Mapping[str, frozenset[str]] = {
    "identifier": frozenset({"identifier", "标识符", "識別碼", "编号标识"}),
    "sis_id": frozenset({"sis user id", "id number", "学号", "學號", "编号", "編號"}),
    "login": frozenset({"sis login id", "username", "login", "用户名", "账号", "帳號"}),
    "number": frozenset({"id"}),
    "name": frozenset(
        {"name", "full name", "student name", "姓名", "学生姓名", "名字", "全名", "學生姓名"}
    ),
    "email": frozenset(
        {"email", "e-mail", "mail", "email address", "邮箱", "电子邮件", "电子邮箱", "邮件地址"}
        | {"电子邮件地址", "邮箱地址", "email地址", "電子郵件", "電子郵件信箱"}
    ),
    "section": frozenset({"section", "班级", "班別", "教学班"}),
    "due": frozenset({"due", "due date", "deadline", "截止时间", "截止日期", "到期日期"}),
}
_LIST_IDS = ("student id", "student_id", "studentid", "student", "学生", "學生", "学生编号")
_PARTICIPANT = re.compile(r"\D*(\d+)")
_TEST_STUDENTS = {"student, test", "test student", "学生, 测试", "测试学生"}


def read_roster(path: Path) -> Roster:
    """Read a class from a file.

    Raises:
        UsageError: It is no table of students, or names one twice.
    """
    return roster_of(read_table(_bytes(path), str(path)), str(path))


def roster_of(table: Table, name: str) -> Roster:
    """The class that a table lists.

    Args:
        table: With a header.
        name: The file's name, for messages.

    Raises:
        UsageError: It has no column of ids, or names a student twice.
    """
    platform = platform_of(table.rows[0].values)
    columns = _columns(table.rows[0].values, platform)
    if not {"id", "sis_id", "login", "number", "email", "identifier"} & set(columns):
        raise UsageError(
            f"{name}:{table.rows[0].line}: has no column of student ids. "
            "Name one of them student, id, 学号 or email."
        )
    lines: dict[str, int] = {}
    students = []
    for student in _students(table.rows[1:], columns, platform, name):
        first = lines.setdefault(student.id.casefold(), student.line)
        if first != student.line:
            raise UsageError(
                f"{name}:{student.line}: {student.id!r} stands in line {first} already. "
                "Remove one of the two."
            )
        students.append(student)
    if not students:
        raise UsageError(f"{name}: lists no student. Name the table with the class.")
    return Roster(students, platform)


def platform_of(header: Sequence[str]) -> Platform | None:
    """Where a table with that header comes from."""
    names = [_label(name) for name in header]
    if "id" in names and (names[0] == "student" or names[:2] == ["lastname", "firstname"]):
        return Platform.CANVAS
    return Platform.MOODLE if _HEADERS["identifier"] & set(names) else None


def _columns(header: Sequence[str], platform: Platform | None) -> dict[str, int]:
    """What each column holds: field -> its place; the first of two counts."""
    names = [_label(name) for name in header]
    found: dict[str, int] = {}
    for field, known in _HEADERS.items():
        places = [place for place, name in enumerate(names) if name in known]
        if places:
            found[field] = places[0]
    if platform is Platform.CANVAS:
        found["name"] = 0
        if names[0] == "lastname":
            found["first_name"] = 1
        return found
    if platform is None:
        found.pop("identifier", None)
        found.pop("number", None)
        ids = [names.index(name) for name in (*_LIST_IDS, "id") if name in names]
        if ids:
            found["id"] = ids[0]
    return found


def _students(
    rows: Iterable[Row], columns: Mapping[str, int], platform: Platform | None, name: str
) -> Iterator[Enrolled]:
    for row in rows:
        values = row.values
        got = {f: composed(values[at]) for f, at in columns.items() if at < len(values)}
        got = {field: value for field, value in got.items() if value}
        if platform is Platform.CANVAS and _is_canvas_note(got):
            continue
        if platform is Platform.CANVAS and "first_name" in got:
            got["name"] = f"{got.get('name', '')}, {got['first_name']}"
        number = got.get("number")
        if platform is Platform.MOODLE:
            match = _PARTICIPANT.fullmatch(got.get("identifier", ""))
            number = match[1] if match else None
        own = [got.get("id"), got.get("sis_id")]
        own += (
            [got.get("email"), number]
            if platform is Platform.MOODLE
            else [got.get("login"), number]
        )
        student = next((key for key in (*own, got.get("email")) if key), None)
        if student is None:
            raise UsageError(f"{name}:{row.line}: has no student id. Fill it in, or delete it.")
        yield Enrolled(
            id=student,
            name=got.get("name"),
            email=got.get("email"),
            number=number,
            login=got.get("login"),
            sis_id=got.get("sis_id"),
            section=got.get("section"),
            due=due_time(got["due"], f"{name}:{row.line}")
            if platform is None and "due" in got
            else None,
            line=row.line,
        )


def _is_canvas_note(got: Mapping[str, str]) -> bool:
    """Canvas's rows that are no students: `Points Possible`, manual posting, its test student."""
    name = got.get("name", "")
    if "points possible" in name.casefold() or (not name and "number" not in got):
        return True
    return name.casefold() in _TEST_STUDENTS and "sis_id" not in got


def _label(name: str) -> str:
    return " ".join(composed(name).casefold().split())


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}). Check the path.") from error
