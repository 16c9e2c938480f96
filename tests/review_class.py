"""Writes a graded class for tests of the review: what `course grade` would leave, run by nobody."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from autograder.editions.build import source_notebook
from autograder.grading.batch.facts import Facts
from autograder.grading.batch.journal import Opening, Record
from autograder.grading.gradebook.writer import GradebookWriter
from autograder.grading.intake.classlist import ClassList, write_class
from autograder.grading.master import read_master
from autograder.grading.records import Batch, Graded, Result, Status, Submission
from autograder.grading.reports.autograded import autograded_notebook, notebook_text
from autograder.grading.reports.coursedir import CourseDir, gradebook_url
from autograder.grading.reports.export import SubmissionGrade, grades_of, write_grades_json
from autograder.project import Project

LESSON = "lesson03"
AUTOMATIC = {"normal": 2.0, "boundary": 0.5, "boundary_case": 0.5}
WRITTEN = ("explanation", "q1", "q2", "q3")


def entry_of(student: str) -> SubmissionGrade:
    """An entry of grades.json of somebody all of whose answers wait."""
    return SubmissionGrade(
        student=student,
        status=Status.GRADED,
        reason=None,
        scores=dict(AUTOMATIC) | dict.fromkeys(WRITTEN),
        reasons={},
        flags=[],
        criteria={},
        proposed_vetoes=[],
        vetoes=[],
        total=None,
        passed=None,
    )


def lesson03_master(project: Project) -> Any:
    return source_notebook(project, LESSON)


@dataclass(frozen=True, kw_only=True)
class GradedClass:
    """An output folder: everybody's code is right, and what they wrote waits for a person."""

    out: Path
    source: Any

    @property
    def url(self) -> str:
        return gradebook_url(self.out, "sqlite:///gradebook.db")

    @property
    def log(self) -> Path:
        return self.out / f"review-{LESSON}.jsonl"

    def events(self, kind: str) -> list[dict[str, Any]]:
        lines = map(json.loads, self.log.read_text(encoding="utf-8").splitlines())
        return [line for line in lines if line["line"] == kind]

    def write(
        self, answers: Mapping[str, Mapping[str, str]], *, unjudged: str | None = None
    ) -> None:
        """Write, or write again as a later round of grading does.

        Args:
            answers: Student -> question -> answer; without one a question is untouched.
            unjudged: A student whose own boundary case nobody could judge.
        """
        master = read_master(self.source)
        folder = CourseDir(root=self.out, lesson=LESSON)
        folder.prepare(db_url=self.url)
        folder.write_source(notebook_text(self.source))
        results = [
            self._result(student, written, unjudged=student == unjudged)
            for student, written in answers.items()
        ]
        batch = Batch(
            lesson=LESSON,
            title=master.title,
            lang=master.lang,
            max_score=master.max_score,
            sandbox="bubblewrap",
            limits={},
            questions=master.questions,
            out=self.out,
        )
        grades = grades_of(batch, results)
        lines: list[Any] = [Opening(sandbox="bubblewrap", limits={})]
        with GradebookWriter(self.url, LESSON, self.source) as book:
            for result in results:
                submission = Submission(student=result.student)
                one = Graded(submission=submission, plan=None, run=None, result=result)
                book.write(one)
                if len(answers) <= 5:
                    text = notebook_text(autograded_notebook(one, self.source))
                    folder.write_autograded(result.student, text)
        for entry in grades.submissions:
            facts = Facts(answers=dict(answers[entry.student]))
            lines.append(Record(content="", tests="", settings="", entry=entry, facts=facts))
        text = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        (self.out / f"journal-{LESSON}.jsonl").write_bytes(text)
        write_grades_json(self.out / "grades.json", grades)
        write_class(self.out, ClassList(roster=None, handed_in={}))

    def _result(self, student: str, written: Mapping[str, str], *, unjudged: bool) -> Result:
        scores: dict[str, float | None] = dict(AUTOMATIC)
        reasons = {}
        if unjudged:
            scores["boundary_case"] = None
            reasons["boundary_case"] = "不在列出的边界上"
        for question in WRITTEN:
            scores[question] = None if question in written else 0.0
            if question not in written:
                reasons[question] = "没有作答。"
        waits = None in scores.values()
        return Result(
            student=student,
            status=Status.GRADED,
            reason=None,
            scores=scores,
            reasons=reasons,
            flags=(),
            criteria={
                "checks_passed": True,
                "causal_chains": None,
                "correctness_boundary": None,
                "tradeoff": None,
            },
            total=None if waits else 3.0,
            passed=None if waits else False,
        )
