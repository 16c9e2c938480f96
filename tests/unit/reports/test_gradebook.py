from __future__ import annotations

import dataclasses
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveCells

from autograder.errors import CourseError
from autograder.grading.gradebook import database
from autograder.grading.gradebook.marks import read_comments, read_marks
from autograder.grading.gradebook.writer import GradebookWriter
from autograder.grading.records import Graded

LESSON = "lesson99"


@pytest.fixture
def db_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PATH", os.defpath)  # as when the environment is not activated
    return f"sqlite:///{tmp_path}/gradebook.db"


def write(db_url: str, master: Any, *graded: Graded) -> None:
    with GradebookWriter(db_url, LESSON, master) as book:
        for one in graded:
            book.write(one)


def test_nbgrader_reads_what_was_written(
    db_url: str, master: Any, make_graded: Callable[..., Graded], unreadable: Graded
) -> None:
    write(db_url, master, make_graded("s001"), make_graded("s002", answer=""), unreadable)
    with Gradebook(db_url) as book:
        submission = book.find_submission(LESSON, "s001")
        assert (submission.score, submission.max_score) == (2.0, 4.5)
        assert submission.needs_manual_grade
        assert submission.timestamp.isoformat() == "2026-11-29T02:00:00"
        by_student = {row["student"]: row for row in book.submission_dicts(LESSON)}
        assert {name: row["needs_manual_grade"] for name, row in by_student.items()} == {
            "s001": True,
            "s002": False,
            "s404": False,
        }
        assert by_student["s404"]["max_score"] == 4.5
        assert by_student["s404"]["score"] == 0.0
        notebooks = {r["student"]: r for r in book.notebook_submission_dicts(LESSON, LESSON)}
        assert notebooks["s001"]["code_score"] == 2.0
        assert notebooks["s001"]["max_written_score"] == 2.0
        assert notebooks["s001"]["failed_tests"]
        edge = book.find_grade("edge", LESSON, LESSON, "s001")
        assert (edge.auto_score, edge.manual_score, edge.needs_manual_grade) == (0.0, None, False)
        untouched = book.find_grade("q1", LESSON, LESSON, "s002")
        assert (untouched.auto_score, untouched.needs_manual_grade) == (0.0, False)
        assert book.find_comment("q1", LESSON, LESSON, "s001").comment is None
        assert (
            book.find_comment("double", LESSON, LESSON, "s001").comment == "double 返回的值不对。"
        )
        assert "第 3 行" in book.find_comment("q1", LESSON, LESSON, "s404").comment


def test_the_master_is_stored_as_nbgrader_would(db_url: str, master: Any, tmp_path: Path) -> None:
    """The same rows as nbgrader's own SaveCells makes of the released notebook."""
    write(db_url, master)
    released = master.copy()
    for cell in released.cells:
        cell.source = cell.metadata.course.get("stub", cell.source)
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.checksum = utils.compute_checksum(cell)
    other = f"sqlite:///{tmp_path}/other.db"
    database.open_gradebook(other).close()
    with Gradebook(other) as book:
        book.add_assignment(LESSON)
    about = {"notebook": LESSON, "assignment": LESSON, "db_url": other}
    SaveCells().preprocess(released, {"nbgrader": about})
    assert _rows(db_url) == _rows(other)
    assert len(_rows(db_url)) == 9  # 3 graded, 2 answers, 4 sources


def _rows(db_url: str) -> list[Any]:
    with Gradebook(db_url) as book:
        notebook = book.find_notebook(LESSON, LESSON)
        kinds = (notebook.grade_cells, notebook.solution_cells, notebook.source_cells)
        rows = [(type(row).__name__, row.to_dict()) for kind in kinds for row in kind]
    for _, row in rows:
        del row["id"]
    return sorted(rows, key=lambda row: (row[0], row[1]["name"]))


def test_writing_again_doubles_nothing_and_keeps_a_persons_points(
    db_url: str, master: Any, make_graded: Callable[..., Graded]
) -> None:
    write(db_url, master, make_graded())
    with Gradebook(db_url) as book:
        grade = book.find_grade("q1", LESSON, LESSON, "s001")
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 1.5, 0.5, False
        book.find_comment("q1", LESSON, LESSON, "s001").manual_comment = "因果链完整。"
        book.db.commit()
    before = _dump(db_url)
    write(db_url, master, make_graded(), make_graded())
    assert _dump(db_url) == before
    mark = read_marks(db_url, LESSON)["s001"]["q1"]
    assert (mark.auto, mark.manual, mark.score, mark.needs_person) == (None, 1.5, 2.0, False)
    assert read_comments(db_url, LESSON) == {"s001": {"q1": "因果链完整。"}}


