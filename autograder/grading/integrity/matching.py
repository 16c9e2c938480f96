"""Which cell of a submission is which cell of the master.

Evidence is added up: the released text (8), the grade_id (4), the cell id (4), most of the released
lines (2). The best pairs are taken first, of equal ones the one nearest to its place; so no piece
of metadata decides alone. Exercises are found by their code (`candidates`), answers by their ids
and else by their place between their neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.grading.integrity.candidates import Choice, choose
from autograder.grading.integrity.cells import MasterCell, SentCell, likeness, lines_of, normal

_TEXT, _ID, _LINES = 8, 4, 2
_ALIKE = 0.6


@dataclass(frozen=True, kw_only=True, slots=True)
class Matching:
    """Who is who.

    Attributes:
        homes: Index in the master -> index in the submission.
        copies: Index in the submission -> index in the master of which it is a further copy.
        choices: grade_id of an exercise -> its cell.
        taken: Indices in the submission of all homes, parts and copies.
        texts: What the released cells say, normal.
    """

    homes: Mapping[int, int]
    copies: Mapping[int, int]
    choices: Mapping[str, Choice]
    taken: frozenset[int]
    texts: frozenset[str]


def match(master: Sequence[MasterCell], sent: Sequence[SentCell], lang: str) -> Matching:
    """Match a submission's cells with the master's."""
    choices: dict[str, Choice] = {}
    homes: dict[int, int] = {}
    copies: dict[int, int] = {}
    used: set[int] = set()
    for cell in master:
        if cell.role != "exercise":
            continue
        others = _names(other for other in master if other is not cell)
        choice = choose(cell, sent, others, lang)
        choices[cell.grade_id or cell.id] = choice
        if choice.home is not None:
            homes[cell.index] = choice.home
            used |= {choice.home, *choice.rest}
            copies |= dict.fromkeys(choice.copies, cell.index)
    # Where two exercises were merged into one cell, it is no copy for either.
    copies = {index: of for index, of in copies.items() if index not in used}
    used |= copies.keys()
    rest = [cell for cell in master if cell.role != "exercise"]
    pairs = sorted(_pairs(rest, sent))
    for _, _, of, index in pairs:
        if of not in homes and index not in used:
            homes[of] = index
            used.add(index)
    _place_answers(rest, sent, homes, used)
    for _, _, of, index in pairs:
        if index not in used and _is_copy(master[of], sent[index]):
            copies[index] = of
            used.add(index)
    return Matching(
        homes=homes,
        copies=copies,
        choices=choices,
        taken=frozenset(used),
        texts=frozenset(normal(cell.shown) for cell in master),
    )


def _names(cells: Iterator[MasterCell]) -> frozenset[str]:
    return frozenset(name for cell in cells for name in (cell.id, cell.grade_id) if name)


def _pairs(
    master: Sequence[MasterCell], sent: Sequence[SentCell]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield (minus the evidence, distance, index in the master, index in the submission)."""
    texts = [normal(cell.source) for cell in sent]
    lines = [lines_of(text) for text in texts]
    # Only a cell that has the id, the grade_id or one of the lines can be it.
    named: dict[str, set[int]] = {}
    holding: dict[str, list[int]] = {}
    for other in sent:
        for name in {other.id, other.grade_id} - {None}:
            named.setdefault(str(name), set()).add(other.index)
        for line in lines[other.index]:
            holding.setdefault(line, []).append(other.index)
    for cell in master:
        shown = normal(cell.shown)
        shown_lines = lines_of(shown)
        near = named.get(cell.id, set()) | named.get(cell.grade_id or cell.id, set())
        for index in near.union(*(holding.get(line, ()) for line in shown_lines)):
            other = sent[index]
            score = _ID * (cell.grade_id is not None and other.grade_id == cell.grade_id)
            score += _ID * (other.id == cell.id)
            if cell.role != "answer" and shown:
                if texts[index] == shown:
                    score += _TEXT
                elif likeness(shown_lines, lines[index]) >= _ALIKE:
                    score += _LINES
            if score:
                yield -score, abs(index - cell.index), cell.index, index


def _is_copy(cell: MasterCell, other: SentCell) -> bool:
    """Tell a further copy of a graded cell from a learner's own cell that merely resembles it."""
    claims = cell.grade_id is not None and other.grade_id == cell.grade_id
    if cell.role == "answer":
        return claims
    if cell.role != "tests":
        return False
    return normal(cell.shown) == normal(other.source) or (
        claims and likeness(lines_of(cell.shown), lines_of(other.source)) >= _ALIKE
    )


def _place_answers(
    master: Sequence[MasterCell],
    sent: Sequence[SentCell],
    homes: dict[int, int],
    used: set[int],
) -> None:
    """Find answers that lost their ids: the first free text between their neighbours."""
    for cell in master:
        if cell.role != "answer" or cell.index in homes:
            continue
        before = max((i for i in homes if i < cell.index), default=None)
        low = 0 if before is None else homes[before] + 1
        later = [homes[i] for i in homes if i > cell.index and homes[i] >= low]
        high = min(later, default=len(sent))
        free = [c for c in sent[low:high] if c.index not in used and c.source.strip()]
        texts = [c for c in free if c.kind != "code"]
        stub = lines_of(cell.shown)
        with_stub = [c for c in free if any(line in c.source for line in stub)]
        for other in (with_stub or texts)[:1]:
            homes[cell.index] = other.index
            used.add(other.index)
