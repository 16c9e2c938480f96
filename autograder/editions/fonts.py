"""The font that pictures are measured and drawn with: Noto Sans SC, as zhplot ships it.

One file does everything, so that no machine's own fonts have a say in how wide a label is.
"""

from __future__ import annotations

import base64
import io
import unicodedata
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import novasvg.fonts as faces
from fontTools import subset
from fontTools.ttLib import TTFont

from autograder.errors import MissingOnMachine

FAMILY = "Noto Sans SC"


@lru_cache(maxsize=1)
def font_file() -> Path:
    """Find the font's file without importing zhplot, which would import matplotlib.

    Raises:
        MissingOnMachine: zhplot is not installed, or without its font.
    """
    spec = find_spec("zhplot")
    if spec is not None and spec.origin is not None:
        path = Path(spec.origin).parent / "fonts" / "NotoSansSC-Regular.ttf"
        if path.is_file():
            return path
    raise MissingOnMachine(
        "The font Noto Sans SC is missing; `pip install --force-reinstall zhplot` brings it."
    )


@lru_cache(maxsize=1)
def register() -> None:
    """Make `FAMILY` known to novasvg, in every style: there is only one weight to draw with."""
    for bold in (False, True):
        for italic in (False, True):
            faces.add_font_face_from_file(FAMILY, bold, italic, str(font_file()))


@lru_cache(maxsize=16)
def font(size_px: float) -> faces.Font:
    """Return the face at a size, for measuring."""
    register()
    return faces.Font(faces.get_font_face(FAMILY), size_px)


@lru_cache(maxsize=4096)
def width_px(text: str, size_px: float) -> float:
    """Measure how wide a line of text is when it is drawn at `size_px`."""
    return float(font(size_px).measure_text(text))


@lru_cache(maxsize=1)
def coverage() -> frozenset[int]:
    """Return every code point the font has a glyph for."""
    with TTFont(font_file(), lazy=True) as source:
        return frozenset(source.getBestCmap())


def missing(text: str) -> tuple[str, ...]:
    """Return the visible characters of `text` that the font cannot draw, in order, once each."""
    unseen = {"Cc", "Cf", "Mn", "Zl", "Zp", "Zs"}
    return tuple(
        dict.fromkeys(
            char
            for char in text
            if ord(char) not in coverage() and unicodedata.category(char) not in unseen
        )
    )


def subset_ttf(text: str) -> bytes:
    """Cut the font down to the characters of `text`.

    TrueType without compression: the bytes do not depend on this machine's zlib.
    """
    options = subset.Options(
        layout_features=["kern"],
        hinting=False,
        notdef_outline=True,
        recalc_timestamp=False,
        name_IDs=[1, 2],
    )
    options.drop_tables += ["BASE", "GSUB", "STAT", "vhea", "vmtx"]
    with TTFont(font_file(), lazy=True, recalcTimestamp=False) as source:
        cutter = subset.Subsetter(options)
        cutter.populate(text=text)
        cutter.subset(source)
        target = io.BytesIO()
        source.save(target)
    return target.getvalue()


def face_css(family: str, text: str) -> str:
    """Return the `@font-face` rule that gives a page the characters of `text` as `family`."""
    data = base64.b64encode(subset_ttf(text)).decode("ascii")
    return (
        f"@font-face{{font-family:'{family}';font-weight:100 900;"
        f"src:url(data:font/ttf;base64,{data}) format('truetype');}}"
    )
