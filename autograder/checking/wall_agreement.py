"""Whether the tests say the same in a kernel and across the wall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autograder.checking.fills import Content, Kind
from autograder.checking.kernel import Judgement, Seen
from autograder.checking.report import Finding
from autograder.checking.stage import Stage, load_probe
from autograder.checking.trial import Trial, Variant

_KINDS = frozenset({Kind.REFERENCE, Kind.RIGHT, Kind.WRONG})
_REMEMBER = (
    "course_kept = {}\n"
    "def course_restore():\n"
    "    _course.restore(globals(), course_kept)\n"
    "course_kept.update(_course.keep(globals()))"
)
# What no points at all come from; which of them it is may differ between the two.
_NOTHING = frozenset({"failed", "not-attempted", "timeout", "crashed"})


def across(
    trial: Trial, stage: Stage, contents: Sequence[Content], judged: Mapping[str, Judgement]
) -> dict[tuple[str, str], Seen]:
    """What the tests say across the wall, by content and tests cell.

    Mutants stay in the kernel, and so does what did not end there in time.
    """
    ids = tuple(after.id for after in stage.after if after.is_test)
    between = tuple(after.source for after in stage.after if not after.is_test)
    variants = [
        Variant(id=one.id, cells=(one.source, *between), tests=ids)
        for one in contents
        if one.kind in _KINDS and not _hangs(judged[one.id])
    ]
    found = trial.examine((*stage.before, load_probe(), _REMEMBER), variants)
    return {
        key: Seen(
            outcome=verdict.outcome.value,
            score=verdict.score,
            why=(verdict.detail or verdict.sentence or "").partition("\n")[0],
        )
        for key, verdict in found.items()
    }


def disagreements(
    path: str,
    stage: Stage,
    contents: Sequence[Content],
    judged: Mapping[str, Judgement],
    walled: Mapping[tuple[str, str], Seen],
) -> Iterator[Finding]:
    """A finding for each tests cell whose results differ: of the first content that shows it."""
    for test in stage.tests:
        for one in contents:
            beyond = walled.get((one.id, str(test.grade_id)))
            within = judged[one.id].tests[str(test.grade_id)]
            if beyond is None or _same(within, beyond):
                continue
            yield Finding(
                path=path,
                line=test.line,
                what=f"The tests {test.grade_id!r} give {one.words!r} {_told(within)} in a kernel "
                f"and {_told(beyond)} across the wall.",
                mend="Compare plain data only: numbers, text, lists, arrays, and what a function "
                "returns or raises.",
            )
            break


def _hangs(judgement: Judgement) -> bool:
    seen = (judgement.cell, *judgement.tests.values())
    return any(one.outcome in {"timeout", "crashed"} for one in seen)


def _same(within: Seen, beyond: Seen) -> bool:
    if beyond.outcome in _NOTHING:
        return within.outcome in _NOTHING
    return within.outcome == beyond.outcome and _score(within) == _score(beyond)


def _score(seen: Seen) -> float | None:
    return None if seen.score is None else round(seen.score, 9)


def _told(seen: Seen) -> str:
    score = "" if seen.score is None else f" with {seen.score:g}"
    return f"{seen.outcome}{score}" + (f" ({seen.why})" if seen.why else "")
