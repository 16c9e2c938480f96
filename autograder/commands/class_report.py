"""A graded class with what people decided: grading's reports and the review's log together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from autograder.errors import UsageError
from autograder.grading.reports.export import read_grades, write_grades_csv, write_grades_json
from autograder.grading.reports.report import Report
from autograder.grading.totals import VetoEffect
from autograder.project import Project
from autograder.review.desk.opened import open_class, with_formgrader
from autograder.review.desk.reviewed import reviewed_class
from autograder.rubric import load_rubric

_KEEP, _ZERO = "keep", "zero"


def class_report(
    out: Path, project: Project, *, chains: bool = False, reference: bool = False
) -> Report:
    """Read a graded class, the decisions of the review and of formgrader included.

    Args:
        out: The output folder.
        project: Has the lesson.
        chains: Whether to read the answers again for the learners' pages.
        reference: Whether those may say what a missing link of a chain is.

    Raises:
        CourseError: A file of the folder is absent or broken.
    """
    opened = with_formgrader(open_class(out, project))
    if opened.log.damaged:
        click.echo(
            f"{opened.log.path}: {opened.log.damaged} lines are damaged and do not count. "
            "Look for what was decided there.",
            err=True,
        )
    reviewed = reviewed_class(opened.desk, chains=chains, reference=reference)
    return opened.report.with_reviewed(reviewed)


def refresh_grades(out: Path, report: Report) -> Report:
    """Write grades.json and grades.csv, if people's decisions have changed what they say.

    Raises:
        CourseError: They cannot be written.
    """
    if read_grades(out / "grades.json") != report.grades:
        write_grades_csv(out / "grades.csv", report.grades)
        write_grades_json(out / "grades.json", report.grades)
    return report


def veto_effect(setting: str | float) -> VetoEffect:
    """What `[tool.course] veto` or `--veto` says.

    Raises:
        UsageError: It says nothing that is known.
    """
    if setting == _KEEP:
        return VetoEffect()
    try:
        most = 0.0 if setting == _ZERO else float(setting)
    except ValueError:
        most = -1.0
    if not most >= 0:
        raise UsageError(
            f"veto {setting!r}: write keep (the total stays), zero, or the most that is exported."
        )
    return VetoEffect(most=most)


def rubric_words(project: Project, lesson: str) -> Mapping[str, str]:
    """What learners' pages call criteria and vetoes: id -> line; empty without a rubric.

    Raises:
        CourseError: The rubric has a fault.
    """
    path = project.source(lesson).parent / "rubric.toml"
    if not path.is_file():
        return {}
    rubric = load_rubric(path, f"solutions/{lesson}/rubric.toml")
    criteria = {one.id: one.line for one in rubric.criteria}
    return criteria | {one.id: one.line for one in rubric.vetoes}
