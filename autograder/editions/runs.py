"""What every edition reads alike in a run of lines: tables, line blocks, a fence's first line."""

from __future__ import annotations

import re

from autograder.editions.inline import Inline
from autograder.source.attributes import parse_attributes

_RULE = re.compile(r"^\s*\|?[\s:|+-]*-[\s:|+-]*\|?\s*$")


def bars(lines: list[str], at: int) -> int:
    """How many lines from `at` on begin with a bar."""
    count = 0
    while at + count < len(lines) and lines[at + count].lstrip(" ").startswith("|"):
        count += 1
    return count


def bar_lines(lines: list[str], inline: Inline) -> list[str]:
    """A table stays one; the lines of a line block get a break each."""
    if any(_RULE.match(line) for line in lines[:2]):
        return [inline.line(line) for line in lines]
    texts = [inline.line(line.lstrip(" ").removeprefix("|").strip()) for line in lines]
    return [f"{text}\\" for text in texts[:-1]] + texts[-1:]


def fence_info(info: str) -> tuple[str, str | None]:
    """The language to colour by, and the file name to show."""
    braced = re.search(r"\{([^{}]*)\}", info)
    attributes = parse_attributes(braced[1]) if braced else None
    word = re.match(r"[A-Za-z0-9_+#-]*", info.lstrip("{. "))
    language = word[0] if word else ""
    if attributes is None:
        return language, None
    if info.startswith("{") and attributes.classes:
        language = attributes.classes[0]
    elif info.startswith("{"):
        language = ""
    return language, attributes.values.get("filename")
