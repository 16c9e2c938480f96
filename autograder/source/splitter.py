"""Source text -> blocks: every line belongs to exactly one, none is lost or changed.

Quarto's rules decide what a cell is: three or more backticks, `{python}` with or without
attributes, closed by a line of at least as many backticks. What Quarto and pandoc would read
differently is a fault, because a learner might then see what an author believed hidden.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from autograder.model import Block, DivClose, DivOpen, FrontMatter, Prose
from autograder.source.attributes import Attributes, heading_of, parse_attributes, parse_heading
from autograder.source.faults import Faults
from autograder.source.fenced import Fence, fenced_block
from autograder.source.frontmatter import find_front_matter
from autograder.source.lines import (
    ANSWER_LIKE,
    DIV,
    DIV_CLOSE,
    DIV_OPEN,
    FENCE,
    INCLUDE,
    bare,
    opens_comment,
    split_lines,
)
from autograder.source.spans import (
    answer_place_end,
    cell_within,
    comment_end,
    fence_end,
    formula_end,
)


def split(text: str, faults: Faults) -> list[Block]:
    """Cut a source into blocks; joining their texts gives it back to the letter."""
    return _Splitter(lines=split_lines(text), faults=faults).run()


@dataclass(kw_only=True, slots=True)
class _Splitter:
    lines: list[str]
    faults: Faults
    blocks: list[Block] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    open_divs: list[int] = field(default_factory=list)
    at: int = 0
    # An unclosed fence took the rest, and with it whatever closes the divs.
    cut_short: bool = False

    def run(self) -> list[Block]:
        self._front_matter()
        while self.at < len(self.lines):
            self._step(self.lines[self.at])
        self._flush()
        for line in () if self.cut_short else self.open_divs:
            self.faults.broken(
                line,
                "This `:::` block is never closed.",
                "Add a line `:::` where it ends.",
            )
        return self.blocks

    def _step(self, line: str) -> None:
        text = bare(line)
        fence = FENCE.match(text)
        if fence:
            self._fence(fence)
        elif text.lstrip(" \t").startswith("<!--"):
            self._comment()
        elif text.lstrip(" \t").startswith("$$") and text.count("$$") % 2:
            self._formula()
        elif DIV.match(text):
            self._div(text)
        elif ANSWER_LIKE.match(text):
            self._answer_place()
        else:
            self._plain(line)

    def _plain(self, line: str) -> None:
        if parse_heading(bare(line)):
            self._flush()
        self._refuse_include(line, self.at + 1)
        if line.strip() == "-->":
            self.faults.broken(
                self.at + 1,
                "This `-->` ends no comment.",
                "Begin the comment with `<!--` above it.",
            )
        self._prose(line)
        if opens_comment(line):
            self._comment_from_within()

    def _prose(self, line: str) -> None:
        self.prose.append(line)
        self.at += 1

    def _flush(self) -> None:
        if self.prose:
            line = self.at - len(self.prose) + 1
            self.blocks.append(Prose(text="".join(self.prose), line=line))
            self.prose = []

    def _take(self, count: int) -> tuple[str, int]:
        """Claim `count` lines for a block of their own: their text and first line number."""
        self._flush()
        text, line = "".join(self.lines[self.at : self.at + count]), self.at + 1
        self.at += count
        return text, line

    def _verbatim(self, count: int) -> None:
        text, line = self._take(count)
        self.blocks.append(Prose(text=text, line=line, verbatim=True))

    def _front_matter(self) -> None:
        found = find_front_matter(self.lines, self.faults)
        if found is not None:
            text, _ = self._take(found.lines)
            self.blocks.append(FrontMatter(text=text, line=1, data=found.data))

    def _fence(self, opening: re.Match[str]) -> None:
        first = self.at
        end = fence_end(self.lines, first, opening[2])
        if end is None:
            self.faults.broken(
                first + 1,
                f"This ` {opening[2]} ` fence is never closed.",
                f"Add a line ` {opening[2]} ` where it ends.",
            )
            self.cut_short = True
            self._verbatim(len(self.lines) - first)
            return
        body = [bare(line) for line in self.lines[first + 1 : end]]
        swallowed = cell_within(opening[2], opening[3], body)
        if swallowed is not None:
            self.faults.broken(
                first + 1,
                "This cell is never closed: "
                f"another begins in it, on line {first + 2 + swallowed}.",
                f"Add a line ` {opening[2]} ` where it ends.",
            )
            self._verbatim(end - first + 1)
            return
        text, line = self._take(end - first + 1)
        indent, mark, info = opening.groups()
        fence = Fence(text=text, line=line, body=body, indent=indent, mark=mark, info=info)
        self._refuse_include(text, line)
        self.blocks.append(fenced_block(fence, self.faults))

    def _comment(self) -> None:
        end = comment_end(self.lines, self.at)
        if end is None:
            self.faults.broken(
                self.at + 1, "This HTML comment is never closed.", "Add `-->` where it ends."
            )
            self._prose(self.lines[self.at])
            return
        follows = self.lines[end].split("-->", 1)[1].strip()
        if end == self.at and follows:
            self._plain(self.lines[end])
            return
        if follows:
            self.faults.add(
                end + 1,
                "Text follows the end of an HTML comment on its line.",
                "Put that text on a line of its own.",
            )
        self._verbatim(end - self.at + 1)

    def _comment_from_within(self) -> None:
        end = comment_end(self.lines, self.at)
        self.faults.add(
            self.at,
            "An HTML comment begins within a line and runs on.",
            "Begin it on a line of its own: such comments stay with you and reach no learner.",
        )
        for _ in range(self.at, len(self.lines) if end is None else end + 1):
            self._prose(self.lines[self.at])

    def _formula(self) -> None:
        end = formula_end(self.lines, self.at)
        if end is not None:
            self._verbatim(end - self.at + 1)
            return
        self.faults.add(
            self.at + 1, "This `$$` formula is never closed.", "Close it before any blank line."
        )
        self._prose(self.lines[self.at])

    def _answer_place(self) -> None:
        text, line = self._take(answer_place_end(self.lines, self.at) - self.at + 1)
        self.blocks.append(Prose(text=text, line=line))

    def _div(self, text: str) -> None:
        if DIV_CLOSE.match(text):
            self._div_close()
            return
        opening = DIV_OPEN.match(text)
        attributes = _div_attributes(opening)
        if attributes is None:
            self.faults.broken(
                self.at + 1,
                "This `:::` line is neither an opening nor a closing one.",
                'Write `::: {.name key="value"}`, or `:::` alone.',
            )
            self._plain(self.lines[self.at])
            return
        self._warn_of_glued()
        self.open_divs.append(self.at + 1)
        taken, line = self._take(1)
        self.blocks.append(
            DivOpen(
                text=taken,
                line=line,
                classes=attributes.classes,
                identifier=attributes.identifier,
                attributes=attributes.values,
            )
        )

    def _div_close(self) -> None:
        if not self.open_divs:
            self.faults.broken(
                self.at + 1, "This `:::` closes nothing.", "Delete it, or open a block above it."
            )
            self._prose(self.lines[self.at])
            return
        self.open_divs.pop()
        text, line = self._take(1)
        self.blocks.append(DivClose(text=text, line=line))

    def _warn_of_glued(self) -> None:
        """Pandoc reads an opening `:::` right below a paragraph as text of that paragraph."""
        if not self.prose or not self.prose[-1].strip() or heading_of(self.prose[-1]):
            return
        self.faults.warn(
            self.at + 1,
            "This `:::` block begins right below a paragraph, where pandoc does not see it.",
            "Put a blank line before it.",
        )

    def _refuse_include(self, text: str, line: int) -> None:
        for number, one in enumerate(text.split("\n")):
            shortcode = INCLUDE.search(one)
            if shortcode:
                self.faults.add(
                    line + number,
                    f"`{{{{< {shortcode[1]} >}}}}` would bring in text that nobody checked.",
                    "Copy that text into the lesson.",
                )


def _div_attributes(opening: re.Match[str] | None) -> Attributes | None:
    if opening is None:
        return None
    if opening[2]:
        return Attributes(classes=(opening[2],))
    return parse_attributes(opening[1])
