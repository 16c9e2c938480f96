"""The end of a round: the journal read back, and what it comes to."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from autograder.errors import CourseError
from autograder.grading.batch.assignment import Assignment, head
from autograder.grading.batch.changes import Change, changed_marks
from autograder.grading.batch.classview import ClassView, ClassViewBuilder
from autograder.grading.batch.journal import Journal
from autograder.grading.batch.keys import tests_version
from autograder.grading.batch.outfolder import write_reports
from autograder.grading.batch.progress import Progress
from autograder.grading.reports.coursedir import gradebook_url
from autograder.grading.reports.export import Grades, SubmissionGrade, grades_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """What was graded.

    Attributes:
        names: Whom the reports are about.
        graded: How many were graded in this run.
        whole: Whether all of the class was to be graded.
    """

    names: Set[str]
    graded: int
    whole: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a batch came to.

    Attributes:
        changes: The marks that differ from the round before; None when there was none.
        graded: How many were graded in this run, not in an earlier one.
    """

    grades: Grades
    view: ClassView
    changes: list[Change] | None
    graded: int


def concluded(
    assignment: Assignment, journal: Journal, about: Round, progress: Progress
) -> Outcome:
    """Write the reports of a round, and note in the journal that they hold it.

    Args:
        assignment: What was graded.
        journal: Holds all that the round is about.
        about: What was graded now.
        progress: Is told what the instructor should know.

    Raises:
        CourseError: The reports cannot be written.
    """
    master, tests = assignment.master, tests_version(assignment)
    builder = ClassViewBuilder(master.lesson, master.questions)
    entries, stale = [], 0
    for record in journal.records(about.names):
        builder.take(record)
        entries.append(record.entry)
        stale += record.tests != tests
    if stale:
        progress.note(
            f"{stale} others were graded by earlier tests of the lesson. "
            "Grade without --student to bring them up to date."
        )
    outcome = Outcome(
        grades=_grades(assignment, journal, entries),
        view=builder.view(),
        changes=_changes(assignment, journal, about.names),
        graded=about.graded,
    )
    # Nothing new since the last report: what that one said has changed still stands.
    told = outcome.changes if about.graded or not journal.is_closed else None
    write_reports(assignment.out, outcome.grades, outcome.view, told)
    # An interrupted class is not complete because one student was graded anew.
    if about.whole or journal.was_closed:
        journal.close()
    return outcome


def _grades(assignment: Assignment, journal: Journal, entries: list[SubmissionGrade]) -> Grades:
    opening = journal.opening
    if opening is None:
        raise CourseError(
            f"{assignment.out}: the journal has lost its head. Grade without --resume."
        )
    batch = head(assignment.master, assignment.out, sandbox=opening.sandbox, limits=opening.limits)
    return grades_of(batch, (entry.result() for entry in entries))


def _changes(assignment: Assignment, journal: Journal, names: Set[str]) -> list[Change] | None:
    if next(journal.earlier(), None) is None:
        return None
    from autograder.grading.gradebook.marks import read_marks  # noqa: PLC0415  (the database's)

    url = gradebook_url(assignment.out, assignment.db_url)
    marks = read_marks(url, assignment.master.lesson)
    return list(changed_marks(journal.earlier(), journal.records(names), marks))
