"""How a lesson asks a question: `## Q1 ...`, `## 问题 1`, `{#id points="1"}`, `**Q1** ...`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.source.attributes import Heading
from autograder.source.faults import Faults
from autograder.source.roles import GRADE_ID

_CHINESE = "零一二三四五六七八九十"
# `Q1–Q3` and `Q1、Q2` speak of questions and ask none.
_ALONE = r"(?![0-9A-Za-z])(?!\s*[-–—~～至到、,，和与及/]\s*Q?\d)"
_Q = re.compile(rf"^(?:\d+(?:\.\d+)*[.、]?\s+)?[Qq]\s?(\d{{1,4}}){_ALONE}")
_OTHER = re.compile(
    rf"^(?:\d+(?:\.\d+)*[.、]?\s+)?(?:(?:问题|思考题|简答题|问答题|question)\s*(\d{{1,4}}){_ALONE}"
    rf"|(?:问题|思考题|简答题|问答题)\s*([{_CHINESE}])(?![{_CHINESE}])"
    rf"|第\s*(\d{{1,4}}|[{_CHINESE}])\s*[题问])",
    re.IGNORECASE,
)
_IN_TEXT = re.compile(
    r"^\s*(?:>\s*)?(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\*\*|__)?"
    rf"(?:Q\s?(\d{{1,4}}){_ALONE}|(?:问题|思考题|简答题|问答题)\s*(\d{{1,4}}){_ALONE})"
    r"(?:\*\*|__|[\s.:：．)）（(、]|$)",
    re.IGNORECASE,
)
_ID = re.compile(r"^[Qq]\d{1,4}$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question as it is asked.

    Attributes:
        grade_id: `q1` .. by its number, or the heading's identifier.
        title: The heading's text, or the line it is asked in.
        level: Of the heading it is asked by or under.
        points: As written in the heading's attributes.
        offset: Lines of its block before it.
        in_text: By a line of text, not by a heading.
        certain: It is a question even if no answer line follows.
    """

    grade_id: str
    title: str
    level: int
    points: str | None = None
    offset: int = 0
    in_text: bool = False
    certain: bool = True


def asked_by_heading(heading: Heading, line: int, faults: Faults) -> Asked | None:
    """The question that a heading asks."""
    attributes = heading.attributes
    points = attributes.values.get("points")
    identifier = attributes.identifier or ""
    numbered, other = _Q.match(heading.text), _OTHER.match(heading.text)
    certain = True
    if numbered:
        grade_id = f"q{int(numbered[1])}"
    elif points is not None:
        grade_id = identifier
        if not GRADE_ID.match(grade_id):
            faults.add(
                line,
                "This question has no id that a gradebook can hold.",
                'Write `{#id points="1"}` with letters, digits, `-` and `_`.',
            )
            return None
    elif _ID.match(identifier):
        grade_id = identifier.lower()
    elif other:
        grade_id, certain = f"q{_number(other)}", False
    else:
        return None
    return Asked(
        grade_id=grade_id, title=heading.text, level=heading.level, points=points, certain=certain
    )


def asked_in_text(text: str, above: Asked | None) -> Asked | None:
    """The last question that a run of text asks, under the question `above` if any."""
    found = None
    for offset, line in enumerate(text.split("\n")):
        match = _IN_TEXT.match(line)
        if match:
            found = Asked(
                grade_id=f"q{_number(match)}",
                title=re.sub(r"^[\s>*+_-]+|[*_]{2}", "", line).strip(),
                level=above.level if above else 6,
                offset=offset,
                in_text=True,
                certain=False,
            )
    return found


def _number(match: re.Match[str]) -> int:
    digits = next(group for group in match.groups() if group is not None)
    return _CHINESE.index(digits) if digits in _CHINESE else int(digits)
