"""What a batch tells while it runs; how it is shown is not its business."""

from __future__ import annotations

from typing import Protocol

from autograder.grading.reports.export import SubmissionGrade


class Progress(Protocol):
    """Is told how a batch goes."""

    def begin(self, total: int) -> None:
        """So many students there are."""

    def graded(self, entry: SubmissionGrade) -> None:
        """One is done, in the gradebook or about to be."""

    def kept(self) -> None:
        """One was done by an earlier run."""

    def note(self, sentence: str) -> None:
        """Something that the instructor should know."""

    def end(self) -> None:
        """Nothing more comes."""
