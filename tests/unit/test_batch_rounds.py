"""Round after round into the same folder, on a lesson of one exercise worth 2 and one question."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from autograder.commands.instructor import grade_class
from autograder.commands.samples import Sample, write_samples
from autograder.commands.summary import summary
from autograder.editions.build import source_notebook
from autograder.editions.release import release
from autograder.errors import UsageError
from autograder.grading.batch.assignment import Settings
from autograder.grading.batch.outcome import Outcome
from autograder.grading.gradebook.marks import read_marks
from autograder.grading.reports.coursedir import gradebook_url
from autograder.grading.reports.export import SubmissionGrade
from autograder.project import Project
from tests.conftest import SmallCourse

ROOT = Path(__file__).resolve().parents[2]
RIGHT, WRONG = "sum(values) / len(values)", "total // count"

pytestmark = pytest.mark.sandbox


@dataclass
class Heard:
    """Keeps what a batch tells."""

    graded_ids: list[str] = field(default_factory=list)
    kept_count: int = 0
    notes: list[str] = field(default_factory=list)

    def begin(self, total: int) -> None:
        pass

    def graded(self, entry: SubmissionGrade) -> None:
        self.graded_ids.append(entry.student)

    def kept(self) -> None:
        self.kept_count += 1

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def end(self) -> None:
        pass


@dataclass(frozen=True, kw_only=True)
class Class:
    project: Project
    submitted: Path
    out: Path
    heard: Heard = field(default_factory=Heard)

    def hand_in(self, **fills: str) -> None:
        released = release(source_notebook(self.project, "tiny"))
        samples = [
            Sample(student=name, about="", fill={"average": [text]}) for name, text in fills.items()
        ]
        write_samples(samples, released, "tiny", self.submitted)

    def grade(self, *, existing: bool = False, **settings: Any) -> Outcome:
        return grade_class(
            self.project,
            self.submitted,
            "tiny",
            self.out,
            settings=Settings(**settings),
            progress=self.heard,
            existing=existing,
        )

    def give(self, student: str, question: str, points: float) -> None:
        """A person's points, as formgrader writes them."""
        with sqlite3.connect(self.out / "gradebook.db") as book:
            book.execute(
                "update grade set manual_score = ?, needs_manual_grade = 0 where id in ("
                " select grade.id from grade join base_cell on base_cell.id = grade.cell_id"
                " join submitted_notebook on submitted_notebook.id = grade.notebook_id"
                " join submitted_assignment"
                " on submitted_assignment.id = submitted_notebook.assignment_id"
                " where base_cell.name = ? and submitted_assignment.student_id = ?)",
                (points, question, student),
            )

    def manual(self, student: str, question: str) -> float | None:
        marks = read_marks(gradebook_url(self.out, "sqlite:///gradebook.db"), "tiny")
        return marks[student][question].manual


@pytest.fixture
def few(course_copy: Callable[[], SmallCourse], tmp_path: Path) -> Class:
    course = course_copy()
    shutil.copytree(ROOT / "assets" / "feedback", course.root / "assets" / "feedback")
    made = Class(project=course.project, submitted=tmp_path / "in", out=tmp_path / "out")
    made.hand_in(ada=RIGHT, bao=WRONG, chen=WRONG)
    return made


def normal(outcome: Outcome) -> dict[str, float | None]:
    return {entry.student: entry.scores["normal"] for entry in outcome.grades.submissions}


