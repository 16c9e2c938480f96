"""What a suggestion says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from autograder.review.plain import Span


class Flag(StrEnum):
    """The closed list of what a reviewer should know about an answer, or about reading it."""

    EMPTY = "empty"
    PROMPT_COPY = "prompt-copy"
    REFERENCE_COPY = "reference-copy"
    KEYWORD_LIST = "keyword-list"
    DENIES_MECHANISM = "denies-mechanism"
    WRONG_CONCLUSION = "wrong-conclusion"
    OFF_TOPIC = "off-topic"
    OVERSTATED = "overstated"
    UNCONNECTED = "unconnected"
    HEDGED = "hedged"
    MISSPELT = "misspelt"
    LONG = "long"
    OTHER_LANGUAGE = "other-language"
    CANNOT_TELL = "cannot-tell"
    BAD_INPUT = "bad-input"


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkReading:
    """Whether an answer has a link of the chain.

    Attributes:
        evidence: Where, as [start, end) offsets into the answer as given; empty when absent.
    """

    id: str
    present: bool
    evidence: tuple[Span, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggestion:
    """What is proposed for one answer.

    Attributes:
        score: In the rubric's steps; None when it cannot be told.
        confidence: How often suggestions of this kind were right, 0 to 1.
        case: The kind, as `[suggest.confidence]` names it.
        vetoes: Ids of proposed vetoes.
    """

    score: float | None
    confidence: float
    case: str
    links: tuple[LinkReading, ...] = ()
    flags: tuple[Flag, ...] = ()
    vetoes: tuple[str, ...] = ()
