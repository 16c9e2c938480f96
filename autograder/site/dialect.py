"""A run of Quarto Markdown -> Markdown that the page's renderer reads.

The rules within a line are those of the notebook editions; what only a page can do differs:
references are links, footnotes stay footnotes, captions carry the id that is referred to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.editions.inline import Inline, one_line
from autograder.editions.references import number
from autograder.editions.runs import bar_lines, bars
from autograder.source.attributes import parse_heading
from autograder.source.lines import bare

# A paragraph that begins so is a caption: its label and its text follow, parted by the second.
CAPTION, CAPTION_END = "\ue000", "\ue001"
_NO_MARKS = str.maketrans("", "", CAPTION + CAPTION_END)

_CAPTION = re.compile(r"^(?::|Table:)\s+(.*?)\s*(?:\{#(tbl-[A-Za-z0-9_-]+)[^{}]*\})?\s*$")
_FOOTNOTE = re.compile(r"^\[\^([^\]\s]+)\]:\s*(.*)$")


@dataclass(kw_only=True, slots=True)
class PageInline(Inline):
    """Turns lines for a page."""

    def caption(self, label: str | None, caption: str) -> str:
        """A caption with the number of its label, and the place that references lead to."""
        reference = self.labels.get(label or "")
        text = f"{reference}{self.words.colon}{one_line(caption)}" if reference else caption
        return f"{CAPTION}{label or ''}{CAPTION_END}{one_line(text)}"

    def _held(self, match: re.Match[str]) -> str:
        return match[0]

    def _notes(self, text: str) -> str:
        return text

    def _cross(self, match: re.Match[str]) -> str:
        label = match["label"]
        reference = self.labels.get(label)
        if reference is None:
            self.warnings.append(f"@{label} refers to nothing in this edition")
            return match[0]
        if label.startswith("sec-"):
            shown = f"「{reference}」" if self.words.colon == "：" else f"“{reference}”"
        else:
            shown = number(reference) if "-@" in match[0] else reference
        return f"[{shown}](#{label})"


def page_markdown(text: str, inline: PageInline, *, bold_headings: bool = False) -> str:
    """Markdown that is no code, formula or comment of its own, ready to be rendered.

    Args:
        text: The lines as they stand in the source.
        inline: The rules within a line.
        bold_headings: Within a box a heading is bold text: it belongs to no table of contents.
    """
    lines = [bare(line) for line in text.translate(_NO_MARKS).split("\n")]
    result: list[str] = []
    at = 0
    while at < len(lines):
        count = bars(lines, at)
        if count:
            result += bar_lines(lines[at : at + count], inline)
            at += count
            continue
        result.append(_line(lines[at], result, inline, bold_headings=bold_headings))
        at += 1
    return "\n".join(result).strip("\n")


def _line(line: str, above: list[str], inline: PageInline, *, bold_headings: bool) -> str:
    heading = parse_heading(line)
    footnote = _FOOTNOTE.match(line)
    caption = _CAPTION.match(line)
    if heading is not None:
        text = inline.line(heading.text)
        if bold_headings:
            return f"**{text}**"
        # The renderer reads the attributes: only it knows which ids are taken.
        written = line.rstrip()
        attributes = written[written.rfind("{") :] if written.endswith("}") else ""
        kept = f" {attributes}" if attributes and attributes not in heading.text else ""
        return f"{'#' * heading.level} {text}{kept}"
    if footnote is not None:
        return f"[^{footnote[1]}]: {inline.line(footnote[2])}"
    table = any(one.lstrip().startswith("|") for one in above[-2:])
    if caption is not None and (caption[2] or table):
        return "\n" + inline.caption(caption[2], inline.line(caption[1]))
    return inline.line(line)
