"""Points: those of the tests and questions, of rubric.toml, and those that the text promises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from autograder.checking.report import Finding
from autograder.checking.text import Line, text_lines
from autograder.model import Audience, Lesson, Role
from autograder.rubric.table import Entry, RubricTable
from autograder.source.faults import did_you_mean

_NUMBER = r"(\d+(?:\.\d+)?)"
_CELL = re.compile(r"(?<!\\)\|")
_POINTS_HEAD = re.compile(r"^(分值|分数|满分|得分上限|points?|marks?)$", re.IGNORECASE)
_EACH = re.compile(rf"(?:各\s*{_NUMBER}(?:\s*分)?|{_NUMBER}\s*(?:points?\s*)?each)", re.IGNORECASE)
_QUESTIONS = re.compile(r"Q(\d+)(?:\s*[-–—~～至到]\s*Q?(\d+))?")
_TOTAL = re.compile(rf"(?:满分\s*(?:为|是|:|：)?\s*{_NUMBER}\s*分|out of {_NUMBER} points)")
_PASS = re.compile(rf"(?:总分\s*(?:不低于|至少|≥|>=)\s*|a total of at least ){_NUMBER}")


def wrong_points(lesson: Lesson, rubric: RubricTable | None) -> Iterator[Finding]:
    """Every place where points disagree with what is graded."""
    graded = _graded(lesson)
    names: dict[str, str] = {}
    if rubric is not None:
        yield from _of_rubric(lesson, rubric, graded)
        names = {
            str(part.values.get("line", "")): str(part.values.get("id"))
            for part in rubric.entries("parts")
        }
        yield from _unwritten(lesson, rubric)
    total = rubric.rule.number("total") if rubric is not None else None
    yield from _of_text(lesson, graded, total)
    yield from _of_tables(lesson, graded, names)


def _graded(lesson: Lesson) -> dict[str, float]:
    tests = {str(test.grade_id): test.points or 0.0 for test in lesson.cells(Role.TESTS)}
    return tests | {answer.grade_id: answer.points for answer in lesson.answers}


def _of_rubric(
    lesson: Lesson, rubric: RubricTable, graded: Mapping[str, float]
) -> Iterator[Finding]:
    if rubric.values.get("lesson", lesson.slug) != lesson.slug:
        line = rubric.line_of("lesson")
        yield _finding(
            rubric.path,
            line,
            f"This rubric says it is of {rubric.values['lesson']!r}.",
            f'Write `lesson = "{lesson.slug}"`.',
        )
    manual = {answer.grade_id for answer in lesson.answers}
    for kind, due in (("parts", set(graded)), ("questions", manual)):
        entries = list(rubric.entries(kind))
        for entry in entries:
            yield from _of_entry(rubric.path, kind, entry, graded, due)
        missing = due - {str(entry.values.get("id")) for entry in entries}
        for name in sorted(missing) if entries else ():
            what = f"There is no [[{kind}]] for {name!r}, which the lesson grades."
            yield _finding(rubric.path, entries[0].line, what, "Add one.")
    rule = rubric.rule
    if rule.number("max_score") not in {None, lesson.max_score}:
        yield _finding(
            rubric.path,
            rubric.line_of("max_score"),
            f"max_score is {rule.number('max_score'):g}, the lesson's points sum to "
            f"{lesson.max_score:g}.",
            "Make them agree.",
        )
    full = rule.values.get("full", {})
    for name, points in full.items() if isinstance(full, dict) else ():
        if graded.get(name) != points:
            yield _finding(
                rubric.path,
                rubric.line_of("full"),
                f"`full` asks {points!r} of {name!r}, which is worth {_worth(graded, name)}.",
                "Make them agree.",
            )


def _of_entry(
    path: str, kind: str, entry: Entry, graded: Mapping[str, float], due: set[str]
) -> Iterator[Finding]:
    name = str(entry.values.get("id"))
    if name not in due:
        what = f"The [[{kind}]] {name!r} is nothing that the lesson grades like this."
        yield _finding(path, entry.line, what, did_you_mean(name, due) if due else "Delete it.")
    elif entry.number("points") not in {None, graded[name]}:
        yield _finding(
            path,
            entry.line,
            f"{name!r} has {entry.number('points'):g} points here and {graded[name]:g} in the "
            "lesson.",
            "Make them agree.",
        )


def _worth(graded: Mapping[str, float], name: str) -> str:
    return f"{graded[name]:g}" if name in graded else "nothing, since there is no such id"


def _unwritten(lesson: Lesson, rubric: RubricTable) -> Iterator[Finding]:
    """What a rubric calls public, and learners do not get word for word."""
    shown = "".join(block.text for block in lesson.blocks if block.audience is Audience.PUBLIC)
    lines: list[str] = []
    for kind in ("levels", "questions"):
        for entry in rubric.entries(kind):
            public = entry.values.get("public", [])
            lines += [public] if isinstance(public, str) else public
    for line in lines:
        if line not in shown:
            yield _finding(
                rubric.path,
                rubric.line_of(line),
                f"The public line {line!r} is not in the lesson's text.",
                "Write the same words in both.",
            )


def _of_text(
    lesson: Lesson, graded: Mapping[str, float], pass_total: float | None
) -> Iterator[Finding]:
    for line in _public(lesson):
        for found in _TOTAL.finditer(line.text):
            said = float(found[1] or found[2])
            if said != lesson.max_score and said not in graded.values():
                yield _finding(
                    lesson.path,
                    line.number,
                    f"The text says {said:g} points in all, the lesson grades "
                    f"{lesson.max_score:g}.",
                    "Make them agree.",
                )
        for found in _PASS.finditer(line.text):
            if pass_total is not None and float(found[1]) != pass_total:
                yield _finding(
                    lesson.path,
                    line.number,
                    f"The text passes at {found[1]}, rubric.toml at {pass_total:g}.",
                    "Make them agree.",
                )
        if "|" not in line.text:
            yield from _of_each(lesson.path, line, line.text, graded)


def _of_each(path: str, line: Line, text: str, graded: Mapping[str, float]) -> Iterator[Finding]:
    """`Q1–Q3 各 2 分`: what is said of several questions at once."""
    for clause in re.split(r"[，,；;。]", text):
        each = _EACH.search(clause)
        if each is None:
            continue
        said = float(each[1] or each[2])
        for name in _named(clause[: each.start()]):
            yield from _compare(path, line, name, said, graded)


def _named(text: str) -> list[str]:
    names: list[str] = []
    for first, last in _QUESTIONS.findall(text):
        names += [f"q{number}" for number in range(int(first), int(last or first) + 1)]
    return names


def _of_tables(
    lesson: Lesson, graded: Mapping[str, float], names: Mapping[str, str]
) -> Iterator[Finding]:
    """Rows of a table with a column of points."""
    column: int | None = None
    inside = False
    for line in _public(lesson):
        if "|" not in line.text:
            inside, column = False, None
            continue
        cells = [cell.strip() for cell in _CELL.split(line.text.strip().strip("|"))]
        if not inside:
            inside = True
            column = next((n for n, one in enumerate(cells) if _POINTS_HEAD.match(one)), None)
        elif column is not None and column < len(cells):
            number = re.search(_NUMBER, cells[column])
            own = names.get(cells[0]) or (cells[0] if cells[0] in graded else None)
            for name in [own] if own else _named(cells[0]):
                if number is not None:
                    yield from _compare(lesson.path, line, name, float(number[1]), graded)


def _compare(
    path: str, line: Line, name: str, said: float, graded: Mapping[str, float]
) -> Iterator[Finding]:
    if graded.get(name) != said:
        yield _finding(
            path,
            line.number,
            f"The text gives {name!r} {said:g} points, it is worth {_worth(graded, name)}.",
            "Make them agree.",
        )


def _public(lesson: Lesson) -> Iterator[Line]:
    return (line for line in text_lines(lesson) if line.audience is Audience.PUBLIC)


def _finding(path: str, line: int, what: str, mend: str) -> Finding:
    return Finding(path=path, line=line, what=what, mend=mend)
