"""Who is enrolled, and what each student is also called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime

import msgspec

from autograder.grading.intake.lms import LmsName, Platform


class Enrolled(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One student, also as class.json has them.

    Attributes:
        id: The id in all reports.
        number: The number by which the platform knows the student, and names files.
        login: Canvas's `SIS Login ID`, or a user name.
        sis_id: The institution's own number.
        due: A deadline of their own.
        line: Where the table has them (1-based), 0 when they come from no table.
    """

    id: str
    name: str | None = None
    email: str | None = None
    number: str | None = None
    login: str | None = None
    sis_id: str | None = None
    section: str | None = None
    due: datetime | None = None
    line: int = 0

    @property
    def keys(self) -> tuple[str, ...]:
        """What names this student, the strongest first; a platform's number is none of it."""
        found = (self.id, self.sis_id, self.login, self.email)
        return tuple(dict.fromkeys(key for key in found if key))


class Roster:
    """The students of a class, in the table's order, and what each is also called."""

    def __init__(self, students: Iterable[Enrolled], platform: Platform | None = None) -> None:
        self.students = tuple(students)
        self.platform = platform
        self._by_key: dict[str, Enrolled | None] = {}
        self._by_name: dict[str, Enrolled | None] = {}
        self._numbered = {s.number: s for s in self.students if s.number is not None}
        for student in self.students:
            for key in student.keys:
                _enter(self._by_key, key.casefold(), student)
            for name in _spellings(student.name):
                _enter(self._by_name, name, student)
        for student in self.students:  # an id is never somebody else's number
            self._by_key[student.id.casefold()] = student

    @classmethod
    def of_ids(cls, ids: Iterable[str]) -> Roster:
        """A class of which only the ids are known."""
        return cls(Enrolled(id=name) for name in ids)

    @property
    def ids(self) -> tuple[str, ...]:
        """Everybody's id, in order."""
        return tuple(student.id for student in self.students)

    def numbered(self, number: str) -> Enrolled | None:
        """Who has that number on the roster's own platform."""
        return self._numbered.get(number)

    def owner(self, name: LmsName) -> Enrolled | None:
        """Whose file or folder that is: by the platform's number, else by the name."""
        # A number means something to its own platform only.
        numbered = self._numbered if name.platform is self.platform else {}
        return numbered.get(name.number) or self.find(name=name.name)

    def find(self, *keys: str | None, name: str | None = None) -> Enrolled | None:
        """The one student that a key names, else the one of that name; None when none is sure."""
        for key in keys:
            found = self._by_key.get(composed(key).casefold()) if key else None
            if found is not None:
                return found
        names = {found for name in _spellings(name) if (found := self._by_name.get(name))}
        return names.pop() if len(names) == 1 else None


def composed(text: str) -> str:
    """Text with composed characters, without the space around it."""
    return unicodedata.normalize("NFC", text).strip()


def _enter(index: dict[str, Enrolled | None], key: str, student: Enrolled) -> None:
    known = index.setdefault(key, student)
    if known is not student:
        index[key] = None  # two bear it: it names neither


def _spellings(name: str | None) -> set[str]:
    """A name as people and platforms write it: `Last, First` or `First Last`, letters only."""
    if not name:
        return set()
    last, comma, first = composed(name).partition(",")
    orders = {last + first, first + last} if comma else {name}
    words = composed(name).split()
    if not comma and len(words) > 1:
        orders.add(words[-1] + "".join(words[:-1]))
    return {found for text in orders if (found := re.sub(r"[\W_]", "", text.casefold()))}
