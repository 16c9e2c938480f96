"""The output folder of a batch: nbgrader's tree, and the reports beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from autograder.errors import CourseError
from autograder.grading.batch import existing
from autograder.grading.batch.assignment import Assignment
from autograder.grading.batch.changes import Change, changes_csv
from autograder.grading.batch.classview import ClassView
from autograder.grading.batch.classview_text import class_view_text
from autograder.grading.batch.job import Answer
from autograder.grading.intake.classlist import NAME as CLASS_LIST
from autograder.grading.reports.autograded import notebook_text
from autograder.grading.reports.coursedir import CourseDir, sync_below, write_atomically
from autograder.grading.reports.export import (
    Grades,
    read_grades,
    write_grades_csv,
    write_grades_json,
)

GRADES = "grades.json"
CHANGES = "changes.csv"
VIEW = "class-view.md"
_REPORTS = (GRADES, "grades.csv", CLASS_LIST, CHANGES, VIEW, "class-view.json")


def set_reports_aside(out: Path, lesson: str) -> Path | None:
    """Keep a copy of another lesson's reports, which this lesson's will replace.

    Returns:
        Where they are; None when there are none.

    Raises:
        CourseError: They cannot be read or written.
    """
    if not (out / GRADES).is_file():
        return None
    other = read_grades(out / GRADES).lesson
    if other == lesson:
        return None
    kept = out / "earlier" / other
    try:
        for name in _REPORTS:
            if (out / name).is_file():
                write_atomically(kept / name, (out / name).read_bytes())
        # No other lesson's: these are not always written.
        for name in (CHANGES, GRADES):
            (out / name).unlink(missing_ok=True)
    except OSError as error:
        raise CourseError(
            f"{out}: the grades of {other} cannot be put aside ({error.strerror}). "
            "Mend the permissions, or name another --out."
        ) from error
    return kept


def write_reports(
    out: Path, grades: Grades, view: ClassView, changes: Iterable[Change] | None
) -> None:
    """Write the reports; grades.json last, so that it is never newer than the others.

    Args:
        out: The output folder.
        grades: For grades.json and grades.csv.
        view: For class-view.json and class-view.md.
        changes: For changes.csv; None leaves that as it is.

    Raises:
        CourseError: They cannot be written.
    """
    text = msgspec.json.format(msgspec.json.encode(view), indent=1)
    write_atomically(out / "class-view.json", text + b"\n")
    write_atomically(out / VIEW, class_view_text(view).encode())
    if changes is not None:
        write_atomically(out / CHANGES, changes_csv(changes).encode("utf-8-sig"))
    write_grades_csv(out / "grades.csv", grades)
    write_grades_json(out / GRADES, grades)


@dataclass(frozen=True, kw_only=True, slots=True)
class OutFolder:
    """Where everything of one lesson's batch goes.

    Attributes:
        in_place: Whether the submissions are read from the folder's own `submitted/`.
    """

    assignment: Assignment
    in_place: bool

    @property
    def tree(self) -> CourseDir:
        """The folder as nbgrader lays it out."""
        return CourseDir(root=self.assignment.out, lesson=self.assignment.master.lesson)

    def prepare(self, url: str) -> list[str]:
        """Make the folder; sentences about what an instructor's own course keeps.

        Args:
            url: The gradebook's.
        """
        root, tree, notes = self.assignment.out, self.tree, []
        self._sweep()
        if self.assignment.existing and existing.is_own_config(root):
            lacking = existing.advice(root)
            notes += [lacking] if lacking else []
        else:
            tree.prepare(db_url=url, release_config=self.assignment.release_config)
        # Judged before the first is written: the student edition says little about itself.
        own = root / "source" / tree.lesson / f"{tree.lesson}.ipynb"
        ours = existing.is_derived(own)
        source = notebook_text(self.assignment.master.notebook)
        for step, text, write in (
            ("source", source, tree.write_source),
            ("release", self.assignment.release, tree.write_release),
        ):
            file = root / step / tree.lesson / f"{tree.lesson}.ipynb"
            if not self.assignment.existing or not file.exists() or ours:
                write(text)
            elif step == "source":
                notes.append(
                    f"{file} is yours and stays, though the tests that graded are the lesson's. "
                    "Move it away and run again with --resume if it is out of date."
                )
        return notes

    def write(self, answer: Answer) -> None:
        """Everything of one submission but its grade.

        Raises:
            CourseError: It cannot be written.
        """
        tree, student = replace(self.tree, durable=False), answer.submission.student
        if not self.in_place:
            tree.write_submitted(answer.submission)
        tree.write_autograded(student, answer.autograded)
        tree.write_feedback(student, answer.feedback)

    def settle(self) -> None:
        """Return when the disk has all that `write` wrote."""
        sync_below(self.assignment.out)

    def holds(self, student: str) -> bool:
        """Whether everything of one submission is there."""
        tree = self.tree
        return tree.autograded(student).is_file() and tree.feedback(student).is_file()

    def _sweep(self) -> None:
        """Remove the drafts of a run that was killed."""
        root, lesson = self.assignment.out, self.tree.lesson
        for pattern in (".*.tmp", f"*/{lesson}/.*.tmp", f"*/*/{lesson}/.*.tmp"):
            for draft in root.glob(pattern):
                draft.unlink(missing_ok=True)
