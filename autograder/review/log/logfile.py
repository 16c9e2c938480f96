"""The log on disk: OUT/review-LESSON.jsonl, one JSON object a line.

Lines are appended under a lock on the file and synced before anybody is told that they are kept.
Two servers may work on one folder: each reads what the other has appended before it appends. A last
line without its end was being written when the machine stopped; it does not count, and what comes
after it begins on a line of its own.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import msgspec

from autograder.errors import CourseError, UsageError
from autograder.review.log.events import Event, Line, Opening
from autograder.review.log.lock import locked
from autograder.review.log.state import State

_MOST_LINES = 2**53
"""Larger numbers than any log reaches, and than a page's numbers hold exactly."""
_decoder = msgspec.json.Decoder(Line)
_encoder = msgspec.json.Encoder()

Proposal = Callable[[State], Sequence[Event]]
"""From what is known now to what is to be appended, not yet numbered."""


class ConflictError(CourseError):
    """Somebody else decided meanwhile; `newest` is what they said."""

    def __init__(self, newest: Event) -> None:
        super().__init__(f"{newest.by} decided this meanwhile. Look at it, then decide again.")
        self.newest = newest


class ReviewLog:
    """The log of one lesson in one output folder.

    Args:
        out: The output folder.
        lesson: Slug of the lesson.

    Raises:
        CourseError: It cannot be read, or is another lesson's.

    Attributes:
        state: What its lines come to.
        damaged: How many whole lines say nothing that is understood.
    """

    def __init__(self, out: Path, lesson: str) -> None:
        self.path = out / f"review-{lesson}.jsonl"
        self._lesson = lesson
        self._end = 0
        self.state = State()
        self.damaged = 0
        self.refresh()

    def refresh(self) -> None:
        """Read what has been appended since.

        Raises:
            CourseError: It cannot be read, or has lost what was read before.
        """
        try:
            with self.path.open("rb") as file:
                self._catch_up(file)
        except FileNotFoundError:
            if self._end:
                raise self._shortened() from None
        except OSError as error:
            raise self._refused(error) from error

    def begin(self) -> None:
        """Write the first line, unless it is there: anonymous names depend on it.

        Raises:
            CourseError: The disk does not take it.
        """
        if self.state.opening is None:
            self.append(lambda _: ())

    def append(self, proposal: Proposal) -> list[Event]:
        """Append what a proposal makes of the newest state: all of it or nothing.

        Returns:
            The events as they stand in the log.

        Raises:
            ConflictError: One of them is based on what is no longer the newest.
            CourseError: The disk does not take them, the log has lost what was read before, or
                something in them is no text.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self._end and not self.path.exists():
                raise self._shortened()
            with self.path.open("a+b", buffering=0) as file, locked(file):
                file.seek(0)
                self._catch_up(file)
                return self._append(file, proposal)
        except OSError as error:
            raise self._refused(error) from error

    def _append(self, file: IO[bytes], proposal: Proposal) -> list[Event]:
        lines: list[Line] = []
        if self.state.opening is None:
            opening = Opening(lesson=self._lesson, salt=secrets.token_hex(8), at=now())
            lines.append(opening)
        events = list(proposal(self.state))
        for event in events:
            newest = self.state.newest(event.target)
            if newest is not None and newest.seq != event.based_on:
                raise ConflictError(newest)
        numbered = [
            msgspec.structs.replace(event, seq=seq)
            for seq, event in enumerate(events, start=self.state.last + 1)
        ]
        lines += numbered  # type: ignore[arg-type]  # every Event is a Line
        if not lines:
            return []
        try:
            data = b"".join(_encoder.encode(line) + b"\n" for line in lines)
        except UnicodeEncodeError:
            raise UsageError("Half a character is no text. Write names and reasons anew.") from None
        end = file.seek(0, os.SEEK_END)
        if end > self._end:
            data = b"\n" + data  # after a torn line
        try:
            _write(file, data)
        except OSError:
            # What is refused must not come to count: neither half a line nor half a batch.
            file.truncate(end)
            raise
        for line in lines:
            self.state.take(line)
        self._end = end + len(data)
        return numbered

    def _catch_up(self, file: IO[bytes]) -> None:
        if file.seek(0, os.SEEK_END) < self._end:
            raise self._shortened()
        file.seek(self._end)
        # The lines of an unbuffered file would be read byte by byte.
        *whole, _torn = file.read().split(b"\n")
        for text in whole:
            self._end += len(text) + 1
            self._take(text)

    def _take(self, text: bytes) -> None:
        if not text.strip():
            return
        try:
            line = _decoder.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.damaged += 1
            return
        if isinstance(line, Opening) and line.lesson != self._lesson:
            raise CourseError(f"{self.path}: this log is {line.lesson!r}'s. Move it away.")
        if isinstance(line, Event) and not 0 < line.seq < _MOST_LINES:
            self.damaged += 1
            return
        self.state.take(line)

    def _shortened(self) -> CourseError:
        return CourseError(
            f"{self.path}: has lost lines that were there. Restore it, then start the review anew."
        )

    def _refused(self, error: OSError) -> CourseError:
        return CourseError(
            f"{self.path}: cannot be read or written ({error.strerror or error}). "
            "Free the space or mend the permissions; what was decided before is kept."
        )


def _write(file: IO[bytes], data: bytes) -> None:
    """Write all of it to the disk; an unbuffered file may take a part."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]
    os.fsync(file.fileno())


def now() -> str:
    """The time as the log has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
