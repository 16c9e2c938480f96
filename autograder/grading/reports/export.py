"""Grades as files: grades.json, which later stages read back, and grades.csv for people."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from autograder.errors import CourseError, UsageError
from autograder.grading.records import Batch, Flag, Question, Result, Status
from autograder.grading.reports.coursedir import write_atomically

# A spreadsheet takes a text that begins so for a formula; some take the full-width forms too.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_FLAG_ORDER = {flag: place for place, flag in enumerate(Flag)}


class Automatic(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What a question had before a person gave points."""

    score: float | None
    reason: str | None


class SubmissionGrade(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One entry of `submissions`; see `records.Result` for what the fields mean.

    The last two are there once people gave points: what grading alone had come to, and the
    questions whose points are suggestions that somebody accepted in bulk.
    """

    student: str
    status: Status
    reason: str | None
    scores: dict[str, float | None]
    reasons: dict[str, str]
    flags: list[Flag]
    criteria: dict[str, bool | None]
    proposed_vetoes: list[str]
    vetoes: list[str]
    total: float | None
    passed: bool | None
    submitted_at: str | None = None
    late_s: float | None = None
    late: bool | None = None
    automatic: dict[str, Automatic] | msgspec.UnsetType = msgspec.UNSET
    accepted_in_bulk: list[str] | msgspec.UnsetType = msgspec.UNSET

    @property
    def in_bulk(self) -> list[str]:
        """The questions whose points were accepted in bulk."""
        return [] if self.accepted_in_bulk is msgspec.UNSET else self.accepted_in_bulk

    def result(self) -> Result:
        """The same as the record that the stages pass on."""
        return Result(
            student=self.student,
            status=self.status,
            reason=self.reason,
            scores=self.scores,
            reasons=self.reasons,
            flags=tuple(self.flags),
            criteria=self.criteria,
            proposed_vetoes=tuple(self.proposed_vetoes),
            vetoes=tuple(self.vetoes),
            total=self.total,
            passed=self.passed,
            submitted_at=self.submitted_at,
            late_s=self.late_s,
            late=self.late,
        )


class Grades(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """All of grades.json, keys in the order in which the file holds them."""

    lesson: str
    max_score: float
    sandbox: str
    limits: dict[str, Any]
    submissions: list[SubmissionGrade]


def grades_of(batch: Batch, results: Iterable[Result]) -> Grades:
    """The results by student id, each with its scores in the lesson's order."""
    return Grades(
        lesson=batch.lesson,
        max_score=float(batch.max_score),
        sandbox=batch.sandbox,
        limits=dict(batch.limits),
        submissions=sorted(
            (_entry(batch.questions, result) for result in results), key=lambda e: e.student
        ),
    )


def write_grades_json(path: Path, grades: Grades) -> None:
    """Write grades.json: the same grades always give the same bytes.

    Raises:
        CourseError: It cannot be written.
    """
    text = msgspec.json.format(msgspec.json.encode(grades), indent=1)
    write_atomically(path, text + b"\n")


def read_grades(path: Path) -> Grades:
    """Read grades.json back.

    Raises:
        CourseError: It is absent, or not what `write_grades_json` writes.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Grades)
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read ({error.strerror}). Run `course grade` into that folder first."
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CourseError(
            f"{path}: not the grades of a lesson ({error}). Restore it, or grade again."
        ) from error


def write_grades_csv(
    path: Path, grades: Grades, *, bom: bool = True, names: Mapping[str, str] | None = None
) -> None:
    """Write grades.csv (RFC 4180, UTF-8), one row a student.

    Args:
        path: Where to.
        grades: What to write; the columns are those of the first entry's scores.
        bom: Begin with a byte order mark. Excel in China takes a file without one for GBK and
            shows every Chinese name as rubbish, so it is there unless a program asks otherwise.
        names: Student id -> name, for a column of names.

    Raises:
        CourseError: It cannot be written.
    """
    write_atomically(path, grades_csv(grades, names).encode("utf-8-sig" if bom else "utf-8"))


def grades_csv(grades: Grades, names: Mapping[str, str] | None = None) -> str:
    """The text of grades.csv, without a byte order mark."""
    graded = list(grades.submissions[0].scores) if grades.submissions else []
    criteria = list(grades.submissions[0].criteria) if grades.submissions else []
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    known = names or {}
    writer.writerow(
        [
            "student",
            *(["name"] if known else []),
            "status",
            *map(safe_text, graded),
            "total",
            "max_score",
            "passed",
            *map(safe_text, criteria),
            "vetoes",
            "accepted_in_bulk",
            "flags",
            "reason",
            "submitted_at",
            "late_s",
            "late",
            "sandbox",
        ]
    )
    for entry in grades.submissions:
        writer.writerow(
            [
                safe_text(entry.student),
                *([safe_text(known.get(entry.student, ""))] if known else []),
                entry.status.value,
                *(entry.scores.get(grade_id) for grade_id in graded),
                entry.total,
                grades.max_score,
                _truth(entry.passed),
                *(_truth(entry.criteria.get(name)) for name in criteria),
                safe_text(";".join(entry.vetoes)),
                safe_text(";".join(entry.in_bulk)),
                ";".join(entry.flags),
                safe_text(why(entry)),
                entry.submitted_at,
                entry.late_s,
                _truth(entry.late),
                grades.sandbox,
            ]
        )
    return buffer.getvalue()


def _entry(questions: tuple[Question, ...], result: Result) -> SubmissionGrade:
    order = [question.grade_id for question in questions]
    return SubmissionGrade(
        student=_whole(result.student),
        status=result.status,
        reason=None if result.reason is None else _whole(result.reason),
        scores={name: _number(score) for name, score in _in_order(order, result.scores)},
        reasons={name: _whole(reason) for name, reason in _in_order(order, result.reasons)},
        flags=sorted(result.flags, key=_FLAG_ORDER.__getitem__),
        criteria=dict(result.criteria),
        proposed_vetoes=[_whole(veto) for veto in result.proposed_vetoes],
        vetoes=[_whole(veto) for veto in result.vetoes],
        total=_number(result.total),
        passed=result.passed,
        submitted_at=result.submitted_at,
        late_s=_number(result.late_s),
        late=result.late,
    )


def _in_order(order: list[str], values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    known = [name for name in order if name in values]
    return [(name, values[name]) for name in [*known, *sorted(set(values) - set(known))]]


def _truth(value: bool | None) -> str:
    return "" if value is None else str(value).lower()


def _number(score: float | None) -> float | None:
    return None if score is None else float(score)


def _whole(text: str) -> str:
    """Spell out halves of surrogate pairs (names of files that are not UTF-8): UTF-8 has none."""
    return text.encode("utf-8", "backslashreplace").decode()


def why(entry: SubmissionGrade) -> str:
    """Why points are missing, in one text."""
    if entry.reason is not None:
        return entry.reason
    # Some reasons begin with the name of the question themselves.
    return " ".join(
        reason if reason.startswith(f"{name} ") else f"{name}: {reason}"
        for name, reason in entry.reasons.items()
    )


def safe_text(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
