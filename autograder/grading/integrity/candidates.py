"""The cell of an exercise in a submission: original, copied, split, retyped or gone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from autograder.grading.integrity.cells import MasterCell, SentCell, code_of, likeness, lines_of
from autograder.grading.integrity.fill import unify
from autograder.grading.integrity.names import bound_names
from autograder.grading.integrity.syntax import MAX_SOURCE_CHARS
from autograder.grading.phrases import say
from autograder.grading.records import Fill, Flag

# Cells unified for one exercise: bounds on time, far above any honest notebook.
_MAX_TRIED = 200
_MAX_TRIED_CHARS = 200_000
_MAX_PARTS = 4
_ALIKE = 0.5
_DIRTY = {Flag.EDITED_OUTSIDE_BLANK, Flag.SYNTAX_ERROR}


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """Which cell of a submission answers an exercise.

    Attributes:
        home: Index of the cell, None when it is gone.
        rest: Indices of the further cells that a split exercise is spread over.
        copies: Indices of its copies, which neither count nor run.
    """

    fill: Fill
    home: int | None = None
    rest: tuple[int, ...] = ()
    copies: tuple[int, ...] = ()
    flags: frozenset[Flag] = field(default_factory=frozenset)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidate:
    cells: tuple[SentCell, ...]
    fill: Fill
    claimed: bool
    original: bool

    @property
    def clean(self) -> bool:
        """Whether it differs from the pristine cell in its holes only."""
        return not self.fill.flags & _DIRTY

    @property
    def rank(self) -> tuple[int, bool, bool, int]:
        """Attempted first, then the original cell, then one with its grade_id, then the last."""
        attempted = 2 if self.fill.spliced is not None else 1
        if Flag.NOT_ATTEMPTED in self.fill.flags:
            attempted = 0
        return attempted, self.original, self.claimed, self.cells[0].index


def choose(
    exercise: MasterCell, sent: Sequence[SentCell], others: frozenset[str], lang: str
) -> Choice:
    """Find the cell that answers an exercise.

    Args:
        exercise: The exercise.
        sent: Cells of the submission.
        others: Ids and grade ids of the master's other cells: a split ends at such a cell.
        lang: Language of the sentences.
    """
    grade_id = exercise.grade_id or exercise.id
    found = [
        candidate
        for candidate in _single(exercise, grade_id, sent, lang)
        if candidate.claimed or candidate.clean
    ]
    best = max(found, key=lambda candidate: candidate.rank, default=None)
    if best is None or not best.clean:
        split = _split(exercise, grade_id, sent, others, lang)
        if split is not None and (split.clean or best is None or best.fill.spliced is None):
            return _choice(split, found, exercise, {Flag.SPLIT_CELL})
    if best is None:
        best = _lookalike(exercise, grade_id, sent, others, lang)
    if best is None:
        reason = say(lang, "missing-cell", exercise=grade_id)
        gone = Fill(exercise=grade_id, spliced=None, learner_source="", reason=reason)
        return Choice(fill=gone, flags=frozenset({Flag.MISSING_CELL}))
    return _choice(best, found, exercise, set())


def _choice(
    best: _Candidate, found: Sequence[_Candidate], exercise: MasterCell, flags: set[Flag]
) -> Choice:
    indices = {cell.index for cell in best.cells}
    copies = tuple(
        candidate.cells[0].index
        for candidate in found
        if candidate.cells[0].index not in indices and _is_version(candidate, exercise)
    )
    if copies:
        flags.add(Flag.DUPLICATE_CELL)
    if best.cells[0].kind != "code":
        flags.add(Flag.RETYPED_CELL)
    first, *rest = sorted(indices)
    return Choice(
        fill=best.fill, home=first, rest=tuple(rest), copies=copies, flags=frozenset(flags)
    )


def _is_version(candidate: _Candidate, exercise: MasterCell) -> bool:
    """Tell a copy of the exercise from another cell that bears its grade_id."""
    if candidate.clean or candidate.fill.spliced is not None or candidate.original:
        return True
    sent = lines_of(code_of(candidate.cells[0]))
    return likeness(lines_of(exercise.shown), sent) >= _ALIKE


def _single(
    exercise: MasterCell, grade_id: str, sent: Sequence[SentCell], lang: str
) -> Iterator[_Candidate]:
    """Yield the cells that claim the exercise by id or mention what it defines."""
    pattern = _mention(exercise)
    claimed = [cell for cell in sent if _claims(cell, exercise)]
    mentions = [c for c in sent if pattern.search(c.source) and not _claims(c, exercise)]
    for (cell,) in _affordable((cell,) for cell in [*claimed, *mentions]):
        yield _candidate(exercise, grade_id, (cell,), lang)


def _split(
    exercise: MasterCell,
    grade_id: str,
    sent: Sequence[SentCell],
    others: frozenset[str],
    lang: str,
) -> _Candidate | None:
    """Return consecutive code cells that together are the exercise."""
    pattern = _mention(exercise)
    fallback = None
    for window in _affordable(_windows(exercise, pattern, sent, others)):
        candidate = _candidate(exercise, grade_id, window, lang)
        if candidate.clean:
            return candidate
        if fallback is None and candidate.fill.spliced is not None:
            fallback = candidate
    return fallback


def _affordable(
    windows: Iterable[tuple[SentCell, ...]],
) -> Iterator[tuple[SentCell, ...]]:
    """The first ones that can be tried in a bounded time, of which one at least."""
    left = _MAX_TRIED_CHARS
    for window in islice(windows, _MAX_TRIED):
        yield window
        left -= sum(min(len(cell.source), MAX_SOURCE_CHARS) for cell in window)
        if left <= 0:
            return


def _windows(
    exercise: MasterCell,
    pattern: _Mention,
    sent: Sequence[SentCell],
    others: frozenset[str],
) -> Iterator[tuple[SentCell, ...]]:
    run: list[SentCell] = []
    for cell in sent:
        if cell.id in others or cell.grade_id in others:
            run = []
        elif cell.kind == "code" and cell.source.strip():
            run.append(cell)
            for size in range(2, min(_MAX_PARTS, len(run)) + 1):
                window = tuple(run[-size:])
                if any(_claims(c, exercise) or pattern.search(c.source) for c in window):
                    yield window


def _lookalike(
    exercise: MasterCell,
    grade_id: str,
    sent: Sequence[SentCell],
    others: frozenset[str],
    lang: str,
) -> _Candidate | None:
    """Return the cell without ids that has most of the exercise's lines, edited or not."""
    shown = lines_of(exercise.shown)
    pattern = _mention(exercise)
    free = [
        cell
        for cell in sent
        if cell.id not in others and cell.grade_id not in others and pattern.search(cell.source)
    ]
    best = max(free, key=lambda c: likeness(shown, lines_of(code_of(c))), default=None)
    if best is None or likeness(shown, lines_of(code_of(best))) < _ALIKE:
        return None
    return _candidate(exercise, grade_id, (best,), lang)


