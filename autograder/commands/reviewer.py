"""`course suggest` and `course review`: points for free-text answers, which a person gives."""

from __future__ import annotations

import getpass
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from autograder.errors import CourseError, MissingOnMachine, UsageError
from autograder.grading.phrases import quoted
from autograder.grading.reports.export import read_grades
from autograder.project import find_project
from autograder.review.jsonl import Line, suggest_lines
from autograder.review.lesson import lesson_suggester


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewOptions:
    """The options of `course review`, as they were given."""

    reviewer: str | None = None
    names: bool = False
    reopen: tuple[str, ...] = ()
    reason: str = ""
    port: int | None = None
    browser: bool = True
    allow_root: bool = False
    jupyter: tuple[str, ...] = ()


def review_class(out: Path, options: ReviewOptions) -> int:
    """Serve the reviewing page of a graded class until Ctrl-C; or note an appeal.

    Returns:
        The exit code.

    Raises:
        UsageError: `out` holds no grades, or not of a student that is named.
        MissingOnMachine: The server would run as root.
        CourseError: The folder, the rubric or the log is broken.
    """
    if options.reopen:
        return _reopen(out, options)
    read_grades(out / "grades.json")
    project = find_project()
    if _is_root() and not (options.allow_root or "--allow-root" in options.jupyter):
        raise MissingOnMachine(
            "Refusing to serve as root: run as another user, or add --allow-root."
        )
    from autograder.review.page.app import ReviewApp

    click.echo("The review is being opened; end it with Ctrl-C. What is decided is kept.", err=True)
    launch: Callable[[list[str]], None] = ReviewApp.launch_instance
    launch(_server_arguments(out, project.root, options))
    return 0


def _reopen(out: Path, options: ReviewOptions) -> int:
    from autograder.review.desk.decisions import reopening
    from autograder.review.log.logfile import ReviewLog

    grades = read_grades(out / "grades.json")
    known = {entry.student for entry in grades.submissions}
    lost = [student for student in options.reopen if student not in known]
    if lost:
        raise UsageError(f"{out}: has nothing of {', '.join(map(repr, lost))}. Mend the id.")
    by = options.reviewer or getpass.getuser()
    log = ReviewLog(out, grades.lesson)
    students = tuple(dict.fromkeys(options.reopen))
    log.append(lambda _: [reopening(student, by=by, reason=options.reason) for student in students])
    click.echo(
        f"{', '.join(map(quoted, students))}: to be read again; the marks so far are kept and "
        f"shown. Run `course review {out}`.",
        err=True,
    )
    return 0


def _server_arguments(out: Path, root: Path, options: ReviewOptions) -> list[str]:
    """What Jupyter Server is told: our page, and neither terminals nor kernels beside it."""
    arguments = [
        f"--ReviewApp.out={out.resolve()}",
        f"--ReviewApp.course={root}",
        f"--ReviewApp.reviewer={options.reviewer or ''}",
        f"--ReviewApp.names={options.names}",
        f"--ServerApp.root_dir={out.resolve()}",
        "--ServerApp.terminals_enabled=False",
        "--KernelSpecManager.allowed_kernelspecs=none",
    ]
    if options.port is not None:
        arguments += [f"--ServerApp.port={options.port}", "--ServerApp.port_retries=0"]
    if not options.browser:
        arguments.append("--no-browser")
    if options.allow_root:
        arguments.append("--allow-root")
    return [*arguments, *options.jupyter]


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


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
