"""A graded class, opened: its grades, its answers, its rubric and the review's log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from autograder.grading.master import Master
from autograder.grading.reports.report import Report, read_report
from autograder.grading.totals import automatic
from autograder.project import Project, find_project
from autograder.review.desk.answers import class_answers
from autograder.review.desk.desk import Desk
from autograder.review.desk.gradebook import coming_in
from autograder.review.lesson import lesson_suggester
from autograder.review.log.events import Mark
from autograder.review.log.logfile import ReviewLog, now
from autograder.review.records import Suggestion
from autograder.review.suggest import Suggester
from autograder.rubric import Lexicon, PassRule, QuestionRubric, Rubric, load_rubric


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenClass:
    """What the review works on.

    Attributes:
        report: The class without the review's decisions.
    """

    report: Report
    log: ReviewLog
    desk: Desk


def open_class(out: Path, project: Project, *, begin: bool = False) -> OpenClass:
    """Open an output folder of `course grade`.

    Args:
        out: The folder.
        project: Has the lesson, and with it its rubric; a lesson without one is read without.
        begin: Whether to begin a log, when there is none.

    Raises:
        CourseError: A file of the folder, the rubric or the log is broken.
    """
    report = read_report(out, project.db_url)
    lesson = report.grades.lesson
    rubric = _rubric(project, lesson, report.master)
    log = ReviewLog(out, lesson)
    if begin:
        log.begin()
    desk = Desk(
        class_answers(out, report.master, automatic(report.grades)),
        rubric,
        _suggest(project, lesson),
        log.state,
    )
    return OpenClass(report=report, log=log, desk=desk)


def with_formgrader(opened: OpenClass) -> OpenClass:
    """The same with formgrader's newest marks, which are not written into the log by this."""
    state = opened.log.state
    for event in list(coming(opened)):
        state.take(msgspec.structs.replace(event, seq=state.last + 1))
    return opened


def coming(opened: OpenClass) -> Iterator[Mark]:
    """Marks of formgrader's that the log does not have."""
    report, desk = opened.report, opened.desk
    return coming_in(desk.answers, desk.state, report.marks, report.comments, now())


def _rubric(project: Project, lesson: str, master: Master) -> Rubric:
    path = project.source(lesson).parent / "rubric.toml"
    known_as = f"solutions/{lesson}/rubric.toml"
    if path.is_file():
        return load_rubric(path, known_as)
    return Rubric(
        path=known_as,
        lesson=lesson,
        lang=master.lang,
        step=0.5,
        rule=PassRule(),
        criteria=(),
        parts=(),
        levels=(),
        questions=(),
        vetoes=(),
        lexicon=Lexicon(),
    )


def _suggest(project: Project, lesson: str) -> Callable[[QuestionRubric, str], Suggestion]:
    """Compiling a rubric takes a second: only when the first answer is read, and once."""
    source = project.source(lesson)
    files = (source, source.parent / "rubric.toml")

    def suggest(question: QuestionRubric, answer: str) -> Suggestion:
        return _compiled(project.root, lesson, stamp).suggest(question, answer)

    stamp = tuple(file.stat().st_mtime_ns for file in files if file.is_file())
    return suggest


@lru_cache(maxsize=2)
def _compiled(root: Path, lesson: str, _stamp: tuple[int, ...]) -> Suggester:
    return lesson_suggester(find_project(root), lesson)
