"""What a learner filled into an exercise, put back into the pristine cell.

Rules, one per kind of change:

- Layout, quotes, comments, docstrings, line ends, tabs, `;`, a leading `%%time`, an annotation of
  the assigned name: no edit.
- Statements directly above the blank's statement where the pristine cell has a TODO line: part of
  the fill, no flag. Without a TODO line: spliced too, flagged edited-outside-blank.
- Another construct in the place of the blank's statement that still assigns its name (an `if`, a
  loop, a second assignment): spliced, flagged edited-outside-blank.
- Any other edit: flagged edited-outside-blank and left out, a harmless `print(avg)` after the last
  statement too. Several definitions: the last one that differs in its blanks only, else the last.
- A failure path gone: flagged guard-removed as well (see `guards`); the spliced cell still has it.
- Blank still there: not-attempted. No Python: syntax-error, with line and character.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from autograder.grading.integrity.guards import guard_removed
from autograder.grading.integrity.holes import Filling, find
from autograder.grading.integrity.splice import segment, splice
from autograder.grading.integrity.syntax import UnparsableError, compile_error, parse, tidy
from autograder.grading.integrity.trees import blanks
from autograder.grading.phrases import quoted, say
from autograder.grading.records import Fill, Flag

# Cells that only mention an exercise are the master's, the same for the whole class.
_KNOWN_CHARS = 5_000
_KNOWN_FILLS = 512


def unify(pristine: str, learner: str, exercise: str, *, lang: str = "zh-CN") -> Fill:
    """Find what fills the blanks of an exercise and put it into the pristine cell.

    Args:
        pristine: The exercise as released, with its blanks `______`.
        learner: Source of the learner's cell.
        exercise: grade_id, for the result and its sentences.
        lang: Language of the sentences.

    Returns:
        A fill whose `spliced` compiles and differs from the pristine cell in its holes only, or is
        None with the reason. `expressions` has one entry for each blank whose statement was found.
    """
    known = len(learner) <= _KNOWN_CHARS
    return (_known_unified if known else _unified)(pristine, learner, exercise, lang)


def _unified(pristine: str, learner: str, exercise: str, lang: str) -> Fill:
    try:
        blank, tree = parse(tidy(pristine)), parse(tidy(learner))
        filling = find(blank, tree, _todo_lines(pristine))
        flags = _flags(filling, blank, tree)
        spliced, why = _spliced(tidy(pristine), tidy(learner), filling)
        reason = say(lang, why[0], exercise=exercise, **why[1]) if why else None
        if why and why[0] == "not-compiled":
            flags.add(Flag.SYNTAX_ERROR)
    except UnparsableError as error:
        filling, flags, spliced, reason = None, {Flag.SYNTAX_ERROR}, None, error.sentence(lang)
    except (RecursionError, MemoryError):  # parsable, yet too deep to walk
        filling, flags, spliced = None, {Flag.SYNTAX_ERROR}, None
        reason = say(lang, "nested", line=1, column=1)
    return Fill(
        exercise=exercise,
        spliced=spliced,
        learner_source=learner,
        expressions=_expressions(filling, tidy(learner)),
        reason=reason,
        flags=frozenset(flags),
    )


def _flags(filling: Filling | None, blank: ast.Module, tree: ast.Module) -> set[Flag]:
    flags = set()
    if filling is None or filling.edited:
        flags.add(Flag.EDITED_OUTSIDE_BLANK)
    if guard_removed(blank, tree):
        flags |= {Flag.GUARD_REMOVED, Flag.EDITED_OUTSIDE_BLANK}
    if filling is not None and _unfilled(filling):
        flags.add(Flag.NOT_ATTEMPTED)
    return flags


def _spliced(
    pristine: str, learner: str, filling: Filling | None
) -> tuple[str | None, tuple[str, dict[str, object]] | None]:
    """Return the spliced cell, or None and which sentence says why with its values."""
    if filling is None:
        return None, ("not-found", {})
    unfilled = _unfilled(filling)
    if unfilled:
        filled = [node for node in filling.nodes() if not blanks(node)]
        total = len(unfilled) + len(filled)
        return None, ("partly-attempted" if filled else "not-attempted", {"total": total})
    spliced = splice(pristine, filling, learner)
    fault = "SyntaxError" if spliced is None else compile_error(spliced)
    if fault is not None:
        return None, ("not-compiled", {"message": quoted(fault)})
    return spliced, None


def _unfilled(filling: Filling) -> list[ast.AST]:
    if filling.blank_is_a_name:
        return []
    return [node for node in filling.nodes() if blanks(node)]


def _expressions(filling: Filling | None, learner: str) -> tuple[str, ...]:
    if filling is None:
        return ()
    holes = sorted(filling.holes.items(), key=lambda hole: hole[0])
    return tuple(segment(learner, node) for _, node in holes)


@lru_cache(maxsize=64)
def _todo_lines(pristine: str) -> frozenset[int]:
    """Return the lines of statements that have a TODO among the comment lines right above them."""
    lines = tidy(pristine).split("\n")
    found = set()
    for number, line in enumerate(lines, start=1):
        above = number - 2
        if line.strip().startswith("#"):
            continue
        while above >= 0 and lines[above].strip().startswith("#"):
            if "TODO" in lines[above].upper():
                found.add(number)
            above -= 1
    return frozenset(found)


_known_unified = lru_cache(maxsize=_KNOWN_FILLS)(_unified)