def test_a_new_submission_asks_the_person_again(
    db_url: str, master: Any, make_graded: Callable[..., Graded]
) -> None:
    write(db_url, master, make_graded())
    with Gradebook(db_url) as book:
        grade = book.find_grade("q1", LESSON, LESSON, "s001")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        book.db.commit()
    write(db_url, master, make_graded(submitted_at="2026-12-01T10:00:00+08:00"))
    mark = read_marks(db_url, LESSON)["s001"]["q1"]
    assert (mark.manual, mark.needs_person) == (1.5, True)


def test_cannot_tell_waits_for_a_person(
    db_url: str, master: Any, make_graded: Callable[..., Graded]
) -> None:
    graded = make_graded()
    scores = {"normal": 2.0, "edge": None, "q1": None}
    unsure = dataclasses.replace(graded, result=dataclasses.replace(graded.result, scores=scores))
    write(db_url, master, unsure)
    mark = read_marks(db_url, LESSON)["s001"]["edge"]
    assert (mark.score, mark.needs_person) == (None, True)


def test_odd_names_become_ids_that_formgrader_can_open(
    db_url: str, master: Any, make_graded: Callable[..., Graded]
) -> None:
    names = ("=cmd()", "O'Brien, Zoë", "张三, 李四", "a\nb", "../x", "长" * 300)
    write(db_url, master, *(make_graded(name) for name in names))
    ids = set(read_marks(db_url, LESSON))
    assert len(ids) == len(names)
    assert {"=cmd()", "O'Brien, Zoë", "张三, 李四", "a~0Ab", "~2E.~2Fx"} < ids


def test_a_batch_is_written_whole_or_not(
    db_url: str, master: Any, make_graded: Callable[..., Graded], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_LOCK_WAIT_S", 0.1)
    write(db_url, master, make_graded("s001"))
    path = db_url.removeprefix("sqlite:///")
    with GradebookWriter(db_url, LESSON, master) as book:
        for number in range(2, 5):
            book.write(make_graded(f"s00{number}"))
        other = sqlite3.connect(path)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CourseError, match="locked"):
            book.flush()
        other.rollback()
        other.close()
        assert set(read_marks(db_url, LESSON)) == {"s001"}
    assert set(read_marks(db_url, LESSON)) == {"s001", "s002", "s003", "s004"}


def test_other_assignments_are_left_alone(
    db_url: str, master: Any, make_graded: Callable[..., Graded]
) -> None:
    with GradebookWriter(db_url, "lesson98", master) as book:
        book.write(make_graded("s001"))
    before = read_marks(db_url, "lesson98")
    write(db_url, master, make_graded("s001", answer=""))
    assert read_marks(db_url, "lesson98") == before


def test_a_changed_lesson_takes_its_cells_along(
    db_url: str, master: Any, make_graded: Callable[..., Graded]
) -> None:
    write(db_url, master, make_graded())
    master.cells[3].metadata.nbgrader.update(grade_id="edge_two", points=1.0)
    write(db_url, master, make_graded())
    assert set(read_marks(db_url, LESSON)["s001"]) == {"normal", "edge_two", "q1"}
    with Gradebook(db_url) as book:
        assert book.find_assignment(LESSON).max_score == 5.0


def test_a_persons_points_are_never_thrown_away(
    db_url: str, master: Any, make_graded: Callable[..., Graded]
) -> None:
    write(db_url, master, make_graded())
    with Gradebook(db_url) as book:
        book.find_grade("q1", LESSON, LESSON, "s001").manual_score = 2.0
        book.db.commit()
    del master.cells[5]
    with pytest.raises(CourseError, match="'q1'"):
        write(db_url, master, make_graded())
    assert read_marks(db_url, LESSON)["s001"]["q1"].manual == 2.0


def test_what_is_no_database_is_a_sentence(tmp_path: Path, master: Any) -> None:
    (tmp_path / "gradebook.db").write_bytes(b"not a database, whatever its name says" * 40)
    with pytest.raises(CourseError, match="not a database"):
        write(f"sqlite:///{tmp_path}/gradebook.db", master)
    with pytest.raises(CourseError, match="not a database URL"):
        write("gradebook.db", master)


def _dump(db_url: str) -> list[str]:
    with sqlite3.connect(db_url.removeprefix("sqlite:///")) as connection:
        return list(connection.iterdump())
