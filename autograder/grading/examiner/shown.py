"""Values as short text, whatever their size: `repr` that cannot hang, fail or flood."""

from __future__ import annotations

import reprlib
from typing import Any, Final

MAX_SHOWN_CHARS: Final = 300
_LARGE_INT_BITS: Final = 256


class _Short(reprlib.Repr):
    """reprlib's limits, and short forms for what it would print whole."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxstring = self.maxother = 120
        self.maxtuple = self.maxlist = self.maxdict = self.maxset = self.maxfrozenset = 8

    def repr_int(self, number: int, level: int) -> str:
        # Printing a huge int takes quadratic time, and Python refuses beyond 4,300 digits.
        if number.bit_length() > _LARGE_INT_BITS:
            return f"<int of {number.bit_length()} bits>"
        return super().repr_int(number, level)

    def repr_bytes(self, data: bytes, _level: int) -> str:
        return repr(data[:60]) + ("…" if len(data) > 60 else "")  # noqa: PLR2004

    def repr_ndarray(self, array: Any, _level: int) -> str:
        first = ", ".join(str(item) for item in array.ravel()[:8].tolist())
        more = ", …" if array.size > 8 else ""  # noqa: PLR2004
        return f"array([{first}{more}], shape={array.shape}, dtype={array.dtype})"

    def repr_instance(self, x: Any, _level: int) -> str:
        try:
            text = repr(x)
        except Exception:  # a huge int inside, or a class of the test's own
            return f"<{type(x).__name__}>"
        # An address would differ from run to run.
        return f"<{type(x).__name__}>" if " at 0x" in text else clip(text, self.maxother)


def show(value: object) -> str:
    """A value in at most `MAX_SHOWN_CHARS` characters on one line."""
    return clip(_Short().repr(value))


def show_error(error: BaseException) -> str:
    """An exception's message in at most `MAX_SHOWN_CHARS` characters on one line."""
    if len(error.args) == 1:
        only = error.args[0]
        return clip(only) if type(only) is str else show(only)
    return show(error.args) if error.args else ""


def clip(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """Text on one line, cut with an ellipsis when longer than `limit` characters."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"


class BoundedText:
    """A text stream that keeps the first characters written to it and drops the rest."""

    encoding = "utf-8"

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._pieces: list[str] = []

    def write(self, text: str) -> int:
        """Keep what still fits; always claims to have written all."""
        kept = text[: self._left]
        self._left -= len(kept)
        if kept:
            self._pieces.append(kept)
        return len(text)

    def flush(self) -> None:
        """Nothing to do."""

    def isatty(self) -> bool:
        """Never a terminal."""
        return False

    @property
    def text(self) -> str:
        """What was kept."""
        return "".join(self._pieces)
