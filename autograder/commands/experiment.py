"""Learners' verb `course experiment`: run one of a lesson's measured labs.

The experiments are the lesson's own: they are loaded by the name of modules that the lesson's
notebook declares.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from autograder.commands.spoken import say, tell
from autograder.errors import UsageError
from autograder.project import Project, find_project


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the command line asked for.

    Attributes:
        path: Where to run; None leaves it to the experiment.
        own: The person answers for a shared file system.
        yes: Agree to every question.
        writers: At most so many at once; None leaves it to the experiment.
        megabytes: At most so much on disk.
        seconds: Time budget.
        seed: Of every random choice.
        drop_caches: Empty the machine's page cache.
        recorded: Show the run that ships with the lesson instead of measuring.
        out: Folder for the record and the figure.
    """

    path: Path | None = None
    own: bool = False
    yes: bool = False
    writers: int | None = None
    megabytes: int | None = None
    seconds: float = 120.0
    seed: int = 3
    drop_caches: bool = False
    recorded: bool = False
    out: Path | None = None


def run_experiment(name: str | None, options: Options) -> int:
    """Measure, print the table, write the record and its figure; without a name, list them.

    Returns:
        Exit code 0.

    Raises:
        UsageError: No such experiment, or it may not run as asked.
    """
    project = find_project()
    found = _experiments(project)
    if name is None:
        _list(found, project.lang)
        return 0
    if name not in found:
        known = ", ".join(found) or "-"
        raise UsageError(
            say(
                f"{name}：没有这个实验。有：{known}。",
                f"{name}: no such experiment. Known: {known}.",
                project.lang,
            )
        )
    module = found[name]
    folder = _out(project, options)
    with _speaking(project.lang):
        try:
            record = _record(module, name, options, project.lang)
        except module.ExperimentError as error:
            said = error.said
            raise UsageError(say(said.zh, said.en, project.lang)) from error
        table = importlib.import_module(f"{module.__name__}.table")
        click.echo(_with_micro(table.plain(record), sys.stdout.encoding or "utf-8"))
        _write(project, module, record, folder, recorded=options.recorded)
    return 0


def _with_micro(text: str, encoding: str) -> str:
    """Write microseconds as this console can: GBK has the Greek letter, not the micro sign."""
    for letter in ("\N{MICRO SIGN}", "\N{GREEK SMALL LETTER MU}"):
        if letter.encode(encoding, "ignore"):
            return text.replace("\N{MICRO SIGN}", letter)
    return text.replace("\N{MICRO SIGN}", "u")


def _out(project: Project, options: Options) -> Path:
    """Return the folder for record and figure; whether it can be had is known before minutes go.

    The folder is the learner's own, outside git.
    """
    folder = options.out or project.root / "work" / "experiments"
    there = next(one for one in (folder, *folder.absolute().parents) if os.path.lexists(one))
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise _unwritable(project, folder, there)
    return folder


def _unwritable(project: Project, folder: Path, why: object) -> UsageError:
    return UsageError(
        say(
            f"{folder}：写不进去（{why}）。请用 --out 换一个目录。",
            f"{folder}: cannot be written ({why}). Name another --out.",
            project.lang,
        )
    )


def _record(module: ModuleType, name: str, options: Options, lang: str) -> Any:
    if options.recorded:
        return module.recorded(name)
    bench = importlib.import_module(f"{module.__name__}.bench")
    request = bench.Request(
        path=options.path,
        own=options.own,
        writers=options.writers,
        megabytes=options.megabytes,
        seconds=options.seconds,
        seed=options.seed,
        drop_caches=options.drop_caches,
        agree=lambda said: options.yes or _agreed(say(said.zh, said.en, lang)),
    )
    return module.EXPERIMENTS[name].run(request)


def _agreed(question: str) -> bool:
    """Ask at a terminal; anywhere else nobody can answer, and that is a no."""
    return sys.stdin.isatty() and click.confirm(question, err=True)


def _experiments(project: Project) -> dict[str, ModuleType]:
    """Experiments of the project's lessons by name, each with the module that has it."""
    found: dict[str, ModuleType] = {}
    for slug in project.lessons:
        modules = _declared(project.root / "lessons" / slug / f"{slug}.ipynb")
        if modules is None or not _has_experiments(project, modules):
            continue
        module = importlib.import_module(f"{modules}.experiments")
        found |= dict.fromkeys(module.EXPERIMENTS, module)
    return found


def _declared(notebook: Path) -> str | None:
    """Return the import name of a lesson's modules, as its notebook declares it."""
    try:
        content = json.loads(notebook.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    modules = content.get("metadata", {}).get("course", {}).get("modules")
    return modules if isinstance(modules, str) else None


def _has_experiments(project: Project, modules: str) -> bool:
    folder = project.root.joinpath(*modules.split("."), "experiments")
    return (folder / "__init__.py").is_file()


def _list(found: dict[str, ModuleType], lang: str) -> None:
    for name, module in found.items():
        experiment = module.EXPERIMENTS[name]
        title = say(experiment.title.zh, experiment.title.en, lang)
        click.echo(f"{name:14}{experiment.question}  {title}")


def _write(
    project: Project, module: ModuleType, record: Any, folder: Path, *, recorded: bool
) -> None:
    """Write the record, then its figure."""
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    base = folder / f"{record.experiment}-{'recorded' if recorded else stamp}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        base.with_suffix(".json").write_text(record.to_json(), encoding="utf-8")
        picture = _drawn(project, module, record, base)
        base.with_suffix(".png").write_bytes(picture)
    except OSError as error:
        raise _unwritable(project, folder, error.strerror) from error
    tell(
        f"记录与图：{base}.json、{base}.png",
        f"Record and figure: {base}.json, {base}.png",
        project.lang,
    )


def _drawn(project: Project, module: ModuleType, record: Any, base: Path) -> bytes:
    try:
        return bytes(module.picture(record).png())
    except FileNotFoundError as error:
        raise UsageError(
            say(
                f"记录在 {base}.json；图没有画：这里没有中文字体，请运行 "
                "pip install zhplot，再跑一次。",
                f"The record is {base}.json; no figure was drawn: there is no Chinese font. Run "
                "pip install zhplot and try again.",
                project.lang,
            )
        ) from error


@contextmanager
def _speaking(lang: str) -> Iterator[None]:
    """Let the lesson's own sentences speak the language that this console can show."""
    before = os.environ.get("COURSE_LANG")
    os.environ["COURSE_LANG"] = lang if say("课", "", lang) else "en"
    try:
        yield
    finally:
        if before is None:
            del os.environ["COURSE_LANG"]
        else:
            os.environ["COURSE_LANG"] = before
