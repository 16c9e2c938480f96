"""Which words are told as the cause of which: a chain read backwards is no chain."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.review.plain import Span
from autograder.review.sentences import Outline

# What stands before these brings about what stands behind them.
_FORWARD = re.compile(
    r"所以|因此|因而|于是|导致|造成|引起|引发|使得|从而|进而|以致|就(?!是|算|地|近)|才(?!能用)|便(?!宜)|只好|->|→|=>|⇒|"
    r"(?<![a-z])(?:so(?! that| far)|therefore|thus|hence|causes?|caused|leads? to|results? in|makes?|"
    r"forces?|triggers?)(?![a-z])"
)
# What stands behind these brings about the next clause, or the one before.
_BACKWARD = re.compile(r"正?因为|正?由于|(?<![a-z])(?:because(?: of)?|since|due to)(?![a-z])")
_BARE = " ,，:：;；正也又还都"


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A cause and its effect, as told."""

    cause: Span
    effect: Span


def told(text: str, outline: Outline) -> list[Told]:
    """Every pair of cause and effect, within one sentence each."""
    found = []
    for sentence in outline.sentences:
        clauses = [one for one in outline.clauses if sentence[0] <= one[0] < sentence[1]]
        for at in range(len(clauses)):
            found += _forward(text, clauses, at)
            found += _backward(text, clauses, at)
    return found


def _forward(text: str, clauses: list[Span], at: int) -> list[Told]:
    start, end = clauses[at]
    found = []
    for mark in _FORWARD.finditer(text, start, end):
        own = text[start : mark.start()].strip(_BARE)
        if own:
            cause = (start, mark.start())
        elif at:
            cause = clauses[at - 1]
        else:
            continue
        effect = (mark.end(), end)
        if not text[mark.end() : end].strip(_BARE) and at + 1 < len(clauses):
            effect = clauses[at + 1]
        found.append(Told(cause=cause, effect=effect))
    return found


def _backward(text: str, clauses: list[Span], at: int) -> list[Told]:
    start, end = clauses[at]
    mark = _BACKWARD.search(text, start, end)
    if mark is None:
        return []
    cause = (mark.end(), end)
    if text[start : mark.start()].strip(_BARE):
        return [Told(cause=cause, effect=(start, mark.start()))]
    follows = at + 1 < len(clauses) and (
        at == 0 or _FORWARD.search(text, *clauses[at + 1]) is not None
    )
    if follows:
        return [Told(cause=cause, effect=clauses[at + 1])]
    return [Told(cause=cause, effect=clauses[at - 1])] if at else []
