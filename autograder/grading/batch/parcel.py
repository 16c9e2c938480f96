"""A submission as a message to a grader process."""

from __future__ import annotations

from typing import Any

from autograder.grading.intake.reading import UnreadableError, read_notebook
from autograder.grading.records import Flag, Submission


def packed(submission: Submission, *, seed: int, readable: bool = True) -> dict[str, Any]:
    """A submission as a message.

    Args:
        submission: What was handed in.
        seed: For the learner's random numbers.
        readable: False leaves out what was handed in.
    """
    return {
        "student": submission.student,
        "raw": submission.raw if readable else None,
        "unreadable": submission.unreadable,
        "missing": submission.missing,
        "flags": sorted(submission.flags),
        "submitted_at": submission.submitted_at,
        "late_s": submission.late_s,
        "late": submission.late,
        "seed": seed,
    }


def unpacked(message: dict[str, Any], lang: str) -> Submission:
    """The submission of a message of `packed`, read.

    Args:
        message: The message.
        lang: Language of the sentences for learners.
    """
    notebook, unreadable = None, message["unreadable"]
    if message["raw"] is not None and unreadable is None:
        try:
            notebook = read_notebook(message["raw"], lang=lang)
        except UnreadableError as error:
            unreadable = str(error)
    return Submission(
        student=message["student"],
        notebook=notebook,
        unreadable=unreadable,
        missing=message["missing"],
        flags=frozenset(map(Flag, message["flags"])),
        submitted_at=message["submitted_at"],
        late_s=message["late_s"],
        late=message["late"],
    )
