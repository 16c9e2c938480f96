"""The student .qmd: the public blocks to the letter, without hidden tests and private settings."""

from __future__ import annotations

from collections.abc import Callable

from autograder.editions.tree import public
from autograder.editions.words import words_for
from autograder.model import Answer, Block, Cell, Diagram, FrontMatter, Lesson, Prose, Role
from autograder.source.known import CELL_OPTIONS, FRONT_MATTER
from autograder.source.lines import without_comments
from autograder.source.markers import regions
from autograder.source.notices import is_notice, without_suffix
from autograder.source.yamltext import kept

# Without the blank filled in, the tests find no name to test: neither runs on the page.
_NOT_RUN = {Role.EXERCISE, Role.TESTS}


def student_page(lesson: Lesson) -> str:
    """The public side of the source; LF line ends, no byte-order mark."""
    blocks = public(lesson.blocks)
    note = f"# {words_for(lesson.lang).derived.format(source=lesson.path)}"
    head = ["---", note, "---", ""]
    first = blocks[0] if blocks else None
    if isinstance(first, FrontMatter):
        blocks = blocks[1:]
        head = ["---", note, *_settings(first), "---"]
    return "\n".join([*head, "".join(_text(block) for block in blocks)])


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _settings(block: FrontMatter) -> list[str]:
    lines = _plain(block.text).rstrip("\n").split("\n")[1:-1]
    data = block.data
    notices = {key for key, value in data.items() if key != "title" and is_notice(str(value))}
    known = FRONT_MATTER - notices
    course = data.get("course")
    modules = course.get("modules") if isinstance(course, dict) else None
    if "course" in data and course != {"modules": modules}:
        known -= {"course"}
    found = kept(lines, lambda key: key in known)
    if "course" not in known and modules is not None:
        found.append(f"course: {{modules: {modules}}}")
    title = data.get("title")
    if isinstance(title, str):
        found = [line.replace(title, without_suffix(title)) for line in found]
    return found


def _text(block: Block) -> str:
    text = _plain(block.text)
    if isinstance(block, Cell):
        return _cell(block, text)
    if isinstance(block, Diagram):
        return _with_options(text, block.indent, "%%|", lambda key: key in CELL_OPTIONS)
    if isinstance(block, Answer) or (isinstance(block, Prose) and not block.verbatim):
        return "\n".join(without_comments(line) for line in text.split("\n"))
    return text


def _cell(cell: Cell, text: str) -> str:
    if cell.role is Role.TESTS:
        text = "\n".join(line for line, hidden in regions(text) if not hidden)
    if cell.role in _NOT_RUN:
        return _with_options(
            text,
            cell.indent,
            "#|",
            lambda key: key in CELL_OPTIONS and key != "eval",
            "eval: false",
        )
    return _with_options(text, cell.indent, "#|", lambda key: key in CELL_OPTIONS)


def _with_options(
    text: str, indent: str, mark: str, keep: Callable[[str], bool], *added: str
) -> str:
    """A cell with those of its options that may leave; `added` stands before them."""
    first, *rest = text.split("\n")
    count = 0
    while count < len(rest) and rest[count].lstrip(" \t").startswith(mark):
        count += 1
    options = [line.lstrip(" \t")[len(mark) :].removeprefix(" ") for line in rest[:count]]
    lines = [f"{indent}{mark} {line}".rstrip() for line in (*added, *kept(options, keep))]
    return "\n".join([first, *lines, *rest[count:]])
