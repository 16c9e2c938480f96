"""What travels between the stages of grading: frozen data, no I/O.

intake -> `Submission` -> integrity -> `Plan` -> run -> `Run` -> scoring -> `Result` -> gradebook,
feedback, export.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class Status(StrEnum):
    """How grading a submission went as a whole."""

    GRADED = "graded"
    UNREADABLE = "unreadable"
    MISSING = "missing"
    TIMEOUT = "timeout"
    CRASHED = "crashed"


class Flag(StrEnum):
    """The closed list of what a grader should look at."""

    EDITED_OUTSIDE_BLANK = "edited-outside-blank"
    GUARD_REMOVED = "guard-removed"
    NOT_ATTEMPTED = "not-attempted"
    SYNTAX_ERROR = "syntax-error"
    DUPLICATE_CELL = "duplicate-cell"
    SPLIT_CELL = "split-cell"
    MISSING_CELL = "missing-cell"
    MOVED_CELL = "moved-cell"
    RETYPED_CELL = "retyped-cell"
    EDITED_TEST = "edited-test"
    RENAMED_NOTEBOOK = "renamed-notebook"
    FOREIGN_METADATA = "foreign-metadata"
    OUTPUT_TRUNCATED = "output-truncated"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"
    NETWORK_ATTEMPT = "network-attempt"
    READS_INPUT = "reads-input"


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """What one student handed in for one lesson.

    Attributes:
        student: The student's id, as the folder or file names it.
        notebook: The parsed, repaired nbformat 4.5 notebook; None when unreadable or missing.
        raw: The bytes as handed in, None when not read (too large, a link, a special file).
        unreadable: Why there is no notebook, one sentence for the learner; None when there is one.
        missing: Nothing was handed in.
        flags: What intake noticed (renamed-notebook).
        submitted_at: ISO 8601 time from `timestamp.txt`, None when absent.
        late_s: Seconds after the deadline, 0 when in time, None when not known.
        late: Whether it came after the deadline, by the times or as the platform says.
    """

    student: str
    notebook: Any | None = None
    raw: bytes | None = None
    unreadable: str | None = None
    missing: bool = False
    flags: frozenset[Flag] = frozenset()
    submitted_at: str | None = None
    late_s: float | None = None
    late: bool | None = None


class StepKind(StrEnum):
    """What the worker does at a step."""

    CELL = "cell"
    TEST = "test"


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One thing the worker does, in order.

    Attributes:
        id: For a test its grade_id; for a cell the id of the submitted cell whose outputs it
            gives (unique within the plan).
        source: The code to run; for an exercise the pristine cell with the learner's fill.
    """

    kind: StepKind
    id: str
    source: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fill:
    """What a learner put into an exercise's blanks.

    Attributes:
        exercise: grade_id.
        spliced: The pristine cell with the learner's fill, None when there is nothing to run.
        learner_source: What the learner's cell held ("" when the cell is gone).
        expressions: Source of each hole's filling, in order.
        reason: Why `spliced` is None, one sentence for the learner.
        flags: What was found in the cell.
    """

    exercise: str
    spliced: str | None
    learner_source: str
    expressions: tuple[str, ...] = ()
    reason: str | None = None
    flags: frozenset[Flag] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class FreeText:
    """A manually graded answer: its markdown text, without the stub's own lines."""

    grade_id: str
    text: str
    untouched: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What to run of a submission, and what reading it already showed.

    Attributes:
        steps: For the worker, in order.
        fills: By exercise grade_id.
        free_texts: By grade_id.
        flags: Of the whole submission (those of the fills included).
        reasons: grade_id -> sentence, for what reading alone decided (a missing cell ...).
        notebook: The learner's notebook in the master's shape, for `autograded/`: the master's
            locked cells and metadata, the learner's solution cells and extra cells, no outputs.
    """

    steps: tuple[Step, ...]
    fills: Mapping[str, Fill]
    free_texts: Mapping[str, FreeText]
    flags: frozenset[Flag]
    reasons: Mapping[str, str]
    notebook: Any


@dataclass(frozen=True, kw_only=True, slots=True)
class CellRun:
    """How one cell ran in the worker. `outputs` are nbformat outputs."""

    id: str
    status: str
    outputs: tuple[Mapping[str, Any], ...] = ()
    execution_count: int | None = None
    error: Mapping[str, Any] | None = None
    flags: frozenset[Flag] = frozenset()


class Outcome(StrEnum):
    """What examining a tests cell showed."""

    PASSED = "passed"
    FAILED = "failed"
    CANNOT_TELL = "cannot-tell"
    NOT_ATTEMPTED = "not-attempted"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What examining one tests cell showed.

    Attributes:
        grade_id: The tests cell.
        outcome: How it went.
        score: Points for partial credit (last expression's value); None: all or nothing.
        sentence: Why, one sentence that may be shown to the learner.
        detail: For the instructor only: exception, line, values, test source.
        hidden: Whether the failing line is hidden from learners.
    """

    grade_id: str
    outcome: Outcome
    score: float | None = None
    sentence: str | None = None
    detail: str | None = None
    hidden: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """Everything executing a submission gave."""

    cells: Mapping[str, CellRun] = field(default_factory=dict)
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    flags: frozenset[Flag] = frozenset()
    status: Status = Status.GRADED
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One graded item of the master.

    Attributes:
        manual: Whether a person gives the points.
        exercise: For tests cells, the exercise examined.
        category: For tests cells, `normal` or `boundary`.
    """

    grade_id: str
    points: float
    manual: bool
    exercise: str | None = None
    category: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """A submission's grade: one entry of `submissions` in grades.json.

    Attributes:
        scores: grade_id -> points, None while a person has yet to give them.
        reasons: grade_id -> one sentence for the learner.
        criteria: The pass rule's criteria, None while undecided.
        total: Sum of scores, None while one is None.
        passed: None while undecided.
        submitted_at: As `Submission` has it, and so `late_s` and `late`.
    """

    student: str
    status: Status
    reason: str | None
    scores: Mapping[str, float | None]
    reasons: Mapping[str, str]
    flags: tuple[Flag, ...]
    criteria: Mapping[str, bool | None]
    proposed_vetoes: tuple[str, ...] = ()
    vetoes: tuple[str, ...] = ()
    total: float | None = None
    passed: bool | None = None
    submitted_at: str | None = None
    late_s: float | None = None
    late: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Graded:
    """A submission with everything the reports need."""

    submission: Submission
    plan: Plan | None
    run: Run | None
    result: Result


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """What all results of one run of `course grade` share: the head of grades.json.

    Attributes:
        sandbox: `bubblewrap`, or `none` with --no-sandbox.
        limits: Name -> value, and which limits the machine held.
    """

    lesson: str
    title: str
    lang: str
    max_score: float
    sandbox: str
    limits: Mapping[str, Any]
    questions: tuple[Question, ...]
    out: Path
