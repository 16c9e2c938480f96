"""What a lesson gives the suggester: its rubric, its questions' texts, its reference answers."""

from __future__ import annotations

from autograder.editions.build import lesson_of
from autograder.model import Audience, Lesson, Prose
from autograder.project import Project
from autograder.review.suggest import Suggester, suggester
from autograder.rubric import load_rubric


def lesson_suggester(project: Project, slug: str) -> Suggester:
    """The suggester of a lesson of the project.

    Raises:
        UsageError: There is no such lesson.
        CourseError: The lesson or its rubric has a fault.
    """
    lesson = lesson_of(project, slug)
    rubric = load_rubric(
        project.source(slug).parent / "rubric.toml", f"solutions/{slug}/rubric.toml"
    )
    prompts = {answer.grade_id: (answer.title, answer.prompt) for answer in lesson.answers}
    return suggester(rubric, prompts, references(lesson))


def references(lesson: Lesson) -> list[str]:
    """The running text of the answer side, paragraph by paragraph."""
    return [
        block.text
        for block in lesson.blocks
        if isinstance(block, Prose) and block.audience is Audience.ANSWER and not block.verbatim
    ]
