"""The page's own Chinese font: for machines without one, cut down to what the pages say."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

from autograder.editions import kept
from autograder.editions.fonts import coverage, font_file

FAMILY = "Course Han"


def characters(texts: Iterable[str]) -> str:
    """The characters of the texts that the font can draw, each once, in order.

    Latin is left out: every machine has a font for it.
    """
    found = {char for text in texts for char in text if ord(char) > 0x2000}  # noqa: PLR2004
    return "".join(sorted(char for char in found if ord(char) in coverage()))


@lru_cache(maxsize=2)
def woff2(text: str) -> bytes:
    """The font with the characters of `text`; the same text always gives the same bytes.

    It takes 4 s to cut and press: what was made before comes from the user's cache.

    Raises:
        MissingOnMachine: The font is not installed.
    """
    entry = kept.name_of("woff2", Path(__file__).read_bytes(), text)
    found = kept.recall(entry)
    if found is not None:
        return base64.b64decode(found["woff2"])
    made = _cut(text)
    kept.keep(entry, {"woff2": base64.b64encode(made).decode()})
    return made


def _cut(text: str) -> bytes:
    options = subset.Options(
        flavor="woff2",
        layout_features=["kern", "halt", "chws", "vert"],
        hinting=False,
        notdef_outline=True,
        recalc_timestamp=False,
        name_IDs=[1, 2],
    )
    with TTFont(font_file(), lazy=True, recalcTimestamp=False) as source:
        cutter = subset.Subsetter(options)
        cutter.populate(text=text)
        cutter.subset(source)
        source.flavor = "woff2"
        target = io.BytesIO()
        source.save(target)
    return target.getvalue()
