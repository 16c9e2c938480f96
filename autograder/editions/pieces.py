"""A lesson's tree -> the pieces a notebook is made of: Markdown, code, answer lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from autograder.editions.hints import is_hidden
from autograder.editions.inline import Inline, one_line
from autograder.editions.markdown import portable, portable_verbatim
from autograder.editions.references import references
from autograder.editions.showing import caption_of, is_shown, leading_heading
from autograder.editions.texts import Text, folded, joined, quoted, with_caption
from autograder.editions.tree import Div, Node, tree
from autograder.editions.words import words_for
from autograder.model import (
    Answer,
    Audience,
    Block,
    Cell,
    Diagram,
    FrontMatter,
    Lesson,
    Prose,
    Role,
)
from autograder.source.attributes import heading_of
from autograder.source.notices import without_suffix


@dataclass(frozen=True, kw_only=True, slots=True)
class Code:
    """A code cell; `folded` hides its source until asked for."""

    cell: Cell
    folded: bool = False


Piece = Text | Code | Answer
Draw = Callable[[Diagram, int], Text]


def pieces(
    lesson: Lesson, blocks: Sequence[Block], inline: Inline, draw: Draw, *, profile: str | None
) -> list[Piece]:
    """Render what an edition shows.

    Args:
        lesson: For its language.
        blocks: The blocks of this edition, divs balanced.
        inline: The inline rules with this edition's labels.
        draw: Diagram and its number -> picture or fallback.
        profile: `answer` for the answer edition, else None.
    """
    renderer = _Renderer(lesson=lesson, inline=inline, draw=draw, profile=profile)
    return renderer.nodes(tree(blocks))


def inline_for(lesson: Lesson, blocks: Sequence[Block]) -> Inline:
    """The inline rules for an edition that shows `blocks`."""
    words = words_for(lesson.lang)
    return Inline(words=words, labels=references(blocks, words), title=lesson.title)


@dataclass(kw_only=True, slots=True)
class _Renderer:
    lesson: Lesson
    inline: Inline
    draw: Draw
    profile: str | None
    drawn: int = 0

    def nodes(self, nodes: Iterable[Node], *, bold: bool = False) -> list[Piece]:
        found: list[Piece] = []
        for node in nodes:
            if isinstance(node, Div):
                found += self._div(node, bold=bold)
            else:
                found += self._block(node, bold=bold)
        return found

    def _block(self, block: Block, *, bold: bool) -> list[Piece]:
        if isinstance(block, Prose):
            return self._prose(block, bold=bold)
        if isinstance(block, Cell):
            return self._cell(block)
        if isinstance(block, Diagram):
            self.drawn += 1
            return [self.draw(block, self.drawn)]
        if isinstance(block, Answer):
            return [block]
        return [] if isinstance(block, FrontMatter) else [Text(text=block.text)]

    def _prose(self, block: Prose, *, bold: bool) -> list[Piece]:
        if block.verbatim:
            text = portable_verbatim(block.text, self.inline)
            return [Text(text=text)] if text.strip() else []
        text = portable(block.text, self.inline, bold_headings=bold)
        if not text.strip():
            return []
        heading = None if bold else heading_of(block.text)
        if heading is not None and heading.level == 1 and self._repeats_title(heading.text):
            # The notebook begins with its title.
            text = text.partition("\n")[2].strip("\n")
            if not text:
                return []
        identifier = heading.attributes.identifier if heading else None
        return [Text(text=text, begins=heading is not None, identifier=identifier)]

    def _repeats_title(self, text: str) -> bool:
        return without_suffix(text).split() == self.lesson.title.split()

    def _cell(self, cell: Cell) -> list[Piece]:
        if cell.role is Role.FILL or is_hidden(cell, self.lesson.lang):
            return []
        if cell.role is Role.CODE and cell.options.get("eval") is False:
            return [Text(text=f"```python\n{cell.source}\n```")]
        folded = cell.audience is Audience.ANSWER or _folds(cell)
        found: list[Piece] = [Code(cell=cell, folded=folded)]
        caption = caption_of(cell)
        if caption:
            label = cell.options.get("label")
            text = self.inline.caption(str(label or ""), self.inline.line(one_line(caption)))
            found.append(Text(text=text))
        return found

    def _div(self, div: Div, *, bold: bool) -> list[Piece]:
        if not is_shown(div, profile=self.profile, form="ipynb"):
            return []
        if div.opening.audience is Audience.ANSWER:
            return self._answers(div)
        if div.callout is not None:
            return self._callout(div)
        if "panel-tabset" in div.opening.classes:
            return self.nodes(div.children, bold=True)
        found = self.nodes(div.children, bold=bold)
        if "course-pagination" in div.opening.classes:
            return [replace(p, begins=True, ends=True) if isinstance(p, Text) else p for p in found]
        identifier = div.opening.identifier or ""
        if (
            identifier.startswith(("fig-", "tbl-", "lst-"))
            and found
            and isinstance(found[-1], Text)
        ):
            found[-1] = with_caption(found[-1], identifier, self.inline)
        return found

    def _callout(self, div: Div) -> list[Piece]:
        title, children = self._title(div)
        inner = self.nodes(children, bold=True)
        collapse = div.opening.attributes.get("collapse")
        if all(isinstance(piece, Text) for piece in inner):
            whole = joined([piece for piece in inner if isinstance(piece, Text)])
            if collapse is not None:
                return [replace(whole, text=folded(title, whole.text, opened=collapse != "true"))]
            return [replace(whole, text=quoted(f"**{title}**\n\n{whole.text}"))]
        return [Text(text=quoted(f"**{title}**")), *inner]

    def _title(self, div: Div) -> tuple[str, Sequence[Node]]:
        """A callout's title, and its children without the heading that served as one."""
        words = self.inline.words
        kind = words.callouts.get(div.callout or "", words.callouts["note"])
        title, children = div.opening.attributes.get("title"), list(div.children)
        if title is None:
            title, children = leading_heading(children)
        if not title:
            return kind, children
        return f"{kind}{words.colon}{self.inline.line(title)}", children

    def _answers(self, div: Div) -> list[Piece]:
        """An answer block: prose in `<details>`, code folded."""
        title, children = div.opening.attributes.get("title"), list(div.children)
        if title is None and div.callout is not None:
            title, children = leading_heading(children)
        name = self.inline.line(title) if title else self.inline.words.reference
        found: list[Piece] = []
        run: list[Text] = []
        for piece in self.nodes(children, bold=True):
            if isinstance(piece, Text):
                run.append(piece)
                continue
            found += _folded_run(name, run)
            run = []
            found.append(replace(piece, folded=True) if isinstance(piece, Code) else piece)
        return found + _folded_run(name, run)


def _folds(cell: Cell) -> bool:
    options = cell.options
    hidden = options.get("echo") is False or options.get("include") is False
    fold = options.get("code-fold")
    return cell.role is not Role.EXERCISE and (hidden or fold is True or fold == "true")


def _folded_run(name: str, run: Sequence[Text]) -> list[Piece]:
    if not run:
        return []
    whole = joined(run)
    return [replace(whole, text=folded(name, whole.text), begins=True, ends=True)]
