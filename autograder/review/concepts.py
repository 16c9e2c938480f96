"""Concepts: the ways to say a thing, as patterns that a lesson's rubric lists.

A pattern is a regular expression with three shorthands: `~` stands for a few characters of the same
sentence, ` ` for any blanks or hyphens, `<name>` for any of the ways to say the concept `name`. A
word in Latin letters begins where it begins: `lock` finds `locked`, not `block`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.errors import CourseError
from autograder.review.plain import Span

_NESTED = re.compile(r"<([a-z_]+)>")
_DEEPEST = 5
_TOKEN = re.compile(
    r"\\x[0-9a-f]{2}|\\.|\[[^\]]*\]|\{[\d,]+\}|\(\?(?:[:=!]|<[=!])|[A-Za-z]|~\??|.", re.DOTALL
)
_QUANTIFIERS = frozenset("?*+{")
_STOP = "。！？!?；;\\n"
# A few characters, or a few words in Latin letters, none of which denies what follows.
_GAP = (
    rf"(?:[^{_STOP}不没无未]{{0,10}}?|"
    rf"(?:(?!\b(?:not|no|never)\b|n't)[^{_STOP}\u2e80-\uffff]){{11,30}}?)"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Occurrence:
    """A concept found.

    Attributes:
        span: In the plain text.
        negator: The words that deny it, None when it is asserted.
    """

    concept: str
    span: Span
    negator: Span | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Concepts:
    """Compiled concepts."""

    patterns: Mapping[str, re.Pattern[str]]

    def spans(self, name: str, text: str) -> list[Span]:
        """Where a concept occurs."""
        return [found.span() for found in self.patterns[name].finditer(text) if found[0]]


def compile_concepts(path: str, ways: Mapping[str, Sequence[str]]) -> Concepts:
    """Compile the concepts of a rubric.

    Args:
        path: The rubric, for messages.
        ways: Name -> patterns.

    Raises:
        CourseError: A pattern is no regular expression, or names a concept that there is not.
    """
    return Concepts(patterns={name: _compiled(path, name, ways) for name in ways})


def _compiled(path: str, name: str, ways: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    source = "|".join(_written(way, ways, path, name) for way in ways[name])
    try:
        return re.compile(source)
    except re.error as error:
        raise CourseError(
            f"{path}:[concepts] {name}: This is no pattern: {error}. Mend it."
        ) from error


def _written(
    way: str, ways: Mapping[str, Sequence[str]], path: str, name: str, depth: int = 0
) -> str:
    """A pattern as Python's `re` wants it."""

    def nested(found: re.Match[str]) -> str:
        inner = found[1]
        if inner not in ways or depth == _DEEPEST:
            what = f"<{inner}> is no concept, or stands within itself."
            raise CourseError(f"{path}:[concepts] {name}: {what} Name one of [concepts].")
        return f"(?:{'|'.join(_written(one, ways, path, inner, depth + 1) for one in ways[inner])})"

    pieces = []
    done = 0
    for found in _NESTED.finditer(way):
        pieces += [_plain_way(way[done : found.start()]), nested(found)]
        done = found.end()
    pieces.append(_plain_way(way[done:]))
    return "".join(pieces)


def _plain_way(way: str, *, latin: bool = False) -> str:
    """A pattern without nested concepts, its shorthands written out.

    Args:
        way: The pattern.
        latin: Whether a Latin letter stands right before it.
    """
    entered: list[bool] = []
    made = []
    for part in _TOKEN.findall(way):
        written = part
        if part[0] == "(":
            entered.append(latin)
        elif part == "|":
            latin = entered[-1] if entered else False
        elif part == ")":
            latin = (entered.pop() if entered else False) or latin
        elif part[0] == "~":
            latin, written = False, _GAP
        elif part == " ":
            written = r"[\s\-_]*"
        elif part.isascii() and part.isalpha():
            latin, written = True, ("" if latin else "(?<![a-z])") + part.lower()
        elif part[0] == "[":
            latin = part[1] != "^" and any(one.isascii() and one.isalpha() for one in part)
        elif part[0] not in _QUANTIFIERS:
            latin = False
        made.append(written)
    return "".join(made)
