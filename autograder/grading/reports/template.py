"""The very file that a platform gave, with this lesson's points filled in.

Only the cells of one column are written; every other byte stays: encoding, byte order mark,
delimiter, quotes, line ends, other columns, rows of other students.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.errors import UsageError
from autograder.grading.intake.csvtext import Row, Table, read_table, written
from autograder.grading.intake.lms import Platform
from autograder.grading.intake.roster import Enrolled, Roster
from autograder.grading.intake.rosterfile import roster_of
from autograder.grading.reports.export import SubmissionGrade
from autograder.grading.reports.report import Report, Written, named, points

_WITH_ID = re.compile(r"(.*?)\s*\(\d+\)")
_GRADE = {"grade", "成绩", "成績", "分数", "評分"}
_MAXIMUM = {"maximum grade", "最高分", "最高成绩", "最高成績"}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Column:
    """Where the points go: an existing column, or a new one after the last."""

    place: int
    name: str
    is_new: bool


def fill_template(raw: bytes, name: str, report: Report, column: str | None = None) -> Written:
    """Fill a table that Canvas, Moodle or anybody gave.

    Args:
        raw: The file.
        name: Its name, for messages.
        report: The class.
        column: Name of the column, when it is neither the lesson's slug nor its title (with or
            without Canvas's id), nor Moodle's grade.

    Raises:
        UsageError: It lists no students, or has several columns that could be meant.
    """
    table = read_table(raw, name)
    roster = roster_of(table, name)
    target = _column(table, roster.platform, report, column, name)
    rows = {row.line: row for row in table.rows}
    matched, lost = _matched(report, roster)
    values: dict[int, str] = {}
    for line, entry in matched.items():
        if entry.total is not None:
            values[line] = points(entry.total)
    if target.is_new:
        values[table.rows[0].line] = target.name
        values |= {
            row.line: points(report.grades.max_score)
            for row in table.rows[1:]
            if _is_points_possible(row)
        }
    edits = [
        _edit(rows[line], target.place, value, table.delimiter) for line, value in values.items()
    ]
    try:
        data = table.encoded(_edited(table.text, edits))
    except UnicodeEncodeError:
        raise UsageError(
            f"{name}: its encoding has no letters for {target.name!r}. Save it as CSV UTF-8 first."
        ) from None
    notes = [*report.notes(), *_notes(table, roster, target, report, name)]
    if lost:
        notes.append(f"Not in {name}, so not filled in: {named(lost)}.")
    left = [student.id for student in roster.students if student.line not in matched]
    if left:
        notes.append(f"No grade here, left as they were in {name}: {named(left)}.")
    return Written(data=data, notes=tuple(notes))


def _column(
    table: Table, platform: Platform | None, report: Report, wanted: str | None, name: str
) -> _Column:
    header = table.rows[0].values
    if wanted is not None:
        known = {wanted.casefold()}
    elif platform is Platform.MOODLE:
        known = _GRADE
    else:
        known = {report.grades.lesson.casefold(), report.master.title.casefold()}
    found = [place for place, label in enumerate(header) if known & _titles(label)]
    if len(found) > 1:
        several = ", ".join(repr(header[place]) for place in found)
        raise UsageError(
            f"{name}: several columns could be meant: {several}. Name one by --column."
        )
    if found:
        return _Column(place=found[0], name=header[found[0]], is_new=False)
    if platform is Platform.MOODLE and wanted is None:
        raise UsageError(
            f"{name}: has no column of grades. In Moodle, switch on the feedback type "
            "'Offline grading worksheet' and download the worksheet again, or use --column."
        )
    return _Column(place=len(header), name=wanted or report.grades.lesson, is_new=True)


def _titles(label: str) -> set[str]:
    """A header, with and without the id that Canvas puts behind it."""
    plain = label.casefold()
    match = _WITH_ID.fullmatch(plain)
    return {plain, match[1]} if match else {plain}


def _matched(report: Report, roster: Roster) -> tuple[dict[int, SubmissionGrade], list[str]]:
    """Line of the table -> grade, and the students who have no line of their own."""
    claims: dict[int, list[SubmissionGrade]] = {}
    lost = []
    for entry in report.entries:
        found = _row_of(entry.student, report, roster)
        if found is None:
            lost.append(entry.student)
        else:
            claims.setdefault(found.line, []).append(entry)
    # Two grades for one line: neither is sure.
    lost += [entry.student for claim in claims.values() if len(claim) > 1 for entry in claim]
    return {line: claim[0] for line, claim in claims.items() if len(claim) == 1}, sorted(lost)


def _row_of(student: str, report: Report, roster: Roster) -> Enrolled | None:
    known = report.enrolled(student)
    same = report.platform(student) is roster.platform is not None
    if same and known.number is not None:
        found = roster.numbered(known.number)
        if found is not None:
            return found
    found = roster.find(student, known.sis_id, known.login, known.email)
    # An institution's own id may equal another student's number on the platform.
    if found is not None and (same or found.id != found.number):
        return found
    return roster.find(name=known.name or student)


def _edit(row: Row, place: int, value: str, delimiter: str) -> tuple[int, int, str]:
    """Where in the text a cell stands, and what goes there; missing cells before it are added."""
    if place < len(row.cells):
        cell = row.cells[place]
        return cell.start, cell.end, written(value, delimiter, quoted=cell.quoted)
    missing = place - len(row.cells) + 1
    end = row.cells[-1].end
    return end, end, delimiter * missing + written(value, delimiter)


def _edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _is_points_possible(row: Row) -> bool:
    return row.values[0].casefold() == "points possible"


def _notes(table: Table, roster: Roster, target: _Column, report: Report, name: str) -> list[str]:
    notes = []
    if target.is_new:
        notes.append(f"{name} had no column {target.name!r}: it was added at the end.")
    most = _maximum(table, roster.platform, target)
    ours = report.grades.max_score
    if most is not None and most != ours:
        notes.append(
            f"{name} says that the most is {points(most)} points, the lesson's are {points(ours)}: "
            "set the assignment's points to that, or the grades mean something else there."
        )
    return notes


def _maximum(table: Table, platform: Platform | None, target: _Column) -> float | None:
    text = ""
    if platform is Platform.CANVAS and not target.is_new:
        rows = [row.values for row in table.rows[1:] if _is_points_possible(row)]
        text = rows[0][target.place] if rows and target.place < len(rows[0]) else ""
    elif platform is Platform.MOODLE and len(table.rows) > 1:
        labels = [label.casefold() for label in table.rows[0].values]
        values: Mapping[str, str] = dict(zip(labels, table.rows[1].values, strict=False))
        text = next((values[label] for label in labels if label in _MAXIMUM & set(values)), "")
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
