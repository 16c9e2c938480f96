"""How far an experiment is: a bar on stderr, a bar in a notebook, or nothing."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Any, Protocol, TextIO, cast

from lessons.lesson03.experiments.said import Said

_WIDTH = 24
_EVERY_S = 0.2


class Progress(Protocol):
    """Told how far an experiment is."""

    def show(self, share: float, doing: Said) -> None:
        """Show that `share` of it, from 0 to 1, is done, and what is being done."""

    def close(self) -> None:
        """Take the bar away."""


class Silent:
    """Shows nothing."""

    def show(self, share: float, doing: Said) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class TerminalBar:
    """One line of a terminal, written over; a stream that is no terminal gets nothing.

    Args:
        stream: stderr by default: stdout is for results.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shown_at = float("-inf")
        self._is_terminal = self._stream.isatty()

    def show(self, share: float, doing: Said) -> None:
        """Draw the bar, at most five times a second."""
        now = time.monotonic()
        if not self._is_terminal or now - self._shown_at < _EVERY_S:
            return
        self._shown_at = now
        full = round(min(max(share, 0.0), 1.0) * _WIDTH)
        bar = "#" * full + "-" * (_WIDTH - full)
        # A Chinese character takes two columns: half the width never wraps.
        room = max(shutil.get_terminal_size().columns // 2 - _WIDTH // 2 - 6, 10)
        encoding = self._stream.encoding or "ascii"
        text = str(doing)[:room].encode(encoding, "replace").decode(encoding)
        self._write(f"\r\x1b[K[{bar}] {share:4.0%} {text}")

    def close(self) -> None:
        """Clear the line."""
        if self._is_terminal and self._shown_at > 0:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class NotebookBar:
    """A bar in the cell's output that goes when the experiment is done."""

    def __init__(self) -> None:
        import IPython.display as shown  # noqa: PLC0415
        import ipywidgets as widgets  # noqa: PLC0415 - only a notebook needs it

        self._bar: Any = widgets.FloatProgress(max=1.0)
        self._text: Any = widgets.Label()
        self._box: Any = widgets.HBox([self._bar, self._text])
        self._shown_at = float("-inf")
        cast(Any, shown).display(self._box)

    def show(self, share: float, doing: Said) -> None:
        """Move the bar, at most five times a second."""
        now = time.monotonic()
        if now - self._shown_at < _EVERY_S:
            return
        self._shown_at = now
        self._bar.value, self._text.value = min(max(share, 0.0), 1.0), str(doing)

    def close(self) -> None:
        """Take the bar out of the page."""
        self._box.close()


def progress_here() -> Progress:
    """Return a bar for where this runs."""
    if "IPython" in sys.modules:
        from IPython.core.getipython import get_ipython  # noqa: PLC0415 - loaded already

        if hasattr(get_ipython(), "kernel"):
            return NotebookBar()
    return TerminalBar()
