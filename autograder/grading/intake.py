"""Who handed in what: one `Submission` a student, read one at a time, in the order of their ids.

What is handed in is nbgrader's tree (`STUDENT/LESSON/*.ipynb`, `timestamp.txt` beside), a flat
folder of `STUDENT.ipynb`, or a zip of either, also inside wrapping folders. Of several notebooks of
one student the one named LESSON.ipynb counts, else the only one. What is refused (a link, a special
file, a folder named like a notebook, a path that leads elsewhere, more than MAX_NOTEBOOK_BYTES, two
files of one student) is an unreadable submission with its sentence; the batch goes on.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path

from nbgrader.utils import parse_utc

from autograder.errors import UsageError
from autograder.grading.listing import MAX_NOTEBOOK_BYTES, Entry, RefusedError, entries
from autograder.grading.phrases import quoted, say
from autograder.grading.reading import UnreadableError, read_notebook
from autograder.grading.records import Flag, Submission

_SUFFIX = ".ipynb"
_TIMESTAMP_BYTES = 1024


@dataclass(kw_only=True, slots=True)
class _Handed:
    """What one student handed in, not yet read.

    Attributes:
        sources: Names at the top that claim the student; more than one cannot be graded.
        named: Whether the file's own name should be LESSON.ipynb (nbgrader's tree).
    """

    notebooks: list[Entry] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    named: bool = False
    timestamp: Entry | None = None


def collect(
    submitted: Path, lesson: str, *, roster: Sequence[str] | None = None, lang: str = "zh-CN"
) -> Iterator[Submission]:
    """Read what a class handed in, one submission at a time.

    Args:
        submitted: nbgrader's tree, a flat folder, or a zip of either.
        lesson: Slug of the lesson: the folder's name in the tree, and the notebook's.
        roster: Ids of the enrolled; those who handed in nothing come as missing.
        lang: Language of the sentences for learners.

    Returns:
        One submission a student, sorted by id.

    Raises:
        UsageError: There is nothing of that lesson.
    """
    handed = _by_student(_unwrapped(entries(submitted), lesson), lesson)
    if not handed:
        raise UsageError(
            f"{submitted}: holds no notebooks of {lesson}. Name a folder (or a zip of one) with "
            f"STUDENT/{lesson}/{lesson}.ipynb or with STUDENT.ipynb."
        )
    return _read_all(handed, lesson, roster or (), lang)


def _read_all(
    handed: Mapping[str, _Handed], lesson: str, roster: Sequence[str], lang: str
) -> Iterator[Submission]:
    for student in sorted({*handed, *(_student(name) for name in roster)}):
        yield _submission(student, handed.get(student, _Handed()), lesson, lang)


def _unwrapped(found: Sequence[Entry], lesson: str) -> list[Entry]:
    """Strip folders that hold everything else, as zips of a folder have."""
    inside = [entry for entry in found if entry.refused != "unsafe-path"]
    strip = 0
    while True:
        rest = [entry.parts[strip:] for entry in inside if len(entry.parts) > strip]
        tops = {parts[0] for parts in rest}
        is_student = any(parts[1:2] == (lesson,) for parts in rest)
        has_files = any(len(p) == 1 and p[0].casefold().endswith(_SUFFIX) for p in rest)
        # X/X.ipynb is another lesson's folder in the tree, not a class in a folder.
        other = any(p[-1] == p[-2] + _SUFFIX for p in rest if len(p) > 1 and p[-2] != lesson)
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


def _by_student(found: Sequence[Entry], lesson: str) -> dict[str, _Handed]:
    """Apply the layouts; download formats of learning platforms will be further branches here."""
    handed: dict[str, _Handed] = {}
    for entry in found:
        parts, is_notebook = entry.parts, _is_notebook(entry)
        if entry.refused == "unsafe-path":
            continue
        if len(parts) == 1 and (is_notebook or entry.refused == "link"):
            name = parts[0][: -len(_SUFFIX)] if is_notebook else parts[0]
            mine = handed.setdefault(_student(name), _Handed())
            mine.sources.append(parts[0])
            mine.notebooks.append(entry)
        elif parts[1:2] == (lesson,):
            _add_to_tree(handed.setdefault(_student(parts[0]), _Handed()), entry)
    for entry in found:
        if entry.refused == "unsafe-path" and _is_notebook(entry):
            # Named so that the instructor sees it, never in the place of someone's own file.
            name = _student(entry.parts[-1][: -len(_SUFFIX)])
            handed.setdefault(name, _Handed(notebooks=[entry]))
    return handed


def _add_to_tree(mine: _Handed, entry: Entry) -> None:
    """Take in something at or below STUDENT/LESSON."""
    mine.named = True
    if entry.parts[0] not in mine.sources:
        mine.sources.append(entry.parts[0])
    below = entry.parts[2:]
    if not below and entry.refused is not None and not entry.folder:
        mine.notebooks.append(entry)  # a link or special file in the place of the folder
    elif len(below) == 1 and _is_notebook(entry):
        mine.notebooks.append(entry)
    elif below == ("timestamp.txt",):
        mine.timestamp = entry


def _is_notebook(entry: Entry) -> bool:
    return entry.parts[-1].casefold().endswith(_SUFFIX)


def _student(name: str) -> str:
    """Return an id that every report can write: composed characters, no undecodable bytes."""
    readable = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return unicodedata.normalize("NFC", readable)


def _submission(student: str, handed: _Handed, lesson: str, lang: str) -> Submission:
    submitted_at = _submitted_at(handed.timestamp)
    if not handed.notebooks:
        return Submission(student=student, missing=True, submitted_at=submitted_at)
    raw: bytes | None = None
    chosen: Entry | None = None
    notebook = reason = None
    try:
        chosen = _chosen(student, handed, lesson, lang)
        raw = chosen.read(MAX_NOTEBOOK_BYTES)
        notebook = read_notebook(raw, lang=lang)
    except UnreadableError as error:
        reason = str(error)
    except RefusedError as error:
        name = quoted("/".join(chosen.parts)) if chosen else student
        reason = say(lang, error.key, name=name, cap_mb=MAX_NOTEBOOK_BYTES // 2**20)
    renamed = handed.named and chosen is not None and chosen.parts[-1] != lesson + _SUFFIX
    return Submission(
        student=student,
        notebook=notebook,
        raw=raw,
        unreadable=reason,
        flags=frozenset({Flag.RENAMED_NOTEBOOK} if renamed else ()),
        submitted_at=submitted_at,
    )


def _chosen(student: str, handed: _Handed, lesson: str, lang: str) -> Entry:
    """Return the notebook that counts: the one named after the lesson, else the only one."""
    named = [e for e in handed.notebooks if e.parts[-1] == lesson + _SUFFIX]
    rivals = handed.sources if len(handed.sources) > 1 else [lesson + _SUFFIX] * len(named)
    if len(rivals) > 1:
        raise UnreadableError(
            say(lang, "duplicate-student", student=quoted(student), names=_names(rivals))
        )
    if named or len(handed.notebooks) == 1:
        return (named or handed.notebooks)[0]
    names = _names([entry.parts[-1] for entry in handed.notebooks])
    raise UnreadableError(say(lang, "several-notebooks", names=names, lesson=lesson))


def _names(names: Sequence[str]) -> str:
    shown = [quoted(name) for name in names[:5]]
    return ", ".join(shown) + (", ..." if len(names) > len(shown) else "")


def _submitted_at(entry: Entry | None) -> str | None:
    """Return the time in `timestamp.txt` in ISO 8601, a time without zone taken as UTC."""
    if entry is None:
        return None
    try:
        text = entry.read(_TIMESTAMP_BYTES).decode("utf-8-sig").strip()
        return str(parse_utc(text).replace(tzinfo=UTC).isoformat())
    except (RefusedError, ValueError, OverflowError, TypeError, AttributeError):
        return None
