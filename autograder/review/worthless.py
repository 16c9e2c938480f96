"""What earns nothing: silence, the question again, terms, talk, denial, a wrong conclusion."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.review.plain import Span, width
from autograder.review.reading import Reading
from autograder.review.records import Flag
from autograder.review.shape import dismissals, is_empty, is_keyword_list, is_read
from autograder.review.signs import Found
from autograder.rubric import QuestionRubric

_DENIED = 2
_CHAIN = 3
_PAIR = 2
# What an answer must say besides the question: a few characters, and a share of the whole.
_FEW = 6.0
_OWN_SHARE = 0.15
_SHORT = 12.0
# A conclusion that the question itself draws is an answer while it is short.
_BARE = 20.0
# An answer whose words are the question's says nothing of its own.
_NEWS = 0.45


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A verdict before its confidence is looked up."""

    name: str
    score: float | None
    flags: tuple[Flag, ...] = ()
    links: bool = True


UNCLEAR = Case(name="unclear", score=None, flags=(Flag.CANNOT_TELL,))
_WRONG = Case(name="wrong", score=0.0, flags=(Flag.WRONG_CONCLUSION,), links=False)
_CONTRADICTORY = Case(
    name="contradictory", score=None, flags=(Flag.WRONG_CONCLUSION, Flag.CANNOT_TELL)
)


def asserted(found: tuple[Found, ...]) -> bool:
    """Whether something was found that is not denied."""
    return bool(found) and not found[0].denied


def present(reading: Reading, question: QuestionRubric) -> list[str]:
    """The ids of the links that the answer asserts."""
    return [link.id for link in question.links if asserted(reading.links[link.id])]


def mechanisms(reading: Reading, question: QuestionRubric) -> list[str]:
    """Those of them that are mechanisms."""
    found = present(reading, question)
    return [link.id for link in question.links if link.mechanism and link.id in found]


def worthless(reading: Reading, question: QuestionRubric) -> Case | None:
    """What is worth nothing whatever words are in it; None for everything else."""
    text = reading.plain.text
    if is_empty(text):
        return Case(name="empty", score=0.0, flags=(Flag.EMPTY,), links=False)
    if not is_read(text):
        flags = (Flag.OTHER_LANGUAGE, Flag.CANNOT_TELL)
        return Case(name="unread", score=None, flags=flags, links=False)
    linked = bool(present(reading, question))
    concluded = asserted(reading.conclusion["right"])
    if is_keyword_list(text) or (reading.talk and not linked and not concluded):
        return Case(name="keyword-list", score=0.0, flags=(Flag.KEYWORD_LIST,), links=False)
    restated = reading.presupposed and not asserted(reading.conclusion["facts"])
    if restated and width(text) > _BARE:
        concluded = False
    if not linked and not concluded and _only_asks(reading):
        return Case(name="prompt-copy", score=0.0, flags=(Flag.PROMPT_COPY,), links=False)
    return None


def _only_asks(reading: Reading) -> bool:
    """Whether an answer repeats the question, word for word or in its words."""
    length = width(reading.plain.text)
    own = width(reading.without(reading.echo))
    if any(reading.links.values()):
        return False
    repeats = bool(reading.echo) and own < max(_FEW, _OWN_SHARE * length)
    return repeats or (reading.news < _NEWS and length > _SHORT)


def mistaken(reading: Reading, question: QuestionRubric) -> Case | None:
    """A wrong conclusion or a chain told backwards, unless mechanisms stand against it."""
    there, told = present(reading, question), mechanisms(reading, question)
    if asserted(reading.conclusion["final"]):
        return _WRONG
    if asserted(reading.conclusion["reversed"]):
        return _CONTRADICTORY if len(_sound(reading, told)) >= _PAIR else _WRONG
    denied = [key for key, found in reading.links.items() if found and found[0].denied]
    if _waves_away(reading, there) or (len(denied) >= _DENIED and len(there) <= 1):
        flags = (Flag.DENIES_MECHANISM, Flag.WRONG_CONCLUSION)
        return Case(name="denied", score=0.0, flags=flags, links=False)
    return _contrary(reading, there, told) if asserted(reading.conclusion["wrong"]) else None


def _contrary(reading: Reading, there: list[str], told: list[str]) -> Case | None:
    """What a wrong conclusion leaves: nothing, unless mechanisms stand against it."""
    if len(told) >= _PAIR:
        named = reading.presupposed and _mentioned(reading, there)
        stands = asserted(reading.conclusion["right"]) or len(there) >= _CHAIN
        return None if named or stands else _CONTRADICTORY
    if reading.vetoes and told:
        return None  # a veto explains the wrong conclusion already, and has its price
    denied = any(found and found[0].denied for found in reading.links.values())
    return _CONTRADICTORY if there and not denied else _WRONG


def _sound(reading: Reading, told: list[str]) -> list[str]:
    """The links that are told outside the sentences in which the chain runs backwards."""
    backwards = {
        reading.outline.sentence(start)
        for one in reading.conclusion["reversed"]
        for start, _ in one.spans
    }
    return [key for key in told if _told_in(reading, [key]) - backwards]


def _waves_away(reading: Reading, there: list[str]) -> bool:
    """Whether the answer dismisses everything, what it names at most within a dismissal."""
    found = dismissals(reading.plain.text, reading.outline)
    waved = {reading.outline.sentence(span[0]) for span in found}
    if len(found) < _DENIED or len(there) > 1:
        return False
    return _told_in(reading, there) <= waved


def _told_in(reading: Reading, there: list[str]) -> set[Span]:
    """The sentences that tell links."""
    return {
        reading.outline.sentence(span[0])
        for key in there
        for one in reading.links[key]
        if not one.denied
        for span in one.spans
    }


def _mentioned(reading: Reading, there: list[str]) -> bool:
    """Whether what would be wrong is only named where a link is told."""
    told = _told_in(reading, there)
    wrong = [one for one in reading.conclusion["wrong"] if not one.denied]
    return all(reading.outline.sentence(one.spans[0][0]) in told for one in wrong)
