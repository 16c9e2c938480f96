"""Which language a learner reads: the lesson's, or English when COURSE_LANG asks for it."""

from __future__ import annotations

import os


def say(chinese: str, english: str, lang: str = "zh-CN") -> str:
    """Return the one of two sentences that the learner reads.

    Args:
        chinese: For lessons in Chinese.
        english: For all others, and whenever COURSE_LANG is set to English.
        lang: The lesson's language, BCP 47.
    """
    wanted = os.environ.get("COURSE_LANG") or lang
    return chinese if wanted.lower().startswith("zh") else english
