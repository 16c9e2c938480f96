"""The output folder: a valid nbgrader course, written one whole file at a time.

A student's id is a file name in here and a part of formgrader's addresses, so it is spelt in
characters that are safe in both; see `folder_name`.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from autograder.errors import CourseError
from autograder.grading.records import Submission

# Separators and wildcards of paths and globs, what Windows forbids in a name, what nbgrader joins
# ids with (+), and what formgrader puts into addresses and scripts without quoting it.
_UNSAFE = frozenset('/\\:*?"<>|+~%#&[]{}`')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
# nbgrader's column holds 128 characters, a file system's name 255 bytes.
_MAX_CHARACTERS = 120
_MAX_BYTES = 200

_CONFIG = """\
# Written by `course grade`: nbgrader's settings for this folder, derived from [tool.course].
import os
import sys
from pathlib import Path

from autograder.grading.reports.learners_view import LearnersView
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import GetGrades

c = get_config()  # noqa: F821  (traitlets defines it)
# nbgrader starts `alembic` by name: the one beside this Python, whatever PATH says.
os.environ["PATH"] = os.pathsep.join(
    [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
)
root = Path(__file__).resolve().parent
c.CourseDirectory.root = str(root)
c.CourseDirectory.db_url = {db_url}
# What learners wrote is shown to instructors: never as live HTML.
c.HTMLExporter.sanitize_html = True
# nbgrader's default, grades.csv, is ours.
c.CsvExportPlugin.to = str(root / "nbgrader-export.csv")
# nbgrader's own feedback prints the hidden tests; this keeps them out of it.
c.GenerateFeedback.preprocessors = [LearnersView, GetGrades, CSSHTMLHeaderPreprocessor]
"""


def folder_name(student: str) -> str:
    """The student's id as a folder's name: at most 120 characters and 200 bytes.

    A character that is not safe becomes `~` and two hexadecimal digits for each of its UTF-8 bytes,
    which `student_of` undoes. A name that would be too long ends in `~h` and 16 digits of its
    SHA-256 instead.
    """
    try:
        pieces = [_piece(character) for character in student]
    except UnicodeEncodeError:  # half a surrogate pair: no file name and no UTF-8 holds it
        return _hashed([], student)
    if not pieces:
        return "~"
    if pieces[0] in (".", " "):
        pieces[0] = _escaped(pieces[0])
    if pieces[-1] in (".", " "):
        pieces[-1] = _escaped(pieces[-1])
    if _RESERVED.fullmatch("".join(pieces)):
        pieces[0] = _escaped(pieces[0])
    name = "".join(pieces)
    if len(name) > _MAX_CHARACTERS or len(name.encode()) > _MAX_BYTES:
        return _hashed(pieces, student)
    return name


def student_of(folder: str) -> str | None:
    """The id that `folder_name` spelt so; None when the name was too long to be kept whole."""
    if "~h" in folder:
        return None
    if folder == "~":
        return ""
    spelt = re.sub(rb"~([0-9A-F]{2})", lambda m: bytes.fromhex(m[1].decode()), folder.encode())
    student = spelt.decode("utf-8", "surrogateescape")
    # A folder that something else made is its own id.
    return student if folder_name(student) == folder else folder


def utc_time(text: str | None) -> datetime | None:
    """An ISO 8601 time in UTC without its zone, as nbgrader keeps it; None when it is not one."""
    try:
        time = datetime.fromisoformat((text or "").strip())
        return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


def gradebook_url(root: Path, db_url: str) -> str:
    """`db_url` with a relative SQLite path taken from the output folder `root`."""
    prefix = "sqlite:///"
    if not db_url.startswith(prefix) or db_url == "sqlite:///:memory:":
        return db_url
    return prefix + (root.resolve() / db_url.removeprefix(prefix)).as_posix()


def sync_below(folder: Path) -> None:
    """Return when the disk has everything that was written below a folder.

    One call for many files: to wait for each costs 4 ms a submission and more.

    Raises:
        CourseError: The disk does not take it.
    """
    if not hasattr(os, "sync"):
        return  # `write_atomically` has waited for each
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            if sys.platform != "linux":
                os.sync()
            elif ctypes.CDLL(None, use_errno=True).syncfs(descriptor) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise CourseError(
            f"{folder}: cannot be written ({error.strerror or error}). "
            "Free the space or mend the permissions, then run again with --resume."
        ) from error


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a whole file or none: a reader never sees a half, not even after a crash.

    Args:
        path: Where to.
        data: What.
        durable: False leaves it to `sync_below` to wait for the disk.

    Raises:
        CourseError: It cannot be written.
    """
    draft = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)  # left by a run that was killed
        try:
            with draft.open("xb") as file:
                file.write(data)
                file.flush()
                if durable or not hasattr(os, "sync"):
                    os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise CourseError(
            f"{path}: cannot be written ({error.strerror or error}). "
            "Free the space or mend the permissions, then run again with --resume."
        ) from error


