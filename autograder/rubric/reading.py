"""rubric.toml -> Rubric, every key checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.errors import CourseError
from autograder.rubric.keys import RubricError, Table, tables
from autograder.rubric.model import (
    Conclusion,
    Criterion,
    Fault,
    Level,
    Lexicon,
    Link,
    Part,
    PassRule,
    QuestionRubric,
    Rubric,
    Veto,
)
from autograder.rubric.table import read_table

__all__ = ["RubricError", "load_rubric", "read_rubric"]

_SIGNED = ("right", "wrong", "final", "facts", "beside", "reversed")


def load_rubric(path: Path, known_as: str) -> Rubric:
    """Read a lesson's rubric.

    Args:
        path: The file.
        known_as: Its name in messages.

    Raises:
        CourseError: There is none, it is no TOML, or a key is missing, unknown or of another kind.
    """
    table = read_table(path, known_as)
    if table is None:
        raise CourseError(f"{known_as}: There is no rubric. Write one beside the lesson's source.")
    return read_rubric(table.values, known_as)


def read_rubric(values: Mapping[str, Any], path: str) -> Rubric:
    """Read the parsed TOML of a rubric.

    Raises:
        RubricError: A key is missing, unknown or of another kind.
    """
    top = Table(path=path, name="", values=values)
    rubric = Rubric(
        path=path,
        lesson=top.text("lesson"),
        lang=top.text("lang", "zh-CN"),
        step=top.number("step", 0.5, above=0),
        rule=_rule(top.inner("pass")),
        criteria=tuple(map(_criterion, tables(top, "criteria"))),
        parts=tuple(map(_part, tables(top, "parts"))),
        levels=tuple(map(_level, tables(top, "levels"))),
        questions=tuple(map(_question, tables(top, "questions"))),
        vetoes=tuple(map(_veto, tables(top, "vetoes"))),
        lexicon=_lexicon(top),
    )
    top.nothing_else()
    _agree(rubric, top)
    return rubric


def _rule(table: Table) -> PassRule:
    full = table.inner("full")
    rule = PassRule(
        max_score=table.number_or_none("max_score"),
        total=table.number_or_none("total"),
        full={key: full.number(key) for key in full.values},
        criteria=table.texts("criteria"),
        vetoes_allowed=table.whole("vetoes_allowed"),
        rule=table.text("rule", ""),
    )
    table.nothing_else()
    return rule


def _criterion(table: Table) -> Criterion:
    least = table.inner("least")
    return table.done(
        Criterion(
            id=table.text("id"),
            line=table.text("line"),
            decided_by=table.one_of("decided_by", ("person", "machine")),
            least={key: least.number(key) for key in least.values},
            links=table.texts("links"),
        )
    )


def _part(table: Table) -> Part:
    return table.done(
        Part(
            id=table.text("id"),
            points=table.number("points"),
            graded=table.one_of("graded", ("auto", "manual")),
            line=table.text("line", ""),
        )
    )


def _level(table: Table) -> Level:
    return table.done(
        Level(
            score=table.number("score"),
            public=table.text("public", ""),
            note=table.text("note", ""),
            links=table.whole("links"),
            mechanisms=table.whole("mechanisms"),
            connected=table.truth("connected", default=False),
        )
    )


def _link(table: Table) -> Link:
    return table.done(
        Link(
            id=table.text("id"),
            line=table.text("line"),
            mechanism=table.truth("mechanism"),
            ask=table.text("ask", ""),
            evidence=table.texts("evidence"),
            signs=table.texts("signs"),
        )
    )


def _fault(table: Table) -> Fault:
    return table.done(
        Fault(
            id=table.text("id"),
            cap=table.number("cap"),
            line=table.text("line", ""),
            signs=table.texts("signs"),
        )
    )


def _question(table: Table) -> QuestionRubric:
    signs = {key: table.texts(key) for key in _SIGNED}
    return table.done(
        QuestionRubric(
            id=table.text("id"),
            points=table.number("points", above=0),
            links=tuple(map(_link, tables(table, "links"))),
            conclusion=Conclusion(text=table.text("conclusion", ""), **signs),
            public=table.texts("public"),
            levels=tuple(map(_level, tables(table, "levels"))),
            faults=tuple(map(_fault, tables(table, "faults"))),
            prompts=table.texts("prompts"),
            topic=table.texts("topic"),
        )
    )


def _veto(table: Table) -> Veto:
    return table.done(
        Veto(
            id=table.text("id"),
            line=table.text("line"),
            definition=table.text("definition"),
            example=table.text("example", ""),
            not_this=table.text("not_this", ""),
            signs=table.texts("signs"),
            cost=table.number("cost", 0.0),
            least=table.number("least", 0.0),
        )
    )


def _lexicon(top: Table) -> Lexicon:
    concepts, suggest = top.inner("concepts"), top.inner("suggest")
    confidence = suggest.inner("confidence")
    lexicon = Lexicon(
        concepts={name: concepts.texts(name) for name in concepts.values},
        spelling=suggest.texts("spelling"),
        confidence={name: confidence.number(name, below=1) for name in confidence.values},
    )
    suggest.nothing_else()
    return lexicon


def _agree(rubric: Rubric, top: Table) -> None:
    """What no single table shows."""
    for kind, ids in (
        ("criteria", [one.id for one in rubric.criteria]),
        ("parts", [one.id for one in rubric.parts]),
        ("questions", [one.id for one in rubric.questions]),
        ("vetoes", [one.id for one in rubric.vetoes]),
    ):
        _unlike(top, kind, ids)
    for question in rubric.questions:
        _unlike(top, "questions.links", [link.id for link in question.links])
        for level in question.levels or rubric.levels:
            if level.score > question.points or (level.score / rubric.step) % 1:
                what = f"{level.score:g} is no score of {question.id!r}, which has "
                what += f"{question.points:g} points in steps of {rubric.step:g}."
                raise top.error("[[levels]] score", what, "Write one.")
    known = {one.id for one in rubric.criteria}
    for name in rubric.rule.criteria:
        if known and name not in known:
            what = f"There is no [[criteria]] {name!r}."
            raise top.error("[pass] criteria", what, f"Name some of {', '.join(sorted(known))}.")


def _unlike(top: Table, kind: str, ids: list[str]) -> None:
    doubles = sorted({one for one in ids if ids.count(one) > 1})
    if doubles:
        raise top.error(f"[[{kind}]] id", f"{doubles[0]!r} stands twice.", "Rename one.")
