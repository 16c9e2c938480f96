"""A step of nbgrader's own feedback that keeps hidden tests out of it.

Apart, because importing nbconvert takes longer than grading a submission.
"""

from __future__ import annotations

import re
from typing import Any

from nbconvert.preprocessors import Preprocessor
from traitlets import Bool

_HIDDEN = re.compile(
    r"^[^\n]*### BEGIN HIDDEN TESTS.*?(?:### END HIDDEN TESTS[^\n]*\n?|\Z)", re.S | re.M
)


class LearnersView(Preprocessor):
    """Takes hidden tests and what examining gave out of nbgrader's own feedback."""

    # nbconvert skips a preprocessor that does not say so.
    enabled = Bool(True).tag(config=True)

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:  # noqa: ARG002  (nbconvert calls it so)
        """Empty a locked graded cell of what a learner may not see."""
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and marks.get("grade") and not marks.get("solution"):
            cell.source = _HIDDEN.sub("", cell.source)
            cell.outputs = []
        return cell, resources
