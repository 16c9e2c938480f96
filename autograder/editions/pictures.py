"""Diagrams as attachments of a Markdown cell."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from autograder.editions import drawn
from autograder.editions.inline import Inline, one_line
from autograder.editions.texts import Text
from autograder.errors import CourseError
from autograder.model import Diagram


@dataclass(kw_only=True, slots=True)
class Gallery:
    """Draws diagrams; `warnings` says which could not be drawn."""

    inline: Inline
    path: str
    warnings: list[str] = field(default_factory=list)

    def draw(self, diagram: Diagram, count: int) -> Text:
        """The picture with its caption, or the text alternative when it cannot be drawn."""
        alt = self._alt(diagram)
        caption = self._caption(diagram)
        name = f"{_safe(diagram.label) or f'diagram-{count}'}.png"
        try:
            picture = drawn.picture(diagram.source, alt=alt, caption=diagram.caption)
        except CourseError as error:
            self.warnings.append(f"{self.path}:{diagram.line}: {error}")
            missing = self.inline.words.no_picture
            text = f"> {self.inline.words.diagram}{self.inline.words.colon}{alt}{missing}"
            return Text(text=f"{text}\n\n{caption}" if caption else text)
        image = f"![{_escaped(alt)}](attachment:{name})"
        return Text(
            text=f"{image}\n\n{caption}" if caption else image,
            pictures={name: picture.png},
            diagrams={name: diagram.source},
        )

    def _alt(self, diagram: Diagram) -> str:
        if diagram.alt is None:
            self.warnings.append(
                f"{self.path}:{diagram.line}: This diagram has no text alternative. "
                "Add `%%| fig-alt:`."
            )
        return " ".join((diagram.alt or diagram.caption or self.inline.words.diagram).split())

    def _caption(self, diagram: Diagram) -> str:
        if not diagram.caption:
            return ""
        return self.inline.caption(diagram.label, self.inline.line(one_line(diagram.caption)))


def _safe(label: str | None) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", label or "").strip("-")


def _escaped(alt: str) -> str:
    return re.sub(r"([\[\]\\])", r"\\\1", alt)
