"""Sign expressions: concepts that together say something.

`a + b` asks for both within a sentence and a reach, `a & b` for both anywhere in the answer,
`a + b ! c` for a sentence without c, `a > b` for a told as the cause of b. A sign whose concepts
are all there, one of them denied, says the opposite; of `=a` a denial says nothing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.errors import CourseError
from autograder.review.causality import told
from autograder.review.concepts import Occurrence
from autograder.review.plain import Span, width
from autograder.review.sentences import Outline

_REACH = 60.0
_NAME = re.compile(r"[a-z_]+")
_CANDIDATES = 6

Occurrences = Mapping[str, Sequence[Occurrence]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sign:
    """A sign expression.

    Attributes:
        groups: Concepts, those of one group within one sentence.
        without: Concepts that the sentence of the first group must not hold.
        neutral: Concepts of which a denial says nothing.
        effect: The concept that the last one of the first group is told to bring about.
    """

    groups: tuple[tuple[str, ...], ...]
    without: tuple[str, ...] = ()
    neutral: frozenset[str] = frozenset()
    effect: str | None = None

    @property
    def names(self) -> Iterator[str]:
        """Every concept in it."""
        return itertools.chain(*self.groups, self.without, [self.effect] if self.effect else [])


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A sign found.

    Attributes:
        spans: Of its concepts.
        denied: It is there to be denied.
    """

    spans: tuple[Span, ...]
    denied: bool = False


def read_sign(text: str, path: str, known: Mapping[str, object]) -> Sign:
    """Read a sign expression.

    Raises:
        CourseError: It is none, or names a concept that there is not.
    """
    asked, _, negative = text.partition("!")
    positive, _, effect = asked.partition(">")
    written = [[name.strip() for name in group.split("+")] for group in positive.split("&")]
    sign = Sign(
        groups=tuple(tuple(name.lstrip("=") for name in group) for group in written),
        without=tuple(negative.split()),
        neutral=frozenset(name[1:] for group in written for name in group if name[:1] == "="),
        effect=effect.strip() or None,
    )
    for name in sign.names:
        if not _NAME.fullmatch(name) or name not in known:
            what = f"{name!r} in the sign {text!r} is no concept."
            raise CourseError(f"{path}:[concepts] {name}: {what} Define it, or mend the sign.")
    return sign


def look_for(sign: Sign, occurrences: Occurrences, outline: Outline, text: str) -> Found | None:
    """The sign in an answer: asserted if it is anywhere, else denied; None when absent."""
    if sign.effect:
        return _caused(sign, sign.effect, occurrences, outline, text)
    if sign.neutral:
        occurrences = {
            name: [replace(one, negator=None) for one in occurrences[name]]
            if name in sign.neutral
            else occurrences[name]
            for name in sign.names
        }
    parts = [_group(group, sign.without, occurrences, outline, text) for group in sign.groups]
    if not all(parts):
        return None
    spans = tuple(span for part in parts if part for span in part.spans)
    return Found(spans=spans, denied=any(part.denied for part in parts if part))


def _caused(
    sign: Sign, effect: str, occurrences: Occurrences, outline: Outline, text: str
) -> Found | None:
    """Where a concept is told as the cause of another; whose lack is the cause is none."""
    (name,) = sign.groups[0]
    barred = {outline.sentence(one.span[0]) for other in sign.without for one in occurrences[other]}
    spans: list[Span] = []
    for pair in told(text, outline):
        if outline.sentence(pair.cause[0]) in barred:
            continue
        for one, other in itertools.product(occurrences[name], occurrences[effect]):
            apart = one.span[1] <= other.span[0] or other.span[1] <= one.span[0]
            apart = apart and (one.negator is None or name in sign.neutral)
            if apart and _starts_in(one, pair.cause) and _starts_in(other, pair.effect):
                spans += [one.span, other.span]
    return Found(spans=tuple(spans)) if spans else None


def _starts_in(one: Occurrence, span: Span) -> bool:
    return span[0] <= one.span[0] < span[1]


def _group(
    names: tuple[str, ...],
    without: tuple[str, ...],
    occurrences: Occurrences,
    outline: Outline,
    text: str,
) -> Found | None:
    denied: Found | None = None
    barred = {outline.sentence(one.span[0]) for name in without for one in occurrences[name]}
    for anchor in occurrences[names[0]]:
        sentence = outline.sentence(anchor.span[0])
        if sentence in barred:
            continue
        chosen = _combination(anchor, names[1:], occurrences, sentence, text)
        if chosen is None:
            continue
        found = Found(
            spans=tuple(one.span for one in chosen),
            denied=any(_denied(one, chosen) for one in chosen),
        )
        if not found.denied:
            return found
        denied = denied or found
    return denied


def _combination(
    anchor: Occurrence,
    names: tuple[str, ...],
    occurrences: Occurrences,
    sentence: Span,
    text: str,
) -> tuple[Occurrence, ...] | None:
    """The anchor with the nearest of each other concept, asserted ones first."""
    near = [
        _nearest(anchor, [one for one in occurrences[name] if _close(anchor, one, sentence, text)])
        for name in names
    ]
    if not all(near):
        return None
    first: tuple[Occurrence, ...] | None = None
    for others in itertools.islice(itertools.product(*near), 64):
        chosen = (anchor, *others)
        if len({one.span for one in chosen}) < len(chosen):
            continue
        if not any(_denied(one, chosen) for one in chosen):
            return chosen
        first = first or chosen
    return first


def _nearest(anchor: Occurrence, found: list[Occurrence]) -> list[Occurrence]:
    return sorted(found, key=lambda one: abs(one.span[0] - anchor.span[0]))[:_CANDIDATES]


def _close(anchor: Occurrence, other: Occurrence, sentence: Span, text: str) -> bool:
    if not sentence[0] <= other.span[0] < sentence[1]:
        return False
    between = text[min(anchor.span[1], other.span[1]) : max(anchor.span[0], other.span[0])]
    return width(between) <= _REACH


def _denied(one: Occurrence, chosen: tuple[Occurrence, ...]) -> bool:
    """Denied, unless the negation is itself part of what says the thing, as in 读不到."""
    if one.negator is None:
        return False
    start, end = one.negator
    return not any(other.span[0] < end and start < other.span[1] for other in chosen)
