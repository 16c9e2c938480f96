"""Quarto source text -> `Lesson`: the splitter, the dialect, and its faults."""

from __future__ import annotations

from autograder.source.reading import parse, read_lesson

__all__ = ["parse", "read_lesson"]
