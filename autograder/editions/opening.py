"""What a figure opens on; only for a process that may import a lesson's modules.

A figure `ladder` is `figures.ladder_figure(inputs)`, said in words by `figures.ladder_alt(inputs)`.
Where there is an explorer `explore.ladder`, its `FIRST` are the inputs, else their class's own
defaults.
"""

from __future__ import annotations

import importlib
import typing
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """A figure and what it opens on.

    Attributes:
        make: Inputs -> matplotlib figure.
        alt: Inputs -> what the figure shows, in words.
        first: The inputs it opens on.
        explorer: The module of its explorer, if it has one.
    """

    make: Any
    alt: Any
    first: Any
    explorer: ModuleType | None


def opening(modules: str, name: str) -> Opening:
    """The figure `name` of a lesson whose modules are the package `modules`."""
    figures = importlib.import_module(f"{modules}.figures")
    make, alt = getattr(figures, f"{name}_figure"), getattr(figures, f"{name}_alt")
    explorer = _explorer(modules, name)
    first = getattr(explorer, "FIRST", None)
    if first is None:
        first = _defaults(make)
    return Opening(make=make, alt=alt, first=first, explorer=explorer)


def _explorer(modules: str, name: str) -> ModuleType | None:
    try:
        return importlib.import_module(f"{modules}.explore.{name}")
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith(modules):
            return None
        raise


def _defaults(make: Any) -> Any:
    """The first argument's class, with its own defaults."""
    hints = typing.get_type_hints(make)
    kind = next(hint for argument, hint in hints.items() if argument != "return")
    return kind()
