"""The journal: what has a line is done, whatever a kill leaves at the end."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from autograder.errors import CourseError
from autograder.grading.batch.facts import Facts
from autograder.grading.batch.journal import Journal, Opening, Record
from autograder.grading.records import Status
from autograder.grading.reports.export import SubmissionGrade

KEY = ("content", "tests", "settings")


def record(student: str, score: float | None = 1.0, content: str = "content") -> Record:
    return Record(
        content=content,
        tests="tests",
        settings="settings",
        entry=SubmissionGrade(
            student=student,
            status=Status.GRADED,
            reason=None,
            scores={"q": score},
            reasons={},
            flags=[],
            criteria={},
            proposed_vetoes=[],
            vetoes=[],
            total=score,
            passed=None,
        ),
        facts=Facts(answers={"q1": "因为\u2028慢"}),
    )


def journal(out: Path, *, resume: bool = True) -> Journal:
    return Journal(out, "lesson", resume=resume)


def test_resume_finds_what_was_appended(tmp_path: Path) -> None:
    with journal(tmp_path, resume=False) as new:
        new.open(Opening(sandbox="bubblewrap", limits={"cell_s": 10}))
        new.append([record("b"), record("a")])
    with journal(tmp_path) as again:
        assert again.opening == Opening(sandbox="bubblewrap", limits={"cell_s": 10})
        assert again.holds("a", KEY)
        assert not again.holds("a", ("other", "tests", "settings"))
        assert not again.holds("c", KEY)
        assert list(again.records({"a", "b", "c"})) == [record("a"), record("b")]


@pytest.mark.parametrize("torn", [b"{", b'{"line":"graded","content":"con', b"\xff\xfe"])
def test_a_torn_last_line_does_not_count_and_does_not_spoil_the_next(
    tmp_path: Path, torn: bytes
) -> None:
    with journal(tmp_path, resume=False) as new:
        new.append([record("a")])
    with (tmp_path / "journal-lesson.jsonl").open("ab") as file:
        file.write(torn)
    with journal(tmp_path) as again:
        assert again.students == {"a"}
        again.append([record("b")])
    with journal(tmp_path) as third:
        assert list(third.records({"a", "b"})) == [record("a"), record("b")]


def test_every_cut_of_the_file_keeps_whole_lines_only(tmp_path: Path) -> None:
    with journal(tmp_path, resume=False) as new:
        new.append([record("a"), record("b")])
    file = tmp_path / "journal-lesson.jsonl"
    whole = file.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(0, len(whole) + 1, 7):
        file.write_bytes(whole[:cut])
        with journal(tmp_path) as again:
            kept = {"a"} if first <= cut < len(whole) else set()
            assert again.students == ({"a", "b"} if cut == len(whole) else kept)


def test_a_damaged_line_within_costs_that_submission_only(tmp_path: Path) -> None:
    with journal(tmp_path, resume=False) as new:
        new.append([record("a"), record("b")])
    file = tmp_path / "journal-lesson.jsonl"
    file.write_bytes(file.read_bytes().replace(b"graded", b"gr\0ded", 1))
    with journal(tmp_path) as again:
        assert again.students == {"b"}


def test_the_newest_line_of_a_student_counts(tmp_path: Path) -> None:
    with journal(tmp_path, resume=False) as new:
        new.append([record("a", 1.0), record("a", 0.5, "newer")])
        assert list(new.records({"a"})) == [record("a", 0.5, "newer")]
        assert new.holds("a", ("newer", "tests", "settings"))


def test_a_new_round_is_compared_with_the_last_complete_one(tmp_path: Path) -> None:
    with journal(tmp_path, resume=False) as first:
        first.append([record("a", 1.0)])
        assert list(first.earlier()) == []
        first.close()
    with journal(tmp_path, resume=False) as second:  # killed before its reports
        assert second.students == set()
        second.append([record("a", 0.5)])
        assert list(second.earlier()) == [record("a", 1.0)]
    with journal(tmp_path, resume=False) as third:
        assert list(third.earlier()) == [record("a", 1.0)]


def test_going_on_after_a_complete_round_is_compared_with_that_round(tmp_path: Path) -> None:
    with journal(tmp_path, resume=False) as first:
        first.append([record("a", 1.0)])
        first.close()
    with journal(tmp_path) as second:
        assert second.is_closed
        second.append([record("a", 0.0, "newer")])
        assert not second.is_closed
        assert list(second.earlier()) == [record("a", 1.0)]


def test_a_full_disk_is_one_sentence_and_the_journal_stays_whole(tmp_path: Path) -> None:
    file = tmp_path / "journal-lesson.jsonl"
    with journal(tmp_path, resume=False) as new:
        new.append([record("a")])
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        # The kernel takes 40 bytes more and refuses the rest, as a full disk does.
        resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 40, hard))
        try:
            with pytest.raises(CourseError, match=r"cannot be written .*--resume"):
                new.append([record("b")])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with journal(tmp_path) as again:
        assert again.students == {"a"}
        again.append([record("b")])
        assert list(again.records({"a", "b"})) == [record("a"), record("b")]
