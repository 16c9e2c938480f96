"""Judges variants of an exercise in the learner's own process, by plain `exec`, as a kernel does.

The text of this module is run inside the sandbox: standard library only, and `likeness`.
Each variant gets a fresh copy of the names that the cells before it left. Objects behind those
names are shared, so a variant that changes one in place shows the change to the next.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import io
import json
import numbers
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from autograder.checking.likeness import SHOWN_CHARS, alike, departure, nearby, shown

BLANK = "______"
RECORDED = 200


class TooLong(BaseException):
    """A variant used up its time; no `except Exception` of its own takes it for a result."""


class Bench:
    """One exercise, with what runs after it up to the last of its tests.

    Args:
        names: The namespace that the cells before the exercise left; it is not changed.
        exercise: What the exercise defines: a function, or a plain value; None if unknown.
        reference: Source of the reference.
        after: In order, `{"kind": "cell" | "test", "id", "source", "points", "hidden_only"}`;
            `hidden_only` is a test's source without its visible asserts.
        limit_s: Seconds that one variant may take.
    """

    def __init__(
        self,
        names: Mapping[str, Any],
        exercise: str | None,
        reference: str,
        after: Sequence[Mapping[str, Any]],
        limit_s: float,
    ) -> None:
        self._names = dict(names)
        self._exercise = exercise
        self._after = after
        self._limit_s = limit_s
        self._reference: Any = None
        self._inputs: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        started = time.monotonic()
        self._learn(reference)
        # A mutant that loops must not cost more than a few runs of the reference.
        self._mutant_s = min(limit_s, 1.0 + 5.0 * (time.monotonic() - started))

    def judge(self, variants: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """One result a variant: the outcome of each test, and how it compares."""
        return [self._judge(variant) for variant in variants]

    def _judge(self, variant: Mapping[str, Any]) -> dict[str, Any]:
        mutant = bool(variant.get("mutant"))
        limit_s = self._mutant_s if mutant else self._limit_s
        result: dict[str, Any] = {"id": variant["id"], "hidden": {}}
        result["tests"] = self._tests(variant["source"], "source", limit_s)
        if any(seen["outcome"] == "timeout" for seen in result["tests"].values()):
            result["hidden"] = result["tests"]  # caught, and not worth the time a second time
        elif mutant:
            result["hidden"] = self._tests(variant["source"], "hidden_only", limit_s)
            result["difference"] = self._difference(variant["source"], limit_s)
        return result

    def _tests(self, source: str, part: str, limit_s: float) -> dict[str, Any]:
        """The outcome of every test after one run of the exercise."""
        names = dict(self._names)
        found: dict[str, Any] = {}
        # Once a variant does not end, nothing more of it is tried.
        first = seen = outcome_of(lambda: execute(source, "exercise", names), limit_s)
        for step in self._after:
            run = functools.partial(
                execute, step.get(part) or step["source"], f"tests {step['id']}", names
            )
            if first["outcome"] != "timeout":
                seen = outcome_of(run, limit_s, step.get("points"))
            if step["kind"] == "test":
                found[step["id"]] = seen
            if seen["outcome"] == "timeout":
                first = seen
        found[""] = first
        return found

    def _learn(self, reference: str) -> None:
        """Keep the reference, and the arguments with which the tests call it."""
        names = dict(self._names)
        with quiet(), contextlib.suppress(BaseException), within(self._limit_s):
            execute(reference, "exercise", names)
            self._reference = names.get(self._exercise or "")
            if not callable(self._reference):
                return
            names[self._exercise or ""] = self._recording(self._reference)
            for step in self._after:
                try:
                    execute(step["source"], f"tests {step['id']}", names)
                except TooLong:
                    break
                except BaseException:  # noqa: S112  # that it fails is seen when it is judged
                    continue
        self._inputs += nearby(self._inputs, random.Random(0))  # noqa: S311  # inputs, no secrets

    def _recording(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            if len(self._inputs) < RECORDED:
                with contextlib.suppress(Exception):
                    self._inputs.append(copy.deepcopy((args, kwargs)))
            return function(*args, **kwargs)

        return recorded

    def _difference(self, source: str, limit_s: float) -> str | None:
        """Where a variant departs from the reference; "" nowhere, None when that is unknown."""
        names = dict(self._names)
        outcome_of(lambda: execute(source, "exercise", names), limit_s)
        own = names.get(self._exercise or "")
        if self._reference is None or self._exercise is None:
            return None
        if not callable(self._reference):
            if alike(self._reference, own):
                return ""
            return f"it is {shown(own)}, the reference {shown(self._reference)}"
        if not callable(own) or not self._inputs:
            return None
        try:
            with quiet(), within(limit_s):
                return departure(self._reference, own, self._inputs)
        except TooLong:
            return "it does not end in time"


def execute(source: str, name: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of a last expression that no semicolon ends."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # magics: IPython's own syntax
        shell = names["get_ipython"]()
        source = shell.transform_cell(source)
        tree = ast.parse(source)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]  # an Expr, as asked above
    exec(compile(tree, f"<{name}>", "exec"), names)  # noqa: S102  # running it is the purpose
    return None if last is None else eval(compile(last, f"<{name}>", "eval"), names)  # noqa: S307


def outcome_of(
    run: Callable[[], Any], limit_s: float, points: float | None = None
) -> dict[str, Any]:
    """How a run ended: `passed`, `failed`, `cannot-tell`, `not-attempted` or `timeout`."""
    try:
        with quiet(), within(limit_s):
            value = run()
    except TooLong:
        return {"outcome": "timeout", "why": "it does not end in time"}
    except BaseException as error:  # SystemExit and KeyboardInterrupt end a cell, too
        return {"outcome": raised_outcome(error), "why": reason(error), "line": line_of(error)}
    if points is not None and isinstance(value, numbers.Real) and not isinstance(value, bool):
        score = float(value)
        return {"outcome": "passed" if score >= 0 else "failed", "score": score}
    return {"outcome": "passed"}


def raised_outcome(error: BaseException) -> str:
    """The outcome that an exception stands for."""
    if isinstance(error, NameError) and getattr(error, "name", None) == BLANK:
        return "not-attempted"
    said = str(getattr(type(error), "outcome", ""))
    return {"cannot tell": "cannot-tell", "not attempted": "not-attempted"}.get(said, "failed")


def reason(error: BaseException) -> str:
    """The exception in a few words."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}"[:SHOWN_CHARS].rstrip(": ")


