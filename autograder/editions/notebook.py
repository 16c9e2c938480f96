"""Pieces -> notebooks: the nbgrader source notebook and the answer notebook."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.editions.pictures import Gallery
from autograder.editions.pieces import Code, Piece, inline_for, pieces
from autograder.editions.preparation import SETUP_ID, setup_source
from autograder.editions.texts import Text
from autograder.editions.tree import public
from autograder.editions.words import words_for
from autograder.model import Answer, Block, Cell, Lesson, Role
from autograder.nodes import NotebookNode, nbformat

SCHEMA = 3
_LOCKED = {Role.CODE, Role.WIDGET, Role.LAB}
_SOLUTION_ROLE = "solution"


@dataclass(frozen=True, kw_only=True, slots=True)
class Edition:
    """A notebook and what could not be shown in it, one sentence each."""

    notebook: NotebookNode
    warnings: tuple[str, ...] = ()


def source_edition(lesson: Lesson) -> Edition:
    """The nbgrader source notebook: public blocks, references in the exercise cells, all tests."""
    return _edition(lesson, public(lesson.blocks), answers=False)


def answer_edition(lesson: Lesson) -> Edition:
    """The answer notebook: everything but the fills, answers folded."""
    return _edition(lesson, lesson.blocks, answers=True)


def dumps(notebook: NotebookNode) -> str:
    """Notebook as text: the same notebook always gives the same bytes."""
    nbformat.validate(notebook)
    # nbformat is typed in part only
    return str(nbformat.writes(notebook, version=nbformat.NO_CONVERT)) + "\n"  # type: ignore[no-untyped-call]


def _edition(lesson: Lesson, blocks: Sequence[Block], *, answers: bool) -> Edition:
    inline = inline_for(lesson, blocks)
    gallery = Gallery(inline=inline, path=lesson.path)
    profile = "answer" if answers else None
    found = pieces(lesson, blocks, inline, gallery.draw, profile=profile)
    maker = _Maker(lesson=lesson, ids=_Ids(lesson), answers=answers)
    notebook = nbformat.from_dict(  # type: ignore[no-untyped-call]  # typed in part only
        {
            "cells": maker.cells(found),
            "metadata": _metadata(lesson),
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )
    warnings = [f"{lesson.path}: {text}." for text in dict.fromkeys(inline.warnings)]
    return Edition(notebook=notebook, warnings=(*gallery.warnings, *warnings))


def _metadata(lesson: Lesson) -> dict[str, Any]:
    return {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
        "course": {
            "lesson": lesson.slug,
            "title": lesson.title,
            "lang": lesson.lang,
            "modules": lesson.modules,
            "source": lesson.path,
            "source_sha256": lesson.sha256,
            "max_score": lesson.max_score,
        },
    }


class _Ids:
    """Hands out cell ids: grade ids are taken first, the others never collide with them."""

    def __init__(self, lesson: Lesson) -> None:
        graded = [cell.grade_id for cell in lesson.cells(Role.EXERCISE, Role.TESTS)]
        graded += [answer.grade_id for answer in lesson.answers]
        self._taken = {SETUP_ID, *(grade_id for grade_id in graded if grade_id)}
        self._counts: Counter[str] = Counter()

    def new(self, role: str, wish: object = None) -> str:
        """`wish` when it can be an id and is free, else `<role>-<n>`."""
        name = str(wish or "")
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,63}", name) and name not in self._taken:
            self._taken.add(name)
            return name
        while True:
            self._counts[role] += 1
            name = f"{role}-{self._counts[role]}"
            if name not in self._taken:
                self._taken.add(name)
                return name


@dataclass(kw_only=True)
class _Maker:
    lesson: Lesson
    ids: _Ids
    answers: bool
    made: list[dict[str, Any]] = field(default_factory=list)
    waiting: list[Text] = field(default_factory=list)

    def cells(self, found: Sequence[Piece]) -> list[dict[str, Any]]:
        """All cells of the notebook; the title comes first, then the preparation."""
        self._head()
        for piece in found:
            if isinstance(piece, Text):
                self._text(piece)
                continue
            self._flush()
            self.made.append(self._code(piece) if isinstance(piece, Code) else self._answer(piece))
        self._flush()
        return self.made

    def _head(self) -> None:
        title = self.ids.new("prose", "title")
        self.made.append(_markdown(title, f"# {self.lesson.title}", {"role": "prose"}))
        if self.lesson.modules is not None:
            lang = self.lesson.lang
            source = setup_source(words_for(lang), self.lesson.modules, lang)
            meta = {"course": {"role": "setup"}, "nbgrader": self._locked(SETUP_ID)}
            self.made.append(_code(SETUP_ID, source, meta))

    def _text(self, piece: Text) -> None:
        if piece.begins or (self.waiting and self.waiting[-1].ends):
            self._flush()
        self.waiting.append(piece)

    def _flush(self) -> None:
        if not self.waiting:
            return
        texts, self.waiting = self.waiting, []
        course: dict[str, Any] = {"role": "prose"}
        diagrams = {name: source for text in texts for name, source in text.diagrams.items()}
        if diagrams:
            course["mermaid"] = diagrams
        cell_id = self.ids.new("prose", texts[0].identifier)
        cell = _markdown(cell_id, "\n\n".join(text.text for text in texts), course)
        pictures = {name: png for text in texts for name, png in text.pictures.items()}
        if pictures:
            cell["attachments"] = {
                name: {"image/png": base64.b64encode(png).decode("ascii")}
                for name, png in pictures.items()
            }
        self.made.append(cell)

    def _answer(self, answer: Answer) -> dict[str, Any]:
        stub = answer.text.strip()
        cell = _markdown(answer.grade_id, stub, {"role": "answer"})
        if not self.answers:
            cell["metadata"]["course"]["stub"] = stub
            cell["metadata"]["nbgrader"] = _grading(
                answer.grade_id, grade=True, solution=True, points=answer.points
            )
        return cell

    def _code(self, piece: Code) -> dict[str, Any]:
        cell, role = piece.cell, piece.cell.role.value
        source, course = cell.source, {"role": role}
        if cell.role is Role.EXERCISE and not self.answers:
            course["stub"] = source
            source = self.lesson.solution(str(cell.grade_id)).source
        if cell.role is Role.TESTS and not self.answers:
            course |= {"exercise": str(cell.exercise), "category": str(cell.category)}
        if cell.role is Role.SOLUTION:
            course = {"role": _SOLUTION_ROLE}
        cell_id = cell.grade_id or self.ids.new(role, cell.options.get("label"))
        metadata: dict[str, Any] = {"course": course, "nbgrader": self._nbgrader(cell, cell_id)}
        if piece.folded:
            metadata["jupyter"] = {"source_hidden": True}
        return _code(cell_id, source, metadata)

    def _nbgrader(self, cell: Cell, cell_id: str) -> dict[str, Any] | None:
        if self.answers:
            return None
        if cell.role is Role.EXERCISE:
            return _grading(cell_id, solution=True)
        if cell.role is Role.TESTS:
            return _grading(cell_id, grade=True, locked=True, points=cell.points)
        return self._locked(cell_id) if cell.role in _LOCKED else None

    def _locked(self, cell_id: str) -> dict[str, Any] | None:
        return None if self.answers else _grading(cell_id, locked=True)


def _markdown(cell_id: str, text: str, course: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": cell_id,
        "metadata": {"course": course},
        "source": text,
    }


def _code(cell_id: str, source: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": {key: value for key, value in metadata.items() if value is not None},
        "outputs": [],
        "source": source,
    }


def _grading(
    grade_id: str,
    *,
    grade: bool = False,
    solution: bool = False,
    locked: bool = False,
    points: float | None = None,
) -> dict[str, Any]:
    """Cell metadata as nbgrader wants it, schema version 3."""
    found: dict[str, Any] = {
        "schema_version": SCHEMA,
        "grade": grade,
        "solution": solution,
        "locked": locked,
        "task": False,
        "grade_id": grade_id,
    }
    return found if points is None else {**found, "points": points}
