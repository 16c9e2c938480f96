"""What people decided in the review, as a learner's page shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autograder.grading.records import Result
from autograder.grading.reports.display import plain_text
from autograder.grading.reviewed import ChainNote, Reviewed

_WORDS = {True: "yes", False: "no", None: "open"}
_BY_MACHINE = "checks_passed"


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownLink:
    """One link of a chain; see `reviewed.LinkNote`."""

    present: bool
    quotes: list[str]
    question: str
    reference: str | None


def shown_links(note: ChainNote | None) -> list[ShownLink]:
    """The links of an answer's chain, the learner's words made plain."""
    return [
        ShownLink(
            present=link.present,
            quotes=[plain_text(quote) for quote in link.quotes],
            question=link.question,
            reference=link.reference,
        )
        for link in (note.links if note else ())
    ]


def criteria_lines(result: Result, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Line -> `yes`, `no` or `open`; empty before a person has decided any.

    Args:
        result: The grade.
        names: What the rubric calls the criteria: id -> line.
    """
    given = [value for name, value in result.criteria.items() if name != _BY_MACHINE]
    if not names or all(value is None for value in given):
        return []
    return [(names.get(name, name), _WORDS[value]) for name, value in result.criteria.items()]


def veto_lines(reviewed: Reviewed, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the rubric calls each veto that stands -> why it stands."""
    return [(names.get(name, name), plain_text(why)) for name, why in reviewed.vetoes.items()]