def line_of(error: BaseException) -> int | None:
    """The innermost line of a tests cell in a traceback."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith("<tests "):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Throw away what is printed."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


@contextlib.contextmanager
def within(limit_s: float) -> Iterator[None]:
    """Raise `TooLong` in code that runs longer, again and again until it lets go."""

    def stop(*_: object) -> None:
        raise TooLong

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit_s, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def keep(names: Mapping[str, Any]) -> dict[str, Any]:
    """The names as they are, for `restore`."""
    return dict(names)


def restore(names: dict[str, Any], kept: Mapping[str, Any]) -> None:
    """Bind the names as they were kept; IPython's own record of the session goes on."""
    for name in [one for one in names if one not in kept and not _is_bookkeeping(one)]:
        del names[name]
    for name, value in kept.items():
        if not _is_bookkeeping(name):
            names[name] = value


def _is_bookkeeping(name: str) -> bool:
    own = name.startswith("_") and name.strip("_").rstrip("0123456789") in {"", "i", "ii", "iii"}
    return (own and name != BLANK) or name in {"In", "Out", "_oh", "_dh", "_ih", "_exit_code"}


def tell(results: list[dict[str, Any]]) -> None:
    """Print results for the other side of the sandbox."""
    sys.stdout.write(f"course-check {json.dumps(results)}\n")