@dataclass(frozen=True, kw_only=True, slots=True)
class CourseDir:
    """The output folder of one lesson's grading, laid out as nbgrader expects it.

    Attributes:
        durable: Whether each file is on the disk when it is written; else see `sync_below`.
    """

    root: Path
    lesson: str
    durable: bool = True

    def prepare(self, *, db_url: str, release_config: str = "") -> None:
        """Make the folder and its nbgrader_config.py.

        Args:
            db_url: As `gradebook_url` gave it.
            release_config: Lines that set the preprocessors of `nbgrader generate_assignment`.
        """
        text = _CONFIG.format(db_url=self._db_url_expression(db_url)) + release_config
        path = self.root / "nbgrader_config.py"
        self._write(path, (text.rstrip("\n") + "\n").encode())
        if urlsplit(db_url).password:
            path.chmod(0o600)

    def write_source(self, text: str) -> None:
        """The master notebook."""
        self._write(self._notebook("source"), text.encode())

    def write_release(self, text: str) -> None:
        """The student edition."""
        self._write(self._notebook("release"), text.encode())

    def write_submitted(self, submission: Submission) -> None:
        """What was handed in, to the byte, and when; nothing for what was not read."""
        if submission.raw is None:
            return
        notebook = self.submitted(submission.student)
        self._write(notebook, submission.raw)
        stamp = notebook.with_name("timestamp.txt")
        time = utc_time(submission.submitted_at)
        if time is None:
            stamp.unlink(missing_ok=True)
        else:
            self._write(stamp, f"{time.isoformat(' ', 'microseconds')} UTC\n".encode())

    def write_autograded(self, student: str, text: str | bytes) -> None:
        """The notebook that formgrader opens."""
        self._write(self.autograded(student), text.encode() if isinstance(text, str) else text)

    def write_feedback(self, student: str, html: str | bytes) -> None:
        """The learner's page."""
        self._write(self.feedback(student), html.encode() if isinstance(html, str) else html)

    def submitted(self, student: str) -> Path:
        """Where a submission's notebook is."""
        return self._of("submitted", student, ".ipynb")

    def autograded(self, student: str) -> Path:
        """Where the graded notebook is."""
        return self._of("autograded", student, ".ipynb")

    def feedback(self, student: str) -> Path:
        """Where the learner's page is."""
        return self._of("feedback", student, ".html")

    def _of(self, step: str, student: str, suffix: str) -> Path:
        return self.root / step / folder_name(student) / self.lesson / f"{self.lesson}{suffix}"

    def _notebook(self, step: str) -> Path:
        return self.root / step / self.lesson / f"{self.lesson}.ipynb"

    def _db_url_expression(self, db_url: str) -> str:
        """Python for the URL, relative to the file so that the folder can be moved."""
        inside = gradebook_url(self.root, "sqlite:///")
        if db_url.startswith(inside + "/"):
            rest = db_url.removeprefix(inside + "/")
            return f'"sqlite:///" + (root / {rest!r}).as_posix()'
        return repr(db_url)

    def _write(self, path: Path, data: bytes) -> None:
        # A link inside the folder would lead the write out of it.
        if not path.parent.resolve().is_relative_to(self.root.resolve()):
            raise CourseError(
                f"{path.parent}: leads out of {self.root}. Remove that link, then run again."
            )
        write_atomically(path, data, durable=self.durable)


def _piece(character: str) -> str:
    if character in _UNSAFE or not character.isprintable():
        return _escaped(character)
    return character


def _escaped(character: str) -> str:
    return "".join(f"~{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))


def _hashed(pieces: list[str], student: str) -> str:
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    start = ""
    for piece in pieces:
        longer = start + piece
        if len(longer) > _MAX_CHARACTERS - 18 or len(longer.encode()) > _MAX_BYTES - 18:
            break
        start = longer
    return f"{start}~h{digest}"
