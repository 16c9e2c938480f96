"""In which order answers are read: those that are nearly the same one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from autograder.grading.batch.likeness import alike
from autograder.review.desk.answers import Answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """The order of one question.

    Attributes:
        students: Everybody who answered.
        group: Student -> those who wrote nearly the same, themselves included.
    """

    students: tuple[str, ...]
    group: Mapping[str, tuple[str, ...]]


def order_of(answers: Mapping[str, Answer], name: Callable[[str], str]) -> Order:
    """Order a question's answers: by their anonymous names, groups together.

    Args:
        answers: Student -> answer.
        name: Student -> anonymous name; no order of it says who somebody is.
    """
    shuffled = sorted(answers, key=name)
    group: dict[str, tuple[str, ...]] = {}
    same: dict[str, list[str]] = {}
    for student in shuffled:
        same.setdefault("".join(answers[student].text.split()).casefold(), []).append(student)
    # Short answers have no likeness, but may be the very same.
    leaders = {members[0]: members for members in same.values()}
    for found in alike({student: answers[student].text for student in leaders}):
        members = [one for leader in found.members for one in leaders.pop(leader)]
        leaders[members[0]] = members
    for members in leaders.values():
        if len(members) > 1:
            group |= dict.fromkeys(members, tuple(sorted(members, key=name)))
    students: dict[str, None] = {}
    for student in shuffled:
        students |= dict.fromkeys(group.get(student, (student,)))
    return Order(students=tuple(students), group=group)
