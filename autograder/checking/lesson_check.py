"""Everything that is checked of one lesson, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from autograder.checking import (
    drift,
    figures,
    hints,
    links,
    modules,
    names,
    origins,
    points,
)
from autograder.checking.digest import second_build
from autograder.checking.exercises import try_exercises
from autograder.checking.report import Counts, Finding, Report, in_order, of_faults
from autograder.checking.trial import sandbox
from autograder.editions.build import lesson_of
from autograder.editions.notebook import source_edition
from autograder.errors import CourseError, LessonErrors, MissingOnMachine
from autograder.model import Diagram, Lesson
from autograder.project import Project
from autograder.rubric.table import read_table


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """A report, and what the machine lacked to make it whole.

    Attributes:
        missing: Why a part could not be checked; None when all was.
    """

    report: Report
    missing: MissingOnMachine | None = None


def check_lesson(project: Project, slug: str) -> Checked:
    """Check a lesson of the project.

    Raises:
        UsageError: There is no such lesson.
    """
    try:
        lesson = lesson_of(project, slug)
    except LessonErrors as faults:
        return Checked(report=Report(findings=in_order(of_faults(faults))))
    missing: MissingOnMachine | None = None
    counts = Counts()
    findings = list(read_findings(project, lesson))
    # The sandbox waits for its processes most of the time: meanwhile diagrams are drawn. It stays
    # in this thread, whose end would be the end of everything in it.
    with second_build(project.root, slug) as second, ThreadPoolExecutor(1) as drawing:
        diagrams = drawing.submit(lambda: list(drift.broken_diagrams(lesson)))
        try:
            notebook = source_edition(_without_diagrams(lesson)).notebook
            with sandbox(project) as box:
                found, counts = try_exercises(box, project, lesson, notebook)
            findings += found
            findings += diagrams.result()
            findings += drift.drifted(project, lesson, second)
        except MissingOnMachine as error:
            missing = error
    return Checked(report=Report(findings=in_order(findings), counts=counts), missing=missing)


def _without_diagrams(lesson: Lesson) -> Lesson:
    """The same code cells, and nothing to draw."""
    return replace(
        lesson, blocks=tuple(one for one in lesson.blocks if not isinstance(one, Diagram))
    )


def read_findings(project: Project, lesson: Lesson) -> Iterator[Finding]:
    """What reading alone shows: nothing of the lesson is run or built."""
    yield from names.unknown_names(lesson)
    yield from names.shadowing_names(lesson)
    yield from hints.missing_hints(lesson)
    yield from links.broken_links(project, lesson)
    yield from figures.missing_references(lesson)
    yield from modules.missing_functions(project, lesson)
    yield from origins.undated_sources(project, lesson)
    path = project.source(lesson.slug).parent / "rubric.toml"
    known_as = f"solutions/{lesson.slug}/rubric.toml"
    try:
        rubric = read_table(path, known_as)
    except CourseError as error:
        what = str(error).removeprefix(f"{known_as}: ").removesuffix(" Mend it.")
        yield Finding(path=known_as, line=0, what=what, mend="Mend it.")
        return
    yield from points.wrong_points(lesson, rubric)
