"""A submission on its way through a grader, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from autograder.errors import CourseError
from autograder.grading.batch.facts import Facts
from autograder.grading.records import Submission
from autograder.grading.reports.export import SubmissionGrade

TRIES = 2
"""After so many, a submission is graded by a person."""

PATIENCE_S = 120.0
"""Reading a submission and making its pages, on a busy machine."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a grader made of one submission.

    Attributes:
        fault: What went wrong in the grader itself, for the instructor; None when nothing did.
    """

    submission: Submission
    entry: SubmissionGrade
    facts: Facts
    autograded: bytes
    feedback: bytes
    fault: str | None


@dataclass(kw_only=True, slots=True)
class Job:
    """A submission that has no answer yet.

    Attributes:
        tries: How often it was given to a grader.
        fault: Why the last try came to nothing.
    """

    submission: Submission
    tries: int = 0
    fault: str | None = None

    def failed(self, fault: str) -> None:
        """Note why a try came to nothing.

        Raises:
            CourseError: It was to be noted for a person only, and even that failed.
        """
        self.fault = fault
        if self.tries > TRIES:
            raise CourseError(
                f"{self.submission.student}: grading cannot even note that it failed ({fault}). "
                "Report this, and take that submission out of the folder meanwhile."
            )


def unpacked_answer(job: Job, reply: dict[str, Any]) -> Answer:
    """The answer that a grader's reply holds."""
    return Answer(
        submission=job.submission,
        entry=msgspec.convert(reply["entry"], SubmissionGrade),
        facts=msgspec.convert(reply["facts"], Facts),
        autograded=reply["autograded"],
        feedback=reply["feedback"],
        fault=job.fault if job.tries > TRIES else None,
    )
