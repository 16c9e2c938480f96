"""A person's points over the automatic ones, sums worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from autograder.grading.gradebook.marks import Mark
from autograder.grading.records import Batch, Graded
from autograder.grading.reports.coursedir import folder_name
from autograder.grading.reports.export import Grades, grades_of
from autograder.grading.totals import waiting, with_marks


def mark(
    manual: float | None = None, *, extra: float | None = None, auto: float | None = None
) -> Mark:
    return Mark(auto=auto, manual=manual, extra=extra, needs_person=False)


def merged(batch: Batch, graded: Graded, marks: dict[str, Mark], folder: str = "s001") -> Grades:
    grades = grades_of(batch, [graded.result])
    return with_marks(grades, {folder: marks}, questions=batch.questions, pass_total=3.6)


def test_half_points_are_kept_and_the_total_follows(
    batch: Batch, make_graded: Callable[..., Graded]
) -> None:
    (entry,) = merged(batch, make_graded(), {"q1": mark(1.5)}).submissions
    assert entry.scores == {"normal": 2.0, "edge": 0.0, "q1": 1.5}
    assert entry.total == 3.5
    assert entry.passed is False  # 3.5 < 3.6
    assert entry.reasons == {"edge": "double 返回的值不对。"}
    assert waiting(entry) == []


def test_enough_points_wait_for_the_other_criteria(
    batch: Batch, make_graded: Callable[..., Graded]
) -> None:
    (entry,) = merged(batch, make_graded(), {"q1": mark(2.0)}).submissions
    assert entry.total == 4.0
    assert entry.passed is None


def test_no_marks_change_nothing(batch: Batch, make_graded: Callable[..., Graded]) -> None:
    grades = grades_of(batch, [make_graded().result])
    same = merged(batch, make_graded(), {"q1": mark(), "normal": mark(auto=2.0)})
    assert same == grades
    assert waiting(same.submissions[0]) == ["q1"]
    assert merged(batch, make_graded(), {"q1": mark(2.0)}, folder="s002") == grades


def test_a_person_overrules_a_check(batch: Batch, make_graded: Callable[..., Graded]) -> None:
    marks = {"edge": mark(0.5), "normal": mark(1.0, auto=2.0), "q1": mark(2.0)}
    (entry,) = merged(batch, make_graded(), marks).submissions
    assert entry.scores == {"normal": 1.0, "edge": 0.5, "q1": 2.0}
    assert entry.total == 3.5
    assert entry.reasons == {}
    assert entry.criteria["checks_passed"] is False


def test_extra_credit_is_added(batch: Batch, make_graded: Callable[..., Graded]) -> None:
    (entry,) = merged(batch, make_graded(answer=""), {"q1": mark(extra=0.5)}).submissions
    assert entry.scores["q1"] == 0.5
    assert entry.total == 2.5


def test_points_for_what_could_not_be_read(batch: Batch, unreadable: Graded) -> None:
    (entry,) = merged(batch, unreadable, {"q1": mark(1.0)}, folder="s404").submissions
    assert entry.total == 1.0
    assert entry.status == "unreadable"


@pytest.mark.parametrize("student", ["=cmd()", "O'Brien, Zoë", "张三, 李四", "two\nlines", "a/b"])
def test_odd_ids_find_their_marks(
    batch: Batch, make_graded: Callable[..., Graded], student: str
) -> None:
    marks = {"q1": mark(0.5)}
    (entry,) = merged(batch, make_graded(student), marks, folder_name(student)).submissions
    assert entry.total == 2.5


def test_tenths_add_up(batch: Batch, make_graded: Callable[..., Graded]) -> None:
    marks = {"normal": mark(0.1), "edge": mark(0.2), "q1": mark(0.3)}
    (entry,) = merged(batch, make_graded(), marks).submissions
    assert entry.total == 0.6
