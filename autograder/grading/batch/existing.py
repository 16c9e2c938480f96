"""An instructor's own nbgrader course: what is read of it, and what is never overwritten."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from autograder.errors import CourseError, UsageError

CONFIG = "nbgrader_config.py"
_OURS = "# Written by `course grade`"
_ADVICE = """\
{path} is yours and stays as it is. Add to it, so that what learners wrote never runs in \
formgrader and feedback shows no hidden test: `c.HTMLExporter.sanitize_html = True` and \
`c.GenerateFeedback.preprocessors = ["autograder.grading.reports.learners_view.LearnersView", \
"nbgrader.preprocessors.GetGrades", "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor"]`."""


def existing_gradebook(course: Path, default: str) -> str:
    """The gradebook's URL of an nbgrader course: as its own configuration says.

    Args:
        course: The course's folder.
        default: When the configuration names none.

    Raises:
        UsageError: The folder is no nbgrader course.
        CourseError: Its configuration does not run.
    """
    if not any((course / name).exists() for name in (CONFIG, "gradebook.db", "source")):
        raise UsageError(
            f"{course}: not an nbgrader course (no {CONFIG}, gradebook.db or source). "
            "Name one, or use --out for a new folder."
        )
    config = _config(course)
    found = config.get("CourseDirectory", {}).get("db_url")
    return found if isinstance(found, str) else default


def is_own_config(course: Path) -> bool:
    """Whether the configuration is the instructor's own work, not ours, and so not ours to write.

    Raises:
        CourseError: It cannot be read.
    """
    path = course / CONFIG
    try:
        return path.exists() and not path.read_text(encoding="utf-8").startswith(_OURS)
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path}: cannot be read ({error}). Mend it, then run again.") from error


def advice(course: Path) -> str | None:
    """What an instructor's own configuration lacks, in one sentence; None when nothing."""
    config = _config(course)
    safe = config.get("HTMLExporter", {}).get("sanitize_html") is True
    steps = str(config.get("GenerateFeedback", {}).get("preprocessors", ""))
    if safe and "LearnersView" in steps:
        return None
    return _ADVICE.format(path=course / CONFIG)


def is_derived(notebook: Path) -> bool:
    """Whether a notebook of the course was written by us from a lesson's source."""
    try:
        data = json.loads(notebook.read_text(encoding="utf-8"))
        return "source_sha256" in data["metadata"]["course"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def back_up(url: str) -> Path | None:
    """Copy an SQLite gradebook beside itself, while others may be using it.

    Args:
        url: SQLAlchemy URL, absolute.

    Returns:
        The copy; None when there is nothing to copy yet, or no file (a database server).

    Raises:
        CourseError: It cannot be copied.
    """
    path = _file(url)
    if path is None or not path.is_file():
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    copy = path.with_name(f"{path.name}.{stamp}.bak")
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except (sqlite3.Error, OSError) as error:
        copy.unlink(missing_ok=True)
        raise CourseError(
            f"{path}: cannot be backed up ({error}), so nothing was graded. "
            "Free the space or close what else uses it, then run again."
        ) from error
    return copy


def has_gradebook(url: str) -> bool:
    """Whether there is a gradebook; one on a database server counts as there."""
    path = _file(url)
    return path is None or path.is_file()


def _file(url: str) -> Path | None:
    prefix = "sqlite:///"
    return Path(url.removeprefix(prefix).partition("?")[0]) if url.startswith(prefix) else None


def _config(course: Path) -> dict[str, dict[str, object]]:
    from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader  # noqa: PLC0415

    loader = PyFileConfigLoader(CONFIG, path=str(course))
    try:
        return dict(loader.load_config())
    except ConfigFileNotFound:
        return {}
    except Exception as error:  # it is a program of the instructor's: it can fail in any way
        raise CourseError(
            f"{course / CONFIG}: does not run ({type(error).__name__}: {error}). Mend it."
        ) from error
