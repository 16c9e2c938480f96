"""From what was found in an answer to points, vetoes and flags, by the rubric's own levels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.review.plain import Span, width
from autograder.review.reading import Reading
from autograder.review.records import Flag, LinkReading, Suggestion
from autograder.review.shape import connectives, hedges, is_empty, is_keyword_list, is_read
from autograder.review.signs import Found
from autograder.rubric import QuestionRubric, Rubric

_EVIDENCE = 6
# A sign wider than this spans sentences: its concepts are shown one by one.
_ACROSS = 80.0
_UNSURE = 0.5
_DENIED = 2
_CHAIN = 3
# What an answer must say besides the question: a few characters, and a share of the whole.
_FEW = 6.0
_OWN_SHARE = 0.15
# So many characters say more than a bare conclusion.
_LONG = 40.0
_SHORT = 12.0
_MUCH = 75.0
# An answer whose words are the question's says nothing of its own.
_NEWS = 0.45


@dataclass(frozen=True, kw_only=True, slots=True)
class _Case:
    """A verdict before its confidence is looked up."""

    name: str
    score: float | None
    flags: tuple[Flag, ...] = ()
    links: bool = True


def judge(reading: Reading, question: QuestionRubric, rubric: Rubric) -> Suggestion:
    """Propose points for an answer that was read."""
    case = _worthless(reading, question) or _by_chain(reading, question, rubric)
    flags = dict.fromkeys((*case.flags, *_remarks(reading, case)))
    return Suggestion(
        score=case.score,
        confidence=rubric.lexicon.confidence.get(case.name, _UNSURE),
        case=case.name,
        links=tuple(_links(reading, question, counted=case.links)),
        flags=tuple(flags),
        vetoes=() if case.name in {"empty", "prompt-copy", "keyword-list"} else reading.vetoes,
    )


def _worthless(reading: Reading, question: QuestionRubric) -> _Case | None:
    """What is worth nothing whatever words are in it."""
    text = reading.plain.text
    if is_empty(text):
        return _Case(name="empty", score=0.0, flags=(Flag.EMPTY,), links=False)
    if not is_read(text):
        flags = (Flag.OTHER_LANGUAGE, Flag.CANNOT_TELL)
        return _Case(name="unread", score=None, flags=flags, links=False)
    said = bool(_present(reading, question)) or _asserted(reading.conclusion["right"])
    if is_keyword_list(text) or (reading.talk and not said):
        return _Case(name="keyword-list", score=0.0, flags=(Flag.KEYWORD_LIST,), links=False)
    if not said and _only_asks(reading):
        return _Case(name="prompt-copy", score=0.0, flags=(Flag.PROMPT_COPY,), links=False)
    return None


def _only_asks(reading: Reading) -> bool:
    """Whether an answer repeats the question, word for word or in its words."""
    length = width(reading.plain.text)
    own = width(_rest(reading, reading.echo))
    if any(reading.links.values()):
        return False
    repeats = bool(reading.echo) and own < max(_FEW, _OWN_SHARE * length)
    return repeats or (reading.news < _NEWS and length > _SHORT)


def _by_chain(reading: Reading, question: QuestionRubric, rubric: Rubric) -> _Case:
    present = _present(reading, question)
    mechanisms = [link.id for link in question.links if link.mechanism and link.id in present]
    denied = [key for key, found in reading.links.items() if found and found[0].denied]
    mistaken = _mistaken(reading, present, mechanisms, denied)
    if mistaken is not None:
        return mistaken
    if present:
        return _scored(reading, question, rubric, present, mechanisms)
    return _without_links(reading, rubric, denied=bool(denied))


def _mistaken(
    reading: Reading, present: list[str], mechanisms: list[str], denied: list[str]
) -> _Case | None:
    """A wrong conclusion, unless a chain of mechanisms stands against it."""
    nothing = _Case(name="wrong", score=0.0, flags=(Flag.WRONG_CONCLUSION,), links=False)
    flags = (Flag.WRONG_CONCLUSION, Flag.CANNOT_TELL)
    contradictory = _Case(name="contradictory", score=None, flags=flags)
    if _asserted(reading.conclusion["final"]):
        return nothing
    if len(denied) >= _DENIED and len(present) <= 1:
        flags = (Flag.DENIES_MECHANISM, Flag.WRONG_CONCLUSION)
        return _Case(name="denied", score=0.0, flags=flags, links=False)
    if not _asserted(reading.conclusion["wrong"]):
        return None
    if len(mechanisms) <= 1:
        # A veto explains the wrong conclusion already, and has its price.
        priced = bool(reading.vetoes and mechanisms)
        return None if priced else contradictory if present and not denied else nothing
    stands = _asserted(reading.conclusion["right"]) or len(present) >= _CHAIN
    return None if stands else contradictory


def _scored(
    reading: Reading,
    question: QuestionRubric,
    rubric: Rubric,
    present: list[str],
    mechanisms: list[str],
) -> _Case:
    """By the rubric's levels, then less by what bounds or costs."""
    connected = _connected(reading, mechanisms)
    levels = [level for level in rubric.levels_of(question) if level.links or level.mechanisms]
    # How often a question's own levels were suggested rightly is counted apart.
    own = f"{question.id}-" if question.levels else ""
    score, name = rubric.step, "fact"
    for level in levels:
        enough = len(present) >= level.links and len(mechanisms) >= level.mechanisms
        if enough and (connected or not level.connected):
            score, name = level.score, f"{own}level-{level.score:g}"
            break
    flags: list[Flag] = []
    if (
        len(mechanisms) <= 1
        and score < question.points
        and not reading.vetoes
        and width(reading.plain.text) > _MUCH
        and not reading.faults
    ):
        # Whoever writes so much says more than was found: in other words, most likely.
        return _Case(name="unclear", score=None, flags=(Flag.CANNOT_TELL,))
    if len(mechanisms) > 1 and not connected:
        flags.append(Flag.UNCONNECTED)
    cap = min((one.cap for one in question.faults if one.id in reading.faults), default=score)
    if cap < score:
        score, name = cap, "capped"
        flags.append(Flag.OVERSTATED)
    cost = max((veto.cost for veto in rubric.vetoes if veto.id in reading.vetoes), default=0.0)
    if cost:
        score, name = max(0.0, score - cost), "vetoed"
    return _Case(name=name, score=score, flags=tuple(flags))


