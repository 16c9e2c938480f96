"""Moodle's offline grading worksheet.

Columns as mod/assign/gradingtable.php writes them. mod/assign/feedback/offline/importgradeslib.php
needs `Identifier`, `Grade` and `Last modified (grade)` in the site's own language, and takes from
`Feedback comments` HTML; here they are in English: for a site in another language, fill its own
worksheet (`template`).
"""

from __future__ import annotations

import csv
import html
import io

from autograder.grading.intake.lms import Platform
from autograder.grading.reports.export import SubmissionGrade, safe_text
from autograder.grading.reports.report import Report, Written, named, points

HEADER = (
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
)


def moodle_table(report: Report, *, bom: bool = True) -> Written:
    """The class's totals, reasons and comments in Moodle's layout."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(HEADER)
    unknown = []
    for entry in report.entries:
        student = report.enrolled(entry.student)
        number = student.number if report.platform(entry.student) is Platform.MOODLE else None
        if number is None:
            unknown.append(entry.student)
        writer.writerow(
            [
                f"Participant {number}" if number else "",
                safe_text(student.name or entry.student),
                safe_text(student.email or ""),
                "No submission" if entry.status == "missing" else "Submitted for grading",
                "" if entry.total is None else points(entry.total),
                f"{report.grades.max_score:.2f}",
                "Yes",
                entry.submitted_at or "-",
                "-",
                safe_text(_comments(report, entry)),
            ]
        )
    notes = list(report.notes())
    if unknown:
        notes.append(
            f"No Moodle participant number is known of {named(unknown)}: Moodle will pass over "
            "these rows. Grade with --roster and Moodle's own grading worksheet."
        )
    text = buffer.getvalue()
    return Written(data=text.encode("utf-8-sig" if bom else "utf-8"), notes=tuple(notes))


def _comments(report: Report, entry: SubmissionGrade) -> str:
    """Reasons and a person's comments as the HTML that Moodle takes this column for."""
    if entry.reason is not None:
        return html.escape(entry.reason)
    lines = []
    comments = report.comments_for(entry.student)
    for name in dict.fromkeys([*entry.scores, *comments]):
        said = [text for text in (entry.reasons.get(name), comments.get(name)) if text]
        if said:
            text = html.escape(" ".join(said)).replace("\n", "<br>")
            lines.append(f"<p>{html.escape(name)}: {text}</p>")
    return "".join(lines)
