"""From what was found in an answer to points, vetoes and flags, by the rubric's own levels."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.review.plain import Span, width
from autograder.review.reading import Reading
from autograder.review.records import Flag, LinkReading, Suggestion
from autograder.review.shape import connectives, dismissals, hedges
from autograder.review.signs import Found
from autograder.review.worthless import (
    UNCLEAR,
    Case,
    asserted,
    mechanisms,
    mistaken,
    present,
    worthless,
)
from autograder.rubric import QuestionRubric, Rubric, Veto

_EVIDENCE = 6
# A sign wider than this spans sentences: its concepts are shown one by one.
_ACROSS = 80.0
_UNSURE = 0.5
_WAVED = 2
# So many characters say more than a bare conclusion.
_LONG = 40.0
_MUCH = 75.0


def judge(reading: Reading, question: QuestionRubric, rubric: Rubric) -> Suggestion:
    """Propose points for an answer that was read."""
    case = worthless(reading, question) or _by_chain(reading, question, rubric)
    flags = dict.fromkeys((*case.flags, *_remarks(reading, case)))
    return Suggestion(
        score=case.score,
        confidence=rubric.lexicon.confidence.get(case.name, _UNSURE),
        case=case.name,
        links=tuple(_links(reading, question, counted=case.links)),
        flags=tuple(flags),
        vetoes=() if case.name in {"empty", "prompt-copy", "keyword-list"} else reading.vetoes,
    )


def elsewhere(question: QuestionRubric, rubric: Rubric) -> Suggestion:
    """Nothing, for an answer to another question."""
    return Suggestion(
        score=0.0,
        confidence=rubric.lexicon.confidence.get("off-topic", _UNSURE),
        case="off-topic",
        links=tuple(LinkReading(id=link.id, present=False) for link in question.links),
        flags=(Flag.OFF_TOPIC,),
    )


def _by_chain(reading: Reading, question: QuestionRubric, rubric: Rubric) -> Case:
    wrong = mistaken(reading, question)
    if wrong is not None:
        return wrong
    if present(reading, question):
        return _scored(reading, question, rubric)
    return _without_links(reading, rubric)


def _scored(reading: Reading, question: QuestionRubric, rubric: Rubric) -> Case:
    """By the rubric's levels, then less by what bounds or costs."""
    there, told = present(reading, question), mechanisms(reading, question)
    connected = _connected(reading, told)
    levels = [level for level in rubric.levels_of(question) if level.links or level.mechanisms]
    # How often a question's own levels were suggested rightly is counted apart.
    own = f"{question.id}-" if question.levels else ""
    score, name = rubric.step, "fact"
    for level in levels:
        enough = len(there) >= level.links and len(told) >= level.mechanisms
        if enough and (connected or not level.connected):
            score, name = level.score, f"{own}level-{level.score:g}"
            break
    flags: list[Flag] = []
    if len(told) == 1 and len(dismissals(reading.plain.text, reading.outline)) >= _WAVED:
        score, name = rubric.step, "fact"  # the rest of the chain is waved away
    if (
        len(told) <= 1
        and score < question.points
        and not reading.vetoes
        and width(reading.plain.text) > _MUCH
        and not reading.faults
    ):
        # Whoever writes so much says more than was found: in other words, most likely.
        return UNCLEAR
    if len(told) > 1 and not connected:
        flags.append(Flag.UNCONNECTED)
    cap = min((one.cap for one in question.faults if one.id in reading.faults), default=score)
    if cap < score:
        score, name = cap, "capped"
        flags.append(Flag.OVERSTATED)
    left = min(
        (_left(score, one, rubric) for one in rubric.vetoes if one.id in reading.vetoes),
        default=score,
    )
    if left < score:
        score, name = left, "vetoed"
    return Case(name=name, score=score, flags=tuple(flags))


def _left(score: float, veto: Veto, rubric: Rubric) -> float:
    """What a veto leaves of a score: never less than the smallest step."""
    return min(score, max(score - veto.cost, veto.least, rubric.step))


def _without_links(reading: Reading, rubric: Rubric) -> Case:
    text = reading.without((*reading.echo, *reading.talk))
    said = {kind: asserted(found) for kind, found in reading.conclusion.items()}
    if not said["right"]:
        if any(found and found[0].denied for found in reading.links.values()):
            return Case(name="denied", score=0.0, flags=(Flag.DENIES_MECHANISM,), links=False)
        if not reading.topical and not said["beside"] and connectives(text) > 1:
            return UNCLEAR  # a figure of speech may say it all without the lesson's words
        if said["beside"] or not reading.topical:
            return Case(name="off-topic", score=0.0, flags=(Flag.OFF_TOPIC,), links=False)
    if not (said["right"] or said["facts"]) or (width(text) > _LONG and connectives(text) > 1):
        return UNCLEAR
    return Case(name="conclusion", score=rubric.step)


def _connected(reading: Reading, told: list[str]) -> bool:
    """Whether mechanisms are told one after the other or joined by words of consequence."""
    if len(told) <= 1:
        return True
    return connectives(reading.plain.text) > 0 or len(reading.outline.clauses) > 1


def _links(reading: Reading, question: QuestionRubric, *, counted: bool) -> Iterator[LinkReading]:
    for link in question.links:
        found = [one for one in reading.links[link.id] if not one.denied]
        there = bool(found) and counted
        yield LinkReading(
            id=link.id,
            present=there,
            evidence=_evidence(reading, found) if there else (),
        )


def _evidence(reading: Reading, found: list[Found]) -> tuple[Span, ...]:
    """Where a link is said, at most a few places: from the first to the last word of each."""
    spans: list[Span] = []
    for one in found:
        start, end = min(one.spans)[0], max(end for _, end in one.spans)
        if width(reading.plain.text[start:end]) > _ACROSS:
            spans += one.spans
        else:
            spans.append((start, end))
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(reading.plain.given(span) for span in merged[:_EVIDENCE])


def _remarks(reading: Reading, case: Case) -> Iterator[Flag]:
    text = reading.plain.text
    if reading.copied:
        yield Flag.REFERENCE_COPY
    if reading.misspelt:
        yield Flag.MISSPELT
    if reading.long:
        yield Flag.LONG
    if hedges(text) and case.score:
        yield Flag.HEDGED
