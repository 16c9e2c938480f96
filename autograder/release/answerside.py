"""A lesson's files under solutions/, and the secrets in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.model import Audience, Block, Cell, DivClose, DivOpen, Lesson, Role
from autograder.release import statements
from autograder.release.marking import table_secrets
from autograder.release.secrets import (
    Edition,
    Secret,
    code_secrets,
    fill_secrets,
    known_names,
    prose_secrets,
    without_public,
)
from autograder.source import parse
from autograder.source.markers import BEGIN, END, public_part, regions
from autograder.source.skeleton import skeleton

# What is read of a lesson's folder; its derived answer notebook says nothing new.
READ_TYPES = (".qmd", ".toml", ".py", ".md", ".txt")


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerSide:
    """The files of one lesson under solutions/, as text.

    Attributes:
        slug: The lesson.
        folder: Its folder, POSIX, relative to the project.
        files: Name -> text of `<slug>.qmd`, `rubric.toml`, `samples.toml` and other texts there.
    """

    slug: str
    folder: str
    files: Mapping[str, str]


def secrets_of(side: AnswerSide, edition: Edition = Edition.STUDENT) -> list[Secret]:
    """The secrets of one lesson.

    Raises:
        CourseError: The source or one of its TOML files cannot be read.
    """
    main = f"{side.slug}.qmd"
    lesson = parse(side.files[main], slug=side.slug, path=f"{side.folder}/{main}", lang="en")
    candidates = list(_of_lesson(lesson, edition))
    for name, text in side.files.items():
        candidates += _of_file(f"{side.folder}/{name}", text, lesson)
    shown = [_shown(block, edition) for block in lesson.blocks]
    # What `course new` writes for everybody is nobody's answer.
    shown += [skeleton(side.slug, lang) for lang in ("zh", "en")]
    return without_public(candidates, "\n".join(shown))


def answer_sides(files: Mapping[str, bytes]) -> list[AnswerSide]:
    """The lessons among the files of solutions/.

    Args:
        files: POSIX path from `solutions/` on -> content.
    """
    found = []
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        slug = folder.removeprefix("solutions/")
        if name != f"{slug}.qmd":
            continue
        texts = {
            one.rpartition("/")[2]: data.decode("utf-8", "replace")
            for one, data in files.items()
            if one.rpartition("/")[0] == folder and one.endswith(READ_TYPES)
        }
        found.append(AnswerSide(slug=slug, folder=folder, files=texts))
    return found


def _of_file(path: str, text: str, lesson: Lesson) -> Iterator[Secret]:
    """The secrets of a file beside the lesson's source."""
    if path.endswith(".toml"):
        yield from table_secrets(path, text, lesson)
    elif path.endswith(".py"):
        yield from code_secrets(text, known_names(lesson), path, 1)
    elif path.endswith((".md", ".txt")):
        yield from prose_secrets(text, path, 1)


def _of_lesson(lesson: Lesson, edition: Edition) -> Iterator[Secret]:
    known = known_names(lesson)
    for block in lesson.blocks:
        if isinstance(block, Cell) and block.role is Role.FILL:
            yield from _of_fills(lesson, block)
        elif edition is Edition.ANSWER:
            continue
        elif block.audience is Audience.ANSWER:
            yield from _of_block(block, known, lesson.path)
        elif isinstance(block, Cell) and block.role is Role.TESTS:
            source = _hidden_only(block.source)
            yield from code_secrets(source, known, lesson.path, block.source_line)


def _hidden_only(source: str) -> str:
    """The hidden lines at their own line numbers."""
    marks = {BEGIN, END}
    rows = [row if hidden and row.strip() not in marks else "" for row, hidden in regions(source)]
    return "\n".join(rows)


def _of_block(block: Block, known: frozenset[str], path: str) -> Iterator[Secret]:
    if isinstance(block, Cell):
        yield from code_secrets(block.source, known, path, block.source_line)
        for value in block.options.values():
            if isinstance(value, str):
                yield from prose_secrets(value, path, block.line)
    elif isinstance(block, DivOpen):
        # Not the whole line: `::: {.callout-tip .answer}` is the dialect, no answer.
        yield from prose_secrets(block.attributes.get("title", ""), path, block.line)
    elif not isinstance(block, DivClose):
        yield from prose_secrets(block.text, path, block.line)


def _of_fills(lesson: Lesson, cell: Cell) -> Iterator[Secret]:
    for parts, line in statements.expressions(cell.source):
        yield from fill_secrets(
            lesson, str(cell.exercise), parts, lesson.path, cell.source_line + line - 1
        )


def _shown(block: Block, edition: Edition) -> str:
    """What an edition shows of a block."""
    if isinstance(block, Cell) and block.role is Role.FILL:
        return ""
    if edition is Edition.ANSWER:
        return block.text
    if block.audience is Audience.ANSWER:
        return ""
    if isinstance(block, Cell) and block.role is Role.TESTS:
        return public_part(block.text)
    return block.text
