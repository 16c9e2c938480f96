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

_EVIDENCE = 3
_UNSURE = 0.5
_DENIED = 2
# So many characters say more than a bare conclusion.
_LONG = 40.0
_SHORT = 12.0
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
    flags = dict.fromkeys((*case.flags, *_remarks(reading, question, case)))
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
    if is_keyword_list(text):
        return _Case(name="keyword-list", score=0.0, flags=(Flag.KEYWORD_LIST,), links=False)
    own = _rest(reading, reading.echo)
    if reading.echo and width(own) < max(6.0, 0.15 * width(text)) and not _said(reading, question):
        return _Case(name="prompt-copy", score=0.0, flags=(Flag.PROMPT_COPY,), links=False)
    if reading.news < _NEWS and width(text) > _SHORT and not _said(reading, question):
        return _Case(name="prompt-copy", score=0.0, flags=(Flag.PROMPT_COPY,), links=False)
    if reading.talk and not _said(reading, question):
        return _Case(name="keyword-list", score=0.0, flags=(Flag.KEYWORD_LIST,), links=False)
    return None


def _said(reading: Reading, question: QuestionRubric) -> bool:
    """Whether any link or the right conclusion is there."""
    return bool(_present(reading, question)) or _asserted(reading.conclusion["right"])


def _by_chain(reading: Reading, question: QuestionRubric, rubric: Rubric) -> _Case:
    present = _present(reading, question)
    mechanisms = [link.id for link in question.links if link.mechanism and link.id in present]
    denied = [key for key, found in reading.links.items() if found and found[0].denied]
    wrong = _asserted(reading.conclusion["wrong"])
    if _asserted(reading.conclusion["final"]):
        return _Case(
            name="wrong", score=0.0, flags=(Flag.WRONG_CONCLUSION,), links=False
        )
    if len(denied) >= _DENIED and len(present) <= 1:
        flags = (Flag.DENIES_MECHANISM, Flag.WRONG_CONCLUSION)
        return _Case(name="denied", score=0.0, flags=flags, links=False)
    if wrong and len(mechanisms) <= 1:
        if reading.vetoes and mechanisms:
            return _scored(reading, question, rubric, present, mechanisms)
        return _Case(name="wrong", score=0.0, flags=(Flag.WRONG_CONCLUSION,), links=False)
    if wrong and not _asserted(reading.conclusion["right"]) and len(present) < 3:  # noqa: PLR2004
        flags = (Flag.WRONG_CONCLUSION, Flag.CANNOT_TELL)
        return _Case(name="contradictory", score=None, flags=flags)
    if present:
        return _scored(reading, question, rubric, present, mechanisms)
    return _without_links(reading, bool(denied))


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
    score, name = min(rubric.step, question.points), "fact"
    for level in levels:
        enough = len(present) >= level.links and len(mechanisms) >= level.mechanisms
        if enough and (connected or not level.connected):
            score, name = level.score, f"level-{level.score:g}"
            break
    flags: list[Flag] = []
    if len(mechanisms) > 1 and not connected:
        flags.append(Flag.UNCONNECTED)
    caps = [fault.cap for fault in question.faults if fault.id in reading.faults]
    if caps and min(caps) < score:
        score, name = min(caps), "capped"
        flags.append(Flag.OVERSTATED)
    costs = [veto.cost for veto in rubric.vetoes if veto.id in reading.vetoes]
    if costs and max(costs):
        score, name = max(0.0, score - max(costs)), "vetoed"
    return _Case(name=name, score=score, flags=tuple(flags))


def _without_links(reading: Reading, denied: bool) -> _Case:
    text = _rest(reading, (*reading.echo, *reading.talk))
    facts = _asserted(reading.conclusion["facts"])
    right = _asserted(reading.conclusion["right"])
    if denied and not right:
        return _Case(name="denied", score=0.0, flags=(Flag.DENIES_MECHANISM,), links=False)
    beside = _asserted(reading.conclusion["beside"])
    if not right and not beside and not reading.topical and connectives(text) > 1:
        # A figure of speech may say it all without one of the lesson's words.
        return _Case(name="unclear", score=None, flags=(Flag.CANNOT_TELL,))
    if not right and (beside or not reading.topical):
        return _Case(name="off-topic", score=0.0, flags=(Flag.OFF_TOPIC,), links=False)
    if right or facts:
        if width(text) > _LONG and connectives(text) > 1:
            return _Case(name="unclear", score=None, flags=(Flag.CANNOT_TELL,))
        return _Case(name="conclusion", score=0.5)
    return _Case(name="unclear", score=None, flags=(Flag.CANNOT_TELL,))


def _connected(reading: Reading, mechanisms: list[str]) -> bool:
    """Whether the mechanisms stand in a chain: told in neighbouring sentences, or joined by words
    of cause and consequence."""
    if len(mechanisms) < 2:  # noqa: PLR2004  (a chain)
        return True
    text = reading.plain.text
    return connectives(text) > 0 or len(reading.outline.sentences) > 1


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
        start, end = min(s for s, _ in one.spans), max(e for _, e in one.spans)
        if width(reading.plain.text[start:end]) > 80:  # noqa: PLR2004  (a sign across sentences)
            spans += one.spans
        else:
            spans.append((start, end))
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(reading.plain.given(span) for span in merged[: _EVIDENCE * 2])


def _remarks(reading: Reading, question: QuestionRubric, case: _Case) -> Iterator[Flag]:
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
