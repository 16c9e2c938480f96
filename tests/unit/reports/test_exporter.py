"""The verbs, on an output folder with a real gradebook in which a person gave points."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from nbgrader import api

from autograder.cli import course
from autograder.errors import CourseError, UsageError
from autograder.grading.gradebook.writer import GradebookWriter
from autograder.grading.intake.classlist import ClassList, read_class, write_class
from autograder.grading.intake.lateness import due_time
from autograder.grading.intake.lms import Platform
from autograder.grading.intake.roster import Enrolled, Roster
from autograder.grading.records import Batch, Graded
from autograder.grading.reports.autograded import autograded_notebook, notebook_text
from autograder.grading.reports.coursedir import CourseDir, folder_name, gradebook_url
from autograder.grading.reports.export import grades_of, write_grades_json

ASSETS = Path(__file__).parents[3] / "assets"
NAMES = {"=cmd()": "=1+1", "o'brien": "O'Brien, Zoë", "张三": "张三, 李四", "two\nlines": "x"}


@pytest.fixture
def out(
    batch: Batch,
    master: Any,
    make_graded: Callable[..., Graded],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A graded class of four in a project of its own; 张三 has 1.5 points and a comment for q1."""
    (tmp_path / "pyproject.toml").write_text("[tool.course]\n", encoding="utf-8")
    (tmp_path / "assets").symlink_to(ASSETS, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    folder = CourseDir(root=batch.out, lesson=batch.lesson)
    master.metadata.course.title = batch.title
    url = gradebook_url(batch.out, "sqlite:///gradebook.db")
    folder.prepare(db_url=url)
    folder.write_source(notebook_text(master))
    graded = [make_graded(student) for student in NAMES]
    with GradebookWriter(url, batch.lesson, master) as book:
        for one in graded:
            folder.write_autograded(
                one.result.student, notebook_text(autograded_notebook(one, master))
            )
            book.write(one)
    write_grades_json(batch.out / "grades.json", grades_of(batch, [one.result for one in graded]))
    roster = Roster(
        (
            Enrolled(id=student, name=name, number=str(place), sis_id=student)
            for place, (student, name) in enumerate(NAMES.items())
        ),
        Platform.CANVAS,
    )
    names = {"张三": "张三李四_2_7_lesson99.ipynb", "o'brien": "obrien_1_6_lesson99-1.ipynb"}
    write_class(batch.out, ClassList(roster=roster, handed_in=names))
    with api.Gradebook(url) as opened:
        notebook = opened.find_submission_notebook("lesson99", "lesson99", folder_name("张三"))
        for grade in notebook.grades:
            if grade.cell.name == "q1":
                grade.manual_score, grade.needs_manual_grade = 1.5, False
        for comment in notebook.comments:
            if comment.name == "q1":
                comment.manual_comment = "很好 <script>x</script>"
        opened.db.commit()
    return batch.out


@pytest.fixture
def run() -> Iterator[Callable[..., Result]]:
    def course_(*arguments: str) -> Result:
        result = CliRunner().invoke(course, arguments)
        assert result.exception is None, result.exception
        return result

    yield course_


def table(data: bytes) -> list[dict[str, str]]:
    text = data.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_points_of_a_person_are_exported(out: Path, run: Callable[..., Result]) -> None:
    result = run("export", str(out))
    assert "4 students exported" in result.stdout
    assert "have no total yet" in result.stderr
    rows = {row["student"]: row for row in table((out / "exports/lesson99.csv").read_bytes())}
    assert set(rows) == {"'=cmd()", "o'brien", "张三", "two\nlines"}
    assert rows["'=cmd()"]["name"] == "'=1+1"
    assert rows["张三"]["name"] == "张三, 李四"
    assert (rows["张三"]["q1"], rows["张三"]["total"], rows["张三"]["passed"]) == (
        "1.5",
        "3.5",
        "false",
    )
    assert (rows["o'brien"]["q1"], rows["o'brien"]["total"]) == ("", "")
    kept = {e["student"]: e for e in json.loads((out / "grades.json").read_bytes())["submissions"]}
    assert kept["张三"]["total"] == 3.5
    assert kept["张三"]["automatic"] == {"q1": {"score": None, "reason": None}}
    assert "automatic" not in kept["o'brien"]


def test_every_layout_goes_where_it_is_told(out: Path, run: Callable[..., Result]) -> None:
    for layout in ("json", "canvas", "moodle", "xlsx"):
        run("export", str(out), "--format", layout, "--to", str(out / f"x-{layout}"))
    merged = json.loads((out / "x-json").read_bytes())
    assert list(merged) == ["lesson", "max_score", "sandbox", "limits", "submissions"]
    assert {entry["student"]: entry["total"] for entry in merged["submissions"]}["张三"] == 3.5
    assert table((out / "x-canvas").read_bytes())[-1]["lesson99"] == "3.5"
    assert table((out / "x-moodle").read_bytes())[-1]["Grade"] == "3.5"
    assert zipfile.is_zipfile(out / "x-xlsx")


def test_csv_to_stdout_without_a_mark(out: Path, run: Callable[..., Result]) -> None:
    result = run("export", str(out), "--to", "-", "--no-bom")
    assert result.stdout_bytes.startswith(b"student,name,status,normal,edge,q1,total,")


def test_the_platforms_own_file(out: Path, run: Callable[..., Result], tmp_path: Path) -> None:
    text = "Student;ID;SIS User ID;Section;lesson99 (3)\r\nZ;1;o'brien;S;\r\n张;2;张三;S;1\r\n"
    template = tmp_path / "gradebook.csv"
    template.write_bytes(text.encode("gb18030"))
    result = run("export", str(out), "--template", str(template))
    filled = (out / "exports" / "gradebook.csv").read_bytes()
    assert filled == text.replace("S;1", "S;3.5").encode("gb18030")
    assert template.read_bytes() == text.encode("gb18030")
    assert "so not filled in: =cmd(), two\ufffdlines." in result.stderr


def test_a_template_is_never_overwritten(out: Path, tmp_path: Path) -> None:
    template = tmp_path / "t.csv"
    template.write_text("id,lesson99\n张三,\n", encoding="utf-8")
    for more in (["--to", str(template)], ["--format", "xlsx"]):
        result = CliRunner().invoke(
            course, ["export", str(out), "--template", str(template), *more]
        )
        assert isinstance(result.exception, UsageError)
    assert template.read_text(encoding="utf-8") == "id,lesson99\n张三,\n"


def test_feedback_says_what_a_person_gave(out: Path, run: Callable[..., Result]) -> None:
    result = run("feedback", str(out))
    assert "4 pages of feedback written" in result.stdout
    page = (out / "feedback/张三/lesson99/lesson99.html").read_text(encoding="utf-8")
    assert "<strong>3.5</strong>" in page
    assert "1.5 / 2 分" in page
    assert "很好 &lt;script&gt;" in page
    assert "因为它放大两倍。" in page
    assert "the reference" not in page
    again = (out / "feedback/张三/lesson99/lesson99.html").stat().st_size
    run("feedback", str(out))
    assert (out / "feedback/张三/lesson99/lesson99.html").stat().st_size == again


def test_feedback_for_canvas(out: Path, run: Callable[..., Result]) -> None:
    result = run("feedback", str(out), "--zip", "canvas")
    with zipfile.ZipFile(out / "exports/lesson99-feedback-canvas.zip") as archive:
        assert archive.namelist() == ["obrien_1_6_lesson99-1.ipynb", "张三李四_2_7_lesson99.ipynb"]
        notebook = json.loads(archive.read("张三李四_2_7_lesson99.ipynb"))
    assert "很好" in notebook["cells"][0]["outputs"][0]["data"]["text/html"]
    assert "Not in the zip" in result.stderr


def test_feedback_for_another_download(
    out: Path, run: Callable[..., Result], tmp_path: Path
) -> None:
    download = tmp_path / "d.zip"
    with zipfile.ZipFile(download, "w") as archive:
        archive.writestr("张三, 李四_900_assignsubmission_file/lesson99.ipynb", "{}")
    run("feedback", str(out), "--zip", "moodle", "--download", str(download))
    with zipfile.ZipFile(out / "exports/lesson99-feedback-moodle.zip") as archive:
        assert archive.namelist() == ["张三, 李四_900_assignsubmission_file/lesson99-feedback.html"]


def test_without_the_graded_notebook_no_answer_shows(out: Path, run: Callable[..., Result]) -> None:
    (out / "autograded/张三/lesson99/lesson99.ipynb").unlink()
    run("feedback", str(out))
    page = (out / "feedback/张三/lesson99/lesson99.html").read_text(encoding="utf-8")
    assert "the reference" not in page
    assert "1.5 / 2 分" in page


@pytest.mark.parametrize("gone", ["gradebook.db", "grades.json", "source/lesson99/lesson99.ipynb"])
def test_what_is_gone_is_named(out: Path, gone: str) -> None:
    (out / gone).unlink()
    result = CliRunner().invoke(course, ["export", str(out)])
    assert isinstance(result.exception, CourseError)
    assert Path(gone).name in str(result.exception)
    assert not (out / "gradebook.db").exists() or gone != "gradebook.db"


def test_the_class_reads_back_whole(tmp_path: Path) -> None:
    due = due_time("2026-11-29T23:59+08:00", "x")
    roster = Roster([Enrolled(id="=cmd()", name="O'Brien, Zoë\n", due=due, line=3)])
    write_class(tmp_path, ClassList(roster=roster, handed_in={"=cmd()": "a_1_2_b.ipynb"}))
    members = read_class(tmp_path)
    assert members.roster is not None
    assert members.roster.students == roster.students
    assert members.handed_in == {"=cmd()": "a_1_2_b.ipynb"}
    assert read_class(tmp_path / "nowhere") == ClassList()
    (tmp_path / "class.json").write_text("{", encoding="utf-8")
    with pytest.raises(CourseError, match=r"class\.json"):
        read_class(tmp_path)
