"""When work was due, and by how much it came late."""

from __future__ import annotations

from datetime import datetime, timedelta

from autograder.errors import UsageError

_DATE_ONLY = 10
"""Characters of `2026-11-29`."""


def due_time(text: str, where: str) -> datetime:
    """A deadline in ISO 8601: a date alone means its end, a time without zone this machine's zone.

    Args:
        text: Such as `2026-11-29T23:59+08:00` or `2026-11-29`.
        where: What it was written in, for the message.

    Raises:
        UsageError: It is no such time.
    """
    plain = text.strip().replace("/", "-")
    try:
        time = datetime.fromisoformat(plain)
        if len(plain) == _DATE_ONLY:
            time += timedelta(days=1)
        return time.astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{where}: the deadline {text!r} is no ISO 8601 time. Write 2026-11-29T23:59+08:00."
        ) from None


def seconds_late(submitted_at: str | None, due: datetime | None) -> float | None:
    """Seconds after the deadline, 0 when in time; None when either time is not known."""
    if submitted_at is None or due is None:
        return None
    try:
        time = datetime.fromisoformat(submitted_at)
    except ValueError:
        return None
    return max(0.0, (time.astimezone() - due).total_seconds())
