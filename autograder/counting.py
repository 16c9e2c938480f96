"""Numbers of things, as an English sentence says them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return `1 warning`, `2 warnings`.

    Args:
        number: How many.
        noun: What, in the singular; its plural takes an s.
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
