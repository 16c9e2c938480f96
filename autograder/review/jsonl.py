"""Answers in, suggestions out, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.review.records import Flag, Suggestion
from autograder.review.suggest import Suggester

_NAMES = ("id", "question", "answer")


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of output.

    Attributes:
        text: A JSON object, without its line end.
        told: Whether points are suggested.
        fault: What was wrong with the line of input, one sentence with its number; None when
            nothing was.
    """

    text: str
    told: bool = False
    fault: str | None = None


class _BadLineError(Exception):
    """A line of input that cannot be worked on; the message says why and how to mend it."""


def suggest_lines(suggester: Suggester, lines: Iterable[bytes], name: str) -> Iterator[Line]:
    """Suggest for every line that is not blank.

    A line that cannot be worked on gives one with no score and the flag `bad-input`, so that
    output and input stay side by side.

    Args:
        suggester: Of the lesson.
        lines: Raw, so that one that is no UTF-8 spoils no other.
        name: Of the input, for messages.
    """
    for number, raw in enumerate(lines, start=1):
        if not raw.strip(b"\xef\xbb\xbf \t\r\n"):
            continue
        given: dict[str, Any] = {}
        try:
            given = _object(raw)
            yield _line(given, _suggestion(suggester, given))
        except _BadLineError as error:
            empty = Suggestion(score=None, confidence=0.0, case="bad", flags=(Flag.BAD_INPUT,))
            yield Line(
                text=_line({"id": f"line {number}", "question": None} | given, empty).text,
                fault=f"{name}:{number}: {error}",
            )


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _BadLineError("This is no UTF-8. Save the file as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise _BadLineError(f"This is no JSON ({error}). Mend the line.") from error
    if not isinstance(value, dict):
        raise _BadLineError('This is no object. Write {"id": …, "question": "Q1", "answer": "…"}.')
    return value


def _suggestion(suggester: Suggester, given: dict[str, Any]) -> Suggestion:
    for name in _NAMES:
        if name not in given:
            raise _BadLineError(f'There is no "{name}". Add it.')
    for name in ("question", "answer"):
        if not isinstance(given[name], str):
            raise _BadLineError(
                f'"{name}" is {given[name]!r:.40}. Write a text in quotation marks.'
            )
    question = suggester.rubric.question(given["question"].strip())
    if question is None:
        known = ", ".join(one.id for one in suggester.rubric.questions)
        raise _BadLineError(f"There is no question {given['question']!r:.40}. Name one of {known}.")
    return suggester.suggest(question, given["answer"])


def _line(given: dict[str, Any], suggestion: Suggestion) -> Line:
    value = {
        "id": given.get("id"),
        "question": given.get("question"),
        "score": suggestion.score,
        "confidence": round(suggestion.confidence, 2),
        "links": [
            {
                "id": link.id,
                "present": link.present,
                "evidence": [list(span) for span in link.evidence],
            }
            for link in suggestion.links
        ],
        "flags": [str(flag) for flag in suggestion.flags],
        "vetoes": list(suggestion.vetoes),
    }
    return Line(text=json.dumps(value, ensure_ascii=False), told=suggestion.score is not None)
