"""Learners' verbs."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

from autograder.errors import MissingOnMachine, UsageError
from autograder.project import Project, find_project


def open_lab(lesson: str, *, answers: bool) -> int:
    """Open a lesson in JupyterLab, in the learner's own copy under `work/`.

    Returns:
        JupyterLab's exit code.

    Raises:
        UsageError: The project has no such lesson, or no answer notebook.
        MissingOnMachine: JupyterLab is not installed.
    """
    project = find_project()
    if importlib.util.find_spec("jupyterlab") is None:
        raise MissingOnMachine("JupyterLab is not installed here. Run `pip install jupyterlab`.")
    notebook = _answers(project, lesson) if answers else _own_copy(project, lesson)
    click.echo(f"opening {notebook.relative_to(project.root).as_posix()}")
    command = [sys.executable, "-m", "jupyterlab", str(notebook)]
    command += ["--notebook-dir", str(project.root)]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return subprocess.call(command)  # noqa: S603  our own interpreter, paths from the project


def _answers(project: Project, lesson: str) -> Path:
    notebook = project.root / "solutions" / lesson / f"{lesson}.ipynb"
    if not notebook.is_file():
        raise UsageError(f"{notebook}: there is no answer notebook here. Leave out --answers.")
    return notebook


def _own_copy(project: Project, lesson: str) -> Path:
    released = project.root / "lessons" / lesson / f"{lesson}.ipynb"
    if not released.is_file():
        raise UsageError(
            f"{released}: no such lesson. Known here: {', '.join(project.lessons) or 'none'}."
        )
    own = project.root / "work" / lesson / f"{lesson}.ipynb"
    if not own.exists():
        own.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(released, own)
    return own
