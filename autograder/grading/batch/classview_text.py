"""The view of a class as Markdown, which opens in JupyterLab and reads as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from autograder.counting import counted
from autograder.grading.batch.classview import ClassView
from autograder.grading.phrases import quoted

_MOST_ROWS = 30
_MOST_NAMED = 8
_TICKS = re.compile(r"`+")


def class_view_text(view: ClassView) -> str:
    """The text of class-view.md; it quotes hidden tests and is for instructors only."""
    return "\n".join(_lines(view)) + "\n"


def _lines(view: ClassView) -> Iterator[str]:
    yield f"# {view.lesson}: the class"
    yield ""
    yield "For instructors only: hidden tests are quoted. Points that people gave are not in here."
    yield ""
    yield f"{counted(view.submissions, 'submission')}: {_counts(view.statuses) or 'none'}."
    yield f"Flags: {_counts(view.flags) or 'none'}."
    yield from _table(
        "Questions",
        ("question", "points", "full", "part", "none", "waiting", "mean"),
        (
            (_code(q.question), f"{q.points:g}", q.full, q.part, q.none, q.waiting, _mean(q.mean))
            for q in view.questions
        ),
    )
    yield from _table(
        "Wrong fills",
        ("exercise", "fill", "how many", "who"),
        (
            (_code(f.exercise), _code(f.shape), len(f.students), _names(f.students))
            for f in view.wrong_fills
        ),
    )
    yield from _table(
        "Lines of tests that fail",
        ("question", "line", "test", "hidden", "how many", "who"),
        (
            (
                _code(one.question),
                one.line,
                _code(one.source),
                "yes" if one.hidden else "no",
                len(one.students),
                _names(one.students),
            )
            for one in view.failing_lines
        ),
    )
    yield from _table(
        "Answers that are nearly the same",
        ("question", "likeness", "how many", "who", "begins"),
        (
            (_code(a.question), a.likeness, len(a.students), _names(a.students), _code(a.excerpt))
            for a in view.alike_answers
        ),
        "For a person to look at: a shared source, working together and quoting look the same.",
    )


def _table(
    title: str, headings: tuple[str, ...], rows: Iterable[tuple[object, ...]], note: str = ""
) -> Iterator[str]:
    found = list(rows)
    yield from ("", f"## {title}", "")
    if not found:
        yield "None."
        return
    if note:
        yield from (note, "")
    yield f"| {' | '.join(headings)} |"
    yield f"|{' --- |' * len(headings)}"
    for row in found[:_MOST_ROWS]:
        yield f"| {' | '.join(map(str, row))} |"
    if len(found) > _MOST_ROWS:
        yield from ("", f"{len(found) - _MOST_ROWS} more are in class-view.json.")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items())


def _mean(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _names(students: list[str]) -> str:
    more = len(students) - _MOST_NAMED
    shown = ", ".join(_code(quoted(student)) for student in students[:_MOST_NAMED])
    return shown + (f" and {more} more" if more > 0 else "")


def _code(text: str) -> str:
    """A learner's text as code within a table: nothing in it is Markdown or a cell's end."""
    line = " ".join(text.split()).replace("|", "\\|")
    longest = max((len(ticks) for ticks in _TICKS.findall(line)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {line} {ticks}" if longest else f"`{line or ' '}`"
