"""Derived files: they can be made, come out the same twice, and match what is committed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.checking.digest import SecondBuild, digests
from autograder.checking.report import Finding, Severity
from autograder.editions import drawn
from autograder.editions.build import Editions, editions
from autograder.editions.pixels import is_current
from autograder.editions.words import words_for
from autograder.errors import CourseError, MissingOnMachine
from autograder.model import Diagram, Lesson
from autograder.project import Project

_PLACED = re.compile(
    r"^(?P<path>[^:\n]+):(?P<line>\d+): (?P<what>.+?[.。])(?: (?P<mend>.+))?$", re.S
)
# Said with its line where the text is read.
_SAID_ELSEWHERE = "refers to nothing in this edition"


def drifted(project: Project, lesson: Lesson, second: SecondBuild) -> Iterator[Finding]:
    """What is wrong with a lesson's editions.

    Raises:
        MissingOnMachine: A diagram's renderer or its font is not installed.
    """
    try:
        made = editions(project, lesson)
        again = second.result()
    except MissingOnMachine:
        raise
    except CourseError as error:
        yield _of_message(lesson, str(error), Severity.ERROR)
        return
    yield from _warnings(lesson, made)
    first = digests(made.files, project.root)
    for name in sorted(first):
        if again.get(name) != first[name]:
            yield _finding(
                name,
                "Two builds of this file differ.",
                "Report it as a fault of course build.",
            )
    for path in made.gone:
        yield _finding(
            path.relative_to(project.root).as_posix(),
            "The source gives no such file any more.",
            f"Run `course build {lesson.slug}`, which removes it.",
        )
    for path, data in made.files.items():
        name = path.relative_to(project.root).as_posix()
        if not path.is_file():
            yield _finding(name, "This file is not built.", f"Run `course build {lesson.slug}`.")
        elif not is_current(path, data):
            yield _finding(
                name,
                "This file is not what its source gives.",
                f"Run `course build {lesson.slug}`; edit {lesson.path} only.",
            )


def broken_diagrams(lesson: Lesson) -> Iterator[Finding]:
    """Diagrams that cannot be drawn; those that can are kept for the editions.

    Raises:
        MissingOnMachine: The renderer or its font is not installed.
    """
    shown = [block for block in lesson.blocks if isinstance(block, Diagram)]
    if not shown:
        return
    for diagram in shown:
        alt = " ".join((diagram.alt or diagram.caption or words_for(lesson.lang).diagram).split())
        try:
            drawn.picture(diagram.source, alt=alt, caption=diagram.caption)
        except MissingOnMachine:
            raise
        except CourseError as error:
            yield Finding(
                path=lesson.path,
                line=diagram.line,
                what=f"This diagram cannot be drawn: {error}",
                mend="Mend its mermaid source.",
            )


def _warnings(lesson: Lesson, made: Editions) -> Iterator[Finding]:
    broken = {
        f"{lesson.path}:{block.line}:" for block in lesson.blocks if isinstance(block, Diagram)
    }
    for text in made.warnings:
        drawn = next((place for place in broken if text.startswith(place)), None)
        if _SAID_ELSEWHERE in text or (drawn and "text alternative" not in text):
            continue
        yield _of_message(lesson, text, Severity.WARNING)


def _of_message(lesson: Lesson, text: str, severity: Severity) -> Finding:
    """A message as a finding, with its own place where it names one."""
    placed = _PLACED.match(text)
    if placed is None:
        what = text.removeprefix(f"{lesson.path}: ")
        return Finding(path=lesson.path, line=0, what=what, mend="", severity=severity)
    return Finding(
        path=placed["path"],
        line=int(placed["line"]),
        what=placed["what"],
        mend=placed["mend"] or "",
        severity=severity,
    )


def _finding(path: str, what: str, mend: str) -> Finding:
    return Finding(path=path, line=0, what=what, mend=mend)
