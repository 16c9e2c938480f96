"""Which language a learner's verb speaks on this console."""

from __future__ import annotations

import os
import sys

import click


def say(chinese: str, english: str, lang: str) -> str:
    """Return the one of two sentences that the learner can read.

    Args:
        chinese: For courses in Chinese, where the console can show it.
        english: For all others, and whenever COURSE_LANG is set to English.
        lang: The course's language, BCP 47.
    """
    wanted = os.environ.get("COURSE_LANG") or lang
    return chinese if wanted.lower().startswith("zh") and _can_show(chinese) else english


def tell(chinese: str, english: str, lang: str) -> None:
    """Print the one of two sentences that the learner can read."""
    click.echo(say(chinese, english, lang))


def _can_show(text: str) -> bool:
    """Tell whether the console's encoding has the characters; a Western one has no Chinese."""
    try:
        text.encode(sys.stdout.encoding or "utf-8", "strict")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
