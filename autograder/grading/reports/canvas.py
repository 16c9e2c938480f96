"""Canvas's gradebook as it is exported and imported.

Columns as lib/gradebook_exporter.rb of canvas-lms writes them and lib/gradebook_importer.rb reads
them: the student's five, then one an assignment, `TITLE (ID)`. Without an id Canvas goes by the
title. A student is found by `ID`, else by the two SIS columns, else by the name.
"""

from __future__ import annotations

import csv
import io

from autograder.grading.intake.lms import Platform
from autograder.grading.reports.export import safe_text
from autograder.grading.reports.report import Report, Written, named, points

HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "    Points Possible"


def canvas_table(report: Report, column: str | None = None, *, bom: bool = True) -> Written:
    """The class's totals in Canvas's layout.

    Args:
        report: The class.
        column: The assignment as Canvas calls it, such as `Lesson 3 (98765)`; the lesson's slug
            when not given.
        bom: Begin with a byte order mark.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([*HEADER, column or report.grades.lesson])
    writer.writerow([POINTS_POSSIBLE, "", "", "", "", points(report.grades.max_score)])
    unknown = []
    for entry in report.entries:
        student = report.enrolled(entry.student)
        number = student.number if report.platform(entry.student) is Platform.CANVAS else None
        sis_id = student.sis_id or (None if number or student.login else entry.student)
        if number is None:
            unknown.append(entry.student)
        about = (student.name or entry.student, number, sis_id, student.login, student.section)
        total = "" if entry.total is None else points(entry.total)
        writer.writerow([*(safe_text(text or "") for text in about), total])
    notes = list(report.notes())
    if unknown:
        notes.append(
            f"No Canvas ID is known of {named(unknown)}: Canvas will look for SIS ids and names. "
            "Grade with --roster and Canvas's own gradebook, or export with --template."
        )
    text = buffer.getvalue()
    return Written(data=text.encode("utf-8-sig" if bom else "utf-8"), notes=tuple(notes))
