"""The log: appended, synced, never changed; two people at once; a machine that stopped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder.errors import CourseError
from autograder.review.desk.undo import undoing
from autograder.review.log.events import Criterion, Event, How, Mark, Reopening, Veto
from autograder.review.log.logfile import ConflictError, ReviewLog
from autograder.review.log.state import State

NOON = "2026-12-01T12:00:00.000+00:00"


def mark(student: str, score: float | None, *, by: str = "甲", based_on: int = 0) -> Mark:
    return Mark(
        at=NOON, by=by, student=student, question="q1", answer="d1", score=score, based_on=based_on
    )


def put(log: ReviewLog, *events: Event) -> list[Event]:
    return log.append(lambda _: list(events))


@pytest.fixture
def log(tmp_path: Path) -> ReviewLog:
    return ReviewLog(tmp_path, "lesson99")


def lines(log: ReviewLog) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.path.read_text(encoding="utf-8").splitlines()]


def test_what_is_appended_is_read_back(log: ReviewLog, tmp_path: Path) -> None:
    put(log, mark("s1", 1.5), mark("s2", 0))
    again = ReviewLog(tmp_path, "lesson99").state
    found = again.mark("s1", "q1")
    assert found is not None
    assert (found.seq, found.score, found.by, found.how) == (1, 1.5, "甲", How.PERSON)
    assert again.mark("s2", "q1") is not None
    assert again.last == 2
    assert [line["line"] for line in lines(log)] == ["opening", "mark", "mark"]


def test_nothing_is_ever_changed(log: ReviewLog) -> None:
    put(log, mark("s1", 1))
    before = log.path.read_bytes()
    put(log, mark("s1", 2, based_on=1))
    assert log.path.read_bytes().startswith(before)
    assert [one.seq for one in log.state.earlier(("mark", "s1", "q1"))] == [1, 2]


def test_two_people_at_once(log: ReviewLog, tmp_path: Path) -> None:
    other = ReviewLog(tmp_path, "lesson99")
    put(log, mark("s1", 1))
    with pytest.raises(ConflictError) as caught:
        put(other, mark("s1", 2, by="乙"))
    assert isinstance(caught.value.newest, Mark)
    assert (caught.value.newest.by, caught.value.newest.score) == ("甲", 1)
    assert len(lines(log)) == 2
    put(other, mark("s1", 2, by="乙", based_on=1))
    log.refresh()
    newest = log.state.mark("s1", "q1")
    assert newest is not None
    assert (newest.by, newest.score) == ("乙", 2)


def test_a_stroke_is_appended_whole_or_not(log: ReviewLog) -> None:
    put(log, mark("s2", 1, by="乙"))
    with pytest.raises(ConflictError):
        put(log, mark("s1", 1), mark("s2", 1))
    assert log.state.mark("s1", "q1") is None


def test_a_torn_last_line_costs_itself_only(log: ReviewLog, tmp_path: Path) -> None:
    put(log, mark("s1", 1), mark("s2", 2))
    whole = log.path.read_bytes()
    log.path.write_bytes(whole[:-9])
    after = ReviewLog(tmp_path, "lesson99")
    assert after.state.mark("s1", "q1") is not None
    assert after.state.mark("s2", "q1") is None
    put(after, mark("s3", 0.5))
    read = ReviewLog(tmp_path, "lesson99")
    assert read.damaged == 1
    assert read.state.mark("s3", "q1") is not None
    assert log.path.read_bytes().startswith(whole[:-9])


def test_damage_in_the_middle_costs_that_line_only(log: ReviewLog, tmp_path: Path) -> None:
    put(log, mark("s1", 1), mark("s2", 2))
    rows = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(rows[0] + b"\xff\x00{]\n" + rows[2])
    read = ReviewLog(tmp_path, "lesson99")
    assert read.state.mark("s1", "q1") is None
    assert read.state.mark("s2", "q1") is not None


def test_another_lessons_log_is_refused(log: ReviewLog, tmp_path: Path) -> None:
    log.begin()
    log.path.rename(tmp_path / "review-lesson04.jsonl")
    with pytest.raises(CourseError, match="lesson99"):
        ReviewLog(tmp_path, "lesson04")


def test_names_say_nothing_and_stay(log: ReviewLog, tmp_path: Path) -> None:
    log.begin()
    name = log.state.name("s001")
    assert "s001" not in name
    assert ReviewLog(tmp_path, "lesson99").state.name("s001") == name
    other = ReviewLog(tmp_path / "other", "lesson99")
    other.begin()
    assert other.state.name("s001") != name


def undo(log: ReviewLog, by: str) -> Sequence[Event]:
    return log.append(lambda state: undoing(state, by))


def score(state: State, student: str) -> float | None:
    found = state.mark(student, "q1")
    return None if found is None else found.score


def test_undo_goes_back_one_stroke_at_a_time(log: ReviewLog) -> None:
    put(log, mark("s1", 1))
    put(log, mark("s2", 2))
    put(log, mark("s2", 1.5, based_on=2))
    undo(log, "甲")
    assert score(log.state, "s2") == 2
    undo(log, "甲")
    assert score(log.state, "s2") is None
    undo(log, "甲")
    assert score(log.state, "s1") is None
    assert not undo(log, "甲")
    assert [line.get("undoes") for line in lines(log)[-3:]] == [3, 2, 1]


def test_after_an_undo_one_goes_on(log: ReviewLog) -> None:
    put(log, mark("s1", 1))
    undo(log, "甲")
    put(log, mark("s1", 0.5, based_on=2))
    assert score(log.state, "s1") == 0.5
    undo(log, "甲")
    assert score(log.state, "s1") is None


def test_undo_leaves_what_others_decided(log: ReviewLog) -> None:
    put(log, mark("s1", 1))
    put(log, mark("s1", 2, by="乙", based_on=1))
    assert not undo(log, "甲")
    assert score(log.state, "s1") == 2


def test_undo_takes_a_batch_back_whole(log: ReviewLog) -> None:
    put(log, mark("s0", 2))
    batch = [
        Mark(
            at=NOON,
            by="甲",
            student=name,
            question="q1",
            answer="d1",
            score=1,
            how=How.BULK,
            batch="b",
        )
        for name in ("s1", "s2", "s3")
    ]
    put(log, *batch)
    put(log, mark("s2", 0, by="乙", based_on=3))
    assert len(undo(log, "甲")) == 2
    assert [score(log.state, name) for name in ("s0", "s1", "s2", "s3")] == [2, None, 0, None]


def test_undo_of_a_criterion_and_a_veto(log: ReviewLog) -> None:
    put(log, Criterion(at=NOON, by="甲", student="s1", criterion="tradeoff", value=True))
    put(log, Veto(at=NOON, by="甲", student="s1", veto="v", standing=True, reason="r"))
    undo(log, "甲")
    veto = log.state.veto("s1", "v")
    assert veto is not None
    assert veto.standing is None
    undo(log, "甲")
    criterion = log.state.criterion("s1", "tradeoff")
    assert criterion is not None
    assert criterion.value is None


def test_a_mark_stands_for_the_answer_it_was_given_for(log: ReviewLog) -> None:
    put(log, mark("s1", 1.5))
    assert log.state.standing("s1", "q1", "d1") is not None
    assert log.state.standing("s1", "q1", "d2") is None
    put(log, Reopening(at=NOON, by="乙", student="s1", reason="申诉"))
    assert log.state.standing("s1", "q1", "d1") is None
    assert score(log.state, "s1") == 1.5  # kept
    put(log, mark("s1", 2, based_on=1))
    assert log.state.standing("s1", "q1", "d1") is not None
