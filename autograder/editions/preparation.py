"""The generated first cell: it finds the course's `lessons` folder."""

from __future__ import annotations

from autograder.editions.words import Words

SETUP_ID = "setup"


def setup_source(words: Words) -> str:
    """Code that a learner can read; nothing is searched when `lessons` can be imported."""
    return f"""\
# {words.prepare}
import importlib.util
import sys
from pathlib import Path

if importlib.util.find_spec("lessons") is None:
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "lessons" / "classroom.py").is_file():
            sys.path.insert(0, str(folder))
            break
    else:
        raise ModuleNotFoundError("{words.install}")

from lessons.classroom import blank

______ = blank()"""
