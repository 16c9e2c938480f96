"""What grading needs of a lesson's editions, kept between runs.

Making them draws the diagrams, which takes 7 s; grading reads no picture. What is kept is named
after everything that goes into it, so it is used only while making it again would give the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import nbformat

from autograder.errors import UsageError
from autograder.grading.sandbox.fontlist import cache_folder, fonts_key
from autograder.project import Project

_FORMAT = 1
_MOST_KEPT = 16
# What has a say in the text or the pictures, beside the lesson itself.
_PARTS = ("editions", "source", "rubric", "model.py", "project.py")
_LIBRARIES = ("fonttools", "mermaidx", "nbformat", "nbgrader", "novasvg", "zhplot")
_nbformat: Any = nbformat  # half of it has no types


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A lesson, ready to be graded.

    Attributes:
        source: The nbgrader source notebook.
        release: Text of the student edition.
        config: nbgrader's settings that make that edition from the source notebook.
    """

    source: Any
    release: str
    config: str


def prepared(project: Project, lesson: str) -> Prepared:
    """Make a lesson's editions, or take them from an earlier run.

    Raises:
        UsageError: There is no such lesson.
        LessonErrors: The source breaks the dialect.
    """
    if not project.source(lesson).is_file():
        raise UsageError(
            f"{project.source(lesson)}: no such lesson. Name one that has its source there."
        )
    folder = cache_folder() / "masters"
    file = (
        folder / f"{hashlib.sha256(lesson.encode()).hexdigest()[:8]}-{_key(project, lesson)}.json"
    )
    # A file that cannot be read, or was cut short, is made again.
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(file.read_bytes())
        return Prepared(
            source=_nbformat.from_dict(kept["source"]),
            release=str(kept["release"]),
            config=str(kept["config"]),
        )
    made = _made(project, lesson)
    with contextlib.suppress(OSError):
        _keep(file, {"source": made.source, "release": made.release, "config": made.config})
    return made


def _made(project: Project, lesson: str) -> Prepared:
    # nbgrader's steps and the renderer take seconds to import.
    from autograder.editions.build import source_notebook
    from autograder.editions.notebook import dumps
    from autograder.editions.release import nbgrader_config, release

    source = source_notebook(project, lesson)
    return Prepared(source=source, release=dumps(release(source)), config=nbgrader_config())


def _keep(file: Path, content: dict[str, Any]) -> None:
    # The source notebook holds the answers: for nobody else on this machine.
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=file.parent, prefix=".draft-")
    with os.fdopen(handle, "w", encoding="utf-8") as opened:
        json.dump(content, opened, ensure_ascii=True)
    Path(draft).replace(file)
    kept = sorted(file.parent.glob("*.json"), key=lambda one: one.stat().st_mtime, reverse=True)
    for old in kept[_MOST_KEPT:]:
        old.unlink(missing_ok=True)


def _key(project: Project, lesson: str) -> str:
    digest = hashlib.sha256(f"{_FORMAT} {sys.version} {fonts_key()}".encode())
    for library in _LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            digest.update(f"\0{library} {version(library)}".encode())
    package = Path(__file__).parents[1]
    own = [package / part for part in _PARTS]
    files = [file for part in own for file in ([part] if part.is_file() else part.rglob("*.py"))]
    source = project.source(lesson)
    files = [*sorted(files), source, source.with_name("rubric.toml")]
    for file in (*files, project.root / "pyproject.toml"):
        data = file.read_bytes() if file.is_file() else b""
        digest.update(f"\0{file.name} {len(data)}\0".encode() + data)
    return digest.hexdigest()
