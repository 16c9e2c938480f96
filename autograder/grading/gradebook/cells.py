"""The master in nbgrader's gradebook: assignment, notebook and cells, as SaveCells stores them."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nbgrader import api, utils

from autograder.errors import CourseError
from autograder.grading.gradebook.database import take_turns


@dataclass(frozen=True, kw_only=True, slots=True)
class MasterCells:
    """Where the master is in the gradebook: names -> ids of rows."""

    assignment_id: str
    notebook_id: str
    grades: Mapping[str, str]
    solutions: Mapping[str, str]


def record_master(book: api.Gradebook, lesson: str, master: Any) -> MasterCells:
    """Make the gradebook's master rows those of `master`; other assignments stay untouched.

    Raises:
        CourseError: A person gave points or a comment for a cell that `master` no longer has.
    """
    assignment = book.update_or_create_assignment(lesson)
    session = book.db
    # nbgrader has committed the assignment: another grader may have begun with the notebook.
    take_turns(session.connection())
    notebook = (
        session.query(api.Notebook)
        .filter_by(name=lesson, assignment_id=assignment.id)
        .one_or_none()
    )
    if notebook is None:
        notebook = api.Notebook(name=lesson, assignment=assignment)
        session.add(notebook)
    notebook.kernelspec = json.dumps(master.metadata.get("kernelspec", {}))
    session.flush()
    cells = [_as_released(cell) for cell in master.cells if "nbgrader" in cell.metadata]
    grades = _keep(session, notebook, api.GradeCell, notebook.grade_cells, _graded(cells))
    solutions = _keep(
        session, notebook, api.SolutionCell, notebook.solution_cells, _solutions(cells)
    )
    _keep(session, notebook, api.SourceCell, list(notebook.source_cells), _sources(cells))
    session.flush()
    return MasterCells(
        assignment_id=assignment.id,
        notebook_id=notebook.id,
        grades={name: row.id for name, row in grades.items()},
        solutions={name: row.id for name, row in solutions.items()},
    )


def _as_released(cell: Any) -> Any:
    """The cell as nbgrader saves it: an answer's stub in place of the reference."""
    stub = cell.metadata.get("course", {}).get("stub")
    if not utils.is_solution(cell) or stub is None:
        return cell
    released = copy.deepcopy(cell)
    released.source = stub
    return released


def _graded(cells: list[Any]) -> dict[str, dict[str, Any]]:
    return {
        cell.metadata.nbgrader.grade_id: {
            "max_score": float(cell.metadata.nbgrader.points),
            "cell_type": cell.cell_type,
        }
        for cell in cells
        if utils.is_grade(cell)
    }


def _solutions(cells: list[Any]) -> dict[str, dict[str, Any]]:
    return {cell.metadata.nbgrader.grade_id: {} for cell in cells if utils.is_solution(cell)}


def _sources(cells: list[Any]) -> dict[str, dict[str, Any]]:
    return {
        cell.metadata.nbgrader.grade_id: {
            "cell_type": cell.cell_type,
            "locked": utils.is_locked(cell),
            "source": cell.source,
            "checksum": utils.compute_checksum(cell),
        }
        for cell in cells
        if utils.is_grade(cell) or utils.is_solution(cell) or utils.is_locked(cell)
    }


def _keep(
    session: Any,
    notebook: Any,
    kind: Any,
    present: list[Any],
    wanted: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Make the rows of one kind those in `wanted`, keeping the ids of those that stay."""
    rows = {row.name: row for row in present}
    for name in rows.keys() - wanted.keys():
        _remove(session, kind, rows.pop(name), notebook.name)
    for name, values in wanted.items():
        row = rows.get(name)
        if row is None:
            row = rows[name] = kind(name=name, notebook_id=notebook.id)
            session.add(row)
        for field, value in values.items():
            setattr(row, field, value)
    session.flush()
    return {name: rows[name] for name in wanted}


def _remove(session: Any, kind: Any, row: Any, lesson: str) -> None:
    if kind is api.GradeCell:
        _remove_given(session.query(api.Grade), api.Grade, "manual_score", row, lesson)
    elif kind is api.SolutionCell:
        _remove_given(session.query(api.Comment), api.Comment, "manual_comment", row, lesson)
    session.delete(row)


def _remove_given(query: Any, kind: Any, by_person: str, row: Any, lesson: str) -> None:
    of_row = query.filter(kind.cell_id == row.id)
    if of_row.filter(getattr(kind, by_person).is_not(None)).first() is not None:
        raise CourseError(
            f"gradebook: {lesson} no longer has {row.name!r}, but a person has marked it. "
            "Put that cell back, or grade into another --out folder."
        )
    of_row.delete(synchronize_session=False)
