"""Feedback as the zips that Canvas and Moodle take back.

Canvas ("Re-upload submissions", `generate_comments_from_files` of canvas-lms) finds the learner by
the two numbers in a file's name, and shows what it is given under the name of the file that was
handed in, whatever the new one is called (canvas-lms issue 2406): a page named so would not open,
so Canvas gets the feedback as a notebook, under the very name of the submission. Moodle ("Upload
multiple feedback files in a zip", importziplib.php) finds the learner by the folder, and keeps the
file's own name.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from html import unescape

from autograder.grading.intake.lms import Platform, canvas_name, moodle_name
from autograder.grading.records import Status
from autograder.grading.reports.report import Report, Written, named

_NAME_LIMIT = 100
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|_]+')
_EARLIEST = (1980, 1, 1, 0, 0, 0)


def feedback_zip(
    platform: Platform, report: Report, pages: Mapping[str, str], handed_in: Mapping[str, str]
) -> Written:
    """Pack everybody's page for a platform.

    Args:
        platform: Whose zip it is.
        report: The class.
        pages: Student id -> page.
        handed_in: Student id -> the platform's name for the notebook (Canvas) or folder (Moodle).

    Returns:
        The zip, and who is not in it.
    """
    members: dict[str, bytes] = {}
    lost = []
    for entry in report.entries:
        path = _path(platform, report, entry.student, handed_in.get(entry.student))
        if path is None:
            if entry.status is not Status.MISSING:
                lost.append(entry.student)
            continue
        page = pages[entry.student]
        is_canvas = platform is Platform.CANVAS
        members[path] = (feedback_notebook(page) if is_canvas else page).encode()
    notes = list(report.notes())
    if lost:
        notes.append(
            f"Not in the zip, as {platform.value.capitalize()}'s name for their file is not known: "
            f"{named(lost)}. Name the download that they came in by --download."
        )
    return Written(data=_zipped(members), notes=tuple(notes))


def feedback_notebook(page: str) -> str:
    """A feedback page as the output of a notebook's only code cell: Jupyter shows it at once."""
    body = page.partition("<main>")[2].partition("</main>")[0].strip()
    plain = re.sub(r"\s*\n\s*", "\n", unescape(re.sub(r"<[^>]*>", "", body))).strip()
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"language_info": {"name": "python"}},
        "cells": [
            {
                "cell_type": "code",
                "id": "feedback",
                "metadata": {"deletable": False, "editable": False},
                "execution_count": None,
                "source": [],
                "outputs": [
                    {
                        "output_type": "display_data",
                        "metadata": {},
                        "data": {"text/html": body, "text/plain": plain},
                    }
                ],
            }
        ],
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _path(platform: Platform, report: Report, student: str, given: str | None) -> str | None:
    if platform is Platform.CANVAS:
        return given if given is not None and canvas_name(given) is not None else None
    file = f"{report.grades.lesson}-feedback.html"
    name = moodle_name(given) if given is not None else None
    if given is not None and name is not None and not name.file:
        return f"{given}/{file}"
    number = name.number if name else None
    if number is None and report.platform(student) is Platform.MOODLE:
        number = report.enrolled(student).number
    if number is None:
        return None
    who = " ".join(_UNSAFE.sub(" ", report.enrolled(student).name or student).split())
    who = who[:_NAME_LIMIT] or "x"
    return f"{who}_{number}_assignsubmission_file_/{file}"


def _zipped(members: Mapping[str, bytes]) -> bytes:
    """A zip that is the same for the same members: sorted, and without the time of day."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, data in sorted(members.items()):
            info = zipfile.ZipInfo(path, _EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    return buffer.getvalue()
