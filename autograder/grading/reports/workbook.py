"""Grades as an Excel workbook in which a text is a text, whatever it begins with."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, Cell
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from autograder.grading.reports.export import SubmissionGrade, why
from autograder.grading.reports.outline import titles_of
from autograder.grading.reports.report import Report, Written

_MOST_CHARACTERS = 32_000
"""Of one cell; Excel takes 32,767."""
_WIDEST = 60
_SURROGATE = re.compile("[\ud800-\udfff]")

Value = str | float | bool | None


def grades_workbook(report: Report) -> Written:
    """Two sheets: a row a student with every question's points; and what the questions are."""
    book = Workbook()
    grades = book.active
    if not isinstance(grades, Worksheet):  # a new workbook has one sheet
        raise TypeError(type(grades))
    grades.title = "grades"
    asked = [question.grade_id for question in report.master.questions]
    head = ["student", "name", "status", *asked, "total", "max_score", "passed"]
    criteria = list(report.entries[0].criteria) if report.entries else []
    head += [*criteria, "vetoes", "accepted_in_bulk"]
    head += ["flags", "reason", "submitted_at", "late_s", "late"]
    names = report.names
    _fill(
        grades,
        head,
        (_row(report, entry, asked, names.get(entry.student)) for entry in report.entries),
    )
    titles = titles_of(report.master.notebook)
    _fill(
        book.create_sheet("questions"),
        ["question", "title", "points", "graded by", "category"],
        (
            [
                question.grade_id,
                titles.get(question.exercise or question.grade_id),
                question.points,
                "a person" if question.manual else "tests",
                question.category,
            ]
            for question in report.master.questions
        ),
    )
    buffer = io.BytesIO()
    book.save(buffer)
    return Written(data=buffer.getvalue(), notes=report.notes())


def _row(
    report: Report, entry: SubmissionGrade, asked: Sequence[str], name: str | None
) -> list[Value]:
    return [
        entry.student,
        name,
        entry.status.value,
        *(entry.scores.get(grade_id) for grade_id in asked),
        entry.total,
        report.grades.max_score,
        entry.passed,
        *entry.criteria.values(),
        ", ".join(entry.vetoes),
        ", ".join(entry.in_bulk),
        ", ".join(entry.flags),
        why(entry),
        entry.submitted_at,
        entry.late_s,
        entry.late,
    ]


def _fill(sheet: Worksheet, head: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
    widths = [0] * len(head)
    for number, row in enumerate([head, *rows], start=1):
        cells = []
        for place, value in enumerate(row):
            cell = Cell(sheet, row=number, column=place + 1)
            if isinstance(value, str):
                _write_text(cell, value)
            else:
                cell.value = value
            if number == 1:
                cell.font = Font(bold=True)
            widths[place] = max(widths[place], _width(value))
            cells.append(cell)
        sheet.append(cells)
    for place, width in enumerate(widths, start=1):
        sheet.column_dimensions[get_column_letter(place)].width = min(width + 2, _WIDEST)
    sheet.freeze_panes = "B2"


def _write_text(cell: Cell, text: str) -> None:
    clean = _SURROGATE.sub("\ufffd", ILLEGAL_CHARACTERS_RE.sub("\ufffd", text))
    cell.value = clean[:_MOST_CHARACTERS] or None
    if cell.value is not None:
        # openpyxl takes "=..." for a formula, and "#N/A" for an error value.
        cell.data_type = "s"
        cell.quotePrefix = True  # stays a text when somebody edits the cell


def _width(value: Value) -> int:
    """Roughly the columns that a value takes; a Chinese character takes two."""
    text = "" if value is None else str(value)
    return max((len(line.encode("gb18030", "replace")) for line in text.split("\n")), default=0)
