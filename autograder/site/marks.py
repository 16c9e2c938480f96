"""What a reader marks an answer of their own by: the public lines of the rubric, no others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.model import Lesson
from autograder.project import Project
from autograder.rubric import QuestionRubric, Rubric, read_rubric
from autograder.rubric.table import read_table

_LIST_MARK = "、"
_LEAST_ITEMS = 3
_STEP = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnMarks:
    """How one answer is marked by its own writer.

    Attributes:
        aspects: What to look at, one tick each.
        scores: Each score that can be given, highest first, with what earns it ("" if unsaid).
    """

    aspects: tuple[str, ...]
    scores: tuple[tuple[float, str], ...]


def own_marks(project: Project, lesson: Lesson) -> Mapping[str, OwnMarks]:
    """Grade id of each question -> its public lines; steps of half a point without a rubric.

    Raises:
        CourseError: The rubric cannot be read.
    """
    rubric = _rubric(project, lesson)
    questions = {one.id: one for one in rubric.questions} if rubric else {}
    found = {}
    for answer in lesson.answers:
        question = questions.get(answer.grade_id)
        scores = _scores(rubric, question, answer.points)
        lines = question.public if question else ()
        found[answer.grade_id] = OwnMarks(aspects=_aspects(lines), scores=scores)
    return found


def _rubric(project: Project, lesson: Lesson) -> Rubric | None:
    known_as = f"solutions/{lesson.slug}/rubric.toml"
    table = read_table(project.source(lesson.slug).parent / "rubric.toml", known_as)
    return None if table is None else read_rubric(table.values, known_as)


def _aspects(lines: tuple[str, ...]) -> tuple[str, ...]:
    """A line that lists several things gives a tick for each."""
    found: list[str] = []
    for line in lines:
        items = re.split(_LIST_MARK, line.rstrip("。."))
        found += items if len(items) >= _LEAST_ITEMS else [line]
    return tuple(found)


def _scores(
    rubric: Rubric | None, question: QuestionRubric | None, points: float
) -> tuple[tuple[float, str], ...]:
    levels = () if question is None or rubric is None else question.levels or rubric.levels
    said = [(one.score, one.public) for one in levels if one.score <= points]
    if not said:
        said = [(step * _STEP, "") for step in range(round(points / _STEP) + 1)]
    # Levels with notes for markers alone may share a score: to a reader they are one.
    best = dict(sorted(said))
    return tuple(sorted(best.items(), reverse=True))
