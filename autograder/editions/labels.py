"""The labels of a diagram: mermaid writes them as HTML, a picture needs lines of SVG text.

The same lines are used twice, when mermaid asks how large a label is and when it is drawn, so a
box always fits what stands in it.
"""

from __future__ import annotations

import re
import unicodedata
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import groupby

from autograder.editions.fonts import width_px

LINE_HEIGHT = 1.5  # of the font size, as mermaid's own labels
# Where a Chinese character's middle lies above the baseline, in the font size.
MIDDLE_EM = 0.38
SVG = "{http://www.w3.org/2000/svg}"

_NOT_FIRST = frozenset("，。、；：？！）】》」』”’…％·,.;:?!)]}%")
_NOT_LAST = frozenset("（【《「『“‘([{")
_MAX_WIDTH = re.compile(r"(?<![\w-])(?:max-)?width:\s*([\d.]+)px")
_COLOR = re.compile(r"(?<![\w-])color:\s*([^;!]+)")
_BOLD = {"b", "strong"}
_ITALIC = {"i", "em"}


@dataclass(frozen=True, kw_only=True)
class Glyph:
    """A character of a label and how it is emphasised."""

    char: str
    bold: bool = False
    italic: bool = False


Line = tuple[Glyph, ...]


@dataclass(frozen=True, kw_only=True)
class Label:
    """A label as mermaid wrote it.

    Args:
        paragraphs: The lines that the author asked for.
        max_width_px: Where a longer line is broken; None for never.
        color: The author's own colour, if any.
    """

    paragraphs: tuple[Line, ...]
    max_width_px: float | None
    color: str | None

    def lines(self, size_px: float) -> tuple[Line, ...]:
        """Break the label into the lines it is drawn with at `size_px`."""
        broken = (_balanced(line, size_px, self.max_width_px) for line in self.paragraphs)
        return tuple(line for lines in broken for line in lines)


class _Reader(HTMLParser):
    """Collect the characters of a label, and the little of its markup that is drawn."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[list[Glyph]] = [[]]
        self.styles = ""
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.styles += "".join(f"{value};" for name, value in attrs if name == "style" and value)
        if tag == "br" or (tag == "p" and self.paragraphs[-1]):
            self.paragraphs.append([])
        if tag != "br":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        bold = not _BOLD.isdisjoint(self._open)
        italic = not _ITALIC.isdisjoint(self._open)
        for char in re.sub(r"[ \t\r\n\f]+", " ", data):  # not the ideographic space
            self.paragraphs[-1].append(Glyph(char=char, bold=bold, italic=italic))


def read(html: str) -> Label:
    """Read the HTML that mermaid wrote for one label."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    widths = [float(width) for width in _MAX_WIDTH.findall(reader.styles)]
    colors = _COLOR.findall(reader.styles)
    return Label(
        paragraphs=tuple(_stripped(line) for line in reader.paragraphs),
        max_width_px=min(widths, default=None),
        color=colors[-1].strip() if colors else None,
    )


def text_of(line: Line) -> str:
    """Return a line's characters."""
    return "".join(glyph.char for glyph in line)


def size_of(label: Label, size_px: float) -> tuple[float, float, int]:
    """Return the width and height in px that a label takes, and its number of lines."""
    lines = label.lines(size_px)
    width = max((width_px(text_of(line), size_px) for line in lines), default=0.0)
    return width, len(lines) * LINE_HEIGHT * size_px, len(lines)


def text_element(label: Label, *, size_px: float, center_x: float, color: str) -> ET.Element:
    """Draw a label as SVG text whose first line's top is at y = 0, centred on `center_x`."""
    ink = label.color or color
    # A node's own style is meant for its box: it must not outline the letters, too.
    style = f"text-anchor: middle; font-size: {size_px:g}px; stroke: none"
    text = ET.Element(f"{SVG}text", {"style": style})
    for row, line in enumerate(label.lines(size_px)):
        baseline = ((row + 0.5) * LINE_HEIGHT + MIDDLE_EM) * size_px
        at = {"x": f"{center_x:g}", "y": f"{baseline:g}"}
        outer = ET.SubElement(text, f"{SVG}tspan", at)
        for (bold, italic), glyphs in groupby(line, key=lambda glyph: (glyph.bold, glyph.italic)):
            style = _style(ink, bold=bold, italic=italic)
            inner = ET.SubElement(outer, f"{SVG}tspan", {"style": style})
            inner.text = text_of(tuple(glyphs))
    return text


def _style(ink: str, *, bold: bool, italic: bool) -> str:
    # The font has one weight. A thin outline makes bold without making the line wider.
    outline = f"stroke: {ink} !important; stroke-width: 0.6px" if bold else "stroke: none"
    return f"fill: {ink} !important; {outline}" + ("; font-style: italic" if italic else "")


def _stripped(line: list[Glyph] | Line) -> Line:
    start, end = 0, len(line)
    while start < end and line[start].char == " ":
        start += 1
    while end > start and line[end - 1].char == " ":
        end -= 1
    return tuple(line[start:end])


def _breaks_between(before: str, after: str) -> bool:
    if after in _NOT_FIRST or before in _NOT_LAST or after == " ":
        return False
    wide = {"W", "F"}
    return before == " " or not wide.isdisjoint(map(unicodedata.east_asian_width, before + after))


def _chunks(line: Line) -> list[Line]:
    """Cut a line at every place where it may be broken."""
    chunks: list[list[Glyph]] = []
    for glyph in line:
        if chunks and not _breaks_between(chunks[-1][-1].char, glyph.char):
            chunks[-1].append(glyph)
        else:
            chunks.append([glyph])
    return [tuple(chunk) for chunk in chunks]


def _greedy(chunks: list[Line], size_px: float, limit_px: float) -> tuple[Line, ...]:
    lines: list[Line] = []
    for chunk in chunks:
        longer = _stripped((*lines[-1], *chunk)) if lines else chunk
        if lines and width_px(text_of(longer), size_px) <= limit_px:
            lines[-1] += chunk
        else:
            lines.append(chunk)
    return tuple(_stripped(line) for line in lines)


def _balanced(line: Line, size_px: float, limit_px: float | None) -> tuple[Line, ...]:
    """Break a line into as few as fit, about equally long: no lone character on the last one."""
    if limit_px is None or width_px(text_of(line), size_px) <= limit_px:
        return (line,)
    chunks = _chunks(line)
    best = _greedy(chunks, size_px, limit_px)
    narrow = limit_px
    while narrow > size_px:
        narrow -= size_px / 2
        tried = _greedy(chunks, size_px, narrow)
        widest = max(width_px(text_of(one), size_px) for one in tried)
        if len(tried) > len(best) or widest > narrow:
            break
        best = tried
    return best
