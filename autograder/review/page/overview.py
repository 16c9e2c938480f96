"""What the page shows around an answer: the lesson, the rubric, and how far everything is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from autograder.review.desk.agreement import ENOUGH
from autograder.review.desk.desk import WHOLE
from autograder.review.page.payload import question_shown
from autograder.review.page.session import Session


def overview(session: Session, by: str) -> dict[str, Any]:
    """All of it, as a reviewer sees it.

    Args:
        session: The running review.
        by: The reviewer.
    """
    desk, master = session.desk, session.opened.report.master
    rubric, allocation = desk.rubric, desk.state.allocation()
    questions: list[dict[str, Any]] = [
        {
            "id": question.grade_id,
            "title": session.titles.get(question.exercise or question.grade_id, question.grade_id),
            "points": question.points,
            "manual": question.manual,
            "count": asdict(desk.count(question.grade_id, by)),
            "agreement": _agreement(session, by, question.grade_id),
            "comments": desk.comments(question.grade_id),
        }
        | question_shown(rubric.question(question.grade_id), desk)
        for question in desk.answers.questions
    ]
    return {
        "lesson": master.lesson,
        "title": master.title,
        "step": rubric.step,
        "titles": session.titles,
        "whole": {"id": WHOLE, "count": asdict(desk.count(WHOLE, by))},
        "questions": [one for one in questions if one["count"]["total"]],
        "criteria": [
            {"id": one.id, "line": one.line}
            for one in rubric.criteria
            if one.decided_by == "person"
        ],
        "vetoes": [
            {
                "id": one.id,
                "line": one.line,
                "definition": one.definition,
                "example": one.example,
                "not_this": one.not_this,
            }
            for one in rubric.vetoes
        ],
        "allocation": {
            "way": allocation.way if allocation else "none",
            "graders": list(allocation.graders) if allocation else [],
            "based_on": allocation.seq if allocation else 0,
        },
        "reviewer": session.reviewer,
        "reviewers": desk.state.reviewers(),
        "names": session.names,
        "gradebook": {
            "waiting": session.waiting,
            "trouble": session.trouble,
            "damaged": session.damaged,
        },
        "undo": len(desk.state.undoable(by)),
    }


def _agreement(session: Session, by: str, question: str) -> dict[str, Any]:
    """How far a reviewer is from suggestions, and once there, how far those agree."""
    known = session.desk.agreement(by, question)
    shown: dict[str, Any] = {"blind": known.blind, "needed": ENOUGH, "enough": known.enough}
    return shown | (asdict(known) if known.enough else {})
