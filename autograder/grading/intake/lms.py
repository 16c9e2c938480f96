"""How learning platforms name what they hand out: whose file it is, and what it was called.

Canvas (lib/content_zipper.rb): `NAME_[LATE_]USER_ATTACHMENT_FILE`, all in one folder; anonymous:
`[LATE_]anon_ID_ATTACHMENT_FILE`. Moodle (mod/assign/classes/downloader.php): a folder
`NAME_PARTICIPANT_assignsubmission_file` (before 4.1 with `_` at its end), or, not in folders, files
`NAME_PARTICIPANT_assignsubmission_file_FILE`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_CANVAS = re.compile(
    r"(?:(?P<name>.+?)_)??(?P<late>LATE_)?(?P<number>[0-9]+|anon_[A-Za-z0-9]+)"
    r"_(?P<attachment>[0-9]+)_(?P<file>.+)",
    re.DOTALL,
)
_MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<number>[0-9]+)_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)
_AGAIN = re.compile(r"(.+)-[0-9]{1,3}(\.[^.]+)", re.DOTALL)


class Platform(StrEnum):
    """A learning platform whose downloads and tables are understood."""

    CANVAS = "canvas"
    MOODLE = "moodle"


@dataclass(frozen=True, kw_only=True, slots=True)
class LmsName:
    """A platform's name for a learner's file or folder.

    Attributes:
        owner: The part that is the same for all files of one learner, such as `obrienzoe_12345`.
        name: The learner's name as far as the platform kept it, "" when anonymous.
        number: The platform's number for the learner.
        file: What the learner's file was called, "" for a folder.
        late: Whether the platform says so (Canvas only), None when it does not say.
    """

    platform: Platform
    owner: str
    name: str
    number: str
    file: str
    late: bool | None = None


def canvas_name(name: str) -> LmsName | None:
    """What the name of a file from a Canvas download says; None when it is none."""
    match = _CANVAS.fullmatch(name)
    if match is None or (not match["name"] and match["number"].isdigit()):
        return None
    who = match["name"] or ""
    file = match["file"]
    return LmsName(
        platform=Platform.CANVAS,
        owner=f"{who}_{match['number']}" if who else match["number"],
        name=who,
        number=match["number"],
        # Canvas counts files of one name that a learner hands in again: lesson03-1.ipynb.
        file=_AGAIN.sub(r"\1\2", file),
        late=match["late"] is not None,
    )


def moodle_name(name: str) -> LmsName | None:
    """What the name of a folder or file from a Moodle download says; None when it is none."""
    match = _MOODLE.fullmatch(name)
    if match is None:
        return None
    return LmsName(
        platform=Platform.MOODLE,
        owner=f"{match['name']}_{match['number']}",
        name=match["name"],
        number=match["number"],
        file=match["file"] or "",
    )
