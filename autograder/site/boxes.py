"""What stands on a page beside its prose: figures, code, exercises, answers, places to write."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from jinja2 import Environment
from markupsafe import Markup as Safe

from autograder.editions import drawn
from autograder.editions.figures import figure_of
from autograder.editions.hints import hint_text
from autograder.editions.inline import one_line
from autograder.editions.showing import caption_of
from autograder.editions.tree import Div
from autograder.errors import CourseError
from autograder.model import Answer, Category, Cell, Diagram, Lesson, Role
from autograder.site.answers import AnswerBlock
from autograder.site.dialect import PageInline
from autograder.site.figures import Drawn
from autograder.site.highlight import code_block
from autograder.site.marks import OwnMarks
from autograder.site.parts import LiveParts
from autograder.site.words import SiteWords
from autograder.source.markers import public_part

_VERBS = frozenset({"check", "hint", "predict", "again", "progress"})
_LIVE_FIGURE = "dump_time"


@dataclass(kw_only=True)
class Boxes:
    """Makes the boxes of one page; `warnings` says what could not be shown.

    Args:
        lesson: The lesson.
        answers: Whether the edition shows answers.
        inline: The rules within a line, with this edition's labels.
        words: What the page says by itself.
        environment: The templates.
        spoken: Markdown of one line -> HTML.
        drawn: The figures.
        marks: Grade id -> how a reader marks an answer.
        live: The parts that run in the page.
        blocks: The answer blocks, none in an edition without answers.
    """

    lesson: Lesson
    answers: bool
    inline: PageInline
    words: SiteWords
    environment: Environment
    spoken: Callable[[str], str]
    drawn: Drawn
    marks: Mapping[str, OwnMarks]
    live: LiveParts
    blocks: list[AnswerBlock] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    hinted: Counter[str] = field(default_factory=Counter)

    @property
    def colon(self) -> str:
        """What stands after a number in a caption."""
        return self.inline.words.colon

    def _made(self, macro: str, **values: Any) -> str:
        module: Any = self.environment.get_template("boxes.html.j2").module
        return str(getattr(module, macro)(self.words, **values)).strip()

    def _line(self, markdown: str) -> Safe:
        return Safe(self.spoken(self.inline.line(one_line(markdown))))  # noqa: S704  ours

    def _caption(self, label: str | None, caption: str | None) -> Safe | None:
        if not caption:
            return None
        reference = self.inline.labels.get(label or "")
        number = f"{escape(reference)}{self.colon}" if reference else ""
        return Safe(f'<span class="number">{number}</span>') + self._line(caption)  # noqa: S704

    def diagram(self, diagram: Diagram) -> str:
        """A diagram as inline SVG, or its text alternative when it cannot be drawn."""
        alt = " ".join((diagram.alt or diagram.caption or self.inline.words.diagram).split())
        svg = None
        try:
            svg = Safe(drawn.picture(diagram.source, alt=alt).svg)  # noqa: S704  ours
        except CourseError as error:
            self.warnings.append(f"{self.lesson.path}:{diagram.line}: {error}")
        caption = self._caption(diagram.label, diagram.caption)
        missing = self.inline.words.no_picture
        return self._made(
            "diagram", svg=svg, alt=alt, missing=missing, label=diagram.label, caption=caption
        )

    def cell(self, cell: Cell) -> str:
        """A cell, as its role has it; empty for what a page does not show."""
        if cell.role is Role.FILL:
            return ""
        if cell.role is Role.HINT and hint_text(cell, self.lesson.lang) is not None:
            return self._hints(cell)
        if cell.role is Role.EXERCISE:
            return self._exercise(cell)
        if cell.role is Role.TESTS:
            return self._checks(cell)
        if cell.role is Role.WIDGET:
            return self._widget(cell)
        return self._code(cell)

    def _code(self, cell: Cell) -> str:
        options = cell.options
        if options.get("include") is False:
            return ""
        fold = options.get("code-fold") in {True, "true"} or options.get("echo") is False
        label = str(options.get("label") or "") or None
        return self._made(
            "code",
            code=_safe_code(cell.source),
            folded=fold and cell.role is not Role.SOLUTION,
            note=_is_verb(cell.source) or cell.role in {Role.WIDGET, Role.LAB, Role.PREDICT},
            label=label if label in self.inline.labels else None,
            caption=self._caption(label, caption_of(cell)),
        )

    def _widget(self, cell: Cell) -> str:
        name = figure_of(cell.source)
        figure = self.drawn.figures.get(name or "")
        if figure is None:
            return self._code(cell)
        live = None
        if name == _LIVE_FIGURE and self.live.plot_html:
            live = Safe(_filled(self.live.plot_html, figure.shown))  # noqa: S704  LIVE's own
        return self._made("widget", figure=figure, live=live)

    def _exercise(self, cell: Cell) -> str:
        live = self.live.exercise_html.get(str(cell.grade_id))
        return self._made(
            "exercise",
            grade_id=cell.grade_id,
            code=_safe_code(cell.source),
            live=Safe(live) if live else None,  # noqa: S704  LIVE's own
            answer=self._answer_to(str(cell.grade_id)),
        )

    def _hints(self, cell: Cell) -> str:
        """All hints of an exercise stand where the first one does, each within the one before."""
        exercise = str(cell.exercise)
        self.hinted[exercise] += 1
        if self.hinted[exercise] > 1:
            return ""
        lang = self.lesson.lang.lower().split("-")[0]
        found = [
            hint_text(one, lang)
            for one in self.lesson.cells(Role.HINT)
            if one.exercise == cell.exercise
        ]
        texts = [one.get(lang) or next(iter(one.values())) for one in found if one]
        return self._made("hints", exercise=exercise, texts=[self._line(text) for text in texts])

    def _checks(self, cell: Cell) -> str:
        shown = public_part(cell.source).strip("\n")
        if not shown.strip():
            return ""
        names = {Category.NORMAL: self.words.normal, Category.BOUNDARY: self.words.boundary}
        name = names.get(cell.category) if cell.category else None
        summary = self.words.checks.format(name=name or cell.grade_id, points=f"{cell.points:g}")
        return self._made("checks", summary=summary, code=_safe_code(shown))

    def own_answer(self, answer: Answer) -> str:
        """The place to write an answer in, and to mark it."""
        marks = self.marks[answer.grade_id]
        scores = [(f"{score:g}", self._line(said) if said else "") for score, said in marks.scores]
        return self._made(
            "own_answer",
            grade_id=answer.grade_id,
            title=re.sub(r"[*`$]", "", self.inline.line(answer.title)),
            points=f"{answer.points:g}",
            aspects=[self._line(one) for one in marks.aspects],
            scores=scores,
            answer=self._answer_to(answer.grade_id),
        )

    def _answer_to(self, grade_id: str) -> str | None:
        """Where the answer to an exercise or a question is, None where it is not shown."""
        for block in self.blocks:
            if grade_id in block.answers:
                return block.identifier
        return None

    def answer(self, line: int) -> tuple[str, str]:
        """What opens and closes the answer block of that source line."""
        block = next(one for one in self.blocks if one.line == line)
        title = self._line(block.title) if block.title else self.words.answer
        opened = self._made("answer_opened", identifier=block.identifier, title=title)
        return opened, "</div></details>"

    def callout(self, div: Div, title: str | None) -> tuple[str, str]:
        """What opens and closes a callout; one with `collapse` folds."""
        kind = div.callout if div.callout in self.inline.words.callouts else "note"
        collapse = div.opening.attributes.get("collapse")
        opened = self._made(
            "callout_opened",
            kind=kind,
            name=self.inline.words.callouts[str(kind)],
            title=self._line(title) if title else None,
            identifier=div.opening.identifier,
            folds=collapse is not None,
            is_open=collapse != "true",
        )
        return opened, "</div></aside>" if collapse is None else "</div></details>"

    def tab(self, title: str, group: str, *, is_open: bool) -> str:
        """What opens one tab of a set."""
        return self._made("tab_opened", title=self._line(title), group=group, is_open=is_open)


def _safe_code(source: str) -> Safe:
    return Safe(code_block(source, "python"))  # noqa: S704  escaped by the highlighter


def _is_verb(source: str) -> bool:
    """Whether a cell only calls a verb of the notebook, such as `check("average")`."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return False
    calls = [
        one.value.func
        for one in body
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)
    ]
    names = [call.id for call in calls if isinstance(call, ast.Name)]
    return bool(body) and len(names) == len(body) and set(names) <= _VERBS


def _filled(html: str, shown: Any) -> str:
    values = {"alt": shown.alt, "width": shown.width, "height": shown.height}
    for name, value in values.items():
        html = html.replace("{{" + name + "}}", escape(str(value)))
    return html
