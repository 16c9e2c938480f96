"""Who handed in what: one `Submission` a student, read one at a time, in the order of their ids.

What is handed in is nbgrader's tree, a flat folder of `STUDENT.ipynb`, or a Canvas or Moodle
download (`handins`), unpacked or as a zip. Of several notebooks of one student the one named
LESSON.ipynb counts, else the only one. What is refused (a link, a special
file, a folder named like a notebook, a path that leads elsewhere, more than MAX_NOTEBOOK_BYTES, two
files of one student) is an unreadable submission with its sentence; the batch goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime
from pathlib import Path

from autograder.errors import UsageError
from autograder.grading.intake.handins import SUFFIX, Handed, by_student, readable
from autograder.grading.intake.lateness import seconds_late
from autograder.grading.intake.listing import MAX_NOTEBOOK_BYTES, Entry, RefusedError, entries
from autograder.grading.intake.reading import UnreadableError, read_notebook
from autograder.grading.intake.roster import Roster
from autograder.grading.phrases import quoted, say
from autograder.grading.records import Flag, Submission

_TIMESTAMP_BYTES = 1024


def collect(  # noqa: PLR0913  (each a keyword with a default)
    submitted: Path,
    lesson: str,
    *,
    roster: Roster | None = None,
    due: datetime | None = None,
    lang: str = "zh-CN",
    only: Set[str] | None = None,
    parse: bool = True,
) -> Iterator[Submission]:
    """Read what a class handed in, one submission at a time.

    Args:
        submitted: nbgrader's tree, a flat folder, a Canvas or Moodle download, or a zip of any.
        lesson: Slug of the lesson: the folder's name in the tree, and the notebook's.
        roster: The enrolled; those who handed in nothing come as missing.
        due: The deadline; one that the roster gives a student goes before it.
        lang: Language of the sentences for learners.
        only: The ids to read; None reads all.
        parse: False leaves the bytes to whoever grades them: no notebook, no sentence about them.

    Returns:
        One submission a student, sorted by id.

    Raises:
        UsageError: There is nothing of that lesson.
    """
    handed = _handed(submitted, lesson, roster)
    dues = _dues(roster, due)
    chosen = [name for name in _ids(handed, dues) if only is None or name in only]
    return (
        _submission(
            name, handed.get(name, Handed()), lesson, dues.get(name, due), lang, parse=parse
        )
        for name in chosen
    )


def students(submitted: Path, lesson: str, *, roster: Roster | None = None) -> list[str]:
    """Whose submissions `collect` gives, in its order.

    Raises:
        UsageError: There is nothing of that lesson.
    """
    return _ids(_handed(submitted, lesson, roster), _dues(roster, None))


def handed_in_as(submitted: Path, lesson: str, *, roster: Roster | None = None) -> dict[str, str]:
    """What a platform called each student's notebook (Canvas) or folder (Moodle): id -> name.

    Raises:
        UsageError: There is nothing of that lesson.
    """
    names = {}
    for student, handed in _handed(submitted, lesson, roster).items():
        if handed.platform is not None and handed.notebooks:
            try:
                entry = _chosen(student, handed, lesson, "en")
            except UnreadableError:
                entry = handed.notebooks[0][1]
            names[student] = entry.parts[0]
    return names


def _handed(submitted: Path, lesson: str, roster: Roster | None) -> dict[str, Handed]:
    handed = by_student(entries(submitted), lesson, roster)
    if not handed:
        raise UsageError(
            f"{submitted}: holds no notebooks of {lesson}. Name a folder (or a zip of one) with "
            f"STUDENT/{lesson}/{lesson}.ipynb or with STUDENT.ipynb."
        )
    return handed


def _dues(roster: Roster | None, due: datetime | None) -> dict[str, datetime | None]:
    """Return the deadline of each of the enrolled."""
    return {readable(one.id): one.due or due for one in roster.students} if roster else {}


def _ids(handed: Mapping[str, Handed], enrolled: Mapping[str, object]) -> list[str]:
    return sorted({*handed, *enrolled})


def _submission(  # noqa: PLR0913  (whose, of what, and how)
    student: str, handed: Handed, lesson: str, due: datetime | None, lang: str, *, parse: bool
) -> Submission:
    submitted_at = _submitted_at(handed.timestamp)
    if not handed.notebooks:
        return Submission(student=student, missing=True, submitted_at=submitted_at)
    raw: bytes | None = None
    chosen: Entry | None = None
    notebook = reason = None
    try:
        chosen = _chosen(student, handed, lesson, lang)
        raw = chosen.read(MAX_NOTEBOOK_BYTES)
        notebook = read_notebook(raw, lang=lang) if parse else None
    except UnreadableError as error:
        reason = str(error)
    except RefusedError as error:
        name = quoted("/".join(chosen.parts)) if chosen else student
        reason = say(lang, error.key, name=name, cap_mb=MAX_NOTEBOOK_BYTES // 2**20)
    names = [name for name, entry in handed.notebooks if entry is chosen]
    late_s = seconds_late(submitted_at, due)
    return Submission(
        student=student,
        notebook=notebook,
        raw=raw,
        unreadable=reason,
        flags=frozenset(
            {Flag.RENAMED_NOTEBOOK} if handed.named and names not in ([], [lesson + SUFFIX]) else ()
        ),
        submitted_at=submitted_at,
        late_s=late_s,
        late=handed.late if late_s is None else late_s > 0,
    )


def _chosen(student: str, handed: Handed, lesson: str, lang: str) -> Entry:
    """Return the notebook that counts: the one named after the lesson, else the only one."""
    named = [entry for name, entry in handed.notebooks if name == lesson + SUFFIX]
    rivals = handed.sources if len(handed.sources) > 1 else [lesson + SUFFIX] * len(named)
    if len(rivals) > 1:
        raise UnreadableError(
            say(lang, "duplicate-student", student=quoted(student), names=_names(rivals))
        )
    if named or len(handed.notebooks) == 1:
        return named[0] if named else handed.notebooks[0][1]
    names = _names([name for name, _ in handed.notebooks])
    raise UnreadableError(say(lang, "several-notebooks", names=names, lesson=lesson))


def _names(names: Sequence[str]) -> str:
    shown = [quoted(name) for name in names[:5]]
    return ", ".join(shown) + (", ..." if len(names) > len(shown) else "")


def _submitted_at(entry: Entry | None) -> str | None:
    """Return the time in `timestamp.txt` in ISO 8601, a time without zone taken as UTC."""
    if entry is None:
        return None
    from nbgrader.utils import parse_utc  # noqa: PLC0415  (2 s, and most have no such file)

    try:
        text = entry.read(_TIMESTAMP_BYTES).decode("utf-8-sig").strip()
        return str(parse_utc(text).replace(tzinfo=UTC).isoformat())
    except (RefusedError, ValueError, OverflowError, TypeError, AttributeError):
        return None
