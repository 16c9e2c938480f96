"""The project a command works in: the nearest pyproject.toml with [tool.course]."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from autograder.errors import CourseError, UsageError


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What a submission may use. Times in seconds, sizes in the unit of the name."""

    cell_s: float = 10.0
    submission_s: float = 60.0
    memory_mb: int = 1024
    processes: int = 64
    output_kb: int = 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Project:
    """Where things are and what [tool.course] says."""

    root: Path
    title: str = "Course"
    lang: str = "zh-CN"
    lessons: tuple[str, ...] = ()
    db_url: str = "sqlite:///gradebook.db"
    branches: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    veto: str | float = "keep"
    """What a veto does to the total that is exported: `keep`, `zero`, or the most it may be."""

    def source(self, slug: str) -> Path:
        """The answer edition of a lesson, THE source."""
        return self.root / "solutions" / slug / f"{slug}.qmd"

    @property
    def lesson_modules(self) -> Path:
        """The folder a learner imports as `lessons`."""
        return self.root / "lessons"


def find_project(start: Path | None = None) -> Project:
    """The project around `start` (the working directory by default).

    Raises:
        UsageError: No pyproject.toml with [tool.course] at or above `start`.
        CourseError: That table does not hold what it must.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        file = folder / "pyproject.toml"
        if not file.is_file():
            continue
        table = _course_table(file)
        if table is not None:
            return _project(folder, file, table)
    raise UsageError(
        f"{here}: no pyproject.toml with [tool.course] here or above. "
        "Change into the course's folder, or add the table to its pyproject.toml."
    )


def _course_table(file: Path) -> dict[str, object] | None:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{file}: not valid TOML: {error}. Mend the file.") from error
    table = document.get("tool", {}).get("course")
    return table if isinstance(table, dict) else None


def _project(root: Path, file: Path, table: dict[str, object]) -> Project:
    known = {"title", "lang", "lessons", "branches", "db_url", "limits", "veto"}
    unknown = sorted(set(table) - known)
    if unknown:
        raise CourseError(
            f"{file}: [tool.course] has no key {unknown[0]!r}. "
            f"Known keys: {', '.join(sorted(known))}."
        )
    limits = table.pop("limits", {})
    lessons = table.pop("lessons", ())
    try:
        return Project(
            root=root,
            limits=Limits(**limits),  # type: ignore[arg-type]  # checked by the except below
            lessons=tuple(lessons),  # type: ignore[arg-type]
            **table,  # type: ignore[arg-type]
        )
    except TypeError as error:
        raise CourseError(f"{file}: [tool.course]: {error}. Mend the table.") from error
