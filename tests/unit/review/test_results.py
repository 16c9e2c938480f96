"""From the log to totals, reports, exports, pages and nbgrader's gradebook, and back."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from nbgrader import api
from openpyxl import load_workbook

from autograder.cli import course
from autograder.commands.class_report import class_report, veto_effect
from autograder.errors import CourseError, MissingOnMachine, UsageError
from autograder.grading.gradebook.marks import Mark as HeldMark
from autograder.grading.gradebook.marks import read_comments, read_marks
from autograder.grading.records import Question
from autograder.grading.reports.export import Grades
from autograder.grading.reviewed import Reviewed
from autograder.grading.totals import with_marks
from autograder.project import Project
from autograder.review.desk.decisions import StaleAnswerError
from autograder.review.page.actions import Actions
from autograder.review.page.requests import (
    BulkRequest,
    CriterionRequest,
    MarkRequest,
    UndoRequest,
    VetoRequest,
)
from autograder.review.page.session import Session
from tests.review_class import LESSON, WRITTEN, GradedClass, entry_of

ROOT = Path(__file__).resolve().parents[3]
CHAIN = (
    "一步结束，几万个 rank 同时向同一个目录新建文件，元数据服务只能一个一个处理，排起长队；"
    "最慢的那个拖住栅栏，所有人都得等它。"
)
FULL = {"explanation": 1.0, "q1": 2.0, "q2": 1.5, "q3": 1.5}
CRITERIA = ("causal_chains", "correctness_boundary", "tradeoff")
Write = Callable[[dict[str, dict[str, str]]], GradedClass]


class Reviewer:
    """Somebody at the page, without the page."""

    def __init__(self, made: GradedClass, project: Project, by: str = "甲") -> None:
        self.session = Session(made.out, project, names=False)
        self.by = by

    def item(self, student: str) -> str:
        return self.session.desk.state.name(student)

    def mark(  # noqa: PLR0913  (what a page can send)
        self,
        student: str,
        question: str,
        score: float,
        *,
        comment: str = "",
        links: tuple[str, ...] | None = (),
        based_on: int | None = None,
        request: str = "",
    ) -> dict[str, Any]:
        newest = self.session.desk.state.mark(student, question)
        answer = self.session.desk.answers.answer(student, question)
        assert answer is not None
        return Actions(self.session).mark(
            MarkRequest(
                by=self.by,
                request=request,
                item=self.item(student),
                question=question,
                score=score,
                comment=comment,
                links=links,
                answer=answer.digest,
                based_on=(newest.seq if newest else 0) if based_on is None else based_on,
            )
        )

    def mark_all(self, student: str, scores: dict[str, float] = FULL) -> None:
        for question, score in scores.items():
            self.mark(student, question, score)

    def criteria(self, student: str, *, tradeoff: bool = True) -> None:
        for name in CRITERIA:
            value = tradeoff if name == "tradeoff" else True
            request = CriterionRequest(
                by=self.by, item=self.item(student), criterion=name, value=value
            )
            Actions(self.session).criterion(request)

    def veto(self, student: str, *, standing: bool = True) -> None:
        Actions(self.session).veto(
            VetoRequest(
                by=self.by,
                item=self.item(student),
                veto="mean_hides_tail",
                standing=standing,
                reason="只看了均值 <b>",
            )
        )

    def deliver(self) -> None:
        async def now() -> None:
            await self.session.beat()
            await self.session.deliver()

        asyncio.run(now())


def everything(text: str = CHAIN) -> dict[str, str]:
    return dict.fromkeys(WRITTEN, text)


def entries(out: Path) -> dict[str, dict[str, Any]]:
    read = json.loads((out / "grades.json").read_bytes())["submissions"]
    return {entry["student"]: entry for entry in read}


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Any:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(course, arguments)
    assert result.exit_code == 0, result.output
    return result


def test_pass_rule(graded: Write, project: Project) -> None:
    made = graded({name: everything() for name in ("good", "few", "untraded", "vetoed", "half")})
    someone = Reviewer(made, project)
    for student in ("good", "untraded", "vetoed"):
        someone.mark_all(student)
    someone.mark_all("few", FULL | {"q1": 0.0, "q2": 2.0})
    someone.mark("half", "q1", 2.0)
    for student in ("good", "few", "vetoed", "half"):
        someone.criteria(student)
    someone.criteria("untraded", tradeoff=False)
    someone.veto("vetoed")
    someone.deliver()
    found = entries(made.out)
    told = {name: (entry["total"], entry["passed"]) for name, entry in found.items()}
    assert told == {
        "good": (9.0, True),  # 3 + 1 + 2 + 1.5 + 1.5
        "few": (7.5, False),
        "untraded": (9.0, False),
        "vetoed": (9.0, False),
        "half": (None, None),
    }
    assert found["vetoed"]["vetoes"] == ["mean_hides_tail"]
    assert found["untraded"]["criteria"] == {
        "checks_passed": True,
        "causal_chains": True,
        "correctness_boundary": True,
        "tradeoff": False,
    }
    assert found["good"]["automatic"]["q1"] == {"score": None, "reason": None}


@pytest.mark.slow
def test_an_undone_veto_is_none(graded: Write, project: Project) -> None:
    made = graded({"s1": everything()})
    someone = Reviewer(made, project)
    someone.mark_all("s1")
    someone.criteria("s1")
    someone.veto("s1")
    someone.deliver()
    assert entries(made.out)["s1"]["passed"] is False
    Actions(someone.session).undo(UndoRequest(by="甲"))
    someone.deliver()
    entry = entries(made.out)["s1"]
    assert (entry["vetoes"], entry["passed"]) == ([], True)


def test_what_a_veto_does_to_the_number_is_a_setting(
    graded: Write, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = graded({"s1": everything(), "s2": everything()})
    someone = Reviewer(made, project)
    for student in ("s1", "s2"):
        someone.mark_all(student)
        someone.criteria(student)
    someone.veto("s1")
    totals = {}
    for setting in ("keep", "zero", "7.5"):
        result = run(
            monkeypatch, "export", str(made.out), "--veto", setting, "--no-bom", "--to", "-"
        )
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        totals[setting] = {row["student"]: (row["total"], row["passed"]) for row in rows}
        assert rows[0]["vetoes"] == "mean_hides_tail"
        assert ("A veto stands" in result.stderr) is (setting != "keep")
    assert {name: found["s1"] for name, found in totals.items()} == {
        "keep": ("9.0", "false"),
        "zero": ("0.0", "false"),
        "7.5": ("7.5", "false"),
    }
    assert {found["s2"] for found in totals.values()} == {("9.0", "true")}
    assert entries(made.out)["s1"]["total"] == 9.0  # the record itself stays
    with pytest.raises(UsageError, match="write keep"):
        veto_effect("lower")


@pytest.mark.slow
def test_the_courses_own_setting(
    graded: Write, project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = graded({"s1": everything()})
    someone = Reviewer(made, project)
    someone.mark_all("s1")
    someone.veto("s1")
    someone.deliver()
    (tmp_path / "pyproject.toml").write_text("[tool.course]\nveto = 5\n", encoding="utf-8")
    (tmp_path / "solutions").symlink_to(ROOT / "solutions", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(course, ["export", str(made.out), "--no-bom", "--to", "-"])
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert (row["total"], row["passed"]) == ("5.0", "false")


@pytest.mark.slow
def test_formgrader_shows_what_is_marked_here(graded: Write, project: Project) -> None:
    made = graded({"s1": everything(), "s2": everything()})
    someone = Reviewer(made, project)
    someone.mark("s1", "q1", 1.5, comment="第二环呢？")
    someone.deliver()
    held = read_marks(made.url, LESSON)
    assert (held["s1"]["q1"].manual, held["s1"]["q1"].needs_person) == (1.5, False)
    assert (held["s2"]["q1"].manual, held["s2"]["q1"].needs_person) == (None, True)
    assert read_comments(made.url, LESSON)["s1"] == {"q1": "第二环呢？"}
    Actions(someone.session).undo(UndoRequest(by="甲"))
    someone.deliver()
    mark = read_marks(made.url, LESSON)["s1"]["q1"]
    assert (mark.manual, mark.needs_person) == (None, True)
    assert entries(made.out)["s1"]["scores"]["q1"] is None


def in_formgrader(made: GradedClass, student: str, score: float | None, comment: str = "") -> None:
    with api.Gradebook(made.url) as book:
        notebook = book.find_submission_notebook(LESSON, LESSON, student)
        for grade in notebook.grades:
            if grade.name == "q1":
                grade.manual_score, grade.needs_manual_grade = score, score is None
        for one in notebook.comments:
            if one.name == "q1":
                one.manual_comment = comment or None
        book.db.commit()


def test_formgraders_marks_come_in(graded: Write, project: Project) -> None:
    made = graded({"s1": everything(), "s2": everything()})
    in_formgrader(made, "s1", 1.0, "好")
    someone = Reviewer(made, project)
    someone.mark("s2", "q1", 2.0, comment="对")
    someone.deliver()
    marks = made.events("mark")
    told = {one["student"]: (one["score"], one["how"], one["comment"]) for one in marks}
    assert told == {"s2": (2.0, "person", "对"), "s1": (1.0, "formgrader", "好")}
    in_formgrader(made, "s2", 0.5, "再看")
    again = Reviewer(made, project)
    again.deliver()
    again.deliver()
    newest = again.session.desk.state.mark("s2", "q1")
    assert newest is not None
    assert (newest.score, newest.how, newest.comment) == (0.5, "formgrader", "再看")
    assert len(made.events("mark")) == 3
    assert entries(made.out)["s2"]["scores"]["q1"] == 0.5


@pytest.mark.slow
def test_a_gradebook_made_anew_gets_its_marks_back(graded: Write, project: Project) -> None:
    made = graded({"s1": everything()})
    someone = Reviewer(made, project)
    someone.mark("s1", "q1", 1.5)
    someone.deliver()
    (made.out / "gradebook.db").unlink()
    made.write({"s1": everything()})
    again = Reviewer(made, project)
    again.deliver()
    assert read_marks(made.url, LESSON)["s1"]["q1"].manual == 1.5
    assert len(made.events("mark")) == 1


def test_regrade_keeps_or_asks(
    graded: Write, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = graded({"s1": everything(), "s2": everything()})
    someone = Reviewer(made, project)
    for student in ("s1", "s2"):
        someone.mark_all(student)
        someone.criteria(student)
    someone.deliver()
    changed = everything() | {"q2": "换了一种说法，重新交的。"}
    made.write({"s1": everything(), "s2": changed})
    assert entries(made.out)["s1"]["total"] is None  # as grading alone leaves it
    run(monkeypatch, "export", str(made.out))
    found = entries(made.out)
    assert (found["s1"]["total"], found["s1"]["passed"]) == (9.0, True)
    assert found["s2"]["scores"] == found["s1"]["scores"] | {"q2": None}
    assert (found["s2"]["total"], found["s2"]["passed"]) == (None, None)
    again = Reviewer(made, project)
    assert again.session.desk.next("q2", "甲") == "s2"
    assert again.session.desk.next("q1", "甲") is None


@pytest.mark.slow
def test_a_running_page_sees_the_regrade(graded: Write, project: Project) -> None:
    made = graded({"s1": everything()})
    someone = Reviewer(made, project)
    someone.mark("s1", "q1", 2.0)
    someone.deliver()
    made.write({"s1": everything() | {"q1": "新的回答"}})
    os.utime(made.out / "grades.json", ns=(1, 1))
    someone.session.refresh()
    answer = someone.session.desk.answers.answer("s1", "q1")
    assert answer is not None
    assert answer.text == "新的回答"
    assert someone.session.desk.next("q1", "甲") == "s1"


def test_an_appeal_keeps_the_old_mark(
    graded: Write, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = graded({"s1": everything(), "s2": everything()})
    someone = Reviewer(made, project)
    for student in ("s1", "s2"):
        someone.mark_all(student)
    someone.deliver()
    arguments = ["review", str(made.out), "--reopen", "s1", "--reason", "少算了一环"]
    result = run(monkeypatch, *arguments, "--as", "乙")
    assert "to be read again" in result.stderr
    someone.session.refresh()
    assert [someone.session.desk.next(name, "甲") for name in ("q1", "q2")] == ["s1", "s1"]
    report = class_report(made.out, project)
    totals = {entry.student: entry.total for entry in report.entries}
    assert totals == {"s1": None, "s2": 9.0}
    kept = someone.session.desk.state.mark("s1", "q1")
    assert kept is not None
    assert kept.score == 2.0
    result = CliRunner().invoke(course, ["review", str(made.out), "--reopen", "nobody"])
    assert isinstance(result.exception, UsageError)


def test_bulk_stays_marked_as_such(
    graded: Write, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = graded({f"s{n:02}": {"q1": f"{CHAIN} {n}"} for n in range(22)})
    someone = Reviewer(made, project)
    for n in range(20):
        someone.mark(f"s{n:02}", "q1", 2.0)
    request = BulkRequest(by="甲", question="q1", above=0.5)
    assert Actions(someone.session).bulk(request)["marked"] == 2
    assert len(made.events("mark")) == 20
    Actions(someone.session).bulk(BulkRequest(by="甲", question="q1", above=0.5, accept=True))
    bulk = [one for one in made.events("mark") if one["how"] == "bulk"]
    assert [(one["above"], one["blind"]) for one in bulk] == [(0.5, False)] * 2
    result = run(monkeypatch, "export", str(made.out), "--no-bom", "--to", "-")
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(result.stdout))}
    assert (rows["s20"]["accepted_in_bulk"], rows["s00"]["accepted_in_bulk"]) == ("q1", "")
    assert "accepted in bulk" in result.stderr
    assert entries(made.out)["s21"]["accepted_in_bulk"] == ["q1"]


def test_a_mark_that_arrives_twice_counts_once(graded: Write, project: Project) -> None:
    made = graded({"s1": everything()})
    someone = Reviewer(made, project)
    first = someone.mark("s1", "q1", 1.5, based_on=0, request="r1")
    again = someone.mark("s1", "q1", 1.5, based_on=0, request="r1")
    assert first == again
    assert len(made.events("mark")) == 1


@pytest.mark.slow
def test_what_no_test_could_judge_is_read_here(graded: Write, project: Project) -> None:
    made = graded({"s1": everything()})
    made.write({"s1": everything()}, unjudged="s1")
    someone = Reviewer(made, project)
    answer = someone.session.desk.answers.answer("s1", "boundary_case")
    assert answer is not None
    assert answer.reason == "不在列出的边界上"
    assert "my_boundary_case" in answer.text
    someone.mark("s1", "boundary_case", 0.5, links=None)
    someone.deliver()
    assert entries(made.out)["s1"]["scores"]["boundary_case"] == 0.5
    assert "boundary_case" not in entries(made.out)["s1"]["reasons"]


def test_a_learners_page_quotes_and_asks(
    graded: Write, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = graded({"s1": everything("<script>x</script>" + CHAIN), "s2": everything()})
    someone = Reviewer(made, project)
    someone.mark("s1", "q1", 1.5, links=("burst", "contention"), comment="不错")
    someone.veto("s1")
    someone.criteria("s1")
    run(monkeypatch, "feedback", str(made.out))
    page = (made.out / f"feedback/s1/{LESSON}/{LESSON}.html").read_text(encoding="utf-8")
    assert "<q>几万个 rank 同时向同一个目录新建文件，元数据服务只能一个一个处理</q>" in page
    assert "绝大多数进程都写完的时候" in page  # asks for the tail
    assert "各自发出的第一批请求是什么" not in page  # the burst is there
    assert "掉队者与尾延迟" not in page  # the reference
    assert "<script>x" not in page
    assert "用均值掩盖尾延迟" in page
    assert "只看了均值 &lt;b&gt;" in page
    assert "至少写出一个性能或运维取舍" in page
    unmarked = (made.out / f"feedback/s2/{LESSON}/{LESSON}.html").read_text(encoding="utf-8")
    assert "还可以接着想" not in unmarked
    run(monkeypatch, "feedback", str(made.out), "--reference")
    page = (made.out / f"feedback/s1/{LESSON}/{LESSON}.html").read_text(encoding="utf-8")
    assert "掉队者与尾延迟" in page


def test_root_serves_only_when_asked(
    graded: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = graded({"s1": everything()})
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    result = CliRunner().invoke(course, ["review", str(made.out), "--no-browser"])
    assert isinstance(result.exception, MissingOnMachine)
    assert result.exception.exit_code == 3
    assert "run as another user, or add --allow-root" in str(result.exception)
    result = CliRunner().invoke(course, ["review", str(tmp_path / "nowhere")])
    assert isinstance(result.exception, UsageError)


def test_two_servers_do_not_renew_each_others_grades_for_ever(
    graded: Write, project: Project
) -> None:
    made = graded({"s1": everything(), "s2": everything()})
    first, second = Reviewer(made, project), Reviewer(made, project, by="乙")
    first.mark("s1", "q1", 2.0)
    first.deliver()
    stamp = (made.out / "grades.json").stat().st_mtime_ns
    for _ in range(2):
        for someone in (second, first):
            someone.session.refresh()
            someone.deliver()
    assert (made.out / "grades.json").stat().st_mtime_ns == stamp
    second.mark("s2", "q1", 1.0)
    second.deliver()
    first.session.refresh()
    first.deliver()
    assert {name: one["scores"]["q1"] for name, one in entries(made.out).items()} == {
        "s1": 2.0,
        "s2": 1.0,
    }


def test_what_another_server_hands_over_is_no_change_of_formgraders(
    graded: Write, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = graded({"s1": everything()})
    first, second = Reviewer(made, project), Reviewer(made, project, by="乙")
    first.mark("s1", "q1", 1.0)
    first.deliver()

    def read_then_overtaken(url: str, lesson: str) -> Any:
        held = read_marks(url, lesson)
        monkeypatch.undo()
        second.session.refresh()
        second.mark("s1", "q1", 2.0)
        second.deliver()
        return held

    monkeypatch.setattr("autograder.review.page.session.read_marks", read_then_overtaken)
    first.session._looked = -1e9
    first.deliver()
    assert [(one["by"], one["score"]) for one in made.events("mark")] == [("甲", 1.0), ("乙", 2.0)]


def test_formgrader_in_the_very_moment_is_kept(graded: Write, project: Project) -> None:
    made = graded({"s1": everything()})
    someone = Reviewer(made, project)
    someone.deliver()
    someone.mark("s1", "q1", 2.0, comment="对")
    in_formgrader(made, "s1", 0.5, "不对")  # before the gradebook has got the 2
    someone.deliver()
    someone.deliver()
    told = [(one["by"], one["how"], one["score"], one["comment"]) for one in made.events("mark")]
    assert told == [
        ("甲", "person", 2.0, "对"),
        ("formgrader", "formgrader", 0.5, "不对"),
        ("甲", "person", 2.0, "对"),
    ]
    assert read_marks(made.url, LESSON)["s1"]["q1"].manual == 2.0
    assert entries(made.out)["s1"]["scores"]["q1"] == 2.0
    Actions(someone.session).undo(UndoRequest(by="甲"))
    someone.deliver()
    assert read_marks(made.url, LESSON)["s1"]["q1"].manual == 0.5


def test_a_class_that_cannot_be_opened_is_tried_again(graded: Write, project: Project) -> None:
    made = graded({"s1": everything()})
    someone = Reviewer(made, project)
    whole = (made.out / "grades.json").read_bytes()
    (made.out / "grades.json").write_bytes(b"{}")
    for _ in range(2):
        with pytest.raises(CourseError, match="not the grades"):
            someone.session.refresh()
    (made.out / "grades.json").write_bytes(whole)
    someone.session.refresh()
    assert someone.session.desk.next("q1", "甲") == "s1"


def test_a_regrade_under_an_open_page(graded: Write, project: Project) -> None:
    made = graded({"s1": everything(), "s2": everything()})
    someone = Reviewer(made, project)
    gone, digest = someone.item("s2"), someone.session.desk.answers.by_question["q1"]["s1"].digest
    made.write({"s1": everything() | {"q1": "新的回答"}})
    request = MarkRequest(by="甲", item=gone, question="q1", score=1, answer=digest)
    with pytest.raises(LookupError, match="any more"):
        Actions(someone.session).mark(request)
    changed = msgspec.structs.replace(request, item=someone.item("s1"))
    with pytest.raises(StaleAnswerError):
        Actions(someone.session).mark(changed)
    assert not made.events("mark")


@pytest.mark.parametrize(
    "body",
    [
        b'{"by":"x","item":"i","question":"q1","score":NaN}',
        b'{"by":"x","item":"i","question":"q1","score":1e999}',
        b'{"by":"x","item":"i","question":"q1","score":"2"}',
        b'{"by":"x","item":"i","question":"q1","score":1,"comment":"\\ud800"}',
        b'{"by":"\xff","item":"i","question":"q1","score":1}',
        b'{"by":"x","item":"i","question":"q1","score":1,"how":"bulk"}',
        b'{"by":"' + b"x" * 201 + b'","item":"i","question":"q1","score":1}',
        b'{"by":"x","item":"i","question":"q1","score":1,"comment":"' + b"x" * 20_001 + b'"}',
        b"[" * 100_000,
        b"",
    ],
)
def test_requests_that_are_none(body: bytes) -> None:
    with pytest.raises((msgspec.DecodeError, UnicodeError, RecursionError)):
        msgspec.json.decode(body, type=MarkRequest)


@pytest.mark.slow
def test_an_appeal_twice_and_of_a_name_that_is_a_trap(
    graded: Write, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = "s1\x1b[2J<b>../../x"
    made = graded({trap: everything()})
    someone = Reviewer(made, project)
    someone.mark(trap, "q1", 2.0)
    someone.deliver()
    reopen = ["review", str(made.out), "--reopen", trap, "--reopen", trap]
    assert "\x1b" not in run(monkeypatch, *reopen).stderr
    assert len(made.events("reopening")) == 1
    someone.session.refresh()
    someone.mark(trap, "q1", 1.5)
    someone.deliver()
    assert entries(made.out)[trap]["scores"]["q1"] == 1.5
    run(monkeypatch, "review", str(made.out), "--reopen", trap)
    someone.session.refresh()
    assert someone.session.desk.next("q1", "甲") == trap
    assert [one["score"] for one in made.events("mark")] == [2.0, 1.5]


TEMPLATE = (
    "Student,ID,SIS User ID,SIS Login ID,Section,lesson03 (7)\r\nAn,11,s1,,,\r\nBo,12,s2,,,\r\n"
)


@pytest.mark.slow
def test_a_vetos_setting_is_in_every_export(
    graded: Write, project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = graded({"s1": everything(), "s2": everything()})
    someone = Reviewer(made, project)
    someone.mark_all("s1")
    someone.mark_all("s2")
    someone.veto("s1")
    template = tmp_path / "canvas.csv"
    template.write_bytes(TEMPLATE.encode())

    def rows(layout: str, *more: str) -> list[list[str]]:
        to = tmp_path / f"x.{layout}"
        given = ["--format", layout, "--veto", "4.5", "--no-bom", "--to", str(to), *more]
        assert "A veto stands" in run(monkeypatch, "export", str(made.out), *given).stderr
        if layout == "xlsx":
            sheet = load_workbook(to).worksheets[0]
            return [[str(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
        return list(csv.reader(io.StringIO(to.read_bytes().decode())))

    assert [row[-1] for row in rows("canvas")[2:]] == ["4.5", "9"]
    filled = rows("canvas", "--template", str(template))
    assert [row[-1] for row in filled[1:]] == ["4.5", "9"]
    assert [row[4] for row in rows("moodle")[1:]] == ["4.5", "9"]
    head, *told = rows("xlsx")
    at = head.index("total")
    assert [row[at] for row in told[:2]] == ["4.5", "9"]
    assert entries(made.out)["s1"]["total"] == 9.0


@pytest.mark.parametrize(
    ("normal", "q3", "total", "passed"),
    [
        (2.0, 0.5, 8.0, True),
        (2.0, 0.0, 7.5, False),
        (1.5, 2.0, 9.0, False),  # points enough, but a check of normal inputs failed
        (2.5, 0.0, 8.0, True),  # with extra credit: no failure
    ],
)
def test_the_edges_of_the_pass_rule(normal: float, q3: float, total: float, passed: bool) -> None:
    entry = entry_of("s1")
    entry.scores["normal"] = min(normal, 2.0)
    entry.criteria = dict.fromkeys(("checks_passed", *CRITERIA))
    questions = [Question(grade_id="normal", points=2.0, manual=False, category="normal")]
    questions += [Question(grade_id=name, points=2.0, manual=True) for name in entry.scores]
    grades = Grades(lesson=LESSON, max_score=10.0, sandbox="none", limits={}, submissions=[entry])
    extra = HeldMark(auto=2.0, manual=None, extra=max(0.0, normal - 2.0), needs_person=False)
    points = {"explanation": 1.0, "q1": 2.0, "q2": 1.5, "q3": q3}
    reviewed = Reviewed(points=points, criteria=dict.fromkeys(CRITERIA, True))
    (found,) = with_marks(
        grades,
        {"s1": {"normal": extra}} if normal > 2 else {},
        questions=questions,
        pass_total=8.0,
        reviewed={"s1": reviewed},
    ).submissions
    assert (found.total, found.passed) == (total, passed)
