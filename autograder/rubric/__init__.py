"""A lesson's rubric.toml: what is graded by people, how, and what counts as evidence."""

from autograder.rubric.model import (
    Conclusion,
    Criterion,
    Fault,
    Level,
    Lexicon,
    Link,
    Part,
    PassRule,
    QuestionRubric,
    Rubric,
    Veto,
)
from autograder.rubric.reading import RubricError, load_rubric, read_rubric

__all__ = [
    "Conclusion",
    "Criterion",
    "Fault",
    "Level",
    "Lexicon",
    "Link",
    "Part",
    "PassRule",
    "QuestionRubric",
    "Rubric",
    "RubricError",
    "Veto",
    "load_rubric",
    "read_rubric",
]
