"""A canvas that repaints only what moves of a matplotlib figure, and returns it as PNG."""

from __future__ import annotations

import struct
import zlib
from collections import OrderedDict
from collections.abc import Iterable
from math import ceil
from typing import Any, cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

_LINES_KEPT = 400
_MARGIN_PX = 3


class MovingCanvas:
    """Paints a figure's still part once and its moving artists at each `png()`.

    Ticks, grid and labels take most of a full draw; here they are copied. The moving artists
    must belong to axes whose limits stay, or to the figure itself.

    Args:
        figure: The figure, with its moving artists in their first state.
        moving: The artists that change between two paintings.
    """

    def __init__(self, figure: Figure, moving: Iterable[Artist]) -> None:
        # The canvas' methods carry no types.
        self._canvas = cast(Any, FigureCanvasAgg(figure))
        self._moving = sorted(moving, key=lambda artist: artist.get_zorder())
        for artist in self._moving:
            artist.set_animated(True)
        self._canvas.draw()
        self._still = self._canvas.copy_from_bbox(figure.bbox)
        self._lines = _Lines(self._canvas.get_renderer())

    def png(self, description: str = "") -> bytes:
        """Return the figure in its present state as a PNG file.

        Args:
            description: Alternative text, kept in the file's metadata.
        """
        self._canvas.restore_region(self._still)
        with self._lines as renderer:
            for artist in self._moving:
                artist.draw(renderer)
        size = self._canvas.get_width_height(physical=True)
        image = Image.frombuffer("RGBA", size, self._canvas.buffer_rgba(), "raw", "RGBA", 0, 1)
        return png_file(np.asarray(image.convert("RGB")), description)


class _Lines:
    """A renderer's text by the line: one that was drawn before is copied, which costs a tenth.

    Half of a repaint is text, and of a plan's dozen lines a slider changes a few.

    Args:
        renderer: Its `draw_text` is another one within the context.
    """

    def __init__(self, renderer: Any) -> None:
        self._renderer = renderer
        self._draw_text = renderer.draw_text
        self._kept: OrderedDict[Any, tuple[NDArray[np.uint8], int]] = OrderedDict()

    def __enter__(self) -> Any:
        self._renderer.draw_text = self._draw
        return self._renderer

    def __exit__(self, *_error: object) -> None:
        del self._renderer.draw_text  # its class's own comes back

    def _draw(  # noqa: PLR0913, PLR0917 - matplotlib's own signature
        self,
        gc: Any,
        x: float,
        y: float,
        s: str,
        prop: Any,
        angle: float,
        ismath: Any = False,
        mtext: Any = None,
    ) -> None:
        if ismath or angle:
            self._draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        key = (s, prop, gc.get_rgb())
        if key not in self._kept:
            self._kept[(s, prop.copy(), gc.get_rgb())] = self._drawn(gc, s, prop)
            if len(self._kept) > _LINES_KEPT:
                self._kept.popitem(last=False)
        line, descent = self._kept[key]
        bottom = self._renderer.height - round(y) - descent
        self._renderer.draw_image(gc, round(x) - _MARGIN_PX, bottom, line)

    def _drawn(self, gc: Any, s: str, prop: Any) -> tuple[NDArray[np.uint8], int]:
        """Return the line alone, and how far it reaches below its baseline, in pixels."""
        width, height, descent = self._renderer.get_text_width_height_descent(s, prop, False)
        below = ceil(descent) + _MARGIN_PX
        size = (ceil(width) + 2 * _MARGIN_PX, ceil(height - descent) + _MARGIN_PX + below)
        alone = cast(Any, RendererAgg)(*size, self._renderer.dpi)
        free = alone.new_gc()
        free.set_foreground(gc.get_rgb(), isRGBA=True)
        alone.draw_text(free, _MARGIN_PX, size[1] - below, s, prop, 0.0)
        pixels = np.array(alone.buffer_rgba())
        return pixels[::-1], below


def png_file(pixels: NDArray[np.uint8], description: str = "") -> bytes:
    """Return an image as a PNG file, three times as fast as Pillow writes one.

    Rows go unfiltered through the fastest deflate: on a page of flat colours that makes no larger
    file, and the browser is mostly on the same machine.

    Args:
        pixels: Height, width, and red, green and blue.
        description: Alternative text.
    """
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))]
    if description:
        chunks.append((b"iTXt", b"Description\0\0\0\0\0" + description.encode("utf-8")))
    chunks += [(b"IDAT", zlib.compress(rows.data, 1)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
