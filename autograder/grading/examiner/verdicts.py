"""How a test ended, in words: a sentence that is safe for the learner, a detail for the teacher.

A sentence is built from templates, the learner's own interface names, built-in exception names,
kinds of the closed list, numbers of points, and source that learners have anyway. It never holds
hidden source or values, nor text that came from the learner's process.
"""

from __future__ import annotations

import ast
import builtins
from inspect import CO_OPTIMIZED
from types import ModuleType, TracebackType
from typing import Any, Final

from autograder.grading.examiner.remote import (
    CALL_MARK,
    Fault,
    FunctionMisuse,
    MissingName,
    Reason,
    Remote,
)
from autograder.grading.examiner.sentences import words
from autograder.grading.examiner.shown import clip, show, show_error
from autograder.grading.examiner.testcell import TestSource
from autograder.grading.wall import EXCEPTIONS, Kind

MAX_SOURCE_CHARS: Final = 160
MAX_DETAIL_CHARS: Final = 4000


def verdict(  # noqa: PLR0913 - the fields of the protocol's frame, by keyword
    outcome: str,
    *,
    sentence: str | None = None,
    detail: str | None = None,
    hidden: bool = True,
    line: int | None = None,
    score: float | None = None,
    fraction: float | None = None,
) -> dict[str, Any]:
    """The verdict as the controller reads it."""
    return {
        "outcome": outcome,
        "score": score,
        "points_fraction": fraction,
        "sentence": sentence,
        "detail": detail[:MAX_DETAIL_CHARS] if detail else None,
        "hidden": hidden,
        "line": line,
    }


class Failure:
    """An exception that ended a test cell, and where.

    Args:
        error: As caught, with its traceback.
        cell: The test cell that was run.
        remote: The learner's side it was run against.
    """

    def __init__(self, error: BaseException, cell: TestSource, remote: Remote) -> None:
        self.error = error
        self._cell = cell
        self._remote = remote
        self._frames = list(_frames_of(error.__traceback__, cell.filename))
        lines = [line for line, _ in self._frames]
        self.line = lines[-1] if lines else None
        self.hidden = cell.is_hidden(lines) or not lines
        self._statement = cell.statement_at(lines[-1]) if lines else None

    def sentence(self, lang: str, category: str | None) -> str:
        """Why, in one sentence for the learner."""
        say = words(lang)
        match self.error:
            case Fault(reason=Reason.BAD_ARGUMENT):
                return say["own-error"]
            case Fault(reason=reason, name=name, kind=kind):
                return say[reason].format(name=name, kind=say[kind or Kind.OBJECT])
            case MissingName(name=name):
                return say["missing"].format(name=name)
            case FunctionMisuse(function=name):
                return say["misuse"].format(name=name)
        raised_by = getattr(self.error, CALL_MARK, None)
        if isinstance(self.error, MemoryError | RecursionError) and raised_by is None:
            return say["limits"]
        if self.hidden:
            template = "hidden" if raised_by is None else "hidden-raised"
            values = {"category": say.get(category or "", "")}
        else:
            template = self._visible_template(raised_by)
            values = {"source": self._source(), "message": self._message() or ""}
        error = built_in_name(self.error)
        return say[template].format(name=raised_by, error=error, **values)

    def detail(self, printed: str) -> str:
        """What the instructor needs: the exception, its line, the values, what was printed."""
        parts = [f"{type(self.error).__name__}: {show_error(self.error)}"]
        if self._statement is not None:
            parts.append(f"line {self.line}: {clip(self._cell.text_of(self._statement))}")
            parts += self._values(self._statement)
        if self._remote.last_call is not None:
            name, args, result = self._remote.last_call
            parts.append(f"last call: {name}{show(args)} -> {show(result)}")
        if printed:
            parts.append(f"printed: {clip(printed)}")
        return "\n".join(parts)

    def _visible_template(self, raised_by: str | None) -> str:
        if raised_by is not None:
            return "raised"
        if not isinstance(self.error, AssertionError):
            return "error"
        return "assert-message" if self._message() else "assert"

    def _source(self) -> str:
        text = self._cell.text_of(self._statement) if self._statement is not None else ""
        if isinstance(self._statement, ast.Assert):  # the message is said after the colon
            text = f"assert {ast.get_source_segment(self._cell.source, self._statement.test)}"
        return clip(text, MAX_SOURCE_CHARS)

    def _message(self) -> str | None:
        """What the failing line itself says, when that can hold nothing hidden or foreign."""
        match self._statement:
            case ast.Assert(msg=ast.Constant(value=str(text))):
                return clip(text)
            case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str(text))])):
                return clip(text)
            case ast.Assert(msg=ast.expr()) if (
                not self._remote.text_crossed and self._cell.is_before_hidden(self._frames[0][0])
            ):
                return show_error(self.error)
        return None

    def _values(self, statement: ast.stmt) -> list[str]:
        frame = self._frames[-1][1].tb_frame
        # Of a function, Python 3.13 and later give a view that is no dict.
        own = dict(frame.f_locals) if frame.f_code.co_flags & CO_OPTIMIZED else frame.f_locals
        shown = []
        for node in ast.walk(statement):
            if not isinstance(node, ast.Name) or hasattr(builtins, node.id):
                continue
            for names in (own, frame.f_globals, frame.f_builtins):
                # dict's own get: asking for a name must not send anything across the wall.
                if isinstance(names, dict) and dict.__contains__(names, node.id):
                    value = dict.get(names, node.id)
                    if not (callable(value) or isinstance(value, ModuleType)):
                        shown.append(f"{node.id} = {show(value)}")
                    break
        return list(dict.fromkeys(shown))[:12]


def _frames_of(traceback: TracebackType | None, filename: str) -> list[tuple[int, TracebackType]]:
    frames = []
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            frames.append((traceback.tb_lineno, traceback))
        traceback = traceback.tb_next
    return frames


def built_in_name(error: BaseException) -> str:
    """The name of the nearest built-in class of an exception."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind in EXCEPTIONS.values())
