"""Source notebook -> student edition, by nbgrader's own steps and two of ours.

The same steps run in this process for `course build` and under stock
`nbgrader generate_assignment`, through the lines that `nbgrader_config` gives.
"""

from __future__ import annotations

import copy
import logging
from typing import Any

from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
    NbGraderPreprocessor,
)

from autograder.errors import CourseError
from autograder.nodes import NotebookNode, from_dict

ROLES = frozenset(
    {"setup", "prose", "code", "exercise", "tests", "answer", "widget", "lab", "predict", "hint"}
)
_NOTEBOOK_COURSE = ("lesson", "title", "lang", "modules", "source", "max_score")
_NBGRADER = (
    "schema_version",
    "grade",
    "solution",
    "locked",
    "task",
    "grade_id",
    "points",
    "checksum",
    "cell_type",
)


class ClearSolutionsToStub(ClearSolutions):  # type: ignore[misc]  # nbgrader is not typed
    """Put each solution cell's own stub in the place of its reference.

    The stock step replaces the whole cell by one sentence, and the blank would be lost.
    """

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], cell_index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Take `metadata.course.stub`; a solution cell without one is handled as in nbgrader.

        A cell that is already the student's keeps its text only if the stub says so.
        """
        stub = cell.metadata.get("course", {}).get("stub")
        graded = cell.metadata.get("nbgrader", {})
        if graded.get("solution") and isinstance(stub, str):
            cell.source = stub
            return cell, resources
        cleared: tuple[NotebookNode, dict[str, Any]] = super().preprocess_cell(
            cell, resources, cell_index
        )
        return cleared


class KeepPublicOnly(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader is not typed
    """Let out only what is known to be public: a list of what may leave, not of what may not."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Cut the metadata down.

        Raises:
            CourseError: A cell is of no known kind.
        """
        metadata = {
            key: nb.metadata[key] for key in ("kernelspec", "language_info") if key in nb.metadata
        }
        course = nb.metadata.get("course", {})
        metadata["course"] = {key: course[key] for key in _NOTEBOOK_COURSE if key in course}
        nb.metadata = _node(metadata)
        for cell in nb.cells:
            _cut(cell)
        return nb, resources


def _cut(cell: NotebookNode) -> None:
    course = cell.metadata.get("course", {})
    role = course.get("role")
    if role not in ROLES or cell.cell_type not in {"code", "markdown"}:
        raise CourseError(
            f"The cell {cell.get('id')!r} is of no kind that may be released; "
            "build the source notebook again with `course build`."
        )
    kept: dict[str, Any] = {"course": {"role": role}}
    diagrams = course.get("mermaid")
    if role == "prose" and diagrams:
        kept["course"]["mermaid"] = diagrams
    if "nbgrader" in cell.metadata:
        graded = cell.metadata["nbgrader"]
        kept["nbgrader"] = {key: graded[key] for key in _NBGRADER if key in graded}
    for key in ("deletable", "editable"):
        if cell.metadata.get(key) is False:
            kept[key] = False
    if cell.metadata.get("jupyter", {}).get("source_hidden") is True:
        kept["jupyter"] = {"source_hidden": True}
    cell.metadata = _node(kept)
    _keep_shown_attachments(cell, role)


def _keep_shown_attachments(cell: NotebookNode, role: str) -> None:
    attachments = cell.pop("attachments", {})
    shown = {
        name: {"image/png": content["image/png"]}
        for name, content in attachments.items()
        if role == "prose" and f"(attachment:{name})" in cell.source and "image/png" in content
    }
    if shown:
        cell["attachments"] = _node(shown)


def _node(values: dict[str, Any]) -> NotebookNode:
    # nbformat is typed in part only
    return from_dict(values)  # type: ignore[no-untyped-call,no-any-return]


_BEFORE_SAVE = (LockCells, ClearSolutionsToStub, ClearOutput, CheckCellMetadata, ComputeChecksums)
# Checksums again once the hidden tests are gone; what may leave is decided last.
_AFTER_SAVE = (
    ClearHiddenTests,
    ClearMarkScheme,
    ComputeChecksums,
    CheckCellMetadata,
    KeepPublicOnly,
)


def release(source: NotebookNode) -> NotebookNode:
    """The student edition of a source notebook, which is left as it is.

    Raises:
        CourseError: nbgrader refuses the notebook, or a cell may not leave.
    """
    notebook = copy.deepcopy(source)
    resources: dict[str, Any] = {}
    for step in (*_BEFORE_SAVE, *_AFTER_SAVE):
        try:
            notebook, resources = step(log=_quiet()).preprocess(notebook, resources)
        except CourseError:
            raise
        except Exception as error:  # nbgrader raises bare RuntimeError, ValueError and its own
            raise CourseError(
                f"{source.metadata['course']['source']}: {step.__name__} refuses the notebook: "
                f"{str(error).rstrip('.')}. Mend the lesson."
            ) from error
    return notebook


def nbgrader_config() -> str:
    """Lines for nbgrader_config.py that make stock nbgrader release as `course build` does.

    They expect `c = get_config()` above them.
    """
    ours = (ClearSolutionsToStub, KeepPublicOnly)
    steps = [*_BEFORE_SAVE, "SaveCells", *_AFTER_SAVE]
    names = [step if isinstance(step, str) else step.__name__ for step in steps]
    stock = sorted({name for name in names if name not in {step.__name__ for step in ours}})
    lines = [
        "from nbgrader.preprocessors import (",
        *(f"    {name}," for name in stock),
        ")",
        "",
        "from autograder.editions.release import ClearSolutionsToStub, KeepPublicOnly",
        "",
        "# Stubs come from the source notebook; only what is known to be public leaves.",
        "c.GenerateAssignment.preprocessors = [",
        *(f"    {name}," for name in names),
        "]",
    ]
    return "\n".join(lines) + "\n"


def _quiet() -> logging.Logger:
    """A log that says nothing: what goes wrong is raised, once."""
    log = logging.Logger("release")
    log.addHandler(logging.NullHandler())
    return log
