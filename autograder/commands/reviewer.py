"""`course suggest`: points for free-text answers, for a person to accept or not."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from autograder.errors import CourseError, UsageError
from autograder.project import find_project
from autograder.review.jsonl import Line, suggest_lines
from autograder.review.lesson import lesson_suggester


def suggest_answers(lesson: str, source: Path, out: Path) -> int:
    """Write suggestions for the answers of a file.

    Args:
        lesson: The lesson's name.
        source: JSON lines with id, question and answer.
        out: Where the suggestions go, one JSON object a line, in the same order.

    Returns:
        The exit code: 1 when a line could not be worked on.

    Raises:
        UsageError: There is no such lesson or file, or `out` stands in no folder.
        CourseError: The lesson's rubric has a fault, or `out` cannot be written.
    """
    if not source.is_file():
        raise UsageError(f"{source}: There is no such file. Name the file with the answers.")
    if not out.parent.is_dir():
        raise UsageError(f"{out}: There is no folder {out.parent}. Make it, or write elsewhere.")
    suggester = lesson_suggester(find_project(), lesson)
    with source.open("rb") as lines:
        told, untold, bad = _write(out, suggest_lines(suggester, lines, source.name))
    click.echo(
        f"{told + untold + bad} answers: points suggested for {told}, cannot tell {untold}, "
        f"bad lines {bad}. A person decides. {out}",
        err=True,
    )
    return 1 if bad else 0


def _write(out: Path, lines: Iterable[Line]) -> tuple[int, int, int]:
    """Write all lines or none; count those with points, without, and bad ones."""
    counts = [0, 0, 0]

    def texts() -> Iterator[str]:
        for line in lines:
            counts[2 if line.fault else 0 if line.told else 1] += 1
            if line.fault:
                click.echo(f"course: {line.fault}", err=True)
            yield line.text

    try:
        # A lone surrogate in an id is no UTF-8; backslashreplace writes it as JSON does.
        with tempfile.NamedTemporaryFile(
            "w",
            encoding="utf-8",
            errors="backslashreplace",
            newline="\n",
            dir=out.parent,
            prefix=f".{out.name}.",
            delete=False,
        ) as part:
            try:
                part.writelines(f"{text}\n" for text in texts())
            except BaseException:
                Path(part.name).unlink(missing_ok=True)
                raise
        Path(part.name).chmod(0o666 & ~_umask())
        Path(part.name).replace(out)
    except OSError as error:
        raise CourseError(f"{out}: It cannot be written ({error.strerror}). Mend that.") from error
    return counts[0], counts[1], counts[2]


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
