"""Links that stay within the course: files, anchors, footnotes, other lessons.

A relative target counts from the lesson's folder in `lessons/`, where learners have it; what only
`solutions/` holds may be named in answer blocks only. A link to another lesson holds when that
lesson is there or is listed in pyproject.toml, and in a `.course-pagination` block also before it
is written. Anchors within other files and anything with a scheme are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from autograder.checking.anchors import anchors
from autograder.checking.report import Finding
from autograder.checking.text import Line, text_lines
from autograder.model import Audience, Lesson
from autograder.project import Project
from autograder.source.faults import did_you_mean

_TARGET = r"<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?"
_LINK = re.compile(r"(!?)\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*" + _TARGET + r"(?:\s+[\"'][^)]*)?\s*\)")
_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]]+\]:\s*<?([^\s>]+)")
_HTML = re.compile(r"<(img|a|video|source|iframe)\b[^>]*?\b(?:src|href)\s*=\s*[\"']([^\"']+)")
_SCHEME = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:|//)")
_NOTE = re.compile(r"\[\^([^\]\s]+)\](:?)")
_PAGE = (".qmd", ".ipynb", ".html")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Link:
    target: str
    picture: bool


def broken_links(project: Project, lesson: Lesson) -> Iterator[Finding]:
    """Every local target that is not there."""
    known = {
        audience: anchors(lesson, answers=audience is Audience.ANSWER) for audience in Audience
    }
    notes = {
        note[1] for line in text_lines(lesson) for note in _NOTE.finditer(line.text) if note[2]
    }
    for line in text_lines(lesson, raw=True):
        for link in _links(line.text):
            what = _fault(project, lesson, line, link, known[line.audience])
            if what is not None:
                yield Finding(path=lesson.path, line=line.number, what=what[0], mend=what[1])
    for line in text_lines(lesson):
        for note in _NOTE.finditer(line.text):
            if note[1] not in notes:
                yield Finding(
                    path=lesson.path,
                    line=line.number,
                    what=f"The footnote {note[0]} has no text.",
                    mend=f"Add a line `[^{note[1]}]: ...`.",
                )


def _links(text: str) -> Iterator[_Link]:
    for found in _LINK.finditer(text):
        yield _Link(target=found[2], picture=bool(found[1]))
    for found in _DEFINITION.finditer(text):
        yield _Link(target=found[1], picture=False)
    for found in _HTML.finditer(text):
        yield _Link(target=found[2], picture=found[1] == "img")


def _fault(
    project: Project, lesson: Lesson, line: Line, link: _Link, known: set[str]
) -> tuple[str, str] | None:
    """What is wrong with a link and how to mend it; None when it holds."""
    if not link.target or _SCHEME.match(link.target) or "{{<" in link.target:
        return None
    written, _, anchor = unquote(link.target).partition("#")
    path = written.partition("?")[0]
    if path:
        return _path_fault(project, lesson, line, link, path)
    if anchor in known or not anchor:
        return None
    return f"There is no place `#{anchor}` in this lesson.", did_you_mean(anchor, known)


def _path_fault(
    project: Project, lesson: Lesson, line: Line, link: _Link, path: str
) -> tuple[str, str] | None:
    if path.startswith("/"):
        return f"The link `{path}` is absolute.", "Write it relative to the lesson's folder."
    place = _within_lessons(lesson.slug, path)
    if place is None:
        return f"The link `{path}` leads out of `lessons/`.", "Link to something learners have."
    if _is_other_lesson(lesson, place):
        return _missing_lesson(project, place, line)
    return _missing_file(project, lesson, line, place, link)


def _within_lessons(slug: str, path: str) -> PurePosixPath | None:
    """A relative path as seen from `lessons/`; None outside of it."""
    parts: list[str] = [slug]
    for part in PurePosixPath(path).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return PurePosixPath(*parts)


def _is_other_lesson(lesson: Lesson, place: PurePosixPath) -> bool:
    """Whether a path is another lesson's folder, or a page right in it."""
    match place.parts:
        case [name]:
            return name != lesson.slug and not PurePosixPath(name).suffix
        case [name, _]:
            return name != lesson.slug and place.suffix in _PAGE
    return False


def _missing_lesson(project: Project, place: PurePosixPath, line: Line) -> tuple[str, str] | None:
    name = place.parts[0]
    written = project.source(name).is_file() or (project.lesson_modules / place).exists()
    if written or name in project.lessons or line.pagination:
        return None
    return (
        f"There is no lesson {name!r}.",
        "Link to it from the `.course-pagination` block until it is written, or list it in "
        "pyproject.toml.",
    )


def _missing_file(
    project: Project, lesson: Lesson, line: Line, place: PurePosixPath, link: _Link
) -> tuple[str, str] | None:
    kind = "picture" if link.picture else "file"
    own = place.parts[:1] == (lesson.slug,)
    if own and (len(place.parts) == 1 or place.name in {f"{lesson.slug}{end}" for end in _PAGE}):
        return None
    if _exists(project.lesson_modules / place):
        return None
    beside = project.root / "solutions" / place
    if _exists(beside):
        if line.audience is Audience.ANSWER:
            return None
        return (
            f"The {kind} `{link.target}` is in `solutions/` only, where no learner gets it.",
            f"Move it to `lessons/{place}`.",
        )
    return f"There is no {kind} `{link.target}`.", f"Put it at `lessons/{place}`."


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name longer than a file system takes
        return False