def _candidate(
    exercise: MasterCell, grade_id: str, cells: tuple[SentCell, ...], lang: str
) -> _Candidate:
    source = "\n".join(code_of(cell) for cell in cells)
    return _Candidate(
        cells=cells,
        fill=unify(exercise.shown, source, grade_id, lang=lang),
        claimed=any(_claims(cell, exercise) for cell in cells),
        original=any(cell.id == exercise.id for cell in cells),
    )


def _claims(cell: SentCell, exercise: MasterCell) -> bool:
    return cell.id == exercise.id or cell.grade_id == (exercise.grade_id or exercise.id)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Mention:
    """What a cell that has to do with an exercise says: a name that the exercise defines."""

    names: frozenset[str]
    pattern: re.Pattern[str]

    def search(self, source: str) -> bool:
        """Tell whether it is there; first without the pattern, which takes ten times as long."""
        return any(name in source for name in self.names) and bool(self.pattern.search(source))


def _mention(exercise: MasterCell) -> _Mention:
    return _mention_of(exercise.shown)


@lru_cache(maxsize=64)  # of the master's exercises
def _mention_of(shown: str) -> _Mention:
    names = bound_names(shown)
    words = "|".join(map(re.escape, sorted(names)))
    return _Mention(names=names, pattern=re.compile(rf"\b(?:{words})\b"))
