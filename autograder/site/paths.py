"""SVG paths in fewer characters: relative, two decimals, no space that a parser can do without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_PATH = re.compile(r'(?<=\sd=")[^"]*(?=")')
_LAYOUT = re.compile(r">\s*\n\s*<")
_TOKEN = re.compile(r"[A-Za-z]|-?\d*\.?\d+(?:e-?\d+)?")
# Numbers of each command that matplotlib writes, all absolute.
_COUNTS = {"M": 2, "L": 2, "Q": 4, "C": 6}
_DECIMALS = 2


def compact_svg(svg: str) -> str:
    """The same picture to a hundredth of a point, about a third as long.

    Args:
        svg: As matplotlib writes it: its paths use M, L, Q, C and z.
    """
    return _LAYOUT.sub("><", _PATH.sub(lambda found: compact_path(found[0]), svg))


def compact_path(path: str) -> str:
    """A path's `d`; one with other commands stays as it is."""
    at, start = (0.0, 0.0), (0.0, 0.0)
    written: list[str] = []
    last = ""
    for command, numbers in _commands(path):
        if command in "zZ":
            written.append("z")
            at, last = start, "z"
            continue
        if len(numbers) != _COUNTS.get(command):
            return path
        # Each number counts from the point that was really written: errors do not add up.
        steps = [round(value - at[place % 2], _DECIMALS) for place, value in enumerate(numbers)]
        at = (at[0] + steps[-2], at[1] + steps[-1])
        if command == "M":
            start = at
        name = command.lower()
        written.append(_written(steps, "" if name == last and name != "m" else name))
        last = name
    return "".join(written)


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    """Each command with its numbers; a run of numbers repeats the command before it."""
    command = ""
    numbers: list[float] = []
    for token in _TOKEN.findall(path):
        if token.isalpha():
            if command:
                yield command, numbers
            command, numbers = token, []
        else:
            numbers.append(float(token))
    if command:
        yield command, numbers


def _written(steps: Sequence[float], name: str) -> str:
    text, before = name, ""
    for step in steps:
        number = f"{step:.{_DECIMALS}f}".rstrip("0").rstrip(".")
        number = re.sub(r"^(-?)0(?=\.)", r"\1", number)
        number = "0" if number == "-0" else number
        # A minus parts two numbers, and so does a second decimal point.
        joins = number.startswith("-") or (number.startswith(".") and "." in before)
        first = before == "" and name != ""
        text += number if joins or first else f" {number}"
        before = number
    return text
