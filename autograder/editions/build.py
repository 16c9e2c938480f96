"""Lesson -> files: everything is computed before anything is written."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.editions.hints import FILE as HINTS
from autograder.editions.hints import hints_file, is_derived
from autograder.editions.illustrations import illustrations
from autograder.editions.leaks import refuse_leaks
from autograder.editions.notebook import answer_edition, dumps, source_edition
from autograder.editions.pixels import is_current
from autograder.editions.stills import put_stills, stills
from autograder.editions.student_page import student_page
from autograder.errors import CourseError, UsageError
from autograder.model import Lesson
from autograder.nodes import NotebookNode
from autograder.project import Project
from autograder.rubric.table import read_table
from autograder.source import read_lesson
from autograder.wholefile import replace_file

_DIFF_LINES = 12
_SLUG = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9_-]*$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Built:
    """What a build did.

    Attributes:
        changed: The paths that were written, or with `check` those that drifted.
        warnings: What an edition could not show or left out, one sentence each.
        diffs: With `check`, for each drifted path a short unified diff.
    """

    changed: tuple[Path, ...]
    warnings: tuple[str, ...] = ()
    diffs: Mapping[Path, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Editions:
    """A lesson's derived files, still in memory.

    Attributes:
        files: Path -> content.
        warnings: What could not be shown, one sentence each.
        gone: Files of an earlier build that the source gives no more.
    """

    files: dict[Path, bytes]
    warnings: tuple[str, ...]
    gone: tuple[Path, ...] = ()


def build(project: Project, slug: str, *, check: bool = False) -> Built:
    """Write the editions of a lesson that are committed.

    Args:
        project: Where the lesson is.
        slug: Its name.
        check: Write nothing; say which files differ from what would be written.

    Returns:
        What was written or removed, or has drifted with `check`; nothing when all is up to date.

    Raises:
        LessonErrors: The source breaks the dialect; nothing is written.
        CourseError: An edition cannot be made, or a file cannot be written.
    """
    made = editions(project, lesson_of(project, slug))
    drifted = {path: data for path, data in made.files.items() if not is_current(path, data)}
    if check:
        diffs = {path: _diff(project, path, data) for path, data in drifted.items()}
        diffs |= {path: _diff(project, path, b"") for path in made.gone}
        return Built(changed=(*drifted, *made.gone), warnings=made.warnings, diffs=diffs)
    for path, data in drifted.items():
        _write(path, data)
    for path in made.gone:
        path.unlink(missing_ok=True)
    return Built(changed=(*drifted, *made.gone), warnings=made.warnings)


def lesson_of(project: Project, slug: str) -> Lesson:
    """Read a lesson of the project.

    Raises:
        UsageError: There is no such lesson.
        LessonErrors: The source breaks the dialect.
    """
    if not _SLUG.match(slug):
        raise UsageError(f"{slug!r} is no lesson: name one as in solutions/LESSON/LESSON.qmd.")
    return read_lesson(project.source(slug), project.root, project.lang)


def source_notebook(project: Project, slug: str) -> NotebookNode:
    """The nbgrader source notebook, the master of grading.

    Raises:
        UsageError: There is no such lesson.
        LessonErrors: The source breaks the dialect.
    """
    notebook = source_edition(lesson_of(project, slug)).notebook
    rubric = read_table(
        project.source(slug).parent / "rubric.toml", f"solutions/{slug}/rubric.toml"
    )
    total = rubric.rule.number("total") if rubric else None
    if total is not None:
        notebook.metadata.course["pass_total"] = total
    return notebook


def editions(project: Project, lesson: Lesson) -> Editions:
    """Make every derived file of a lesson in memory.

    Raises:
        CourseError: An edition cannot be made, or would hold an answer.
    """
    # nbgrader takes 2.4 s to import, and grading needs only the source notebook.
    from autograder.editions.release import release  # noqa: PLC0415

    source = source_edition(lesson)
    answers = answer_edition(lesson)
    student = release(source.notebook)
    drawn = stills(project, lesson)
    put_stills(student, drawn)
    put_stills(answers.notebook, drawn)
    page = student_page(lesson)
    refuse_leaks(lesson, student, page)
    slug = lesson.slug
    lessons, solutions = project.lesson_modules / slug, project.source(slug).parent
    texts = {
        lessons / f"{slug}.ipynb": dumps(student),
        lessons / f"{slug}.qmd": page,
        solutions / f"{slug}.ipynb": dumps(answers.notebook),
    }
    hints = hints_file(lesson)
    if hints is not None:
        texts[lessons / HINTS] = hints
    files = {path: text.encode() for path, text in texts.items()}
    pictures = illustrations(lesson, solutions)
    files |= {lessons / place: data for place, data in pictures.files.items()}
    warned = (*lesson.warnings, *source.warnings, *answers.warnings, *pictures.warnings)
    gone = (lessons / HINTS,) if hints is None and is_derived(_read(lessons / HINTS)) else ()
    return Editions(files=files, warnings=tuple(dict.fromkeys(warned)), gone=gone)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _write(path: Path, data: bytes) -> None:
    """Replace a file in one step, so that no reader ever sees half of it."""
    try:
        replace_file(path, data)
    except OSError as error:
        raise CourseError(
            f"{path}: cannot be written: {error.strerror}. Make its folder writable."
        ) from error


def _diff(project: Project, path: Path, data: bytes) -> str:
    name = path.relative_to(project.root).as_posix()
    old = (_read(path) or b"").decode("utf-8", "replace")
    lines = difflib.unified_diff(
        [_short(line) for line in old.splitlines()],
        [_short(line) for line in data.decode("utf-8", "replace").splitlines()],
        f"{name} (as it is)",
        f"{name} (as built)",
        lineterm="",
        n=1,
    )
    found = list(lines)
    more = len(found) - _DIFF_LINES
    return "\n".join([*found[:_DIFF_LINES], f"... {more} more lines"] if more > 0 else found)


def _short(line: str) -> str:
    """A picture's base64 is one long line."""
    return line if len(line) <= 200 else line[:200] + "..."  # noqa: PLR2004  # one line of a diff
