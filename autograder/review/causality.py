"""Which words are told as the cause of which: a chain read backwards is no chain."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.review.plain import Span
from autograder.review.sentences import Outline

# What stands before these brings about what stands behind them.
_FORWARD = re.compile(
    r"所以|因此|因而|于是|导致|造成|引起|引发|使得?(?!用)|让(?!位|路|出)|从而|进而|以致|只好|->|→|=>|⇒|"
    r"(?<![a-z])(?:so(?! that| far)|therefore|thus|hence|causes?|caused|leads? to|results? in|"
    r"makes?|forces?|triggers?)(?![a-z])"
)
# These stand between the subject and the verb of what is brought about.
_WITHIN = re.compile(r"就(?!是|算|地|近)|才(?!能用)|便(?!宜)")
# What stands behind these brings about the next clause, or the one before.
_BACKWARD = re.compile(r"正?因为|正?由于|(?<![a-z])(?:because(?: of)?|since|due to)(?![a-z])")
# Advice follows from a cause, but nothing brings it about.
_ADVICE = re.compile(
    r"\W*(?:应|建议|最好|可以|不如|宜|(?:we |you |i )?(?:should|would|can)(?![a-z]))"
)
# A clause with a condition of its own needs no cause before it.
_CONDITION = re.compile(r"只要|如果|一旦|只有|除非|要是|假如")
_BARE = " ,，:：;；正也又还都"


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A cause and its effect, as told; the effect may stand around its cause."""

    cause: Span
    effect: Span


def told(text: str, outline: Outline) -> list[Told]:
    """Every pair of cause and effect, within one sentence each."""
    found: list[Told] = []
    for sentence in outline.sentences:
        clauses = [one for one in outline.clauses if sentence[0] <= one[0] < sentence[1]]
        for at in range(len(clauses)):
            found += _forward(text, clauses, at)
            found += _within(text, clauses, at)
            found += _backward(text, clauses, at)
    return [one for one in found if not _ADVICE.match(text, *one.effect)]


def _forward(text: str, clauses: list[Span], at: int) -> list[Told]:
    start, end = clauses[at]
    found = []
    for mark in _FORWARD.finditer(text, start, end):
        if text[start : mark.start()].strip(_BARE):
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


def _within(text: str, clauses: list[Span], at: int) -> list[Told]:
    mark = _WITHIN.search(text, *clauses[at])
    if mark is None:
        return []
    start, end = clauses[at]
    causes = [(start, mark.start())]
    if at and not _CONDITION.search(text, start, mark.start()):
        causes.append(clauses[at - 1])
    return [Told(cause=cause, effect=(start, end)) for cause in causes]


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
