"""The command `course`: gathers the verbs, and is the only place that exits.

Nothing heavy is imported here at the top, nor in `verbs`: `course --help` must answer at once.
"""

from __future__ import annotations

import sys
import traceback
from typing import NoReturn

import click

from autograder.errors import CourseError
from autograder.verbs import author, instructor, learner, reader


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(package_name="selfgrading-lessons", prog_name="course")
def course(debug: bool) -> None:  # --debug is read by main(), which sees every error
    """Turn a Quarto lesson into a course notebook that teaches, checks and grades itself."""


for verb in (
    *(author.new, author.build, author.check),
    *(instructor.publish, instructor.audit, instructor.grade, instructor.suggest),
    *(instructor.review, instructor.export, instructor.feedback),
    *(learner.lab, learner.submit, learner.experiment),
    *(reader.doctor, reader.demo, reader.site),
):
    course.add_command(verb)


@course.result_callback()
def finish(exit_code: int | None, debug: bool) -> NoReturn:  # noqa: ARG001  (click hands it on)
    """Exit as the verb says; one that returns nothing is done."""
    sys.exit(exit_code or 0)


def main() -> None:
    """Run `course` and exit: 0 done, 1 findings, 2 usage, 3 the machine lacks something."""
    # Chinese paths and sentences must not crash a console with a narrower encoding.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        course.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except CourseError as error:
        _fail(str(error), error.exit_code)
    except Exception as error:  # the last resort: a sentence, no traceback
        what = f"{type(error).__name__}: {error}"
        _fail(f"a fault of this program ({what}). Run again with --debug and report it.", 1)


def _fail(message: str, exit_code: int) -> NoReturn:
    if "--debug" in sys.argv:
        traceback.print_exc()
    click.echo(f"course: {message}", err=True)
    sys.exit(exit_code)
