"""A canvas that repaints only what moves of a matplotlib figure, and returns it as PNG."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any, cast

from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from PIL.PngImagePlugin import PngInfo


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

    def png(self, description: str = "") -> bytes:
        """Return the figure in its present state as a PNG file.

        Args:
            description: Alternative text, kept in the file's metadata.
        """
        self._canvas.restore_region(self._still)
        renderer = self._canvas.get_renderer()
        for artist in self._moving:
            artist.draw(renderer)
        size = self._canvas.get_width_height(physical=True)
        image = Image.frombuffer("RGBA", size, self._canvas.buffer_rgba(), "raw", "RGBA", 0, 1)
        about = PngInfo()
        if description:
            about.add_itxt("Description", description)
        file = io.BytesIO()
        # Level 1: the browser is mostly on the same machine, so speed is worth more than size.
        image.convert("RGB").save(file, format="png", compress_level=1, pnginfo=about)
        return file.getvalue()
