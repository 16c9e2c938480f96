"""A submission as a message to a grader process."""

from __future__ import annotations

from typing import Any

import nbformat

from autograder.grading.records import Flag, Submission

_nbformat: Any = nbformat  # half of it has no types


def packed(submission: Submission, *, seed: int, readable: bool = True) -> dict[str, Any]:
    """A submission as a message.

    Args:
        submission: What was handed in.
        seed: For the learner's random numbers.
        readable: False leaves the notebook out.
    """
    return {
        "student": submission.student,
        "notebook": submission.notebook if readable else None,
        "unreadable": submission.unreadable,
        "missing": submission.missing,
        "flags": sorted(submission.flags),
        "submitted_at": submission.submitted_at,
        "late_s": submission.late_s,
        "late": submission.late,
        "seed": seed,
    }


def unpacked(message: dict[str, Any]) -> Submission:
    """The submission of a message of `packed`."""
    notebook = message["notebook"]
    return Submission(
        student=message["student"],
        notebook=None if notebook is None else _nbformat.from_dict(notebook),
        unreadable=message["unreadable"],
        missing=message["missing"],
        flags=frozenset(map(Flag, message["flags"])),
        submitted_at=message["submitted_at"],
        late_s=message["late_s"],
        late=message["late"],
    )
