"""Runs an exercise's cell and its visible checks in the page's Python, as a notebook would.

The page carries this file as it is: it imports the standard library alone, and the lesson's
`lessons` from where the page has put it.
"""

from __future__ import annotations

import importlib
import io
import json
import linecache
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import Any

COURSE = "/course"
CELL = "<cell>"
MOST_CHARACTERS = 20_000

sys.path.insert(0, COURSE)

Report = dict[str, Any]


class Output(io.TextIOBase):
    """Keeps the beginning of what is printed: an endless loop may print."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._left = MOST_CHARACTERS

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Keep as much of the text as there is room for."""
        if self._left > 0:
            self._parts.append(text[: self._left])
            if len(text) > self._left:
                self._parts.append("…\n")
        self._left -= len(text)
        return len(text)

    @property
    def text(self) -> str:
        """What was kept."""
        return "".join(self._parts)


class End(io.TextIOBase):
    """Keeps the end of what is printed."""

    def __init__(self) -> None:
        self.text = ""

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Keep the end with this after it."""
        self.text = (self.text + text)[-MOST_CHARACTERS:]
        return len(text)


def run(job: str) -> str:
    """Run a job and return the report on it, both as JSON.

    The job holds `setup`, the code of the notebook's first cell; `before`, the cells above the
    exercise; `cell`, what the reader wrote; `name`, what `check` is asked, None where the lesson
    has no such check; `lang`; and `tests`, a label and the code of each visible check. Each run
    begins with empty hands.

    The report holds `output`; `error`, None or its `text`, `line` and `kind`; `check`, None or
    its `sentence` and `outcome`; and `tests`, a list of `label`, `outcome`, `text` and
    `printed`.
    """
    wanted = json.loads(job)
    names: dict[str, Any] = {"__name__": "__main__"}
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        exec(compile(wanted["setup"], "<setup>", "exec"), names)  # noqa: S102 - the lesson's own
        for source in wanted["before"]:
            with suppress(BaseException):  # a cell above may be unfinished; this one is asked for
                exec(compile(source, "<above>", "exec"), names)  # noqa: S102
    output = Output()
    with redirect_stdout(output), redirect_stderr(output):
        error = attempt(wanted["cell"], names)
    report: Report = {"output": output.text, "error": error, "check": None, "tests": []}
    if error is None or error["kind"] != "syntax":
        if wanted["name"] is not None:
            report["check"] = checked(wanted["name"], wanted["lang"], names)
        report["tests"] = [tested(test, names) for test in wanted["tests"]]
    return json.dumps(report, ensure_ascii=False)


def attempt(source: str, names: dict[str, Any]) -> Report | None:
    """Run a cell; return what went wrong with it: `kind`, `line` and `text`."""
    # Without it, a traceback could not show the cell's line.
    linecache.cache[CELL] = (len(source), None, source.splitlines(keepends=True), CELL)
    try:
        exec(compile(source, CELL, "exec"), names)  # noqa: S102 - what the reader wrote
    except SyntaxError as error:
        if error.filename != CELL:
            return failure("error", error)
        return {"kind": "syntax", "line": error.lineno, "text": last_line(error)}
    except BaseException as error:  # whatever a cell raises is shown to whom wrote it
        if outcome_of(error) == "not attempted":
            return {"kind": "blank", "line": None, "text": str(error)}
        return failure("error", error)
    return None


def failure(kind: str, error: BaseException) -> Report:
    """Return an error with the last line of the cell that it passed."""
    lines = [
        number
        for frame, number in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == CELL
    ]
    return {"kind": kind, "line": lines[-1] if lines else None, "text": last_line(error)}


def last_line(error: BaseException) -> str:
    """Return the error's name and message, as Python ends a traceback."""
    return traceback.format_exception_only(error)[-1].strip()


def outcome_of(error: BaseException) -> str | None:
    """Return the outcome that an exception of the lessons stands for."""
    outcome = getattr(error, "outcome", None)
    return outcome if isinstance(outcome, str) else None


def checked(name: str, lang: str, names: dict[str, Any]) -> Report:
    """Return what the notebook's `check` prints, with its outcome."""
    end = End()
    with redirect_stdout(end):
        # Called from a cell, for that is where `check` looks for the notebook.
        exec(compile(f"check({name!r})", "<check>", "exec"), names)  # noqa: S102
    # What the reader's function prints while it is tried stands before the sentence.
    sentence = end.text.strip().rpartition("\n")[2]
    verdict = importlib.import_module("lessons.classroom.verdict")
    beginnings = {
        one: verdict.Verdict(outcome=one, chinese="", english="").sentence(lang)
        for one in verdict.Outcome
    }
    fitting = [one for one, beginning in beginnings.items() if sentence.startswith(beginning)]
    outcome = fitting[0] if fitting else verdict.Outcome.CANNOT_TELL
    return {"sentence": sentence, "outcome": outcome.value}


def tested(test: dict[str, str], names: dict[str, Any]) -> Report:
    """Run a visible test cell on a copy of the names; return how it went."""
    output = Output()
    outcome, text = "passed", ""
    try:
        with redirect_stdout(output):
            exec(compile(test["source"], "<test>", "exec"), dict(names))  # noqa: S102
    except AssertionError as error:
        outcome, text = "failed", str(error)
    except BaseException as error:  # a reader's cell may raise anything
        outcome = outcome_of(error) or "failed"
        text = str(error) if outcome_of(error) else last_line(error)
    printed = output.text.strip()
    return {"label": test["label"], "outcome": outcome, "text": text, "printed": printed}
