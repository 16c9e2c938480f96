"""A learner's desk: the lesson that the notebook is, and what was done in it so far.

It lies in the notebook's own namespace, as everything does that a learner makes there: two
notebooks never share one, and a fresh kernel starts with an empty desk.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FrameType, ModuleType
from typing import Any

_NAME = "_course_desk"
_PACKAGE = __name__.rpartition(".")[0]


@dataclass(kw_only=True)
class Desk:
    """One notebook's lesson and what happened in it.

    Attributes:
        lesson: Import name of the lesson's modules, e.g. `lessons.lesson03`; None before the
            first cell has run.
        lang: The lesson's language.
        names: What the learner's cells have bound so far.
        hinted: The last level of hint that was shown, by exercise.
        guesses: Predictions, by number.
        problem: Number of the practice problem that was shown last.
        solved: Numbers of the practice problems that were answered rightly.
    """

    lesson: str | None = None
    lang: str = "zh-CN"
    names: Mapping[str, Any] = field(default_factory=dict, repr=False)
    hinted: dict[str, int] = field(default_factory=dict)
    guesses: dict[int, str] = field(default_factory=dict)
    problem: int = 0
    solved: set[int] = field(default_factory=set)

    def module(self, name: str) -> ModuleType | None:
        """Return one of the lesson's modules, None when it has none of that name."""
        if self.lesson is None:
            return None
        full = f"{self.lesson}.{name}"
        try:
            return importlib.import_module(full)
        except ModuleNotFoundError as error:
            if error.name in {full, self.lesson}:
                return None
            raise


def open_lesson(lesson: str, lang: str = "zh-CN") -> None:
    """Say which lesson this notebook is; its first cell does.

    Args:
        lesson: Import name of the lesson's modules.
        lang: The lesson's language, BCP 47.
    """
    desk_here(fresh=True, lesson=lesson, lang=lang)


def desk_here(*, fresh: bool = False, **about: str) -> Desk:
    """Return the desk of the notebook that called; a new one with `fresh`, or where none is."""
    names = _notebook().f_globals
    desk = names.get(_NAME)
    if fresh or not isinstance(desk, Desk):
        desk = names[_NAME] = Desk(names=names, **about)  # type: ignore[arg-type]  # strings only
    return desk


def _notebook() -> FrameType:
    """Return the frame of the code that called into this package: a cell, or a function in one.

    Its globals are the notebook's namespace in any kernel, in IPython and in plain Python.
    """
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if module != _PACKAGE and not module.startswith(f"{_PACKAGE}."):
            return frame
        frame = frame.f_back
    raise RuntimeError("called by no notebook")
