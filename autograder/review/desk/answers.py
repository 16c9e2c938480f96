"""The answers of a class that a person reads, from what `course grade` wrote."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from autograder.grading.batch.journal import Record
from autograder.grading.integrity.answers import without_stub
from autograder.grading.master import Master
from autograder.grading.records import Question
from autograder.grading.reports.autograded import as_typed
from autograder.grading.reports.coursedir import CourseDir
from autograder.grading.reports.display import raster
from autograder.grading.reports.export import Grades, SubmissionGrade

_record = msgspec.json.Decoder(Record)
_DIGITS = 16
_MOST = 60_000
"""Characters of one answer that are shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What one student wrote for one question.

    Attributes:
        digest: Of the text: a mark counts for the text that it was given for.
        reason: Why a tests cell could not be judged; None for free text.
    """

    student: str
    question: str
    text: str
    digest: str
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Code:
    """An exercise as a learner handed it in.

    Attributes:
        exercise: Its grade_id.
        learner: The code; "" when the graded notebook cannot be read.
        pristine: The cell as it was released.
    """

    exercise: str
    learner: str
    pristine: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassAnswers:
    """All that a person has to read.

    Attributes:
        entries: Student -> the grade that grading alone came to.
        by_question: grade_id -> student -> answer; a question that nobody answered is empty.
    """

    questions: tuple[Question, ...]
    entries: Mapping[str, SubmissionGrade]
    by_question: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)

    def answer(self, student: str, question: str) -> Answer | None:
        """One answer; None when there is nothing to read."""
        return self.by_question.get(question, {}).get(student)

    def of(self, student: str) -> list[Answer]:
        """All answers of a student, in the lesson's order."""
        rows = (self.by_question[question.grade_id] for question in self.questions)
        return [row[student] for row in rows if student in row]


def class_answers(out: Path, master: Master, grades: Grades) -> ClassAnswers:
    """Gather what waits for a person: free text that was written, tests that cannot tell.

    Args:
        out: The output folder.
        master: The lesson.
        grades: The automatic grades.
    """
    known = _journalled(out / f"journal-{grades.lesson}.jsonl")
    reader = NotebookReader(CourseDir(root=out, lesson=grades.lesson), master)
    questions = [one for one in master.questions if _is_read(one, grades)]
    rows: dict[str, dict[str, Answer]] = {one.grade_id: {} for one in questions}
    for entry in grades.submissions:
        for question in questions:
            if entry.scores.get(question.grade_id, 0.0) is not None:
                continue
            text = known.get(entry.student, {}).get(question.grade_id) if question.manual else None
            if text is None:
                text = reader.text(entry.student, question)
            rows[question.grade_id][entry.student] = Answer(
                student=entry.student,
                question=question.grade_id,
                text=text[:_MOST],
                digest=digest(text),
                reason=entry.reasons.get(question.grade_id),
            )
    return ClassAnswers(
        questions=tuple(questions),
        entries={entry.student: entry for entry in grades.submissions},
        by_question=rows,
    )


def digest(text: str) -> str:
    """The same for the same text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


class NotebookReader:
    """Reads single answers out of graded notebooks.

    Args:
        folder: The output folder.
        master: The lesson.
    """

    def __init__(self, folder: CourseDir, master: Master) -> None:
        self._folder = folder
        self._stubs = {
            name: cell.metadata.get("course", {}).get("stub", "")
            for cell in master.notebook.cells
            if (name := cell.metadata.get("nbgrader", {}).get("grade_id")) is not None
        }
        self._exercises = [
            cell.metadata["nbgrader"]["grade_id"]
            for cell in master.notebook.cells
            if cell.metadata.get("course", {}).get("role") == "exercise"
        ]

    def text(self, student: str, question: Question) -> str:
        """An answer as it was typed; for a tests cell, the code that it tests."""
        name = question.grade_id if question.manual else question.exercise or ""
        for cell in self._cells(student, name):
            source = "".join(cell.get("source", ""))
            return (
                without_stub(as_typed(source), self._stubs.get(name, ""))
                if question.manual
                else source
            )
        return ""

    def code(self, student: str) -> list[Code]:
        """All exercises of a student, in the lesson's order."""
        return [
            Code(
                exercise=name,
                learner=next(
                    ("".join(cell.get("source", "")) for cell in self._cells(student, name)), ""
                ),
                pristine=self._stubs.get(name, ""),
            )
            for name in self._exercises
        ]

    def pictures(self, student: str, grade_id: str) -> list[str]:
        """The pictures pasted into an answer, as data URLs."""
        found = []
        for cell in self._cells(student, grade_id):
            for bundle in cell.get("attachments", {}).values():
                picture = raster(bundle) if isinstance(bundle, dict) else None
                if picture is not None:
                    found.append(f"data:{picture[0]};base64,{picture[1]}")
        return found

    def _cells(self, student: str, name: str) -> Iterator[dict[str, Any]]:
        try:
            notebook = json.loads(self._folder.autograded(student).read_bytes())
        except (OSError, ValueError):
            return
        for cell in notebook.get("cells", []):
            if cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") == name:
                yield cell


def _is_read(question: Question, grades: Grades) -> bool:
    name = question.grade_id
    return question.manual or any(
        entry.scores.get(name, 0.0) is None for entry in grades.submissions
    )


def _journalled(path: Path) -> dict[str, dict[str, str]]:
    """Student -> grade_id -> answer, as the newest lines of the journal have them.

    The journal is one file where the notebooks are a thousand; a batch may be writing it.
    """
    found: dict[str, dict[str, str]] = {}
    if not path.is_file():
        return found
    with path.open("rb") as file:
        for text in file:
            try:
                record = _record.decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            found[record.entry.student] = record.facts.answers
    return found
