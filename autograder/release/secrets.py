"""What a student branch must not hold: the fragments that only a lesson's answer side has.

Two kinds of fragment, each in its normal form:

* prose: every run of about 12 Chinese characters or 5 English words of reference answers, rubric
  evidence and sample answers, and of the comments and texts within answer code; shorter sentences
  of at least 8 characters as a whole;
* code: every specific statement of references and hidden tests, and every fill as the whole
  statement it completes. `total / count` by itself is no secret, `mean = total / count` is.

What the lesson's own public side holds as well is no secret. What is shorter than that cannot be
told from chance and is not sought.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from autograder.model import Lesson, Role
from autograder.release import normal, statements
from autograder.release.matching import Matcher

_SHORT_WHOLE = 8


class Edition(StrEnum):
    """Which branch is looked at: they keep different things back."""

    STUDENT = "student"
    ANSWER = "answer"


class Form(StrEnum):
    """The normal form in which a fragment is compared."""

    PROSE = "prose"
    CODE = "code"


Key = tuple[Form, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Secret:
    """A fragment and where the answer side has it."""

    text: str
    form: Form
    path: str
    line: int

    @property
    def key(self) -> Key:
        """What it is known by: two with the same text are one secret."""
        return self.form, self.text


def without_public(candidates: Iterable[Secret], shown: str) -> list[Secret]:
    """Drop doubles, and what the public text `shown` holds too."""
    first = {one.key: one for one in reversed(list(candidates))}
    found = list(first.values())
    known = Seeker(found).find(shown)
    return [one for one in found if one.key not in known]


class Seeker:
    """Finds secrets in texts."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        texts: dict[Form, list[str]] = {form: [] for form in Form}
        for secret in secrets:
            texts[secret.form].append(secret.text)
        self._prose = Matcher(texts[Form.PROSE])
        self._code = Matcher(texts[Form.CODE], whole_words=True)

    def find(self, text: str) -> set[Key]:
        """The form and the text of each secret found."""
        prose = self._prose.find(normal.prose(text))
        code = self._code.find(normal.code(text))
        return {(Form.PROSE, one) for one in prose} | {(Form.CODE, one) for one in code}


def prose_secrets(text: str, path: str, line: int) -> Iterator[Secret]:
    """The windows of a text, each with the line that it begins in."""
    for window, offset in _windows(text):
        yield Secret(text=window, form=Form.PROSE, path=path, line=line + offset)


@lru_cache(maxsize=4096)  # versions of a lesson share most of their blocks
def _windows(text: str) -> tuple[tuple[str, int], ...]:
    rows = enumerate(text.split("\n"))
    found = [(unit, offset) for offset, row in rows for unit in normal.units(row)]
    weights = [normal.weight(unit) for unit, _ in found]
    windows = []
    total, end = 0.0, 0
    for start, (_, place) in enumerate(found):
        while end < len(found) and total < normal.WINDOW:
            total += weights[end]
            end += 1
        whole = start == 0 and end == len(found) and total >= _SHORT_WHOLE
        if total >= normal.WINDOW or whole:
            window = "".join(unit for unit, _ in found[start:end])
            if len(window) >= _SHORT_WHOLE:
                windows.append((window, place))
        total -= weights[start]
    return tuple(windows)


def code_secrets(source: str, known: frozenset[str], path: str, line: int) -> Iterator[Secret]:
    """The statements of answer code, and its comments and texts."""
    for one in statements.fragments(source, known):
        yield Secret(text=one.text, form=Form.CODE, path=path, line=line + one.line - 1)
    for remark in statements.remarks(source):
        yield from prose_secrets(remark.text, path, line + remark.line - 1)


def fill_secrets(
    lesson: Lesson, exercise: str, parts: Sequence[str], path: str, line: int
) -> Iterator[Secret]:
    """The statements of an exercise with its blanks filled by `parts`."""
    for cell in lesson.cells(Role.EXERCISE):
        if cell.grade_id != exercise:
            continue
        for text in statements.filled(cell.source, parts):
            plain = normal.code(text).strip()
            if len(plain) >= statements.SHORTEST:
                yield Secret(text=plain, form=Form.CODE, path=path, line=line)


def known_names(lesson: Lesson) -> frozenset[str]:
    """The names that the exercises use, which make a statement specific."""
    found = (statements.names(cell.source) for cell in lesson.cells(Role.EXERCISE))
    return frozenset().union(*found)
