"""Markdown for a notebook's cells: its runs, and the quotes and disclosures made of them."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.editions.inline import Inline


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Markdown for a cell.

    Attributes:
        text: Portable Markdown.
        begins: A new cell begins here.
        ends: The next piece begins a new cell.
        pictures: Attachment name -> PNG.
        diagrams: Attachment name -> mermaid source.
        identifier: The heading's own id, if any.
    """

    text: str
    begins: bool = False
    ends: bool = False
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    diagrams: Mapping[str, str] = field(default_factory=dict)
    identifier: str | None = None


def joined(texts: Sequence[Text]) -> Text:
    """Several runs as one."""
    return Text(
        text="\n\n".join(text.text for text in texts),
        pictures={name: png for text in texts for name, png in text.pictures.items()},
        diagrams={name: source for text in texts for name, source in text.diagrams.items()},
    )


def with_caption(text: Text, identifier: str, inline: Inline) -> Text:
    """In a figure div the last paragraph is the caption."""
    head, gap, last = text.text.rpartition("\n\n")
    if last.startswith(("!", "*", "```", "|")):
        return text
    return replace(text, text=f"{head}{gap}{inline.caption(identifier, last)}")


def quoted(text: str) -> str:
    """A block quote; formulas go on one line each, as `>` must not fall within them."""
    flat = re.sub(r"^[ \t]*\$\$[^$]*\$\$[ \t]*$", _one_line, text, flags=re.MULTILINE)
    return "\n".join(f"> {line}" if line else ">" for line in flat.split("\n"))


def _one_line(match: re.Match[str]) -> str:
    inner = match[0].strip().removeprefix("$$").removesuffix("$$")
    return f"$${' '.join(inner.split())}$$"


def folded(title: str, text: str, *, opened: bool = False) -> str:
    """A disclosure that JupyterLab, VS Code and code hosts all show."""
    plain = html.escape(re.sub(r"[*`]", "", title), quote=False)
    state = " open" if opened else ""
    return f"<details{state}>\n<summary><b>{plain}</b></summary>\n\n{text}\n\n</details>"
