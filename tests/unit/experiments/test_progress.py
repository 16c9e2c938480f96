"""The bar: on a terminal only, on one line, gone in the end, whatever the console can show."""

from __future__ import annotations

import io

import pytest

from lessons.lesson03.experiments.progress import TerminalBar
from lessons.lesson03.experiments.said import Said

DOING = Said(zh="随机读 4 KiB", en="random reads, 4 KiB")


class Console(io.TextIOWrapper):
    """A terminal with an encoding."""

    def __init__(self, encoding: str, *, terminal: bool = True) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def shown(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined]


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "cp1252", "ascii"])
def test_a_terminal_gets_one_line_that_goes(encoding: str) -> None:
    console = Console(encoding)
    bar = TerminalBar(console)
    bar.show(0.5, DOING)
    bar.show(0.9, DOING)  # too soon after the first to be drawn
    assert "############------------" in console.shown()
    assert " 50% " in console.shown()
    bar.close()
    shown = console.shown()
    assert "\n" not in shown
    assert shown.count("[####") == 1
    assert shown.endswith("\r\x1b[K")
    assert ("随机读" in shown) == (encoding in {"utf-8", "gbk"})


def test_a_file_gets_nothing() -> None:
    console = Console("utf-8", terminal=False)
    bar = TerminalBar(console)
    bar.show(0.5, DOING)
    bar.close()
    assert console.shown() == ""
