"""Pandoc attributes `{#id .class key="value"}` and the headings that may carry them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""\s*(?:
        \#(?P<id>[^\s{}"'=]+)
      | \.(?P<cls>[^\s{}"'=]+)
      | (?P<key>[A-Za-z_][\w:.-]*)=(?P<value>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\s{}"']+)
      | (?P<dash>-)
    )(?=\s|$)""",
    re.VERBOSE,
)
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_TRAILING = re.compile(r"^(.*?)[ \t]*\{([^{}]*)\}$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Attributes:
    """Parsed attributes; classes without their dots."""

    identifier: str | None = None
    classes: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Heading:
    """An ATX heading: its level, its text without attributes, its attributes."""

    level: int
    text: str
    attributes: Attributes


def parse_attributes(inner: str) -> Attributes | None:
    """Parse what stands between the braces; None when it is not a list of attributes."""
    identifier: str | None = None
    classes: list[str] = []
    values: dict[str, str] = {}
    position, end = 0, len(inner.rstrip())
    while position < end:
        token = _TOKEN.match(inner, position)
        if token is None:
            return None
        if token["id"]:
            identifier = token["id"]
        elif token["cls"]:
            classes.append(token["cls"])
        elif token["dash"]:
            classes.append("unnumbered")
        elif token["key"] == "class":
            classes += _unquoted(token["value"]).split()
        elif token["key"] == "id":
            identifier = _unquoted(token["value"])
        else:
            values[token["key"]] = _unquoted(token["value"])
        position = token.end()
    return Attributes(identifier=identifier, classes=tuple(classes), values=values)


def _unquoted(value: str) -> str:
    if value[0] not in "\"'":
        return value
    return re.sub(r"\\(.)", r"\1", value[1:-1])


def parse_heading(line: str) -> Heading | None:
    """The heading a line is, or None."""
    match = _HEADING.match(line.rstrip("\r\n"))
    if match is None:
        return None
    level, text = len(match[1]), match[2].strip()
    trailing = _TRAILING.match(text)
    attributes = parse_attributes(trailing[2]) if trailing else None
    if trailing is None or attributes is None:
        return Heading(level=level, text=text, attributes=Attributes())
    return Heading(level=level, text=trailing[1], attributes=attributes)


def heading_of(text: str) -> Heading | None:
    """The heading that a block's text begins with, or None."""
    return parse_heading(text.split("\n", 1)[0])
