"""What has been graded, on disk: one line a submission, appended, never changed.

A line is written and synced only after the gradebook has committed that submission, so whatever is
in here is done, and a run that was killed goes on after it. A last line without its end was being
written when the machine stopped: it does not count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import msgspec

from autograder.errors import CourseError
from autograder.grading.batch.facts import Facts
from autograder.grading.reports.export import SubmissionGrade


class Opening(msgspec.Struct, kw_only=True, frozen=True, tag="opening", tag_field="line"):
    """What the lines after it share: the head of grades.json."""

    sandbox: str
    limits: dict[str, Any]


class Record(msgspec.Struct, kw_only=True, frozen=True, tag="graded", tag_field="line"):
    """One graded submission.

    Attributes:
        content: Digest of what was handed in.
        tests: Digest of what it was tested by.
        settings: Digest of how it was run.
    """

    content: str
    tests: str
    settings: str
    entry: SubmissionGrade
    facts: Facts

    @property
    def key(self) -> tuple[str, str, str]:
        """All that the result depends on."""
        return self.content, self.tests, self.settings


class Closing(msgspec.Struct, kw_only=True, frozen=True, tag="closing", tag_field="line"):
    """Everything above is in the reports."""


_Line = Opening | Record | Closing
_decoder = msgspec.json.Decoder(_Line)
_encoder = msgspec.json.Encoder()


class _Pages:
    """Where the newest line of each student stands in one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.opening: Opening | None = None
        self.newest: dict[str, int] = {}
        self.closed: dict[str, int] | None = None
        self.keys: dict[str, tuple[str, str, str]] = {}
        self.end = 0
        self.is_closed = False

    def read(self) -> None:
        """Go through the file, if there is one."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for text in file:
                if not text.endswith(b"\n"):
                    break
                place, self.end = self.end, self.end + len(text)
                try:
                    self.note(_decoder.decode(text), place)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    continue  # a damaged line: that submission is graded again

    def note(self, line: _Line, place: int) -> None:
        """Take in one line that stands at `place`."""
        self.is_closed = isinstance(line, Closing)
        match line:
            case Opening():
                self.opening = line
            case Record(entry=entry):
                self.newest[entry.student] = place
                self.keys[entry.student] = line.key
            case Closing():
                self.closed = dict(self.newest)

    def records(self, places: Mapping[str, int]) -> Iterator[Record]:
        """The lines at these places, by student id."""
        if not places:
            return
        with self.path.open("rb") as file:
            for student in sorted(places):
                file.seek(places[student])
                line = _decoder.decode(file.readline())
                if isinstance(line, Record):
                    yield line


class Journal:
    """The journal of one lesson in one output folder; use it in a `with`.

    Args:
        out: The output folder.
        lesson: Slug of the lesson.
        resume: Whether what is in it counts; False begins anew and keeps the last complete one to
            compare with.

    Raises:
        CourseError: It cannot be read or written.
    """

    def __init__(self, out: Path, lesson: str, *, resume: bool) -> None:
        self._path = out / f"journal-{lesson}.jsonl"
        self._before = out / f"journal-{lesson}.previous.jsonl"
        self._resume = resume

    def __enter__(self) -> Self:
        try:
            self._pages = _Pages(self._path)
            self._pages.read()
            if not self._resume:
                self._set_aside()
            self._past = _Pages(self._before)
            self._past.read()
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("ab", buffering=0)
            # What a killed run left half written would spoil the next line.
            self._file.truncate(self._pages.end)
        except OSError as error:
            raise self._refused(error) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def opening(self) -> Opening | None:
        """The head of the newest lines."""
        return self._pages.opening

    @property
    def is_closed(self) -> bool:
        """Whether the reports hold all of it."""
        return self._pages.is_closed

    @property
    def was_closed(self) -> bool:
        """Whether the reports once held all of what it began with."""
        return self._pages.closed is not None

    @property
    def students(self) -> set[str]:
        """Who has a line."""
        return set(self._pages.newest)

    def holds(self, student: str, key: tuple[str, str, str]) -> bool:
        """Whether the student's newest line is of the same submission, tests and settings."""
        return self._pages.keys.get(student) == key

    def open(self, opening: Opening) -> None:
        """Note what the next lines share, unless it is known."""
        if opening != self._pages.opening:
            self.append([opening])

    def append(self, lines: Iterable[Opening | Record | Closing]) -> None:
        """Write lines, and return when the disk has them.

        Raises:
            CourseError: The disk does not take them.
        """
        written = [(line, _encoder.encode(line) + b"\n") for line in lines]
        rest = b"".join(text for _, text in written)
        try:
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._refused(error) from error
        for line, text in written:
            self._pages.note(line, self._pages.end)
            self._pages.end += len(text)

    def close(self) -> None:
        """Note that the reports hold all of it."""
        if not self.is_closed:
            self.append([Closing()])

    def records(self, students: Iterable[str]) -> Iterator[Record]:
        """The newest line of each of these students, by id, read one at a time."""
        newest = self._pages.newest
        return self._pages.records({name: newest[name] for name in students if name in newest})

    def earlier(self) -> Iterator[Record]:
        """The lines that the reports held before this round, by student id."""
        pages = self._past if self._pages.closed is None else self._pages
        return pages.records(pages.closed or {})

    def _set_aside(self) -> None:
        if self._pages.closed is not None:
            self._path.replace(self._before)
        else:
            self._path.unlink(missing_ok=True)
        self._pages = _Pages(self._path)

    def _refused(self, error: OSError) -> CourseError:
        return CourseError(
            f"{self._path}: cannot be written ({error.strerror or error}). "
            "Free the space or mend the permissions, then run again with --resume."
        )
