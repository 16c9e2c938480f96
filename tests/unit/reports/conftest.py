"""A small lesson and its submissions, written by hand: two tests of one exercise, one question."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.grading.intake.classlist import ClassList
from autograder.grading.intake.roster import Roster
from autograder.grading.master import Master
from autograder.grading.records import (
    Batch,
    CellRun,
    Fill,
    Flag,
    FreeText,
    Graded,
    Outcome,
    Plan,
    Question,
    Result,
    Run,
    Status,
    Submission,
    Verdict,
)
from autograder.grading.reports.coursedir import CourseDir
from autograder.grading.reports.export import grades_of
from autograder.grading.reports.report import Report

STUB = "def double(x):\n    # TODO\n    return ______"
ANSWER_STUB = "**你的答案：**"
HIDDEN = "assert double(271828) == 543656"
TESTS = f"assert double(2) == 4\n### BEGIN HIDDEN TESTS\n{HIDDEN}\n### END HIDDEN TESTS"
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 16).decode()

QUESTIONS = (
    Question(grade_id="normal", points=2.0, manual=False, exercise="double", category="normal"),
    Question(grade_id="edge", points=0.5, manual=False, exercise="double", category="boundary"),
    Question(grade_id="q1", points=2.0, manual=True),
)


def _marks(
    name: str, *, grade: bool, solution: bool, points: float | None = None
) -> dict[str, Any]:
    marks = {
        "schema_version": 3,
        "grade_id": name,
        "grade": grade,
        "solution": solution,
        "locked": not solution,
        "task": False,
    }
    return marks if points is None else marks | {"points": points}


def _tests(name: str, points: float, category: str) -> dict[str, Any]:
    about = {"role": "tests", "exercise": "double", "category": category}
    return {
        "cell_type": "code",
        "id": name,
        "source": TESTS,
        "outputs": [],
        "execution_count": None,
        "metadata": {
            "nbgrader": _marks(name, grade=True, solution=False, points=points),
            "course": about,
        },
    }


def make_master() -> Any:
    prose = {"cell_type": "markdown", "metadata": {"course": {"role": "prose"}}}
    exercise = {
        "cell_type": "code",
        "id": "double",
        "source": "def double(x):\n    return x * 2  # the reference",
        "outputs": [],
        "execution_count": None,
        "metadata": {
            "nbgrader": _marks("double", grade=False, solution=True),
            "course": {"role": "exercise", "stub": STUB},
        },
    }
    question = {
        "cell_type": "markdown",
        "id": "q1",
        "source": ANSWER_STUB,
        "metadata": {
            "nbgrader": _marks("q1", grade=True, solution=True, points=2.0),
            "course": {"role": "answer", "stub": ANSWER_STUB},
        },
    }
    return nbformat.from_dict(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {
                "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
                "language_info": {"name": "python"},
                "course": {"lesson": "lesson99", "lang": "zh-CN", "max_score": 4.5},
            },
            "cells": [
                prose | {"id": "p1", "source": "## 练习：`double` {#ex}\n\n<div>写出两倍。</div>"},
                exercise,
                _tests("normal", 2.0, "normal"),
                _tests("edge", 0.5, "boundary"),
                prose | {"id": "p2", "source": "## Q1 为什么？\n\n```text\n# not a heading\n```"},
                question,
            ],
        }
    )


@pytest.fixture
def master() -> Any:
    return make_master()


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    return Batch(
        lesson="lesson99",
        title="第 99 课",
        lang="zh-CN",
        max_score=4.5,
        sandbox="bubblewrap",
        limits={"cell_s": 10.0, "processes": 64},
        questions=QUESTIONS,
        out=tmp_path / "out",
    )


@pytest.fixture
def make_graded() -> Callable[..., Graded]:
    return graded_submission


def graded_submission(  # noqa: PLR0913  (each test names the one part that it is about)
    student: str = "s001",
    *,
    code: str = "def double(x):\n    return x * 2",
    answer: str = "因为它放大两倍。",
    outputs: tuple[dict[str, Any], ...] = (),
    attachments: dict[str, Any] | None = None,
    extra: tuple[dict[str, Any], ...] = (),
    submitted_at: str | None = "2026-11-29T10:00:00+08:00",
) -> Graded:
    """Normal passed, edge failed on a hidden line, q1 waits for a person (or is untouched)."""
    notebook = make_master()
    notebook.cells[1].source = code
    notebook.cells[5].source = answer or ANSWER_STUB
    if attachments is not None:
        notebook.cells[5]["attachments"] = attachments
    notebook.cells.extend(nbformat.from_dict(cell) for cell in extra)
    plan = Plan(
        steps=(),
        fills={"double": Fill(exercise="double", spliced=code, learner_source=code)},
        free_texts={"q1": FreeText(grade_id="q1", text=answer, untouched=not answer)},
        flags=frozenset(),
        reasons={},
        notebook=notebook,
    )
    run = Run(
        cells={"double": CellRun(id="double", status="ok", outputs=outputs, execution_count=2)},
        verdicts={
            "normal": Verdict(grade_id="normal", outcome=Outcome.PASSED),
            "edge": Verdict(
                grade_id="edge",
                outcome=Outcome.FAILED,
                sentence="double 返回的值不对。",
                detail=f"AssertionError at line 3: {HIDDEN}",
            ),
        },
    )
    result = Result(
        student=student,
        status=Status.GRADED,
        reason=None,
        scores={"normal": 2.0, "edge": 0.0, "q1": None if answer else 0.0},
        reasons={"edge": "double 返回的值不对。"} | ({} if answer else {"q1": "没有作答。"}),
        flags=(Flag.EDITED_OUTSIDE_BLANK,),
        criteria={"checks_passed": True, "causal_chains": None},
        total=None if answer else 2.0,
        passed=None if answer else False,
        submitted_at=submitted_at,
    )
    submission = Submission(
        student=student, notebook=notebook, raw=b'{"cells": []}', submitted_at=submitted_at
    )
    return Graded(submission=submission, plan=plan, run=run, result=result)


@pytest.fixture
def unreadable() -> Graded:
    reason = "文件不是 notebook：<b>内容</b>在第 3 行中断。"
    return Graded(
        submission=Submission(student="s404", raw=b"{", unreadable=reason),
        plan=None,
        run=None,
        result=Result(
            student="s404",
            status=Status.UNREADABLE,
            reason=reason,
            scores={"normal": 0.0, "edge": 0.0, "q1": 0.0},
            reasons=dict.fromkeys(("normal", "edge", "q1"), reason),
            flags=(),
            criteria={"checks_passed": False, "causal_chains": None},
            total=0.0,
            passed=False,
        ),
    )


@pytest.fixture
def make_report(batch: Batch, master: Any) -> Callable[..., Report]:
    """A class from results alone; the gradebook's part is given, not read."""

    def report(
        graded: Iterable[Graded],
        *,
        roster: Roster | None = None,
        handed_in: dict[str, str] | None = None,
        comments: dict[str, dict[str, str]] | None = None,
    ) -> Report:
        return Report(
            folder=CourseDir(root=batch.out, lesson=batch.lesson),
            master=Master(
                lesson=batch.lesson,
                title=batch.title,
                lang=batch.lang,
                max_score=batch.max_score,
                pass_total=3.6,
                questions=batch.questions,
                tests=(),
                imports=(),
                notebook=master,
            ),
            grades=grades_of(batch, [one.result for one in graded]),
            members=ClassList(roster=roster, handed_in=handed_in or {}),
            comments=comments or {},
        )

    return report
