"""Feedback in the zips that Canvas and Moodle take back."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import nbformat

from autograder.grading.intake.lms import Platform
from autograder.grading.intake.roster import Enrolled, Roster
from autograder.grading.records import Graded
from autograder.grading.reports.report import Report, Written
from autograder.grading.reports.returned import feedback_notebook, feedback_zip

PAGE = "<html><style>x{}</style><body>\n<main>\n<h1>第 99 课</h1>\n<p>1 &lt; 2</p>\n</main></body>"


def unpacked(written: Written) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(written.data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_canvas_gets_the_very_names_back(
    make_report: Callable[..., Report], make_graded: Callable[..., Graded]
) -> None:
    students = ("s1", "s2", "=cmd()")
    names = {"s1": "张三_LATE_11_5_lesson99-1.ipynb", "=cmd()": "cmd_12_6_lesson99.ipynb"}
    report = make_report([make_graded(student, answer="") for student in students])
    written = feedback_zip(Platform.CANVAS, report, dict.fromkeys(students, PAGE), names)
    assert list(unpacked(written)) == ["cmd_12_6_lesson99.ipynb", "张三_LATE_11_5_lesson99-1.ipynb"]
    assert written.notes[0].startswith("Not in the zip, as Canvas's name for their file is not")
    assert " s2. " in written.notes[0]
    again = feedback_zip(Platform.CANVAS, report, dict.fromkeys(students, PAGE), names)
    assert again.data == written.data


def test_what_canvas_gets_is_a_notebook() -> None:
    notebook = nbformat.reads(feedback_notebook(PAGE), as_version=4)
    nbformat.validate(notebook)
    (output,) = notebook.cells[0].outputs
    assert output.data["text/html"] == "<h1>第 99 课</h1>\n<p>1 &lt; 2</p>"
    assert output.data["text/plain"] == "第 99 课\n1 < 2"


def test_moodle_gets_a_folder_each(
    make_report: Callable[..., Report], make_graded: Callable[..., Graded]
) -> None:
    students = ("s1", "s2", "s3", "s4")
    roster = Roster(
        [Enrolled(id="s3", number="43", name="../a_b: 张三"), Enrolled(id="s4", number="44")],
        Platform.MOODLE,
    )
    names = {
        "s1": "O'Brien, Zoë_41_assignsubmission_file",
        "s2": "李四_42_assignsubmission_file_lesson99.ipynb",
    }
    report = make_report(
        [make_graded(s, answer="") for s in students], roster=roster, handed_in=names
    )
    written = feedback_zip(Platform.MOODLE, report, dict.fromkeys(students, PAGE), names)
    assert sorted(unpacked(written)) == [
        ".. a b 张三_43_assignsubmission_file_/lesson99-feedback.html",
        "O'Brien, Zoë_41_assignsubmission_file/lesson99-feedback.html",
        "s4_44_assignsubmission_file_/lesson99-feedback.html",
        "李四_42_assignsubmission_file_/lesson99-feedback.html",
    ]
    assert set(unpacked(written).values()) == {PAGE}
    assert written.notes == ()
