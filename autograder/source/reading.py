"""A lesson's source, read whole: the passes in their order, and the file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from autograder.errors import LessonError, LessonErrors, UsageError
from autograder.model import Block, FrontMatter, Lesson, Prose
from autograder.source.attributes import heading_of
from autograder.source.audience import with_audience
from autograder.source.checks import check
from autograder.source.faults import Faults, did_you_mean
from autograder.source.known import FRONT_MATTER
from autograder.source.notices import without_suffix
from autograder.source.questions import with_questions
from autograder.source.roles import with_roles
from autograder.source.splitter import split
from autograder.source.spoilers import check_spoilers

_COURSE_OPTIONS = ("modules",)
_MODULE = re.compile(r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")


def read_lesson(path: Path, project_root: Path, lang: str) -> Lesson:
    """Read and understand a lesson's source.

    Args:
        path: The .qmd file.
        project_root: Its path in messages is relative to this folder.
        lang: The project's language, used when the front matter names none.

    Raises:
        UsageError: There is no such file.
        LessonErrors: The source breaks the dialect.
    """
    name = _known_as(path, project_root)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{name}: cannot be read: {error.strerror}. "
            "Name a lesson that has solutions/LESSON/LESSON.qmd."
        ) from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fault = LessonError(name, line, "This is not UTF-8.", "Save the file as UTF-8.")
        raise LessonErrors([fault]) from error
    return parse(text, slug=path.stem, path=name, lang=lang)


def parse(text: str, *, slug: str, path: str, lang: str) -> Lesson:
    """Understand a lesson's source text; pure.

    Raises:
        LessonErrors: The source breaks the dialect; every fault found is in it.
    """
    faults = Faults()
    if not text.strip("\ufeff \t\r\n"):
        faults.add(1, "The lesson is empty.", "Write it, or begin with what `course new` writes.")
    blocks = split(text, faults)
    blocks = with_audience(blocks, faults)
    blocks = with_roles(blocks, faults)
    blocks = with_questions(blocks, faults)
    check(blocks, faults)
    check_spoilers(blocks, faults)
    data = _front_matter(blocks)
    modules = _modules(data, _line_of(blocks, "course"), faults)
    _check_lang(data, _line_of(blocks, "lang"), faults)
    _warn_of_unknown(data, blocks, faults)
    faults.raise_if_any(path)
    return Lesson(
        slug=slug,
        path=path,
        title=_title(data, blocks, slug),
        lang=str(data.get("lang") or lang),
        modules=modules,
        blocks=tuple(blocks),
        sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        warnings=faults.warnings(path),
    )


def _known_as(path: Path, root: Path) -> str:
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return path.name


def _front_matter(blocks: Sequence[Block]) -> dict[str, object]:
    first = blocks[0] if blocks else None
    return dict(first.data) if isinstance(first, FrontMatter) else {}


def _line_of(blocks: Sequence[Block], key: str) -> int:
    lines = blocks[0].text.split("\n") if blocks else []
    return next((n for n, line in enumerate(lines, start=1) if line.lstrip().startswith(key)), 1)


def _modules(data: dict[str, object], line: int, faults: Faults) -> str | None:
    course = data.get("course")
    if course is None:
        return None
    if not isinstance(course, dict):
        faults.warn(
            line,
            "`course:` is no table and says nothing.",
            "Write `course: {modules: lessons.NAME}`.",
        )
        return None
    for key in course:
        if key not in _COURSE_OPTIONS:
            mend = did_you_mean(str(key), _COURSE_OPTIONS)
            note = faults.add if mend.startswith("Did") else faults.warn
            note(line, f"There is no course option {key!r}.", mend)
    modules = course.get("modules")
    if modules is None:
        return None
    if not isinstance(modules, str) or not _MODULE.match(modules):
        faults.add(
            line, f"{modules!r} is no name of modules.", "Write it as an import: lessons.NAME."
        )
        return None
    return modules


def _check_lang(data: dict[str, object], line: int, faults: Faults) -> None:
    lang = data.get("lang")
    if lang is not None and not isinstance(lang, str):
        faults.add(line, f"{lang!r} is no language.", "Quote it, as in `lang: 'zh-CN'`.")


def _warn_of_unknown(data: dict[str, object], blocks: Sequence[Block], faults: Faults) -> None:
    for key in data:
        if key not in FRONT_MATTER:
            faults.warn(
                _line_of(blocks, str(key)),
                f"Learners do not get {str(key)!r} of the front matter.",
                "Only settings of the page itself, none that names a file, leave with a lesson.",
            )


def _title(data: dict[str, object], blocks: Sequence[Block], slug: str) -> str:
    if data.get("title"):
        return without_suffix(str(data["title"]))
    for block in blocks:
        if isinstance(block, Prose) and not block.verbatim:
            heading = heading_of(block.text)
            if heading is not None and heading.level == 1:
                return without_suffix(heading.text)
    return slug
