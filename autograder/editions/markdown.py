"""A run of Quarto Markdown -> portable Markdown, line by line."""

from __future__ import annotations

import re

from autograder.editions.inline import Inline
from autograder.editions.runs import bar_lines, bars, fence_info
from autograder.source.attributes import parse_heading
from autograder.source.lines import FENCE, bare

_CAPTION = re.compile(r"^(?::|Table:)\s+(.*?)\s*(?:\{#(tbl-[A-Za-z0-9_-]+)[^{}]*\})?\s*$")
_DEFINITION = re.compile(r"^ {0,3}[:~][ \t]+(.*)$")
_FOOTNOTE = re.compile(r"^\[\^([^\]\s]+)\]:\s*(.*)$")
_FORMULA_LABEL = re.compile(r"\{#(eq-[A-Za-z0-9_-]+)[^{}]*\}\s*$")


def portable(text: str, inline: Inline, *, bold_headings: bool = False) -> str:
    """Turn Markdown that is no code, formula or comment of its own."""
    lines = [bare(line) for line in text.split("\n")]
    result: list[str] = []
    at = 0
    while at < len(lines):
        count = bars(lines, at)
        if count:
            result += bar_lines(lines[at : at + count], inline)
            at += count
            continue
        _line(lines[at], result, inline, bold_headings=bold_headings)
        at += 1
    return "\n".join(result).strip("\n")


def _line(line: str, result: list[str], inline: Inline, *, bold_headings: bool) -> None:
    heading = parse_heading(line)
    footnote = _FOOTNOTE.match(line)
    caption = _CAPTION.match(line)
    definition = _DEFINITION.match(line)
    above = next((one for one in reversed(result) if one.strip()), "")
    if heading is not None:
        text = inline.line(heading.text)
        result.append(f"**{text}**" if bold_headings else f"{'#' * heading.level} {text}")
    elif footnote is not None:
        result.append(f"<sup>{footnote[1]}</sup> {inline.line(footnote[2])}")
    elif caption is not None and (caption[2] or above.lstrip().startswith("|")):
        result.append(inline.caption(caption[2], inline.line(caption[1])))
    elif definition is not None and above:
        _define(inline.line(definition[1]), result)
    else:
        result.append(inline.line(line))


def _define(meaning: str, result: list[str]) -> None:
    while result and not result[-1].strip():
        result.pop()
    if not result[-1].startswith("- "):
        result[-1] = f"**{result[-1].strip()}**"
        result.append("")
    result.append(f"- {meaning}")


def portable_verbatim(text: str, inline: Inline) -> str:
    """Turn a block that is one fence, formula or comment."""
    lines = [bare(line) for line in text.rstrip("\r\n").split("\n")]
    if lines[0].lstrip().startswith("<!--"):
        return ""
    if lines[0].lstrip().startswith("$$"):
        return _formula(lines, inline)
    fence = FENCE.match(lines[0])
    return _fence(fence, lines) if fence else "\n".join(lines)


def _formula(lines: list[str], inline: Inline) -> str:
    label = _FORMULA_LABEL.search(lines[-1])
    if label is None:
        return "\n".join(lines)
    last = lines[-1][: label.start()].rstrip().removesuffix("$$").rstrip()
    body = [*lines[:-1], last] if last else lines[:-1]
    body[-1] = inline.tagged(body[-1], label[1])
    return "\n".join([*body, "$$"])


def _fence(fence: re.Match[str], lines: list[str]) -> str:
    indent, mark, info = fence.groups()
    raw = re.fullmatch(r"\{=([\w-]+)\}", info)
    if raw is not None:
        shown = raw[1].startswith(("html", "markdown"))
        return "\n".join(lines[1:-1]) if shown else ""
    language, filename = fence_info(info)
    body = [f"{indent}{mark}{language}", *lines[1:]]
    return "\n".join([f"{indent}**`{filename}`**", "", *body] if filename else body)
