"""Numbers for what a text refers to as `@fig-x`, `@tbl-x`, `@eq-x`, `@lst-x`, `@sec-x`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from autograder.editions.words import Words
from autograder.model import Block, Cell, Diagram, DivOpen, Prose
from autograder.source.attributes import heading_of

_LABEL = re.compile(r"\{#((?:fig|tbl|eq|lst)-[A-Za-z0-9_-]+)")
# Quarto's prefixes for callouts that are referred to.
_CALLOUTS = {"nte": "note", "tip": "tip", "wrn": "warning", "imp": "important", "cau": "caution"}
KINDS = ("fig", "tbl", "eq", "lst", "sec", *_CALLOUTS)


def references(blocks: Sequence[Block], words: Words) -> Mapping[str, str]:
    """Label -> what stands for it in the text, e.g. `图 1`; sections go by their title."""
    names = {"fig": words.figure, "tbl": words.table, "lst": words.listing, "eq": words.equation}
    names |= {prefix: words.callouts[kind] for prefix, kind in _CALLOUTS.items()}
    counts: Counter[str] = Counter()
    found: dict[str, str] = {}
    for block in blocks:
        for label in _labels(block):
            kind = label.split("-", 1)[0]
            if label in found or kind not in names:
                continue
            counts[kind] += 1
            number = f"({counts[kind]})" if kind == "eq" else str(counts[kind])
            found[label] = f"{names[kind]} {number}"
        if isinstance(block, Prose) and not block.verbatim:
            heading = heading_of(block.text)
            section = heading.attributes.identifier if heading else None
            if heading is not None and section is not None and section.startswith("sec-"):
                found.setdefault(section, heading.text)
    return found


def number(reference: str) -> str:
    """The number within what stands for a label."""
    return reference.rsplit(" ", 1)[-1]


def _labels(block: Block) -> Iterator[str]:
    if isinstance(block, Cell):
        label = str(block.options.get("label", ""))
        if label.startswith(("fig-", "tbl-", "lst-")):
            yield label
    elif isinstance(block, Diagram):
        if block.label is not None:
            yield block.label
    elif isinstance(block, DivOpen):
        if block.identifier is not None:
            yield block.identifier
    elif isinstance(block, Prose) and not block.text.lstrip().startswith(("```", "~~~")):
        yield from _LABEL.findall(block.text)
