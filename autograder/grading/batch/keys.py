"""What a result depends on, as digests: equal digests, equal result."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from importlib.metadata import version as installed_version
from pathlib import Path

from autograder.grading.batch.assignment import Assignment, Settings
from autograder.grading.records import Submission
from autograder.grading.reports.autograded import notebook_text

_FORMAT = 1  # raised when the same grader would write another journal
# Of `lessons/`, what a test or a submission can import or read; notebooks and pages are not.
_IMPORTED = frozenset({".py", ".toml", ".json", ".csv"})


def tests_version(assignment: Assignment) -> str:
    """The digest of what a class is tested by: the source notebook and the lesson's modules."""
    digest = hashlib.sha256(notebook_text(assignment.master.notebook).encode())
    for file in sorted(_modules(assignment.lessons)):
        digest.update(f"\0{file.relative_to(assignment.lessons).as_posix()}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def settings_version(settings: Settings) -> str:
    """The digest of how a submission is run."""
    return _digest(
        _FORMAT,
        installed_version("selfgrading-lessons"),
        asdict(settings.limits),
        settings.sandboxed,
    )


def content(submission: Submission) -> str:
    """The digest of what was handed in: its bytes, and what intake made of them."""
    raw = submission.raw
    return _digest(
        None if raw is None else hashlib.sha256(raw).hexdigest(),
        submission.unreadable,
        submission.missing,
        sorted(submission.flags),
        submission.submitted_at,
        submission.late_s,
        submission.late,
    )


def seed(submission: Submission) -> int:
    """The same for the same bytes, so that unseeded random code scores the same each time."""
    return int.from_bytes(hashlib.sha256(submission.raw or b"").digest()[:4], "big")


def _modules(lessons: Path) -> list[Path]:
    return [
        file
        for file in lessons.rglob("*")
        if file.suffix in _IMPORTED and ".ipynb_checkpoints" not in file.parts and file.is_file()
    ]


def _digest(*values: object) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
