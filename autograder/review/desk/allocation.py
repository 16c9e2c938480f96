"""Who reads what: each grader a question, or each a part of the class."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from autograder.errors import UsageError
from autograder.review.log.events import Allocation

WAYS = ("none", "question", "student")


def reader_of(
    allocation: Allocation | None, student: str, question: str, questions: Sequence[str]
) -> str | None:
    """Who is to read an answer; None: anybody.

    By student, a digest of the id deals the class out: it stays as it is when others join.

    Args:
        allocation: The newest.
        student: Whose answer.
        question: Its grade_id.
        questions: All that are read, in order.
    """
    if allocation is None or allocation.way == "none" or not allocation.graders:
        return None
    graders = allocation.graders
    if allocation.way == "question":
        return graders[questions.index(question) % len(graders)] if question in questions else None
    dealt = hashlib.sha256(student.encode("utf-8", "surrogatepass")).digest()
    return graders[int.from_bytes(dealt[:8], "big") % len(graders)]


def allocation_of(
    way: str, graders: Sequence[str], *, at: str, by: str, based_on: int
) -> Allocation:
    """An allocation to append.

    Raises:
        UsageError: There is no such way, or nobody to read.
    """
    names = tuple(dict.fromkeys(name.strip() for name in graders if name.strip()))
    if way not in WAYS:
        raise UsageError(f"{way!r} is no way to share the work. Name one of {', '.join(WAYS)}.")
    if way != "none" and not names:
        raise UsageError("Nobody is named to read. Name the graders.")
    return Allocation(at=at, by=by, way=way, graders=names, based_on=based_on)
