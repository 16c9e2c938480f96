"""What the marks say about a submission's criteria: proposals, for a person to confirm."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.review.log.events import Mark
from autograder.rubric import Criterion, Rubric


def proposals(rubric: Rubric, marks: Mapping[str, Mark]) -> dict[str, bool | None]:
    """Criterion -> what follows from the marks; None when nothing does.

    Args:
        rubric: Says from what each follows.
        marks: grade_id -> the mark that stands.
    """
    return {one.id: _proposal(one, marks) for one in rubric.criteria if one.decided_by == "person"}


def _proposal(criterion: Criterion, marks: Mapping[str, Mark]) -> bool | None:
    if criterion.least:
        scores = {name: marks[name].score for name in criterion.least if name in marks}
        enough = [
            score >= criterion.least[name] for name, score in scores.items() if score is not None
        ]
        if False in enough:
            return False
        return True if len(enough) == len(criterion.least) else None
    links = {link for mark in marks.values() for link in mark.links or ()}
    # That it is in none of the links says nothing: it may be said anywhere, in any words.
    return True if links & set(criterion.links) else None
