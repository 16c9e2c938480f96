"""A class's submissions, one after the other: the order of the stages, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autograder.grading.autograded import autograded_notebook, notebook_text
from autograder.grading.coursedir import CourseDir, gradebook_url
from autograder.grading.export import grades_of, write_grades_csv, write_grades_json
from autograder.grading.feedback import FeedbackPages
from autograder.grading.gradebook import GradebookWriter
from autograder.grading.intake.collect import collect
from autograder.grading.intake.roster import Roster
from autograder.grading.integrity.plan import plan
from autograder.grading.master import Master
from autograder.grading.records import Batch, Graded, Result, Submission
from autograder.grading.run import Runner
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.scoring import score
from autograder.project import Limits


@dataclass(frozen=True, kw_only=True, slots=True)
class Assignment:
    """What a class is graded against, and where to.

    Attributes:
        master: The source notebook, understood.
        release: Text of the student edition.
        release_config: nbgrader's settings that make that edition from the source notebook.
        lessons: The instructor's `lessons/`, importable in the sandbox.
        assets: The project's `assets` folder.
        db_url: SQLAlchemy URL of the gradebook, relative to `out` for SQLite.
        hidden: Folders that nothing of a learner's may see.
        out: The output folder.
    """

    master: Master
    release: str
    release_config: str
    lessons: Path
    assets: Path
    db_url: str
    hidden: tuple[Path, ...]
    out: Path


def grade(  # noqa: PLR0913  (each is one of the things a run of the grader depends on)
    assignment: Assignment,
    submitted: Path,
    *,
    roster: Roster | None = None,
    due: datetime | None = None,
    limits: Limits,
    sandboxed: bool,
    progress: Callable[[Result], None],
) -> list[Result]:
    """Grade everything in `submitted` and write the output folder.

    Args:
        assignment: What is graded.
        submitted: nbgrader's tree, a flat folder, a platform's download, or a zip of any.
        roster: The class, when it is known.
        due: The deadline, when there is one.
        limits: What a submission may use.
        sandboxed: False for `--no-sandbox`.
        progress: Called with each result as it is there.

    Returns:
        One result a student, in the order of intake.

    Raises:
        UsageError: `submitted` holds no submissions.
        MissingOnMachine: No sandbox starts here.
        CourseError: The output folder or the gradebook cannot be written.
    """
    master = assignment.master
    submissions = collect(submitted, master.lesson, roster=roster, due=due, lang=master.lang)
    folder = CourseDir(root=assignment.out, lesson=master.lesson)
    with Sandbox(
        lessons=assignment.lessons, limits=limits, enabled=sandboxed, hidden=assignment.hidden
    ) as box:
        url = gradebook_url(assignment.out, assignment.db_url)
        folder.prepare(db_url=url, release_config=assignment.release_config)
        folder.write_source(notebook_text(master.notebook))
        folder.write_release(assignment.release)
        pages = FeedbackPages(_batch(assignment, box, limits), master.notebook, assignment.assets)
        runner = Runner(box, master, limits)
        results = []
        with GradebookWriter(url, master.lesson, master.notebook) as book:
            for submission in submissions:
                graded = _grade_one(submission, master, runner)
                folder.write_submitted(submission)
                notebook = autograded_notebook(graded, master.notebook)
                folder.write_autograded(submission.student, notebook_text(notebook))
                folder.write_feedback(submission.student, pages.page(graded.result, notebook))
                book.write(graded)
                results.append(graded.result)
                progress(graded.result)
        runner.close()
        grades = grades_of(_batch(assignment, box, limits), results)
    write_grades_json(assignment.out / "grades.json", grades)
    write_grades_csv(assignment.out / "grades.csv", grades)
    return results


def _grade_one(submission: Submission, master: Master, runner: Runner) -> Graded:
    read = run = None
    if submission.notebook is not None:
        read = plan(master.notebook, submission.notebook, master.lang)
        run = runner.run(read, seed=_seed(submission))
    result = score(
        master.questions, submission, read, run, lang=master.lang, pass_total=master.pass_total
    )
    return Graded(submission=submission, plan=read, run=run, result=result)


def _seed(submission: Submission) -> int:
    """The same for the same bytes, so that unseeded random code scores the same each time."""
    return int.from_bytes(hashlib.sha256(submission.raw or b"").digest()[:4], "big")


def _batch(assignment: Assignment, box: Sandbox, limits: Limits) -> Batch:
    master = assignment.master
    return Batch(
        lesson=master.lesson,
        title=master.title,
        lang=master.lang,
        max_score=master.max_score,
        sandbox=box.name,
        limits={
            "cell_s": limits.cell_s,
            "submission_s": limits.submission_s,
            "memory_mb": limits.memory_mb,
            "processes": limits.processes,
            "output_kb": limits.output_kb,
            "held_by": dict(box.held),
        },
        questions=master.questions,
        out=assignment.out,
    )
