"""Everything that a report is made of, read from the output folder alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import nbformat

from autograder.errors import CourseError
from autograder.grading.gradebook.marks import Mark, read_comments, read_marks
from autograder.grading.intake.classlist import ClassList, read_class
from autograder.grading.intake.lms import LmsName, Platform, canvas_name, moodle_name
from autograder.grading.intake.roster import Enrolled
from autograder.grading.master import Master, read_master
from autograder.grading.phrases import quoted
from autograder.grading.reports.coursedir import CourseDir, folder_name, gradebook_url
from autograder.grading.reports.export import Grades, SubmissionGrade, read_grades
from autograder.grading.reviewed import Reviewed
from autograder.grading.totals import waiting, with_marks

_nbformat: Any = nbformat  # half of it has no types
_MOST_NAMED = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A report: its bytes, and sentences about what is not in it."""

    data: bytes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """A graded class.

    Attributes:
        grades: A person's points included.
        members: Who is enrolled, and what a platform called their files.
        comments: Student's folder -> grade_id of the answer -> what a person wrote.
        marks: Student's folder -> grade_id -> what the gradebook holds.
        reviewed: Student -> what people decided in the review.
    """

    folder: CourseDir
    master: Master
    grades: Grades
    members: ClassList
    comments: Mapping[str, Mapping[str, str]]
    marks: Mapping[str, Mapping[str, Mark]] = field(default_factory=dict)
    reviewed: Mapping[str, Reviewed] = field(default_factory=dict)

    def with_reviewed(self, reviewed: Mapping[str, Reviewed]) -> Report:
        """The same class with what people decided in the review: student -> decisions."""
        grades = with_marks(
            self.grades,
            self.marks,
            questions=self.master.questions,
            pass_total=self.master.pass_total,
            reviewed=reviewed,
        )
        return replace(self, grades=grades, reviewed=reviewed)

    @property
    def names(self) -> dict[str, str]:
        """Student id -> name, of those whose name is known."""
        known = ((entry.student, self.enrolled(entry.student).name) for entry in self.entries)
        return {student: name for student, name in known if name}

    @property
    def entries(self) -> list[SubmissionGrade]:
        """All grades, by student id."""
        return self.grades.submissions

    def enrolled(self, student: str) -> Enrolled:
        """What is known of a student: from the roster, else from the platform's file name."""
        roster = self.members.roster
        found = roster.find(student) if roster else None
        if found is not None:
            return found
        name = self._handed_in(student)
        if name is None:
            return Enrolled(id=student)
        return Enrolled(id=student, name=name.name or None, number=name.number)

    def platform(self, student: str) -> Platform | None:
        """Whose number the student's number is."""
        roster = self.members.roster
        if roster is not None and roster.find(student) is not None:
            return roster.platform
        name = self._handed_in(student)
        return name.platform if name else None

    def comments_for(self, student: str) -> Mapping[str, str]:
        """What a person wrote to a student: grade_id of the answer -> comment."""
        reviewed = self.reviewed.get(student)
        known = dict(self.comments.get(folder_name(student), {}))
        return known | dict(reviewed.comments) if reviewed else known

    def notes(self) -> tuple[str, ...]:
        """What no table can say: who still waits for a person, and for what."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
        open_ids = [entry.student for entry in self.entries if waiting(entry)]
        if open_ids:
            yield (
                f"{named(open_ids)} {_have(open_ids)} no total yet: questions wait for a person "
                "(formgrader, or the review)."
            )
        undecided = [
            entry.student
            for entry in self.entries
            if entry.total is not None and entry.passed is None
        ]
        if undecided:
            yield (
                f"Not yet known whether {named(undecided)} passed: criteria wait for a person. "
                "Decide them by `course review`."
            )
        proposed = [entry.student for entry in self.entries if self._unseen(entry)]
        if proposed:
            yield (
                f"A veto is proposed for {named(proposed)}, and nobody has said whether it stands. "
                "Decide it by `course review`."
            )
        bulk = [entry.student for entry in self.entries if entry.in_bulk]
        if bulk:
            yield (
                f"{named(bulk)} {_have(bulk)} points that are suggestions accepted in bulk: "
                "see the column accepted_in_bulk."
            )

    def _unseen(self, entry: SubmissionGrade) -> bool:
        reviewed = self.reviewed.get(entry.student, Reviewed())
        return bool(set(entry.proposed_vetoes) - set(reviewed.vetoes) - reviewed.dismissed)

    def _handed_in(self, student: str) -> LmsName | None:
        name = self.members.handed_in.get(student, "")
        return moodle_name(name) or canvas_name(name)


def read_report(out: Path, db_url: str) -> Report:
    """Read a graded class.

    Args:
        out: The output folder.
        db_url: The gradebook's URL, relative to `out` for SQLite.

    Raises:
        CourseError: A file of the folder is absent or broken.
    """
    grades = read_grades(out / "grades.json")
    folder = CourseDir(root=out.resolve(), lesson=grades.lesson)
    master = read_master(_notebook(out / "source" / grades.lesson / f"{grades.lesson}.ipynb"))
    url = gradebook_url(out, db_url)
    _expect_gradebook(url)
    marks = read_marks(url, grades.lesson)
    return Report(
        folder=folder,
        master=master,
        grades=with_marks(grades, marks, questions=master.questions, pass_total=master.pass_total),
        members=read_class(out),
        comments=read_comments(url, grades.lesson),
        marks=marks,
    )


def read_autograded(report: Report, student: str) -> Any | None:
    """A student's graded notebook; None when it is not there.

    Raises:
        CourseError: It is no notebook.
    """
    path = report.folder.autograded(student)
    return _notebook(path) if path.is_file() else None


def named(students: Iterable[str]) -> str:
    """Some students in a sentence: the first ten, and how many more."""
    shown = [quoted(student) for student in students]
    more = len(shown) - _MOST_NAMED
    return ", ".join(shown[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _have(students: Sequence[str]) -> str:
    return "has" if len(students) == 1 else "have"


def points(number: float) -> str:
    """Points as platforms read them: at most 4 decimals, none that say nothing."""
    return f"{number:.4f}".rstrip("0").rstrip(".")


def _notebook(path: Path) -> Any:
    try:
        return _nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    except (OSError, ValueError, _nbformat.ValidationError) as error:
        raise CourseError(
            f"{path}: cannot be read as a notebook. Run `course grade` into that folder again."
        ) from error


def _expect_gradebook(url: str) -> None:
    """Opening a gradebook that is not there would make an empty one, without anybody's points."""
    prefix = "sqlite:///"
    path = Path(url.removeprefix(prefix).partition("?")[0])
    if url.startswith(prefix) and not path.is_file():
        raise CourseError(f"{path}: the gradebook is not there. Restore it, or grade again.")
