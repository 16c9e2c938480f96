"""Which of the files that were handed in are whose.

nbgrader's tree (`STUDENT/LESSON/*.ipynb`, `timestamp.txt` beside), a flat folder of
`STUDENT.ipynb`, the downloads of Canvas and Moodle (`lms`); also inside wrapping folders. With a
roster, what a file or folder is named after becomes the id of the one student who has that id,
login, e-mail address, name, or (in a download) number.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.grading.intake.listing import Entry
from autograder.grading.intake.lms import LmsName, Platform, canvas_name, moodle_name
from autograder.grading.intake.roster import Roster

SUFFIX = ".ipynb"


@dataclass(kw_only=True, slots=True)
class Handed:
    """What one student handed in, not yet read.

    Attributes:
        notebooks: What the learner called each notebook, and the file.
        sources: Names at the top that claim the student; more than one cannot be graded.
        named: Whether the file's own name should be LESSON.ipynb (all but the flat folder).
        late: Whether the platform says that it came late, None when it does not say.
        platform: Whose download it is from.
    """

    notebooks: list[tuple[str, Entry]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    named: bool = False
    timestamp: Entry | None = None
    late: bool | None = None
    platform: Platform | None = None

    def claim(self, source: str) -> None:
        """Note that something at the top claims this student."""
        if source not in self.sources:
            self.sources.append(source)


def by_student(found: Sequence[Entry], lesson: str, roster: Roster | None) -> dict[str, Handed]:
    """Tell whose each file is.

    Args:
        found: As `listing.entries` lists them.
        lesson: Slug of the lesson.
        roster: The class, when it is known.

    Returns:
        By student id; empty when nothing of the lesson is there.
    """
    sorter = _Sorter(lesson, roster)
    inside = _unwrapped(found, lesson)
    for entry in inside:
        if entry.refused != "unsafe-path":
            sorter.take(entry)
    for entry in inside:
        if entry.refused == "unsafe-path" and is_notebook(entry):
            # Named so that the instructor sees it, never in the place of someone's own file.
            name = readable(entry.parts[-1][: -len(SUFFIX)])
            sorter.handed.setdefault(name, Handed(notebooks=[(entry.parts[-1], entry)]))
    return sorter.handed


class _Sorter:
    """Puts each file with its student."""

    def __init__(self, lesson: str, roster: Roster | None) -> None:
        self._lesson = lesson
        self._roster = roster
        self.handed: dict[str, Handed] = {}

    def take(self, entry: Entry) -> None:
        """Put one file where it belongs; what belongs nowhere is left."""
        top = entry.parts[0]
        moodle = moodle_name(top)
        if moodle is not None:
            self._of_moodle(entry, moodle)
        elif len(entry.parts) == 1 and (is_notebook(entry) or entry.refused == "link"):
            canvas = canvas_name(top) if self._named(top) is None else None
            if canvas is not None:
                self._of_canvas(entry, canvas)
            else:
                name = top[: -len(SUFFIX)] if is_notebook(entry) else top
                mine = self._of(self._id(name))
                mine.sources.append(top)
                mine.notebooks.append((top, entry))
        elif entry.parts[1:2] == (self._lesson,):
            self._of_tree(entry)

    def _of(self, student: str) -> Handed:
        return self.handed.setdefault(student, Handed())

    def _named(self, file: str) -> str | None:
        """Who is enrolled under the very name of a file of a flat folder."""
        stem = readable(file[: -len(SUFFIX)])
        return stem if self._roster is not None and stem in self._roster.ids else None

    def _id(self, name: str) -> str:
        known = readable(name)
        found = self._roster.find(known, name=known) if self._roster else None
        return found.id if found else known

    def _of_platform(self, name: LmsName) -> Handed:
        found = self._roster.owner(name) if self._roster else None
        mine = self._of(found.id if found else readable(name.owner))
        mine.claim(name.owner)
        mine.named = True
        mine.platform = name.platform
        return mine

    def _of_canvas(self, entry: Entry, name: LmsName) -> None:
        mine = self._of_platform(name)
        mine.late = name.late
        mine.notebooks.append((name.file, entry))

    def _of_moodle(self, entry: Entry, name: LmsName) -> None:
        mine = self._of_platform(name)
        if not is_notebook(entry):
            if len(entry.parts) == 1 and entry.refused == "link":
                mine.notebooks.append((entry.parts[0], entry))
            return
        in_folder = len(entry.parts) > 1
        mine.notebooks.append((entry.parts[-1] if in_folder else name.file, entry))

    def _of_tree(self, entry: Entry) -> None:
        """Take in something at or below STUDENT/LESSON."""
        mine = self._of(self._id(entry.parts[0]))
        mine.named = True
        mine.claim(entry.parts[0])
        below = entry.parts[2:]
        if not below and entry.refused is not None and not entry.folder:
            # A link or special file in the place of the folder.
            mine.notebooks.append((entry.parts[-1], entry))
        elif len(below) == 1 and is_notebook(entry):
            mine.notebooks.append((below[0], entry))
        elif below == ("timestamp.txt",):
            mine.timestamp = entry


def is_notebook(entry: Entry) -> bool:
    """Tell by its name whether a file is meant to be a notebook."""
    return entry.parts[-1].casefold().endswith(SUFFIX)


def readable(name: str) -> str:
    """Return an id that every report can write: composed characters, no undecodable bytes."""
    text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return unicodedata.normalize("NFC", text)


def _unwrapped(found: Sequence[Entry], lesson: str) -> list[Entry]:
    """Strip folders that hold everything else, as zips of a folder have."""
    inside = [entry for entry in found if entry.refused != "unsafe-path"]
    strip = 0
    while True:
        rest = [entry.parts[strip:] for entry in inside if len(entry.parts) > strip]
        tops = {parts[0] for parts in rest}
        is_student = any(parts[1:2] == (lesson,) or moodle_name(parts[0]) for parts in rest)
        has_files = any(len(p) == 1 and p[0].casefold().endswith(SUFFIX) for p in rest)
        # X/X.ipynb is another lesson's folder in the tree, not a class in a folder.
        other = any(p[-1] == p[-2] + SUFFIX for p in rest if len(p) > 1 and p[-2] != lesson)
        deeper = len(tops) == 1 and any(len(p) > 1 for p in rest)
        if is_student or has_files or other or not deeper:
            break
        strip += 1
    return [
        Entry(
            parts=entry.parts if entry.refused == "unsafe-path" else entry.parts[strip:],
            read=entry.read,
            refused=entry.refused,
            folder=entry.folder,
        )
        for entry in found
        if len(entry.parts) > strip or entry.refused == "unsafe-path"
    ]
