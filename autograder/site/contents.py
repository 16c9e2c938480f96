"""The table of contents of a page: chapters, and the sections in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.site.markup import Heading

_MOST_LEVEL = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Chapter:
    """A heading in the table of contents, and those below it."""

    heading: Heading
    sections: list[Heading] = field(default_factory=list)


def contents(headings: Sequence[Heading]) -> list[Chapter]:
    """Chapters with their sections; deeper headings are left out."""
    found: list[Chapter] = []
    for heading in headings:
        if heading.level > _MOST_LEVEL:
            continue
        if heading.level == _MOST_LEVEL and found:
            found[-1].sections.append(heading)
        else:
            found.append(Chapter(heading=heading))
    return found
