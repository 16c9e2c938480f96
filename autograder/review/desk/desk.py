"""The desk: whose turn an answer is, and what lies beside it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from autograder.review.desk.agreement import Agreement, agreement
from autograder.review.desk.allocation import reader_of
from autograder.review.desk.answers import Answer, ClassAnswers
from autograder.review.desk.criteria import proposals
from autograder.review.desk.groups import Order, order_of
from autograder.review.log.events import Mark
from autograder.review.log.state import State
from autograder.review.records import Suggestion
from autograder.rubric import QuestionRubric, Rubric

WHOLE = "criteria"
"""Stands where a question does, for the criteria and vetoes of whole submissions."""
_LEASE_S = 120.0

Suggest = Callable[[QuestionRubric, str], Suggestion]


class Standing(StrEnum):
    """How an answer stands."""

    OPEN = "open"
    MARKED = "marked"
    CHANGED = "changed"
    """It was marked, and is another now."""
    REOPENED = "reopened"


@dataclass(frozen=True, kw_only=True, slots=True)
class Count:
    """How far a question is."""

    done: int
    total: int
    mine_done: int
    mine_total: int


class Desk:
    """What reviewers see of a class.

    Args:
        answers: All that is read.
        rubric: The lesson's.
        suggest: Reads an answer.
        state: What the log says; kept up to date by whoever has the log.
    """

    def __init__(
        self, answers: ClassAnswers, rubric: Rubric, suggest: Suggest, state: State
    ) -> None:
        self.answers = answers
        self.rubric = rubric
        self.state = state
        self._suggest = suggest
        self._suggestions: dict[tuple[str, str], Suggestion] = {}
        self._orders: dict[str, Order] = {}
        self._leases: dict[tuple[str, str], tuple[str, float]] = {}
        self.questions = tuple(one.grade_id for one in answers.questions)
        self._students = {state.name(student): student for student in answers.entries}

    def student(self, name: str) -> str | None:
        """Who has an anonymous name."""
        return self._students.get(name)

    def order(self, question: str) -> Order:
        """The order in which a question's answers are read."""
        if question not in self._orders:
            rows: Mapping[str, Answer] = self.answers.by_question.get(question, {})
            if question == WHOLE:
                # Who wrote nothing may still have code that a veto is proposed for.
                people = [
                    student
                    for student, entry in self.answers.entries.items()
                    if entry.proposed_vetoes or self.answers.of(student)
                ]
                whole = tuple(sorted(people, key=self.state.name))
                self._orders[question] = Order(students=whole, group={})
            else:
                self._orders[question] = order_of(rows, self.state.name)
        return self._orders[question]

    def suggestion(self, answer: Answer) -> Suggestion | None:
        """What reading an answer gives; None when the rubric has no such question."""
        question = self.rubric.question(answer.question)
        if question is None or answer.reason is not None:
            return None
        key = (answer.question, answer.digest)
        if key not in self._suggestions:
            self._suggestions[key] = self._suggest(question, answer.text)
        return self._suggestions[key]

    def standing(self, answer: Answer) -> Standing:
        """How an answer stands."""
        if self.state.standing(answer.student, answer.question, answer.digest) is not None:
            return Standing.MARKED
        mark = self.state.mark(answer.student, answer.question)
        if mark is None or mark.score is None:
            return Standing.OPEN
        return Standing.CHANGED if mark.answer != answer.digest else Standing.REOPENED

    def marks(self, student: str) -> dict[str, Mark]:
        """The marks of a student that stand: grade_id -> mark."""
        found = {}
        for answer in self.answers.of(student):
            mark = self.state.standing(student, answer.question, answer.digest)
            if mark is not None:
                found[answer.question] = mark
        return found

    def proposals(self, student: str) -> dict[str, bool | None]:
        """Criterion -> what the student's marks say about it."""
        return proposals(self.rubric, self.marks(student))

    def proposed_vetoes(self, student: str) -> dict[str, str | None]:
        """Veto -> the question whose answer gave rise to it; None: what the learner's code did."""
        found: dict[str, str | None] = dict.fromkeys(self.answers.entries[student].proposed_vetoes)
        for answer in self.answers.of(student):
            suggestion = self.suggestion(answer)
            for veto in suggestion.vetoes if suggestion else ():
                found.setdefault(veto, answer.question)
        return found

    def is_open(self, student: str, question: str) -> bool:
        """Whether somebody has something to decide."""
        if question != WHOLE:
            answer = self.answers.answer(student, question)
            return answer is not None and self.standing(answer) is not Standing.MARKED
        undecided = [
            one.id
            for one in self.rubric.criteria
            if one.decided_by == "person" and self.criterion(student, one.id) is None
        ]
        return bool(undecided) or any(
            (known := self.state.veto(student, veto)) is None or known.standing is None
            for veto in self.answers.entries[student].proposed_vetoes
        )

    def criterion(self, student: str, criterion: str) -> bool | None:
        """What a person decided."""
        found = self.state.criterion(student, criterion)
        return None if found is None else found.value

    def agreement(self, reviewer: str, question: str) -> Agreement:
        """How far suggestions agree with a reviewer on a question."""
        return agreement(self.state.read_by(reviewer, question))

    def mine(self, question: str, reviewer: str) -> Iterator[str]:
        """Whose answers a reviewer is to read, in order."""
        allocation = self.state.allocation()
        for student in self.order(question).students:
            if reader_of(allocation, student, question, self.questions) in (None, reviewer):
                yield student

    def next(self, question: str, reviewer: str, after: str | None = None) -> str | None:
        """Whose answer is next: one that is open, not on somebody else's desk if it can be helped.

        Args:
            question: A grade_id, or `WHOLE`.
            reviewer: Who asks.
            after: Begin behind this student, and go round.
        """
        waiting = [one for one in self.mine(question, reviewer) if self.is_open(one, question)]
        if not waiting:
            return None
        students = self.order(question).students
        place = {student: at for at, student in enumerate(students)}
        start = place.get(after, -1) if after is not None else -1
        waiting.sort(key=lambda one: (place[one] <= start, place[one]))
        free = [one for one in waiting if self._is_free(one, question, reviewer)]
        chosen = (free or [one for one in waiting if one != after] or waiting)[0]
        self._leases[chosen, question] = (reviewer, time.monotonic())
        return chosen

    def count(self, question: str, reviewer: str) -> Count:
        """How far a question is."""
        students = self.order(question).students
        still = {one for one in students if self.is_open(one, question)}
        mine = list(self.mine(question, reviewer))
        return Count(
            done=len(students) - len(still),
            total=len(students),
            mine_done=sum(1 for one in mine if one not in still),
            mine_total=len(mine),
        )

    def comments(self, question: str) -> list[str]:
        """What was written below answers of a question, the most used first."""
        used = Counter(
            mark.comment
            for mark in self.state.marks()
            if mark.question == question and mark.comment
        )
        return [text for text, _ in used.most_common(20)]

    def _is_free(self, student: str, question: str, reviewer: str) -> bool:
        holder, since = self._leases.get((student, question), (reviewer, 0.0))
        return holder == reviewer or time.monotonic() - since > _LEASE_S
