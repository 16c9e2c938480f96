"""What every edition asks of a div or a cell: whether it is shown, its title, its caption."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.editions.tree import Div, Node
from autograder.model import Cell, Prose
from autograder.source.attributes import heading_of

_CONDITION = re.compile(r"^(when|unless)-(profile|format|meta)$")


def is_shown(div: Div, *, profile: str | None, form: str) -> bool:
    """Whether a conditional div is shown; any other is.

    Args:
        div: The div.
        profile: `answer` for an answer edition, else None.
        form: Quarto's name of what is made, e.g. `ipynb` or `html`.
    """
    classes = div.opening.classes
    if not {"content-visible", "content-hidden"} & set(classes):
        return True
    met = all(_met(key, value, profile, form) for key, value in div.opening.attributes.items())
    return met if "content-visible" in classes else not met


def _met(key: str, value: str, profile: str | None, form: str) -> bool:
    condition = _CONDITION.match(key)
    if condition is None or condition[2] == "meta":
        return True
    actual = profile if condition[2] == "profile" else form
    return (actual == value) is (condition[1] == "when")


def caption_of(cell: Cell) -> str:
    """What stands below a cell's output; a list is one caption a figure."""
    for key in ("fig-cap", "tbl-cap", "lst-cap"):
        written = cell.options.get(key)
        parts = written if isinstance(written, list) else [written]
        texts = [part.strip() for part in parts if isinstance(part, str) and part.strip()]
        if texts:
            return " / ".join(texts)
    return ""


def leading_heading(children: Sequence[Node]) -> tuple[str | None, list[Node]]:
    """The heading that a div begins with, and its children without it; None without one."""
    for index, child in enumerate(children):
        if not isinstance(child, Prose) or child.verbatim:
            break
        heading = heading_of(child.text)
        if heading is not None:
            rest = replace(child, text=child.text.partition("\n")[2], line=child.line + 1)
            return heading.text, [*children[:index], rest, *children[index + 1 :]]
        if child.text.strip():
            break
    return None, list(children)
