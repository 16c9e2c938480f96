"""What the tests say in the learner's own process, as in a kernel: every content is tried."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.checking.fills import Content, Kind
from autograder.checking.stage import Stage, load_probe
from autograder.checking.trial import Trial

_CHUNK = 20
# The probe's own clock is shorter; this one ends what it cannot interrupt, such as `10**10**10`.
_CELL_S = 60.0
_MARK = "course-check "


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """How one test went: `outcome` as in the probe, `why` and `line` where it did not pass."""

    outcome: str
    score: float | None = None
    why: str = ""
    line: int | None = None

    def is_full(self, points: float | None) -> bool:
        """Whether it gives all points."""
        return self.outcome == "passed" and (self.score is None or self.score >= (points or 0))

    @property
    def gives_points(self) -> bool:
        """Whether it gives any."""
        return self.outcome == "passed" and (self.score is None or self.score > 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """How one content went.

    Attributes:
        cell: The exercise cell itself.
        tests: By grade id.
        hidden: Mutants only: the same without the visible asserts.
        difference: Mutants only: where it departs from the reference; "" nowhere, None unknown.
    """

    cell: Seen
    tests: Mapping[str, Seen]
    hidden: Mapping[str, Seen]
    difference: str | None = None


LOST = Seen(outcome="crashed", why="the process that ran it was lost")


def judge(
    trial: Trial, stage: Stage, contents: Sequence[Content], *, limit_s: float
) -> dict[str, Judgement]:
    """Try every content of one exercise.

    Args:
        trial: The sandbox.
        stage: The exercise in its place.
        contents: What to try.
        limit_s: Seconds for one cell.

    Returns:
        Content id -> how it went.
    """
    told: dict[str, dict[str, Any]] = {}
    left, size = list(contents), _CHUNK
    while left:
        reached = _run(trial, stage, left, size, limit_s, told)
        left = [one for one in left if one.id not in told]
        if not reached:
            break  # not even the cells before the exercise can be run
        if left and size == 1:
            left = left[1:]  # what was running when the process was lost
        size = 1
    return {one.id: _judgement(told.get(one.id), stage) for one in contents}


def _run(  # noqa: PLR0913, PLR0917  # one process's work, and where its results go
    trial: Trial,
    stage: Stage,
    contents: Sequence[Content],
    size: int,
    limit_s: float,
    told: dict[str, dict[str, Any]],
) -> bool:
    """Try contents in one process, `size` at a time; whether it got as far as the first."""
    chunks = [contents[at : at + size] for at in range(0, len(contents), size)]
    cells = [*stage.before, load_probe(), _bench(stage, limit_s), *map(_judging, chunks)]
    runs = trial.run(cells, cell_s=_CELL_S)
    for run in runs[-len(chunks) :]:
        told |= {one["id"]: one for one in _told(run.outputs if run else ())}
    bench = runs[-len(chunks) - 1]
    return bench is not None and bench.status == "ok"


def _bench(stage: Stage, limit_s: float) -> str:
    after = [
        {
            "kind": "test" if one.is_test else "cell",
            "id": one.id,
            "source": one.source,
            "points": one.points,
            "hidden_only": one.hidden_only,
        }
        for one in stage.after
    ]
    return (
        f"_bench = _course.Bench(globals(), {stage.name!r}, {stage.reference!r}, "
        f"{after!r}, {limit_s!r})"
    )


def _judging(contents: Sequence[Content]) -> str:
    variants = [
        {"id": one.id, "source": one.source, "mutant": one.kind is Kind.MUTANT} for one in contents
    ]
    return f"_course.tell(_bench.judge({variants!r}))"


def _told(outputs: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for output in outputs:
        for line in str(output.get("text", "")).splitlines():
            if line.startswith(_MARK):
                yield from json.loads(line.removeprefix(_MARK))


def _judgement(told: Mapping[str, Any] | None, stage: Stage) -> Judgement:
    ids = [test.id for test in stage.after if test.is_test]
    if told is None:
        return Judgement(cell=LOST, tests=dict.fromkeys(ids, LOST), hidden={})
    tests = {name: Seen(**seen) for name, seen in told["tests"].items()}
    return Judgement(
        cell=tests[""],
        tests={name: tests[name] for name in ids},
        hidden={name: Seen(**seen) for name, seen in told["hidden"].items() if name},
        difference=told.get("difference"),
    )