def _without_links(reading: Reading, rubric: Rubric, *, denied: bool) -> _Case:
    text = _rest(reading, (*reading.echo, *reading.talk))
    said = {kind: _asserted(found) for kind, found in reading.conclusion.items()}
    unclear = _Case(name="unclear", score=None, flags=(Flag.CANNOT_TELL,))
    if not said["right"]:
        if denied:
            return _Case(name="denied", score=0.0, flags=(Flag.DENIES_MECHANISM,), links=False)
        if not reading.topical and not said["beside"] and connectives(text) > 1:
            return unclear  # a figure of speech may say it all without the lesson's words
        if said["beside"] or not reading.topical:
            return _Case(name="off-topic", score=0.0, flags=(Flag.OFF_TOPIC,), links=False)
    if not (said["right"] or said["facts"]) or (width(text) > _LONG and connectives(text) > 1):
        return unclear
    return _Case(name="conclusion", score=rubric.step)


def _connected(reading: Reading, mechanisms: list[str]) -> bool:
    """Whether mechanisms are told one after the other or joined by words of consequence."""
    if len(mechanisms) <= 1:
        return True
    return connectives(reading.plain.text) > 0 or len(reading.outline.clauses) > 1


def _present(reading: Reading, question: QuestionRubric) -> list[str]:
    found = reading.links
    return [link.id for link in question.links if _asserted(found[link.id])]


def _asserted(found: tuple[Found, ...]) -> bool:
    return bool(found) and not found[0].denied


def _links(reading: Reading, question: QuestionRubric, *, counted: bool) -> Iterator[LinkReading]:
    for link in question.links:
        found = [one for one in reading.links[link.id] if not one.denied]
        present = bool(found) and counted
        yield LinkReading(
            id=link.id,
            present=present,
            evidence=_evidence(reading, found) if present else (),
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


def _remarks(reading: Reading, case: _Case) -> Iterator[Flag]:
    text = reading.plain.text
    if reading.copied:
        yield Flag.REFERENCE_COPY
    if reading.misspelt:
        yield Flag.MISSPELT
    if reading.long:
        yield Flag.LONG
    if hedges(text) and case.score:
        yield Flag.HEDGED


def _rest(reading: Reading, without: tuple[Span, ...]) -> str:
    pieces, done = [], 0
    for start, end in sorted(without):
        pieces.append(reading.plain.text[done:start])
        done = max(done, end)
    return "".join((*pieces, reading.plain.text[done:]))
