"""The log when files were joined, cut or swapped, disks are full, and lines are nobody's."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autograder.errors import CourseError, UsageError
from autograder.review.desk.undo import undoing
from autograder.review.log.events import Event, Handed, How, Mark
from autograder.review.log.logfile import ReviewLog

NOON = "2026-12-01T12:00:00.000+00:00"


def mark(student: str, score: float | None, *, by: str = "甲", based_on: int = 0) -> Mark:
    return Mark(
        at=NOON, by=by, student=student, question="q1", answer="d1", score=score, based_on=based_on
    )


def put(log: ReviewLog, *events: Event) -> list[Event]:
    return log.append(lambda _: list(events))


@pytest.fixture
def again(tmp_path: Path) -> Callable[[], ReviewLog]:
    """Reads the log anew."""
    return lambda: ReviewLog(tmp_path, "lesson99")


@pytest.fixture
def log(again: Callable[[], ReviewLog]) -> ReviewLog:
    return again()


def score(log: ReviewLog, student: str) -> float | None:
    found = log.state.mark(student, "q1")
    return None if found is None else found.score


def rows(log: ReviewLog) -> list[bytes]:
    return log.path.read_bytes().splitlines(keepends=True)


def test_lines_that_stand_twice_count_once(log: ReviewLog, again: Callable[[], ReviewLog]) -> None:
    put(log, mark("s1", 1))
    put(log, mark("s1", 2, based_on=1))
    log.path.write_bytes(b"".join(row for row in rows(log) for _ in range(2)))
    read = again()
    assert score(read, "s1") == 2
    read.append(lambda state: undoing(state, "甲"))
    assert score(read, "s1") == 1
    read.append(lambda state: undoing(state, "甲"))
    assert score(read, "s1") is None


def test_the_order_of_lines_is_that_of_their_numbers(
    log: ReviewLog, again: Callable[[], ReviewLog]
) -> None:
    put(log, mark("s1", 1))
    put(log, mark("s1", 2, based_on=1))
    put(log, mark("s1", 0.5, based_on=2))
    log.append(lambda state: undoing(state, "甲"))
    opening, *lines = rows(log)
    log.path.write_bytes(b"".join([opening, *reversed(lines)]))
    read = again()
    assert score(read, "s1") == 2
    assert [one.seq for one in read.state.earlier(("mark", "s1", "q1"))] == [1, 2, 3, 4]
    read.append(lambda state: undoing(state, "甲"))
    assert score(read, "s1") == 1
    assert read.state.last == 5


def test_a_second_opening_renames_nobody(log: ReviewLog, again: Callable[[], ReviewLog]) -> None:
    put(log, mark("s1", 1))
    name = log.state.name("s1")
    other = {"line": "opening", "lesson": "lesson99", "salt": "00", "at": NOON}
    with log.path.open("ab") as file:
        file.write(json.dumps(other).encode() + b"\n")
    assert again().state.name("s1") == name


@pytest.mark.parametrize(
    "line",
    [
        b'{"line":"mark","seq":0,"at":"","by":"x","student":"s1","question":"q1",'
        b'"answer":"d1","score":9}',
        b'{"line":"mark","seq":-3,"at":"","by":"x","student":"s1","question":"q1",'
        b'"answer":"d1","score":9}',
        b'{"line":"mark","seq":18446744073709551615,"at":"","by":"x","student":"s1",'
        b'"question":"q1","answer":"d1","score":9}',
        b'{"line":"mark","seq":9,"at":"","by":"x","student":"s1","question":"q1",'
        b'"answer":"d1","score":NaN}',
        b'{"line":"verdict","seq":9,"at":"","by":"x"}',
        b'{"line":"mark","seq":9,"comment":"' + b"x" * 3_000_000,
        b"[" * 100_000,
        b"\x00\xff\xfe",
        b"null",
    ],
)
def test_foreign_lines_say_nothing(
    log: ReviewLog, again: Callable[[], ReviewLog], line: bytes
) -> None:
    put(log, mark("s1", 1))
    with log.path.open("ab") as file:
        file.write(line + b"\n")
    read = again()
    assert (score(read, "s1"), read.damaged, read.state.last) == (1, 1, 1)
    put(read, mark("s2", 2))
    assert score(again(), "s2") == 2


def test_a_log_that_lost_lines_is_not_gone_on_with(log: ReviewLog) -> None:
    put(log, mark("s1", 1))
    whole = log.path.read_bytes()
    log.path.write_bytes(whole[:-1])
    for attempt in (log.refresh, lambda: put(log, mark("s2", 1))):
        with pytest.raises(CourseError, match="has lost lines"):
            attempt()
    log.path.unlink()
    for attempt in (log.refresh, lambda: put(log, mark("s2", 1))):
        with pytest.raises(CourseError, match="has lost lines"):
            attempt()
    assert not log.path.exists()
    log.path.write_bytes(whole)
    put(log, mark("s2", 1))
    assert score(log, "s2") == 1


@contextmanager
def file_size(most: int) -> Iterator[None]:
    """No file may grow beyond that: what a full disk does."""
    import resource  # noqa: PLC0415  (not on Windows)

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform == "win32", reason="no RLIMIT_FSIZE")
@pytest.mark.parametrize("room", [0, 1, 250, 500])
def test_a_full_disk_takes_all_or_nothing(
    log: ReviewLog, again: Callable[[], ReviewLog], room: int
) -> None:
    put(log, mark("s0", 1))
    before = log.path.read_bytes()
    batch = [mark(f"s{n}", 2) for n in range(1, 4)]  # three lines of more than 200 bytes
    with file_size(len(before) + room), pytest.raises(CourseError, match="Free the space"):
        put(log, *batch)
    assert log.path.read_bytes() == before
    assert [score(log, "s0"), score(log, "s1")] == [1, None]
    put(log, *batch)  # room was made
    assert [score(again(), f"s{n}") for n in range(4)] == [1, 2, 2, 2]
    assert again().state.last == 4


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "review-lesson99.jsonl").mkdir()
    with pytest.raises(CourseError, match="mend the permissions"):
        ReviewLog(tmp_path, "lesson99")


def test_half_a_character_is_refused_and_nothing_breaks(log: ReviewLog) -> None:
    with pytest.raises(UsageError, match="Half a character"):
        put(log, mark("s1", 1, by="\udcff"))
    put(log, mark("s1", 1))
    assert score(log, "s1") == 1
    assert log.state.last == 1


def test_a_clock_that_goes_back_changes_nothing(log: ReviewLog) -> None:
    put(log, mark("s1", 1))
    early = Mark(
        at="1999-01-01", by="乙", student="s1", question="q1", answer="d1", score=2, based_on=1
    )
    put(log, early)
    assert score(log, "s1") == 2


def test_undo_between_two_people(log: ReviewLog) -> None:
    put(log, mark("s1", 1))
    put(log, mark("s1", 2, by="乙", based_on=1))
    log.append(lambda state: undoing(state, "乙"))
    assert score(log, "s1") == 1
    assert not log.append(lambda state: undoing(state, "乙"))
    log.append(lambda state: undoing(state, "甲"))
    assert score(log, "s1") is None


def test_since_when_the_gradebook_holds_a_mark(log: ReviewLog) -> None:
    (given,) = put(log, mark("s1", 1))
    put(log, Handed(at=NOON, by="gradebook", marks=(1,)))
    assert isinstance(given, Mark)
    assert given.how is How.PERSON
    assert log.state.handed(given)
    assert not log.state.handed(given, by=1)
    assert log.state.handed(given, by=2)
