"""What a lesson is: frozen data, no I/O, no Jupyter.

A `Lesson` is the whole source cut into `Block`s. Joining the blocks' `text` gives the source back
to the letter, so every edition is a choice among blocks and never a re-rendering of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """What a code cell is for, as written in `#| course_role:`."""

    EXERCISE = "exercise"
    SOLUTION = "solution"
    TESTS = "tests"
    FILL = "fill"
    HINT = "hint"
    WIDGET = "widget"
    LAB = "lab"
    PREDICT = "predict"
    CODE = "code"
    """A cell without a role: plain code that every edition shows and runs."""


class Audience(StrEnum):
    """Who may see a block."""

    PUBLIC = "public"
    ANSWER = "answer"


class Category(StrEnum):
    """What kind of inputs a tests cell tries, as in `#| category:`."""

    NORMAL = "normal"
    BOUNDARY = "boundary"


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A run of source lines.

    Attributes:
        text: The lines as they stand, line ends included.
        line: 1-based number of the first line.
        audience: Who may see it.
    """

    text: str
    line: int
    audience: Audience = Audience.PUBLIC


@dataclass(frozen=True, kw_only=True, slots=True)
class FrontMatter(Block):
    """The YAML at the top, `data` parsed."""

    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Prose(Block):
    """Markdown that no other block claims.

    Attributes:
        verbatim: It is one code fence, raw block, displayed formula or HTML comment: its text is
            not to be read as Markdown.
    """

    verbatim: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DivOpen(Block):
    """An opening `:::` line: `classes` without dots, `attributes` with title, collapse, ..."""

    classes: tuple[str, ...] = ()
    identifier: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class DivClose(Block):
    """The `:::` line that closes the innermost open div."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagram(Block):
    """A ```{mermaid} cell: `source` is without its `%%|` options, `alt` is its text alternative."""

    source: str
    indent: str = ""
    label: str | None = None
    caption: str | None = None
    alt: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell(Block):
    """An executable Python cell.

    Attributes:
        role: What it is for.
        source: The code without its `#|` lines, no trailing newline.
        source_line: 1-based number of the first line of `source`.
        options: All `#|` options, YAML values.
        grade_id: Identity in the gradebook: exercises and tests have one, others None.
        exercise: For solution, tests, fill and hint cells: the exercise's grade_id.
        category: For tests cells.
        points: For tests cells.
        expect_right: For fill cells: whether `course check` must accept it.
        indent: Indentation of the fence, for a cell inside a list item.
    """

    role: Role
    source: str
    source_line: int
    options: Mapping[str, Any] = field(default_factory=dict)
    grade_id: str | None = None
    exercise: str | None = None
    category: Category | None = None
    points: float | None = None
    expect_right: bool | None = None
    indent: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer(Block):
    """The line `**你的答案：**` of a manually graded question: the place a learner writes in.

    Attributes:
        grade_id: `q1` .. by the heading, or the heading's identifier.
        points: What it is worth.
        title: The heading's text.
        prompt: The question's public text between the heading and this line.
    """

    grade_id: str
    points: float
    title: str
    prompt: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Lesson:
    """A lesson's source, understood.

    Attributes:
        slug: Folder and file name, e.g. `lesson03`.
        path: The source as the user knows it, relative to the project root, POSIX form.
        title: From the front matter.
        lang: From the front matter, else the project's; BCP 47, e.g. `zh-CN`.
        modules: Import name of the lesson's own modules, e.g. `lessons.lesson03`, or None.
        blocks: Every line of the source, in order.
        sha256: Of the source's bytes.
        warnings: What is harmless and may surprise the author, one sentence each with its place.
    """

    slug: str
    path: str
    title: str
    lang: str
    modules: str | None
    blocks: tuple[Block, ...]
    sha256: str
    warnings: tuple[str, ...] = ()

    def cells(self, *roles: Role) -> tuple[Cell, ...]:
        """All cells, or those with one of `roles`, in order."""
        found = (block for block in self.blocks if isinstance(block, Cell))
        return tuple(cell for cell in found if not roles or cell.role in roles)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The manually graded questions, in order."""
        return tuple(block for block in self.blocks if isinstance(block, Answer))

    def solution(self, exercise: str) -> Cell:
        """The reference for an exercise; a built lesson always has it.

        Raises:
            KeyError: No such exercise.
        """
        for cell in self.cells(Role.SOLUTION):
            if cell.exercise == exercise:
                return cell
        raise KeyError(exercise)

    @property
    def max_score(self) -> float:
        """Sum of all points."""
        tests = sum(cell.points or 0.0 for cell in self.cells(Role.TESTS))
        return tests + sum(answer.points for answer in self.answers)
