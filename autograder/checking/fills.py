"""An exercise's contents that a check tries: the stub, the reference, the fills, the mutants."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from autograder.checking import fillings
from autograder.checking.report import Finding, Severity
from autograder.model import Cell, Lesson, Role
from autograder.source.code import blanks, parse_code


class Kind(StrEnum):
    """What a content stands for."""

    STUB = "stub"
    REFERENCE = "reference"
    RIGHT = "right"
    WRONG = "wrong"
    MUTANT = "mutant"


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """One content of an exercise cell.

    Attributes:
        id: Unique within the exercise.
        line: Where it stands in the lesson; for a mutant, where the reference does.
        words: What fills the blank.
        source: The whole cell.
    """

    id: str
    kind: Kind
    line: int
    words: str
    source: str


def contents(lesson: Lesson, exercise: Cell) -> list[Content]:
    """Everything to try in an exercise's place."""
    reference = lesson.solution(str(exercise.grade_id))
    made = [
        _content(Kind.STUB, 0, exercise.line, "the stub", exercise.source),
        _content(Kind.REFERENCE, 0, reference.line, "the reference", reference.source),
        *fills(lesson, exercise),
    ]
    known = {ast.dump(parse_code(one.source)) for one in made if one.kind is not Kind.WRONG}
    found = fillings.find(exercise.source, reference.source)
    for number, (words, source) in enumerate(fillings.mutants(found)):
        if ast.dump(parse_code(source)) not in known:
            made.append(_content(Kind.MUTANT, number, reference.line, words, source))
    return made


def fills(lesson: Lesson, exercise: Cell) -> Iterator[Content]:
    """The fills of an exercise, each in the stub."""
    count = len(blanks(parse_code(exercise.source)))
    number = 0
    for cell in lesson.cells(Role.FILL):
        if cell.exercise != exercise.grade_id:
            continue
        for statement in parse_code(cell.source).body:
            if not isinstance(statement, ast.Expr):
                continue  # a fault of the source, reported there
            number += 1
            kind = Kind.RIGHT if cell.expect_right else Kind.WRONG
            words = ast.get_source_segment(cell.source, statement.value) or ""
            source = fillings.filled(exercise.source, _parts(cell.source, statement, count))
            line = cell.source_line + statement.lineno - 1
            yield _content(kind, number, line, words, source)


def edits(lesson: Lesson, exercise: Cell) -> Iterator[Finding]:
    """A reference that no learner can hand in, since it changes more than the blanks."""
    reference = lesson.solution(str(exercise.grade_id))
    line = fillings.find(exercise.source, reference.source).edited_line
    if line is not None:
        yield Finding(
            path=lesson.path,
            line=reference.source_line + max(line, 1) - 1,
            what=f"The reference of {exercise.grade_id!r} differs from the exercise beside the "
            "blanks, where learners' edits are left out.",
            mend="Make the two cells the same but for the blanks.",
            severity=Severity.WARNING,
        )


def _content(kind: Kind, number: int, line: int, words: str, source: str) -> Content:
    return Content(id=f"{kind}-{number}", kind=kind, line=line, words=words, source=source)


def _parts(source: str, statement: ast.Expr, count: int) -> list[str]:
    nodes: list[ast.expr] = [statement.value]
    if count > 1 and isinstance(statement.value, ast.Tuple):
        nodes = statement.value.elts
    return [ast.get_source_segment(source, node) or "" for node in nodes]
