"""`course doctor`: what this machine lacks, and how to get it."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import click

import autograder
from autograder.errors import CourseError, MissingOnMachine
from autograder.project import find_project


class State(StrEnum):
    """How a part of the machine is."""

    FINE = "ok"
    LIMITED = "limited"
    MISSING = "MISSING"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that was looked at. `remedy` says how to get what is missing."""

    what: str
    state: State
    detail: str
    remedy: str | None = None


def examine_machine() -> int:
    """Print every finding with its remedy.

    Returns:
        Exit code 0, or 3 when something that grading or the lesson needs is missing.
    """
    missing = False
    for finding in _findings():
        click.echo(f"{finding.state.value:8} {finding.what}: {finding.detail}")
        if finding.remedy:
            click.echo(f"{'':8} -> {finding.remedy}")
        missing |= finding.state is State.MISSING
    return MissingOnMachine.exit_code if missing else 0


def _findings() -> Iterator[Finding]:
    looks: tuple[Callable[[], Finding], ...] = (
        _python,
        _package,
        _project,
        _jupyterlab,
        _grading_tools,
        _sandbox,
        _fonts,
        _lab_tools,
        _npm,
        _browser,
    )
    for look in looks:
        yield look()


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(what="Python", state=State.FINE, detail=f"{version} ({sys.executable})")


def _package() -> Finding:
    """PyPI has another `autograder`: an import that finds that one would break every verb."""
    folder = Path(autograder.__file__ or "").resolve().parent
    if (folder / "cli.py").is_file() and (folder / "grading").is_dir():
        return Finding(what="autograder", state=State.FINE, detail=f"ours, in {folder}")
    return Finding(
        what="autograder",
        state=State.MISSING,
        detail=f"{folder} is another project of that name",
        remedy="pip uninstall autograder, then install this project again.",
    )


def _project() -> Finding:
    try:
        project = find_project()
    except CourseError as error:
        return Finding(what="project", state=State.LIMITED, detail=str(error))
    listed = ", ".join(project.lessons) or "none"
    return Finding(what="project", state=State.FINE, detail=f"{project.root}, lessons: {listed}")


def _jupyterlab() -> Finding:
    if importlib.util.find_spec("jupyterlab"):
        return Finding(what="JupyterLab", state=State.FINE, detail="installed")
    return Finding(
        what="JupyterLab",
        state=State.MISSING,
        detail="not installed",
        remedy="pip install jupyterlab",
    )


def _grading_tools() -> Finding:
    absent = _absent("nbgrader", "nbformat", "msgspec", "jinja2", "nh3", "yaml", "mermaidx", "rich")
    if absent:
        return Finding(
            what="grading tools",
            state=State.LIMITED,
            detail=f"not installed: {', '.join(absent)} (a learner does not need them)",
            remedy="pip install '.[grade]' in the project's folder.",
        )
    return Finding(what="grading tools", state=State.FINE, detail="installed")


def _sandbox() -> Finding:
    from autograder.grading.sandbox.probe import probe

    found = probe()
    if not found.works:
        return Finding(
            what="sandbox", state=State.MISSING, detail=found.cause or "", remedy=found.remedy
        )
    nested = "yes" if found.nested else "no"
    return Finding(
        what="sandbox",
        state=State.FINE if found.nested else State.LIMITED,
        detail=f"starts; nested namespaces: {nested}; {found.summary}",
        remedy=found.remedy,
    )


def _fonts() -> Finding:
    if importlib.util.find_spec("zhplot"):
        return Finding(what="Chinese font", state=State.FINE, detail="Noto Sans SC from zhplot")
    return Finding(
        what="Chinese font",
        state=State.MISSING,
        detail="plots would show empty boxes",
        remedy="pip install zhplot",
    )


def _lab_tools() -> Finding:
    absent = _absent("obstore", "xxhash", "torch")
    if absent:
        return Finding(
            what="lab tools",
            state=State.LIMITED,
            detail=f"not installed: {', '.join(absent)} (the labs say what they skip)",
            remedy="pip install '.[labs]' in the project's folder.",
        )
    return Finding(what="lab tools", state=State.FINE, detail="installed")


def _npm() -> Finding:
    if found := shutil.which("npm"):
        return Finding(what="npm", state=State.FINE, detail=found)
    return Finding(
        what="npm",
        state=State.LIMITED,
        detail="not found (only `course site` uses it, to fetch Python for the page)",
        remedy="Install Node.js, or publish a page whose exercises are not run in it.",
    )


def _browser() -> Finding:
    names = ("chromium", "chromium-browser", "google-chrome", "firefox")
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found:
        return Finding(what="browser", state=State.FINE, detail=found)
    return Finding(
        what="browser",
        state=State.LIMITED,
        detail="none on PATH; JupyterLab prints an address to open elsewhere",
        remedy="apt install chromium (the browser tests need it)",
    )


def _absent(*modules: str) -> list[str]:
    return [name for name in modules if importlib.util.find_spec(name) is None]
