"""The generated first cell: it finds the course's `lessons` folder."""

from __future__ import annotations

from autograder.editions.words import Words

SETUP_ID = "setup"


def setup_source(words: Words, modules: str, lang: str) -> str:
    """Code that a learner can read; nothing is searched when `lessons` can be imported.

    Args:
        words: In the lesson's language.
        modules: Import name of the lesson's own modules.
        lang: The lesson's language.
    """
    return f"""\
# {words.prepare}
import importlib.util
import sys
from pathlib import Path

if importlib.util.find_spec("lessons") is None:
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "lessons" / "classroom").is_dir():
            sys.path.insert(0, str(folder))
            break
    else:
        raise ModuleNotFoundError("{words.install}")

from lessons.classroom import again, blank, check, hint, open_lesson, predict, progress

______ = blank()
open_lesson("{modules}", "{lang}")"""
