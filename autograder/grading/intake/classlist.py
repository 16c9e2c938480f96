"""class.json of the output folder: who is enrolled, and what a platform called their files.

Exports and feedback zips need the platform's own numbers and names, long after the grading.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from autograder.errors import CourseError
from autograder.grading.intake.lms import Platform
from autograder.grading.intake.roster import Enrolled, Roster
from autograder.grading.reports.coursedir import write_atomically

NAME = "class.json"


@dataclass(frozen=True, kw_only=True)
class ClassList:
    """A class.

    Attributes:
        roster: The enrolled, None when no list was given.
        handed_in: Student id -> the platform's name for the notebook (Canvas) or folder (Moodle).
    """

    roster: Roster | None = None
    handed_in: dict[str, str] = field(default_factory=dict)


class _File(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    platform: Platform | None
    students: tuple[Enrolled, ...] | None
    handed_in: dict[str, str]


def write_class(out: Path, members: ClassList) -> None:
    """Write class.json into the output folder.

    Raises:
        CourseError: It cannot be written.
    """
    roster = members.roster
    students = None if roster is None else roster.students
    platform = None if roster is None else roster.platform
    data = _File(platform=platform, students=students, handed_in=members.handed_in)
    text = msgspec.json.format(msgspec.json.encode(data, order="deterministic"), indent=1)
    write_atomically(out / NAME, text + b"\n")


def read_class(out: Path) -> ClassList:
    """Read class.json back; an empty class when there is none.

    Raises:
        CourseError: It is not what `write_class` writes.
    """
    path = out / NAME
    try:
        data = msgspec.json.decode(path.read_bytes(), type=_File)
    except FileNotFoundError:
        return ClassList()
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CourseError(
            f"{path}: is not the list of a class ({error}). Remove it, and grade with --roster."
        ) from error
    roster = None if data.students is None else Roster(data.students, data.platform)
    return ClassList(roster=roster, handed_in=data.handed_in)
