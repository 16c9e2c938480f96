"""The lessons before and after a lesson: as its own pagination says, or by the course's order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.editions.tree import Div, Node, public, tree
from autograder.model import Lesson, Prose

_LINK = re.compile(r"\[([^\]]+)\]\(\.\./([\w-]+)/[^)]*\)")
_KIND = re.compile(r"^(上一课|下一课|上一讲|下一讲|Previous|Next)\s*[：:]\s*", re.IGNORECASE)
_FORWARD = re.compile(r"^(?:下一|Next)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbour:
    """A lesson beside this one; `href` is None when its page is not here yet."""

    slug: str
    title: str
    href: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbours:
    """What comes before and after, as far as known."""

    previous: Neighbour | None = None
    following: Neighbour | None = None


def is_pagination(div: Div) -> bool:
    """Whether a div holds the links to the neighbours."""
    return "course-pagination" in div.opening.classes


def neighbours(lesson: Lesson, titles: Mapping[str, str]) -> Neighbours:
    """The neighbours of a lesson.

    Args:
        lesson: The lesson.
        titles: Slug -> title of every lesson that has a page here, in the course's order.
    """
    # What an answer block links to is part of the answer.
    written = _written(tree(public(lesson.blocks)))
    before, after = _listed(lesson.slug, titles)
    found: dict[bool, Neighbour] = {}
    for position, (text, slug) in enumerate(written):
        kind = _KIND.match(text)
        forward = bool(_FORWARD.match(text)) if kind else position > 0
        title = titles.get(slug) or _KIND.sub("", text)
        found.setdefault(forward, _neighbour(slug, title, titles))
    for forward, listed in ((False, before), (True, after)):
        if listed is not None:
            found.setdefault(forward, _neighbour(listed, titles[listed], titles))
    return Neighbours(previous=found.get(False), following=found.get(True))


def _neighbour(slug: str, title: str, titles: Mapping[str, str]) -> Neighbour:
    href = f"../{slug}/index.html" if slug in titles else None
    return Neighbour(slug=slug, title=" ".join(title.split()), href=href)


def _listed(slug: str, titles: Mapping[str, str]) -> tuple[str | None, str | None]:
    order = list(titles)
    if slug not in order:
        return None, None
    at = order.index(slug)
    before = order[at - 1] if at else None
    return before, order[at + 1] if at + 1 < len(order) else None


def _written(nodes: Sequence[Node]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for node in nodes:
        if isinstance(node, Div):
            if is_pagination(node):
                texts = [one.text for one in node.children if isinstance(one, Prose)]
                found += [link for text in texts for link in _LINK.findall(text)]
            else:
                found += _written(node.children)
    return found
