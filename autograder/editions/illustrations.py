"""Pictures beside a lesson's source: those that its public text shows go along, no other file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from autograder.editions.imagedata import IMAGE_TYPES, public_image
from autograder.errors import CourseError
from autograder.model import Audience, Lesson, Prose
from autograder.source.lines import without_code_spans, without_comments

_MARKDOWN = re.compile(r"!\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\))*)")
_HTML = re.compile(r"<img\b[^>]*?\bsrc\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE)
_DEFINED = re.compile(r"^ {0,3}\[(?!\^)[^\]]+\]:\s*<?([^\s>]+)")
_ELSEWHERE = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:|/|#)")
_RAW_HTML = re.compile(r"^\s*(?:`{3,}|~{3,})\s*\{=html\}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Illustrations:
    """Pictures by their path below the lesson's folder; `warnings` says which stayed behind."""

    files: dict[PurePosixPath, bytes]
    warnings: tuple[str, ...] = ()


def illustrations(lesson: Lesson, folder: Path, *, answers: bool = False) -> Illustrations:
    """Read the pictures that the text of a lesson shows.

    Args:
        lesson: The lesson.
        folder: Where its source is; what is not in there is not looked for.
        answers: Whether the text of its answers counts, too; else only the public text does.

    Raises:
        CourseError: A picture is not what its name says, or leads out of the folder.
    """
    files: dict[PurePosixPath, bytes] = {}
    warnings: list[str] = []
    for target, line in _shown(lesson, answers=answers):
        place = PurePosixPath(unquote(target.partition("#")[0].partition("?")[0]))
        if place in files or not place.name or ".." in place.parts:
            continue
        path = folder / place
        if not path.is_file():
            continue
        where = f"{lesson.path}:{line}"
        if place.suffix.lower() not in IMAGE_TYPES:
            warnings.append(
                f"{where}: Learners do not get {target!r}. "
                f"Save it as one of: {', '.join(sorted(IMAGE_TYPES))}."
            )
            continue
        if not path.resolve().is_relative_to(folder.resolve()):
            raise CourseError(f"{where}: {target!r} leads out of the lesson. Copy the picture in.")
        try:
            files[place] = public_image(path.read_bytes(), place.suffix.lower())
        except ValueError as error:
            raise CourseError(f"{where}: {target!r} {error}. Export the picture again.") from error
    return Illustrations(files=files, warnings=tuple(warnings))


def _shown(lesson: Lesson, *, answers: bool) -> Iterator[tuple[str, int]]:
    """Local pictures that the text names, with their lines."""
    for block in lesson.blocks:
        if not isinstance(block, Prose):
            continue
        if block.audience is Audience.ANSWER and not answers:
            continue
        if block.verbatim and not _RAW_HTML.match(block.text):
            continue
        for number, line in enumerate(block.text.split("\n"), start=block.line):
            text = without_code_spans(without_comments(line))
            found = [*_MARKDOWN.findall(text), *_HTML.findall(text)]
            found += [one for one in _DEFINED.findall(text) if _is_picture(one)]
            yield from ((target, number) for target in found if not _ELSEWHERE.match(target))


def _is_picture(target: str) -> bool:
    return PurePosixPath(target).suffix.lower() in IMAGE_TYPES
