"""A rendered diagram."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from autograder.editions import kept


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A rendered diagram.

    Args:
        name: What its ids begin with, its own.
        bare_svg: A whole `<svg>` element without its font.
        text: Everything it says.
        png: The same picture at its size in pixels.
        alt: What it shows, for those who do not see it.
        caption: What stands below it, if anything.
        width_px: Width in CSS pixels.
        height_px: Height in CSS pixels.
    """

    name: str
    bare_svg: str
    text: str
    png: bytes
    alt: str
    caption: str | None
    width_px: int
    height_px: int

    @cached_property
    def svg(self) -> str:
        """A whole `<svg>` element; its ids are its own, several may stand on one page.

        Its font is embedded under the picture's own name: pages share their font names.
        """
        from autograder.editions import fonts  # noqa: PLC0415  # heavy; a notebook takes the PNG

        # A browser meets the embedded font first; the others are for viewers that ignore it.
        own = f"'{self.name}', '{fonts.FAMILY}', 'PingFang SC', 'Microsoft YaHei', sans-serif"
        svg = re.sub(rf"font-family:\s*{fonts.FAMILY}", f"font-family: {own}", self.bare_svg)
        return svg.replace("<style>", f"<style>{self._face()}", 1)

    def _face(self) -> str:
        from autograder.editions import fonts  # noqa: PLC0415

        entry = kept.name_of("face", self.name, self.text)
        found = kept.recall(entry)
        if found is not None:
            return str(found["css"])
        css = fonts.face_css(self.name, self.text)
        kept.keep(entry, {"css": css})
        return css
