"""One tests cell against one learner's namespace across the wall.

The cell is trusted and runs here; the values it judges are exact built-in types. What such a
value can still do, and what that costs: NaN makes every comparison false (the cell has to ask
positively: `isclose`, `<=`); a huge int makes `**` or `str` slow and a huge list makes copies
large (the process limits of `examiner`: this question fails); an unhashable or wrongly shaped one
raises TypeError or ValueError (this question fails); any of them in a message is shown short.
"""

from __future__ import annotations

import ast
import contextlib
import math
import numbers
import random
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import CodeType
from typing import Any, Final

from autograder.grading.examiner.lookup import cell_globals
from autograder.grading.examiner.remote import CALL_MARK, Ask, Fault, Reason, Remote
from autograder.grading.examiner.sentences import words
from autograder.grading.examiner.shown import BoundedText, clip, show, show_error
from autograder.grading.examiner.testcell import TestSource
from autograder.grading.examiner.verdicts import Failure, verdict

MAX_PRINTED_CHARS: Final = 4000
_NUMPY_SEEDS: Final = 2**32
_BLANK: Final = "______"
# The outcomes that a test cell may raise, by the `outcome` of the exception's class.
_RAISED_OUTCOMES: Final = {"cannot tell": "cannot-tell", "not attempted": "not-attempted"}
_FAULT_OUTCOMES: Final = {
    Reason.TIMEOUT: "timeout",
    Reason.CRASHED: "crashed",
    Reason.BAD_ARGUMENT: "error",
}


def examine(  # noqa: PLR0913 - the fields of the protocol's request, by keyword
    source: str,
    imports: list[str],
    ask: Ask,
    *,
    grade_id: str = "test",
    category: str | None = None,
    points: float | None = None,
    seed: int = 0,
    lang: str = "zh-CN",
) -> dict[str, Any]:
    """Run a tests cell and say how it went; never raises for what a value does.

    Args:
        source: The cell, hidden tests included.
        imports: Import statements that run before it.
        ask: Sends one question (`get` or `call`) across the wall and returns the reply.
        grade_id: Names the cell in tracebacks.
        category: `normal` or `boundary`; default: `grade_id` where that is one of them.
        points: What the cell is worth, for partial credit.
        seed: For `random`, and NumPy's global generator where NumPy is loaded.
        lang: BCP 47 language of the sentence.

    Returns:
        The protocol's verdict: outcome, score, points_fraction, sentence, detail, hidden, line.
    """
    say = words(lang)
    remote = Remote(ask)
    names = cell_globals(remote)
    printed = BoundedText(MAX_PRINTED_CHARS)
    try:
        cell, body, last = _read(source, grade_id)
        with _printing_to(printed):
            for statement in imports:
                exec(_compiled_import(statement), names)  # noqa: S102 - the master's own
    except BaseException as error:
        return verdict("error", sentence=say["own-error"], detail=_plain_detail(error))
    _seed(seed)
    value: object = None
    caught: BaseException | None = None
    try:
        with _printing_to(printed):
            exec(body, names)  # noqa: S102 - trusted test code, run here so that answers are not
            value = None if last is None else eval(last, names)  # noqa: S307 - the same
    except BaseException as error:  # SystemExit and faults too end one test only
        caught = error
    caught = remote.fault or caught
    if caught is not None:
        failure = Failure(caught, cell, remote)
        return _failed(failure, category or grade_id, lang, printed.text)
    return _passed(value, points, lang)


def prepare(imports: Iterable[str], tests: Iterable[tuple[str, str]]) -> None:
    """Read and compile what `examine` will be asked to run.

    Args:
        imports: Statements.
        tests: Source and grade_id of each; what does not compile says so when it is examined.
    """
    for statement in imports:
        with contextlib.suppress(SyntaxError, ValueError):
            _compiled_import(statement)
    for source, grade_id in tests:
        with contextlib.suppress(SyntaxError, ValueError):
            _read(source, grade_id)


@lru_cache(maxsize=256)
def _compiled_import(statement: str) -> CodeType:
    return compile(statement, "<imports>", "exec", dont_inherit=True)


@lru_cache(maxsize=256)
def _read(source: str, grade_id: str) -> tuple[TestSource, CodeType, CodeType | None]:
    cell = TestSource(source, grade_id)
    return cell, *_compiled(cell)


def _compiled(cell: TestSource) -> tuple[CodeType, CodeType | None]:
    """The cell, and its last expression apart, whose value may be partial credit."""
    tree = cell.tree
    last: CodeType | None = None
    # A semicolon keeps a notebook from showing, and nbgrader from counting, the last value.
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not _ends_in_semicolon(cell.source):
        expression = ast.Expression(tree.body[-1].value)
        last = compile(expression, cell.filename, "eval", dont_inherit=True, optimize=0)
        tree = ast.Module(tree.body[:-1], [])
    return compile(tree, cell.filename, "exec", dont_inherit=True, optimize=0), last


def _ends_in_semicolon(source: str) -> bool:
    return source.rstrip().endswith(";")


@contextlib.contextmanager
def _printing_to(text: BoundedText) -> Iterator[None]:
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        yield


def _seed(seed: int) -> None:
    random.seed(seed)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % _NUMPY_SEEDS)


def _failed(failure: Failure, category: str, lang: str, printed: str) -> dict[str, Any]:
    error = failure.error
    where: dict[str, Any] = {"hidden": failure.hidden, "line": failure.line}
    raised = _raised_outcome(error)
    if raised == "cannot-tell":
        return verdict(raised, sentence=words(lang)["person"], detail=show_error(error), **where)
    if raised is not None:
        sentence = words(lang)["not-attempted"]
    else:
        sentence = failure.sentence(lang, category)
    outcome = raised or "failed"
    if isinstance(error, Fault):
        outcome = _FAULT_OUTCOMES.get(error.reason, "failed")
    return verdict(outcome, sentence=sentence, detail=failure.detail(printed), **where)


def _raised_outcome(error: BaseException) -> str | None:
    if hasattr(error, CALL_MARK):  # the learner's: a built-in class
        blank = isinstance(error, NameError) and str(error) == f"name {_BLANK!r} is not defined"
        return "not-attempted" if blank else None
    return _RAISED_OUTCOMES.get(str(getattr(type(error), "outcome", None)))


def _passed(value: object, points: float | None, lang: str) -> dict[str, Any]:
    """Passed, with the points that a number as last value gives, as nbgrader counts them.

    Other values give full points, as there. A NaN or a negative number, for which nbgrader gives
    full points too, is a failed test here: else a learner's NaN would earn them.
    """
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return verdict("passed", hidden=False)
    say = words(lang)
    try:
        score = float(value)
    except OverflowError:
        score = math.inf
    if points is not None and score > points:
        detail = f"The last value, {show(value)}, is more than the {points:g} points of the cell."
        return verdict("error", sentence=say["own-error"], detail=detail)
    if not score >= 0:
        category = ""
        detail = f"The last value, {show(value)}, is no number of points."
        return verdict("failed", sentence=say["hidden"].format(category=category), detail=detail)
    sentence = None
    if points is not None and score < points:
        sentence = say["partial"].format(score=score, points=points)
    fraction = score / points if points else None
    return verdict("passed", sentence=sentence, hidden=False, score=score, fraction=fraction)


def _plain_detail(error: BaseException) -> str:
    return clip(f"{type(error).__name__}: {show_error(error)}")
