"""Learners' verb `course lab`."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

from autograder.commands.lab_settings import environment, write_settings
from autograder.commands.own_copy import own_copy
from autograder.commands.spoken import say, tell
from autograder.errors import MissingOnMachine, UsageError
from autograder.project import Project, find_project

_LONG_PATH = 240
"""Characters: Windows refuses paths from 260, and Jupyter adds some of its own."""


def open_lab(lesson: str, *, answers: bool) -> int:
    """Open a lesson in JupyterLab, in the learner's own copy under `work/`.

    Within JupyterHub no server is started: the path to open is printed.

    Returns:
        JupyterLab's exit code.

    Raises:
        UsageError: The project has no such lesson, or no answer notebook.
        MissingOnMachine: JupyterLab is not installed.
        CourseError: The copy cannot be made.
    """
    project = find_project()
    released = answer_notebook(project, lesson) if answers else student_notebook(project, lesson)
    suffix = "-answers" if answers else ""
    own = project.root / "work" / lesson / f"{lesson}{suffix}.ipynb"
    copy = own_copy(released, own, today=datetime.now().astimezone())
    if copy.said:
        tell(*copy.said, project.lang)
    advice = path_advice(own, windows=sys.platform == "win32")
    if advice:
        tell(*advice, project.lang)
    name = own.relative_to(project.root).as_posix()
    if "JUPYTERHUB_SERVICE_PREFIX" in os.environ:
        tell(
            f"这里已经是 JupyterHub：在左边的文件栏打开 {own}。",
            f"This is JupyterHub already: open {own} in the file browser on the left.",
            project.lang,
        )
        return 0
    if importlib.util.find_spec("jupyterlab") is None:
        raise MissingOnMachine(
            say(
                "这里没有 JupyterLab：请运行 pip install jupyterlab。",
                "JupyterLab is not installed here. Run `pip install jupyterlab`.",
                project.lang,
            )
        )
    tell(
        f"正在打开 {name}；结束时按 Ctrl+C。", f"opening {name}; end it with Ctrl+C.", project.lang
    )
    return _serve(project, own)


def _serve(project: Project, notebook: Path) -> int:
    settings = project.root / "work" / ".jupyter"
    write_settings(settings, project.lang)
    command = [sys.executable, "-m", "jupyterlab", str(notebook)]
    command += ["--notebook-dir", str(project.root)]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return subprocess.call(  # noqa: S603  our own interpreter, paths from the project
        command, env=environment(settings)
    )


def student_notebook(project: Project, lesson: str) -> Path:
    """Return the lesson's notebook as learners get it.

    Raises:
        UsageError: There is no such lesson.
    """
    released = project.root / "lessons" / lesson / f"{lesson}.ipynb"
    if not released.is_file():
        known = ", ".join(project.lessons) or "-"
        raise UsageError(
            say(
                f"{released}: 没有这一课。这里有：{known}。",
                f"{released}: no such lesson. Known here: {known}.",
                project.lang,
            )
        )
    return released


def answer_notebook(project: Project, lesson: str) -> Path:
    """Return the lesson's notebook with the answers, of the course or of the answer branch.

    Raises:
        UsageError: There is none here.
    """
    for folder in ("answers", "solutions"):
        notebook = project.root / folder / lesson / f"{lesson}.ipynb"
        if notebook.is_file():
            return notebook
    raise UsageError(
        say(
            f"这里没有 {lesson} 的参考答案：截止之后才会发布；先不要用 --answers。",
            f"There are no answers of {lesson} here: they come after the deadline. "
            "Leave out --answers.",
            project.lang,
        )
    )


def path_advice(path: Path, *, windows: bool) -> tuple[str, str] | None:
    """Return what to say, in both languages, about a path that may make trouble on Windows."""
    if not windows:
        return None
    if len(str(path)) >= _LONG_PATH:
        return (
            "路径太长，Windows 上可能打不开：请把课程文件夹移到 C:\\course 这样的短路径。",
            "The path is long and Windows may refuse it: move the course to a short one "
            "such as C:\\course.",
        )
    if not str(path).isascii():
        return (
            "路径里有非英文字符；若内核启动不了，请把课程文件夹移到 C:\\course。",
            "The path holds characters beyond ASCII; if no kernel starts, move the course to "
            "C:\\course.",
        )
    return None
