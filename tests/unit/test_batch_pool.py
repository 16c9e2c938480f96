"""Grader processes that crash, hang or fail cost a retry, then a person; never the batch."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest

from autograder.errors import CourseError, MissingOnMachine
from autograder.grading.batch import pool as pool_module
from autograder.grading.batch.assignment import Assignment, Settings
from autograder.grading.batch.job import Answer
from autograder.grading.batch.pool import Pool
from autograder.grading.batch.undecided import undecided
from autograder.grading.records import Flag, Question, Status, Submission

# Speaks as a grader does; what it does to a submission is in the student's name.
FAKE = """
import os, socket, sys, time
from pathlib import Path
from autograder.grading.batch.wire import LostError, decoded, receive, send
end = socket.socket(fileno=int(sys.argv[1]))
setup = decoded(sys.stdin.buffer.read())
if setup["out"] == "/no-sandbox":
    send(end, {"error": "No sandbox here.", "exit_code": 3}); sys.exit()
if setup["out"] == "/broken":
    raise ImportError("no such module")
send(end, {"sandbox": "none", "limits": {}})
while True:
    try:
        message = receive(end)
    except LostError:
        break
    name, fault = message["student"], message["fault"]
    once = Path(setup["assets"], name)
    if not fault:
        if name.startswith("exits") or (name.startswith("once") and not once.exists()):
            once.touch()
            print("Fatal: it fell over", file=sys.stderr, flush=True)
            os._exit(9)
        if name.startswith("hangs"):
            time.sleep(60)
        if name.startswith("faults"):
            send(end, {"fault": "ZeroDivisionError: 1 / 0"}); continue
    entry = {"student": name, "status": "crashed" if fault else "graded", "reason": None,
        "scores": {}, "reasons": {}, "flags": [], "criteria": {}, "proposed_vetoes": [],
        "vetoes": [], "total": None, "passed": None}
    own = str(os.getpid()).encode()
    send(end, {"entry": entry, "facts": {}, "autograded": own, "feedback": b""})
"""


def pool(assets: Path, out: str = "/out", workers: int = 1) -> Pool:
    cell = SimpleNamespace(cell_type="markdown")
    master: Any = SimpleNamespace(notebook=_Notebook(cells=[cell]))
    assignment = Assignment(
        master=master,
        release="",
        release_config="",
        lessons=assets,
        assets=assets,
        db_url="",
        hidden=(),
        out=Path(out),
    )
    return Pool(assignment, Settings(workers=workers), (sys.executable, "-c", FAKE))


class _Notebook(dict[str, Any]):
    """Enough of a notebook: it goes to the grader, which does not read it."""

    def __init__(self, cells: list[Any]) -> None:
        super().__init__()
        self.cells = cells


def graded(graders: Pool, *names: str) -> dict[str, Answer]:
    answers = graders.answers(Submission(student=name, raw=b"") for name in names)
    return {answer.entry.student: answer for answer in answers if answer is not None}


def test_every_submission_is_answered_once_by_any_number_of_graders(tmp_path: Path) -> None:
    names = [f"s{number}" for number in range(30)]
    for workers in (1, 3):
        with pool(tmp_path, workers=workers) as graders:
            answers = list(graders.answers(Submission(student=name, raw=b"") for name in names))
            given = [answer for answer in answers if answer is not None]
            assert sorted(answer.entry.student for answer in given) == sorted(names)
            assert {answer.fault for answer in given} == {None}


def test_a_crash_is_tried_again_and_then_left_to_a_person(tmp_path: Path) -> None:
    with pool(tmp_path, workers=2) as graders:
        answers = graded(graders, "s1", "exits", "once", "faults", "s2")
    assert {name: one.entry.status.value for name, one in answers.items()} == {
        "s1": "graded",
        "exits": "crashed",
        "once": "graded",
        "faults": "crashed",
        "s2": "graded",
    }
    assert answers["once"].fault is None
    assert "Fatal: it fell over" in (answers["exits"].fault or "")
    assert answers["faults"].fault == "ZeroDivisionError: 1 / 0"


def test_a_grader_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "PATIENCE_S", -118.0)  # 2 s in all
    started = time.monotonic()
    with pool(tmp_path) as graders:
        answers = graded(graders, "hangs", "s1")
    assert answers["hangs"].entry.status is Status.CRASHED
    assert answers["s1"].entry.status is Status.GRADED
    assert time.monotonic() - started < 40


def test_no_grader_is_left(tmp_path: Path) -> None:
    with pool(tmp_path, workers=2) as graders:
        answers = graded(graders, *(f"s{number}" for number in range(8)))
    for pid in {int(answer.autograded) for answer in answers.values()}:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is a file")
def test_what_is_graded_needs_no_room_on_a_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[IO[bytes]] = []

    def watched() -> IO[bytes]:
        made.append(real())
        return made[-1]

    real: Any = tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", watched)
    with pool(tmp_path) as graders:
        assert graded(graders, "s1").keys() == {"s1"}
        assert [os.fstat(file.fileno()).st_size for file in made] == [0]


def test_what_the_machine_lacks_ends_the_batch_with_its_exit_code(tmp_path: Path) -> None:
    with (
        pytest.raises(MissingOnMachine, match=r"No sandbox here\."),
        pool(tmp_path, "/no-sandbox") as graders,
    ):
        _ = graders.opening


def test_a_grader_that_does_not_start_is_one_sentence(tmp_path: Path) -> None:
    with (
        pytest.raises(CourseError, match=r"does not start.*no such module"),
        pool(tmp_path, "/broken") as graders,
    ):
        _ = graders.opening


def test_a_fault_of_the_grader_gives_no_zero() -> None:
    questions = (Question(grade_id="q", points=2, manual=False, exercise="f", category="normal"),)
    result = undecided(questions, Submission(student="a"), lang="zh-CN")
    assert result.status is Status.CRASHED
    assert (result.scores, result.total, result.passed) == ({"q": None}, None, None)
    assert result.flags == (Flag.CRASHED,)
    assert result.reasons["q"] == "评分程序在处理这份提交时出错，由老师判定。"
