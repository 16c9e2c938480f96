"""What a grader process is told before its first submission."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from autograder.grading.batch.assignment import Assignment, Settings
from autograder.grading.batch.preload import lesson_modules


def setup_message(assignment: Assignment, settings: Settings) -> dict[str, Any]:
    """What a grader reads first, plain enough for JSON.

    Args:
        assignment: What is graded.
        settings: How.
    """
    return {
        "master": assignment.master.notebook,
        "lessons": str(assignment.lessons),
        "assets": str(assignment.assets),
        "hidden": [str(folder) for folder in assignment.hidden],
        "out": str(assignment.out),
        "limits": asdict(settings.limits),
        "sandboxed": settings.sandboxed,
        "preload": lesson_modules(assignment.master, assignment.lessons),
    }
