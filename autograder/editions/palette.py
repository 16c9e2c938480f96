"""A picture of few flat colours as a small PNG file."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_COLOURS = 64
# Areas of one colour keep it: a pale tint is not taken for the grey beside it.
_AREAS = 40
_AREA = 0.001  # of the picture
# Any other colour of the palette is that far from those before it, in steps of 0 to 255.
_APART = 20
_WHITE = 0xFFFFFF


def small_png(image: Image.Image) -> bytes:
    """A picture with at most 64 colours, all of them its own; white stays white.

    An average of colours, which is what the usual ways put into a palette, turns thin lines grey
    and a page dirty. Here the picture's most frequent colours are kept to the letter: those of
    whole areas, then others far enough from all before them, so that rare hues get their turn
    before the fringes of text.
    """
    pixels = np.asarray(image.convert("RGB"))
    packed = pixels.reshape(-1, 3).astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    packed_colours, places, counts = np.unique(packed, return_inverse=True, return_counts=True)
    colours = np.stack([packed_colours >> shift & 0xFF for shift in (16, 8, 0)], axis=1)
    # White first, whatever the picture is mostly of.
    counts = np.where(packed_colours == _WHITE, packed.size + 1, counts)
    order = np.argsort(-counts, kind="stable")
    areas = int((counts[order[:_AREAS]] >= _AREA * packed.size).sum())
    palette, nearest = _palette(colours, order, areas)
    small = Image.fromarray(nearest[places].reshape(pixels.shape[:2]), "P")
    small.putpalette(palette.astype(np.uint8).tobytes())
    file = io.BytesIO()
    small.save(file, format="PNG", optimize=True)
    return file.getvalue()


def _palette(
    colours: NDArray[np.int64], order: NDArray[np.intp], areas: int
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """The colours that are kept, and for each colour of the picture the nearest one kept."""
    distance: NDArray[Any] = np.full(len(colours), np.iinfo(np.int64).max)
    nearest = np.zeros(len(colours), np.uint8)
    kept: list[int] = []
    for rank, index in enumerate(order):
        if rank >= areas and distance[index] < _APART**2:
            continue
        to_this = ((colours - colours[index]) ** 2).sum(axis=1)
        closer = to_this < distance
        nearest[closer] = len(kept)
        distance = np.minimum(distance, to_this)
        kept.append(int(index))
        if len(kept) == _COLOURS:
            break
    return colours[kept], nearest