@pytest.mark.slow
def test_grading_again_resuming_and_grading_one(few: Class) -> None:
    first = few.grade()
    assert normal(first) == {"ada": 2.0, "bao": 0.0, "chen": 0.0}
    assert first.changes is None
    whole = (few.out / "grades.json").read_bytes()
    few.give("bao", "q1", 1.5)

    resumed = few.grade(resume=True)
    assert (few.heard.graded_ids[3:], few.heard.kept_count) == ([], 3)
    assert (few.out / "grades.json").read_bytes() == whole
    assert resumed.changes == []

    few.hand_in(bao=RIGHT, chen=RIGHT)
    one = few.grade(student="bao")
    assert few.heard.graded_ids[3:] == ["bao"]
    assert normal(one) == {"ada": 2.0, "bao": 2.0, "chen": 0.0}
    assert [change.sentence() for change in one.changes or ()] == [
        "bao normal: 0 -> 2 (submission)"
    ]

    rest = few.grade(resume=True)  # only chen's bytes are not graded yet
    assert few.heard.graded_ids[4:] == ["chen"]
    assert normal(rest) == {"ada": 2.0, "bao": 2.0, "chen": 2.0}

    again = few.grade()
    assert sorted(few.heard.graded_ids[5:]) == ["ada", "bao", "chen"]
    assert again.changes == []
    assert few.manual("bao", "q1") == 1.5

    (few.out / "gradebook.db").unlink()  # without it a journal proves nothing
    few.grade(resume=True)
    assert sorted(few.heard.graded_ids[8:]) == ["ada", "bao", "chen"]

    with pytest.raises(UsageError, match="'zoe'"):
        few.grade(student="zoe")


def test_changed_tests_list_the_marks_that_changed_and_keep_a_persons_points(few: Class) -> None:
    few.grade()
    few.give("bao", "normal", 1.0)
    source = few.project.source("tiny")
    text = source.read_text(encoding="utf-8")
    # 37.5 / 3 = 12.5, whose floor is not it; 36 / 3 = 12 is its own floor: now all are right.
    source.write_text(
        text.replace("[11, 12, 14.5]) == 12.5", "[11, 12, 13]) == 12"), encoding="utf-8"
    )
    outcome = few.grade()
    assert normal(outcome) == {"ada": 2.0, "bao": 2.0, "chen": 2.0}
    said = summary(outcome, few.out)
    assert "2 marks differ from the grading before" in said
    assert "  bao normal: 0 -> 2 (tests; 1 by a person stands)" in said
    assert "  chen normal: 0 -> 2 (tests)" in said
    with (few.out / "changes.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["student"], row["because"], row["person"]) for row in rows] == [
        ("bao", "tests", "1"),
        ("chen", "tests", ""),
    ]
    assert few.manual("bao", "normal") == 1.0
    few.grade(resume=True)  # nothing new: what has changed is still listed
    assert "chen" in (few.out / "changes.csv").read_text(encoding="utf-8-sig")


def test_an_existing_course_keeps_what_is_its_own(few: Class) -> None:
    few.out.mkdir()
    config = few.out / "nbgrader_config.py"
    config.write_text("c = get_config()\nc.CourseDirectory.course_id = 'mine'\n", encoding="utf-8")
    own = few.out / "source" / "tiny" / "tiny.ipynb"
    own.parent.mkdir(parents=True)
    own.write_text('{"mine": true}', encoding="utf-8")
    few.grade(existing=True)
    before = config.read_bytes()
    with sqlite3.connect(few.out / "gradebook.db") as book:
        book.execute(
            "insert into assignment (id, name, course_id) values ('o', 'other', 'default_course')"
        )
    few.grade(existing=True)
    assert config.read_bytes() == before
    assert json.loads(own.read_text(encoding="utf-8")) == {"mine": True}
    copies = list(few.out.glob("gradebook.db.*.bak"))
    assert len(copies) == 1
    with sqlite3.connect(copies[0]) as book:
        assert book.execute("select name from assignment order by name").fetchall() == [
            ("other",),
            ("tiny",),
        ]
    notes = " ".join(few.heard.notes)
    assert "Add to it" in notes
    assert "c.HTMLExporter.sanitize_html = True" in notes
    assert "is yours and stays" in notes


def test_a_folder_that_is_no_course_is_refused(few: Class) -> None:
    few.out.mkdir()
    with pytest.raises(UsageError, match="not an nbgrader course"):
        few.grade(existing=True)


def test_another_lessons_reports_are_kept(few: Class) -> None:
    few.out.mkdir()
    other = {
        "lesson": "other",
        "max_score": 1.0,
        "sandbox": "none",
        "limits": {},
        "submissions": [],
    }
    (few.out / "grades.json").write_text(json.dumps(other), encoding="utf-8")
    few.grade()
    kept = few.out / "earlier" / "other" / "grades.json"
    assert json.loads(kept.read_text(encoding="utf-8")) == other
    assert "--lesson other --resume" in " ".join(few.heard.notes)
