"""A notebook looked through before it is handed in: is it the right one, and what is empty."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.commands.carrying import BLANK
from autograder.commands.notebook_file import (
    Cell,
    Notebook,
    about,
    grading_of,
    learners_cells,
    role_of,
    source_of,
)

_HIDDEN = "### BEGIN HIDDEN TESTS"
_HEADING = re.compile(r"#{1,6}\s+(.*?)[\s#]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Inspection:
    """What was found.

    Attributes:
        lesson: The lesson that the notebook says it is of, None when it says none.
        recognised: Whether any cell of the lesson's is in it.
        answers: Whether it is an edition that holds answers or hidden tests.
        empty: Grade ids that are missing or untouched, in the lesson's order.
        problems: A sentence each, in both languages.
    """

    lesson: str | None
    recognised: bool
    answers: bool
    empty: tuple[str, ...]
    problems: tuple[tuple[str, str], ...]


def inspected(own: Notebook, released: Notebook) -> Inspection:
    """Look a notebook through against the lesson's released one."""
    mine = learners_cells(own)
    by_id = {str(cell.get("id")): cell for cell in own["cells"]}
    states = {
        grade_id: _state(mine.get(grade_id) or by_id.get(str(cell.get("id"))), cell, own, released)
        for grade_id, cell in learners_cells(released).items()
    }
    lesson = about(own).get("lesson")
    return Inspection(
        lesson=lesson if isinstance(lesson, str) else None,
        recognised=any(state != "missing" for state in states.values()),
        answers=any(
            role_of(cell) in {"solution", "fill"} or _HIDDEN in source_of(cell)
            for cell in own["cells"]
        ),
        empty=tuple(name for name, state in states.items() if state in {"missing", "untouched"}),
        problems=tuple(_problems(states, _headings(released))),
    )


def _state(cell: Cell | None, released: Cell, own: Notebook, edition: Notebook) -> str:
    """Return `missing`, `untouched`, `syntax LINE`, or `done`."""
    if cell is None:
        return "missing"
    text = source_of(cell)
    if grading_of(released).get("grade"):
        stub = source_of(released).strip()
        if text.strip() not in {"", stub}:
            return "done"
        return "done" if _written_below(cell, own, edition) else "untouched"
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        if any(line.strip() for line in text.splitlines()):
            return f"syntax {getattr(error, 'lineno', None) or 1}"
        return "untouched"
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return "untouched" if BLANK in names or not tree.body else "done"


def _written_below(cell: Cell, own: Notebook, edition: Notebook) -> bool:
    """Tell whether the answer stands in a cell of the learner's own right below."""
    known = {str(one.get("id")) for one in edition["cells"]}
    cells: Sequence[Cell] = own["cells"]
    place = next(index for index, one in enumerate(cells) if one is cell)
    below = cells[place + 1] if place + 1 < len(cells) else {}
    return (
        below.get("cell_type") == "markdown"
        and str(below.get("id")) not in known
        and bool(source_of(below).strip())
    )


def _headings(notebook: Notebook) -> dict[str, str]:
    """Return the heading that each of the learner's cells stands under, by grade id."""
    ids = {id(cell): grade_id for grade_id, cell in learners_cells(notebook).items()}
    found, heading = {}, ""
    for cell in notebook["cells"]:
        if cell.get("cell_type") == "markdown":
            heading = _last_heading(source_of(cell)) or heading
        if id(cell) in ids:
            found[ids[id(cell)]] = heading
    return found


def _last_heading(markdown: str) -> str:
    heading, in_fence = "", False
    for line in markdown.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            in_fence = not in_fence
        matched = None if in_fence else _HEADING.fullmatch(line)
        if matched:
            heading = matched[1].replace("`", "").replace("*", "")
    return heading


def _called(grade_id: str, heading: str) -> tuple[str, str]:
    """Return what the learner knows a cell by, in a Chinese and in an English sentence."""
    if not heading:
        return grade_id, grade_id
    known = grade_id.casefold() in heading.casefold()
    chinese = f"「{heading}」" + ("" if known else f"（{grade_id}）")
    english = f'"{heading}"' + ("" if known else f" ({grade_id})")
    # The English sentence is for consoles without Chinese, too; and it is the last resort.
    return chinese, english if heading.isascii() else grade_id


def _problems(states: dict[str, str], headings: dict[str, str]) -> Sequence[tuple[str, str]]:
    called = {name: _called(name, headings.get(name, "")) for name in states}
    found = []
    for state, chinese, english in (
        ("missing", "缺了这几格，按 0 分计", "These cells are missing and score 0"),
        ("untouched", "这几处还空着", "Still empty"),
    ):
        names = [called[name] for name, one in states.items() if one == state]
        if names:
            zh, en = (list(of_one_language) for of_one_language in zip(*names, strict=True))
            found.append((f"{chinese}：{'、'.join(zh)}。", f"{english}: {', '.join(en)}."))
    for name, state in states.items():
        if state.startswith("syntax "):
            line = state.removeprefix("syntax ")
            shown, known = called[name]
            found.append(
                (
                    f"{shown}的第 {line} 行不是合法的 Python（看看有没有全角符号），评分会得 0。",
                    f"Line {line} of {known} is no valid Python (look for full-width characters) "
                    "and would score 0.",
                )
            )
    return found
