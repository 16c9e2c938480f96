"""A lesson's blocks -> the text of its page.

All prose is rendered as one Markdown text, so that lists, footnotes and link definitions reach
across blocks; what is no prose stands in it as a mark and is put in its place afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from autograder.editions.markdown import portable_verbatim
from autograder.editions.runs import fence_info
from autograder.editions.showing import is_shown, leading_heading
from autograder.editions.tree import Div, Node, public, tree
from autograder.errors import CourseError
from autograder.model import Answer, Audience, Block, Cell, Diagram, FrontMatter, Prose
from autograder.site.boxes import Boxes
from autograder.site.dialect import page_markdown
from autograder.site.formula import FormulaError, display_formula
from autograder.site.highlight import code_block
from autograder.site.markup import Heading, Markup
from autograder.site.pagination import is_pagination
from autograder.source.attributes import heading_of, parse_heading
from autograder.source.lines import FENCE, bare
from autograder.source.notices import without_suffix

_LABEL = re.compile(r"\{#(eq-[A-Za-z0-9_-]+)[^{}]*\}\s*$")
_CLASS = re.compile(r"[A-Za-z][\w-]*")
_INDENT = re.compile(r"[ \t]*")
_OBJECTS = ("fig-", "tbl-", "lst-")


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """The text of a page, and what its table of contents lists."""

    html: str
    headings: tuple[Heading, ...]


def _mark(key: str, number: int | str) -> str:
    return f'<section data-part="{key}-{number}"></section>'


def page_text(boxes: Boxes, markup: Markup) -> Text:
    """The text of a lesson's page.

    Args:
        boxes: What is no prose, of this lesson and edition.
        markup: The renderer, not used yet.

    Raises:
        CourseError: A formula or a diagram cannot be drawn.
    """
    lesson = boxes.lesson
    blocks = lesson.blocks if boxes.answers else public(lesson.blocks)
    # No lesson holds its own digest, so no text of one is taken for a mark.
    writer = _Writer(boxes=boxes, key=lesson.sha256)
    writer.nodes(tree(blocks))
    try:
        html = markup.render("\n\n".join(writer.lines))
    except FormulaError as error:
        raise CourseError(f"{lesson.path}: a formula {error}. Mend it.") from error
    marks = _mark(writer.key, r"(\d+)") + r"\n?"
    html = re.sub(marks, lambda found: writer.parts[int(found[1])] + "\n", html)
    return Text(html=html, headings=tuple(markup.headings))


@dataclass(kw_only=True, slots=True)
class _Writer:
    boxes: Boxes
    key: str
    lines: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    folded: bool = False
    tabsets: int = 0

    def nodes(self, nodes: Iterable[Node], *, bold: bool = False) -> None:
        for node in nodes:
            if isinstance(node, Div):
                self._div(node, bold=bold)
            else:
                self._block(node, bold=bold)

    def _part(self, html: str, indent: str = "") -> None:
        if html:  # its mark stands in the text
            self.lines.append(f"{indent}{_mark(self.key, len(self.parts))}")
            self.parts.append(html)

    def _block(self, block: Block, *, bold: bool) -> None:
        if isinstance(block, Prose):
            if block.verbatim:
                self._verbatim(block)
            else:
                self._prose(block, bold=bold)
        elif isinstance(block, Diagram):
            self._part(self.boxes.diagram(block), block.indent)
        elif isinstance(block, Cell):
            self._part(self.boxes.cell(block), block.indent)
        elif isinstance(block, Answer):
            self._part(self.boxes.own_answer(block))
        elif not isinstance(block, FrontMatter):
            self.lines.append(block.text)

    def _prose(self, block: Prose, *, bold: bool) -> None:
        text = block.text
        heading = None if bold else heading_of(text)
        if heading is not None and heading.level == 1 and self._is_title(heading.text):
            text = text.partition("\n")[2]
        text = page_markdown(text, self.boxes.inline, bold_headings=bold)
        if text.strip():
            self.lines.append(text)

    def _is_title(self, text: str) -> bool:
        return without_suffix(text).split() == without_suffix(self.boxes.lesson.title).split()

    def _verbatim(self, block: Prose) -> None:
        lines = [bare(line) for line in block.text.rstrip("\r\n").split("\n")]
        indent = (_INDENT.match(lines[0]) or [""])[0]
        first = lines[0].strip()
        if first.startswith("$$"):
            self._part(self._formula(block, lines[-1]), indent)
            return
        fence = FENCE.match(lines[0])
        if fence is None:
            if not first.startswith("<!--"):
                self.lines.append(block.text.rstrip("\n"))
            return
        info = fence[3]
        if re.fullmatch(r"\{=[\w-]+\}", info):
            self._part(portable_verbatim(block.text, self.boxes.inline), indent)
            return
        body = "\n".join(line.removeprefix(indent) for line in lines[1:-1])
        language, filename = fence_info(info)
        self._part(code_block(body, language, filename=filename), indent)

    def _formula(self, block: Prose, last: str) -> str:
        label = _LABEL.search(last)
        text = portable_verbatim(block.text, self.boxes.inline).strip()
        latex = text.removeprefix("$$").removesuffix("$$")
        try:
            return display_formula(latex, identifier=label[1] if label else None)
        except FormulaError as error:
            place = f"{self.boxes.lesson.path}:{block.line}"
            raise CourseError(f"{place}: This formula {error}. Mend it.") from error

    def _div(self, div: Div, *, bold: bool) -> None:
        profile = "answer" if self.boxes.answers else None
        if is_pagination(div) or not is_shown(div, profile=profile, form="html"):
            return
        if div.opening.audience is Audience.ANSWER and not self.folded:
            self._answer(div)
        elif div.callout is not None:
            self._callout(div)
        elif "panel-tabset" in div.opening.classes:
            self._tabset(div)
        else:
            self._plain(div, bold=bold)

    def _answer(self, div: Div) -> None:
        children: Sequence[Node] = div.children
        if div.opening.attributes.get("title") is None and div.callout is not None:
            _, children = leading_heading(children)
        opened, closed = self.boxes.answer(div.opening.line)
        self.folded = True
        self._within(opened, children, closed)
        self.folded = False

    def _callout(self, div: Div) -> None:
        title, children = div.opening.attributes.get("title"), list(div.children)
        if title is None:
            title, children = leading_heading(children)
        opened, closed = self.boxes.callout(div, title)
        self._within(opened, children, closed)

    def _tabset(self, div: Div) -> None:
        """Tabs as disclosures of which one is open at a time: no script is needed."""
        self.tabsets += 1
        group, opened = f"tabs-{self.tabsets}", 0
        self._part('<div class="tabset">')
        for child in _by_heading(div.children):
            heading = heading_of(child.text) if isinstance(child, Prose) else None
            if heading is not None and isinstance(child, Prose):
                self._part("</div></details>" if opened else "")
                self._part(self.boxes.tab(heading.text, group, is_open=not opened))
                opened += 1
                child = replace(child, text=child.text.partition("\n")[2])  # noqa: PLW2901
            self.nodes([child], bold=True)
        self._part(f"{'</div></details>' if opened else ''}</div>")

    def _plain(self, div: Div, *, bold: bool) -> None:
        opening = div.opening
        identifier = opening.identifier or ""
        place = f' id="{escape(identifier)}"' if identifier else ""
        classes = [name for name in opening.classes if _CLASS.fullmatch(name)]
        tag = "figure" if identifier.startswith(_OBJECTS) else "div"
        shown = f' class="{" ".join(classes)}"' if classes else ""
        children: Sequence[Node] = div.children
        if tag == "figure":
            children = self._captioned(children, identifier)
        self._within(f"<{tag}{shown}{place}>", children, f"</{tag}>", bold=bold)

    def _captioned(self, children: Sequence[Node], identifier: str) -> Sequence[Node]:
        """In a figure div the last paragraph is the caption."""
        last = children[-1] if children else None
        if not isinstance(last, Prose) or last.verbatim:
            return children
        head, _, caption = last.text.rstrip().rpartition("\n\n")
        if caption.lstrip().startswith(("!", "*", "```", "|")):
            return children
        numbered = self.boxes.inline.labels.get(identifier)
        shown = f"{numbered}{self.boxes.colon}{caption}" if numbered else caption
        line = self.boxes.inline.caption(None, shown)
        return [*children[:-1], replace(last, text=f"{head}\n\n{line}\n")]

    def _within(
        self, opened: str, children: Iterable[Node], closed: str, *, bold: bool = True
    ) -> None:
        self._part(opened)
        self.nodes(children, bold=bold)
        self._part(closed)


def _by_heading(children: Iterable[Node]) -> list[Node]:
    """The same nodes, prose cut before each of its headings."""
    found: list[Node] = []
    for child in children:
        if not isinstance(child, Prose) or child.verbatim:
            found.append(child)
            continue
        runs: list[list[str]] = [[]]
        for line in child.text.split("\n"):
            if parse_heading(line) is not None:
                runs.append([])
            runs[-1].append(line)
        found += [replace(child, text="\n".join(run)) for run in runs if "".join(run).strip()]
    return found
