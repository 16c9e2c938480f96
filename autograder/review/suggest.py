"""Suggestions for the free-text answers of a lesson."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autograder.review.copying import Source, source
from autograder.review.judgement import elsewhere, judge
from autograder.review.reading import Reading, Vocabulary, read_answer, vocabulary
from autograder.review.records import Flag, LinkReading, Suggestion
from autograder.review.worthless import mechanisms
from autograder.rubric import QuestionRubric, Rubric

_MORE = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggester:
    """Proposes points by a rubric; always the same for the same answer.

    Attributes:
        asked: Question id -> its wordings.
        given: The lesson's reference answers.
    """

    rubric: Rubric
    words: Vocabulary
    asked: Mapping[str, Source] = field(default_factory=dict)
    given: Source

    def suggest(self, question: QuestionRubric, answer: str) -> Suggestion:
        """Propose points, or say that it cannot be told."""
        if not question.readable:
            links = tuple(LinkReading(id=link.id, present=False) for link in question.links)
            flags = (Flag.CANNOT_TELL,)
            return Suggestion(score=None, confidence=0.0, case="unread", links=links, flags=flags)
        reading = self._read(question, answer)
        suggestion = judge(reading, question, self.rubric)
        if suggestion.score != 0 and self._answers_another(question, reading, answer):
            return elsewhere(question, self.rubric)
        return suggestion

    def _read(self, question: QuestionRubric, answer: str) -> Reading:
        signs = self.words.questions[question.id]
        return read_answer(answer, self.words, signs, self.asked[question.id], self.given)

    def _answers_another(self, question: QuestionRubric, reading: Reading, answer: str) -> bool:
        """Whether next to nothing of this question's chain is told, and much of another's."""
        own = len(mechanisms(reading, question))
        if own > 1:
            return False
        others = [one for one in self.rubric.questions if one.readable and one.id != question.id]
        return any(
            len(mechanisms(self._read(one, answer), one)) >= own + _MORE
            for one in others
            if one.points == question.points
        )


def suggester(
    rubric: Rubric, prompts: Mapping[str, Sequence[str]], references: Sequence[str]
) -> Suggester:
    """A suggester for a lesson.

    Args:
        rubric: The lesson's.
        prompts: Question id -> the texts that learners see with the question.
        references: The lesson's answers, which learners may have copied.

    Raises:
        CourseError: The rubric's patterns are none.
    """
    levels = [text for level in rubric.levels for text in (level.public,) if text]
    asked = {
        one.id: source([*prompts.get(one.id, ()), *one.prompts], beside=[*one.public, *levels])
        for one in rubric.questions
    }
    return Suggester(rubric=rubric, words=vocabulary(rubric), asked=asked, given=source(references))
