"""A submission read against the master: what of it runs, what counts, what a person should look at.

Student metadata is never believed alone (`matching`). One rule for each kind of change:

| What happened to a cell | What counts | Flag |
|---|---|---|
| Fill-in copied | an attempted one before an unattempted, then the one with the original cell id, \
then with the grade_id, then the last; the others do not run | duplicate-cell |
| Fill-in split over up to 4 code cells | the parts together | split-cell |
| Fill-in deleted | nothing: its tests score 0, with the reason | missing-cell |
| Fill-in or answer retyped (Markdown, raw, code) | its text, as if it had its type | retyped-cell |
| Fill-in edited outside the blank | what fills the blank (see `fill`) | edited-outside-blank |
| Its name bound again in a learner's own cell | the cell runs where it stands | \
edited-outside-blank |
| Tests deleted | the master's, after the last present cell before them | missing-cell |
| Tests edited or retyped | the master's, at the same place | edited-test, retyped-cell |
| Tests moved above their answer | the master's, after the answer at the earliest | moved-cell |
| Tests copied | the master's, once; the copies do not run | duplicate-cell |
| Graded or read-only cells in another order | each where it stands | moved-cell |
| Read-only code edited | the master's text runs | edited-outside-blank |
| Read-only code deleted | the master's text runs, after the last present cell before it | \
missing-cell |
| Widget or lab cell | not run while it equals the master's, else run as it is | none |
| Answer split, or written below its prompt | all of it, joined, for a person | none |
| Answer copied | all copies, joined, for a person | duplicate-cell |
| Answer deleted | 0, with the reason | missing-cell |
| nbgrader metadata changed, unknown or on another cell | the master's | foreign-metadata |
| No metadata, no ids (Colab, VS Code, Kaggle) | found by content and place | none |
| The learner's own code cells | run where they stand, count for nothing | none |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autograder.grading.integrity.answers import Written, typed_below, written
from autograder.grading.integrity.cells import (
    MasterCell,
    SentCell,
    master_cells,
    normal,
    sent_cells,
)
from autograder.grading.integrity.findings import found
from autograder.grading.integrity.matching import Matching, match
from autograder.grading.integrity.order import Key, places
from autograder.grading.integrity.shape import Slot, shaped
from autograder.grading.phrases import say
from autograder.grading.records import Fill, FreeText, Plan, Step, StepKind

_OPTIONAL = {"widget", "lab"}  # not run while unchanged


def plan(
    master: Any,
    submitted: Any,
    lang: str = "zh-CN",
    *,
    cells: Sequence[MasterCell] | None = None,
) -> Plan:
    """Read a submission against the master.

    Args:
        master: The source notebook (nbformat 4.5, nbgrader metadata v3, `metadata.course`).
        submitted: The learner's notebook as `reading.read_notebook` gives it.
        lang: Language of the sentences.
        cells: The master's, when a whole class is read against it; None reads them here.

    Returns:
        A plan in which each tests cell of the master is a step exactly once.
    """
    return _Reader(master, cells or master_cells(master), submitted, lang).plan()


class _Reader:
    def __init__(self, master: Any, cells: Sequence[MasterCell], submitted: Any, lang: str) -> None:
        self._notebook = master
        self._lang = lang
        self._master = cells
        self._sent = sent_cells(submitted)
        self._matching: Matching = match(self._master, self._sent, lang)
        self._answers: dict[int, Written] = {
            cell.index: written(cell, self._prompt(cell), self._sent, self._matching)
            for cell in self._master
            if cell.role == "answer"
        }

    def plan(self) -> Plan:
        fills = {name: choice.fill for name, choice in self._matching.choices.items()}
        slots = self._slots()
        return Plan(
            steps=tuple(step for slot in slots for step in self._steps(slot, fills)),
            fills=fills,
            free_texts=self._free_texts(),
            flags=found(self._master, self._sent, self._matching),
            reasons=self._reasons(fills),
            notebook=shaped(self._notebook, slots),
        )

    def _prompt(self, answer: MasterCell) -> MasterCell | None:
        above = self._master[answer.index - 1] if answer.index else None
        return above if above is not None and above.role == "prose" else None

    def _home(self, cell: MasterCell) -> SentCell | None:
        home = self._matching.homes.get(cell.index)
        return None if home is None else self._sent[home]

    # -- the graded notebook

    def _slots(self) -> list[Slot]:
        keyed: list[tuple[Key, MasterCell | SentCell]] = [
            (key, self._master[index])
            for index, key in places(self._master, self._matching.homes).items()
        ]
        keyed += [((cell.index, 0, -1), cell) for cell in self._own_cells()]
        used = {cell.id for cell in self._master}
        slots = []
        for _, cell in sorted(keyed, key=lambda item: item[0]):
            if isinstance(cell, MasterCell):
                slots.append(self._master_slot(cell))
                continue
            name, count = cell.id, 0
            while not name or name in used:
                count += 1
                name = f"own-{cell.index + 1}" + (f"-{count}" if count > 1 else "")
            used.add(name)
            pictures = cell.attachments
            slots.append(Slot(id=name, cell=cell, source=cell.source, attachments=pictures))
        return slots

    def _master_slot(self, cell: MasterCell) -> Slot:
        home = self._home(cell)
        source, attachments = cell.source, {}
        if cell.role == "answer":
            answer = self._answers[cell.index]
            source, attachments = answer.source, dict(answer.attachments)
        elif cell.role == "exercise":
            fill = self._matching.choices[cell.grade_id or cell.id].fill
            source = fill.learner_source if home is not None else cell.shown
        elif cell.role in _OPTIONAL and home is not None and home.kind == "code":
            source = home.source
        elif cell.role == "prose" and home is not None and not typed_below(cell, home):
            source, attachments = home.source, dict(home.attachments)
        return Slot(id=cell.id, cell=cell, source=source, attachments=attachments)

    def _own_cells(self) -> list[SentCell]:
        """Return the learner's own cells; copies of the fill-in stay to be seen, and do not run."""
        answers = {index for answer in self._answers.values() for index in answer.used}
        shown_copies = self._fill_copies()
        return [
            cell
            for cell in self._sent
            if cell.index in shown_copies
            or (cell.index not in self._matching.taken and cell.index not in answers)
        ]

    def _fill_copies(self) -> set[int]:
        copies = self._matching.copies.items()
        return {index for index, of in copies if self._master[of].role == "exercise"}

    # -- what runs

    def _steps(self, slot: Slot, fills: Mapping[str, Fill]) -> Sequence[Step]:
        source = self._code(slot, fills)
        if isinstance(slot.cell, MasterCell) and slot.cell.role == "tests":
            return [Step(kind=StepKind.TEST, id=slot.cell.grade_id or slot.cell.id)]
        if source is None or not source.strip():
            return []
        return [Step(kind=StepKind.CELL, id=slot.id, source=source)]

    def _code(self, slot: Slot, fills: Mapping[str, Fill]) -> str | None:
        cell = slot.cell
        if cell.kind != "code":
            return None
        if isinstance(cell, SentCell):
            skipped = cell.index in self._fill_copies() or self._is_optional(cell.source)
            return None if skipped else cell.source
        if cell.role == "exercise":
            return fills[cell.grade_id or cell.id].spliced
        if cell.role in _OPTIONAL:
            return None if self._is_optional(slot.source) else slot.source
        return cell.source

    def _is_optional(self, source: str) -> bool:
        return any(
            cell.role in _OPTIONAL and normal(cell.source) == normal(source)
            for cell in self._master
        )

    # -- what counts

    def _free_texts(self) -> dict[str, FreeText]:
        return {
            cell.grade_id or cell.id: FreeText(
                grade_id=cell.grade_id or cell.id,
                text=self._answers[cell.index].text,
                untouched=not self._answers[cell.index].text,
            )
            for cell in self._master
            if cell.role == "answer"
        }

    def _reasons(self, fills: Mapping[str, Fill]) -> dict[str, str]:
        reasons = {}
        for cell in self._master:
            name = cell.grade_id or cell.id
            if cell.exercise is not None and cell.exercise in fills:
                reason = fills[cell.exercise].reason
                if reason is not None:
                    reasons[name] = reason
            elif cell.role == "answer" and not self._answers[cell.index].text:
                gone = cell.index not in self._matching.homes
                key = "missing-answer" if gone else "untouched-answer"
                reasons[name] = say(self._lang, key, exercise=name)
        return reasons
