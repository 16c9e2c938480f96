"""A class's submissions through the graders, into the folder, the gradebook and the journal.

The order in which one submission becomes done: its files, then the gradebook's transaction, then
its line in the journal. Whatever moment a run is killed at, all that has a line is complete, and
what has none is graded again, which changes nothing where it was complete.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.errors import CourseError, UsageError
from autograder.grading.batch import existing
from autograder.grading.batch.assignment import Assignment, Settings
from autograder.grading.batch.cluster import ClusterPool
from autograder.grading.batch.job import Answer
from autograder.grading.batch.journal import Journal, Record
from autograder.grading.batch.keys import content, settings_version, tests_version
from autograder.grading.batch.outcome import Outcome, Round, concluded
from autograder.grading.batch.outfolder import OutFolder
from autograder.grading.batch.pool import Pool
from autograder.grading.batch.progress import Progress
from autograder.grading.intake.collect import collect, students
from autograder.grading.records import Graded, Submission
from autograder.grading.reports.coursedir import gradebook_url

if TYPE_CHECKING:
    from autograder.grading.gradebook.writer import GradebookWriter

_Graders = Pool | ClusterPool

# Submissions a transaction, and a line in the journal; few enough that a formgrader beside it
# never waits long.
_BATCH = 25

# A submission that is done waits at most so long for its line in the journal.
_FLUSH_S = 5.0


class Interrupted(CourseError):  # noqa: N818  # Ctrl-C is no error
    """Ctrl-C; what was graded is kept."""

    exit_code = 130


def grade(
    assignment: Assignment, submitted: Path, settings: Settings, progress: Progress
) -> Outcome:
    """Grade everything in `submitted` and write the output folder.

    Args:
        assignment: What is graded, and where to.
        submitted: nbgrader's tree, a flat folder, a platform's download, or a zip of any.
        settings: How.
        progress: Is told how it goes.

    Raises:
        UsageError: `submitted` holds no submissions, or not the one student's.
        MissingOnMachine: No sandbox starts here.
        CourseError: The output folder or the gradebook cannot be written.
        Interrupted: Ctrl-C.
    """
    lesson = assignment.master.lesson
    ids = _chosen(submitted, lesson, settings)
    folder = OutFolder(
        assignment=assignment,
        in_place=submitted.resolve() == (assignment.out / "submitted").resolve(),
    )
    url = gradebook_url(assignment.out, assignment.db_url)
    # A journal is worth nothing without the gradebook that it speaks of.
    goes_on = (settings.resume or settings.student is not None) and existing.has_gradebook(url)
    progress.begin(len(ids))
    try:
        with Journal(assignment.out, lesson, resume=goes_on) as journal:
            batch = _Batch(assignment, settings, folder, journal, progress)
            batch.grade(submitted, ids)
            whole = settings.student is None
            names = set(ids) if whole else journal.students
            about = Round(names=names, graded=batch.graded, whole=whole)
            return concluded(assignment, journal, about, progress)
    except KeyboardInterrupt:
        raise Interrupted(
            "Stopped; what was graded is kept. Run the same command with --resume to go on."
        ) from None
    finally:
        progress.end()


def _chosen(submitted: Path, lesson: str, settings: Settings) -> list[str]:
    ids = students(submitted, lesson, roster=settings.roster)
    if settings.student is None:
        return ids
    if settings.student not in ids:
        raise UsageError(
            f"{submitted}: has nothing of a student {settings.student!r}. "
            "Name one by the id that grades.csv shows."
        )
    return [settings.student]


class _Batch:
    """One run over a class."""

    def __init__(
        self,
        assignment: Assignment,
        settings: Settings,
        folder: OutFolder,
        journal: Journal,
        progress: Progress,
    ) -> None:
        self._assignment = assignment
        self._settings = settings
        self._folder = folder
        self._journal = journal
        self._progress = progress
        self._url = gradebook_url(assignment.out, assignment.db_url)
        self._tests = tests_version(assignment)
        self._conditions = settings_version(settings)
        self._waiting: list[Record] = []
        self._flushed = time.monotonic()
        self.graded = 0

    def grade(self, submitted: Path, ids: list[str]) -> None:
        """Grade whoever of `ids` is not done yet."""
        submissions = self._left(submitted, ids)
        first = next(submissions, None)
        if first is None:
            return
        with self._graders(len(ids)) as pool:
            # The database's libraries take a second, while the graders start.
            from autograder.grading.gradebook.writer import GradebookWriter  # noqa: PLC0415

            opening = pool.opening  # before anything is written: there may be no sandbox
            if self._assignment.existing:
                self._back_up()
            for sentence in self._folder.prepare(self._url):
                self._progress.note(sentence)
            self._journal.open(opening)
            answers = pool.answers(_chained(first, submissions))  # they begin
            master = self._assignment.master
            with GradebookWriter(self._url, master.lesson, master.notebook) as book:
                self._drain(answers, book)

    def _graders(self, submissions: int) -> _Graders:
        settings = self._settings
        if settings.cluster is not None:
            return ClusterPool(self._assignment, settings, settings.cluster)
        workers = min(settings.workers, submissions)
        return Pool(self._assignment, replace(settings, workers=workers))

    def _drain(self, answers: Iterator[Answer | None], book: GradebookWriter) -> None:
        try:
            for answer in answers:
                if answer is not None:
                    self._take(answer, book)
                if len(self._waiting) >= _BATCH or self._is_time():
                    self._settle(book)
        except KeyboardInterrupt:
            self._settle(book)
            raise
        self._settle(book)

    def _take(self, answer: Answer, book: GradebookWriter) -> None:
        self._folder.write(answer)
        graded = Graded(
            submission=answer.submission, plan=None, run=None, result=answer.entry.result()
        )
        book.write(graded)
        self._waiting.append(
            Record(
                content=content(answer.submission),
                tests=self._tests,
                settings=self._conditions,
                entry=answer.entry,
                facts=answer.facts,
            )
        )
        self.graded += 1
        if answer.fault is not None:
            self._progress.note(
                f"{answer.entry.student}: the grader failed ({answer.fault}); "
                "all its questions wait for a person. Please report this."
            )
        self._progress.graded(answer.entry)

    def _settle(self, book: GradebookWriter) -> None:
        """The order matters: a line in the journal says that disk and gradebook have it."""
        self._folder.settle()
        book.flush()
        self._journal.append(self._waiting)
        self._waiting.clear()
        self._flushed = time.monotonic()

    def _is_time(self) -> bool:
        return bool(self._waiting) and time.monotonic() - self._flushed > _FLUSH_S

    def _left(self, submitted: Path, ids: list[str]) -> Iterator[Submission]:
        """What is not done yet, read one at a time."""
        settings, lang = self._settings, self._assignment.master.lang
        for submission in collect(
            submitted,
            self._assignment.master.lesson,
            roster=settings.roster,
            due=settings.due,
            lang=lang,
            only=frozenset(ids),
            parse=False,
        ):
            if settings.resume and self._is_done(submission):
                self._progress.kept()
            else:
                yield submission

    def _is_done(self, submission: Submission) -> bool:
        key = (content(submission), self._tests, self._conditions)
        student = submission.student
        return self._journal.holds(student, key) and self._folder.holds(student)

    def _back_up(self) -> None:
        copy = existing.back_up(self._url)
        self._progress.note(
            f"The gradebook was backed up to {copy}."
            if copy is not None
            else "There was no gradebook file to back up."
        )


def _chained(first: Submission, rest: Iterator[Submission]) -> Iterator[Submission]:
    yield first
    yield from rest
