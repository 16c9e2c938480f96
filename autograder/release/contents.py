"""Which files a branch holds: a list of what may leave, not of what may not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from string import Template

from autograder.errors import CourseError
from autograder.project import Project
from autograder.release.gitstore import FILE, PROGRAM, Entry, GitStore
from autograder.release.secrets import Edition

# What publishing reads: all of it has to be committed first.
SOURCES = (
    "lessons",
    "solutions",
    "autograder",
    "assets",
    "pyproject.toml",
    "constraints.txt",
    "LICENSE",
)
_SINGLE = frozenset({"pyproject.toml", "constraints.txt", "LICENSE"})
_TYPES = {
    "lessons": frozenset({".py", ".ipynb", ".qmd", ".toml", ".json"}),
    "autograder": frozenset({".py", ".typed", ".toml", ".txt"}),
    "assets": frozenset(
        {".css", ".js", ".html", ".j2", ".toml", ".json", ".svg", ".png", ".jpg", ".woff2"}
    ),
}
_DERIVED = frozenset({".ipynb", ".qmd"})
TEMPLATES = "assets/student"
# Template -> its name at the top of the branch.
_OWN = {
    "README.md": "README.md",
    "Makefile": "Makefile",
    "selfcheck.py": "selfcheck.py",
    "gitignore": ".gitignore",
    "gitattributes": ".gitattributes",
}
ANSWERS = "answers"


@dataclass(frozen=True, kw_only=True, slots=True)
class Contents:
    """A branch's files, and what is wrong with the files that may not leave."""

    entries: tuple[Entry, ...]
    refused: tuple[str, ...]


def contents(store: GitStore, project: Project, source: str, edition: Edition) -> Contents:
    """The files of an edition, made from those of the source commit.

    Args:
        store: The repository; the learner's own files are stored in it.
        project: Its root is the folder of `store`.
        source: Id of the commit that everything is taken from.
        edition: Which branch.

    Raises:
        CourseError: The templates of the learner's own files are not in that commit.
    """
    tracked = {one.path: one for one in store.entries(f"{source}:./")}
    lessons = [slug for slug in _slugs(tracked) if f"solutions/{slug}/{slug}.qmd" in tracked]
    chosen, refused = [], []
    for entry in tracked.values():
        if not _leaves(entry.path):
            continue
        why = _refusal(entry, lessons)
        if why is None:
            chosen.append(entry)
        else:
            refused.append(f"{entry.path}: {why}")
    chosen += _own_files(store, project, tracked, lessons)
    if edition is Edition.ANSWER:
        chosen += _answers(tracked, lessons)
    return Contents(entries=tuple(chosen), refused=tuple(refused))


def _leaves(path: str) -> bool:
    """Whether a file of the project belongs to a branch; all of solutions/ and tests/ stays."""
    if path.startswith(f"{TEMPLATES}/"):
        return False
    return path in _SINGLE or path.partition("/")[0] in _TYPES


def _refusal(entry: Entry, lessons: Sequence[str]) -> str | None:
    """Why a file that belongs to a branch cannot leave all the same."""
    path = PurePosixPath(entry.path)
    top = path.parts[0]
    if entry.mode not in {FILE, PROGRAM}:
        return "a link or a submodule cannot be released. Put the file itself there."
    if entry.path in _SINGLE:
        return None
    if path.suffix not in _TYPES[top]:
        return f"a file of this type is not released from {top}/. Move it out or convert it."
    if top == "lessons" and path.suffix in _DERIVED and not _is_derived(path, lessons):
        return "not built from a source under solutions/. Move it out of lessons/."
    return None


def is_allowed(path: str, edition: Edition) -> bool:
    """Whether a file of that name may stand in a branch at all."""
    parts = PurePosixPath(path).parts
    if path in _SINGLE or path in _OWN.values():
        return True
    if edition is Edition.ANSWER and parts[0] == ANSWERS:
        return path.endswith(".ipynb")
    return parts[0] in _TYPES and PurePosixPath(path).suffix in _TYPES[parts[0]]


def _is_derived(path: PurePosixPath, lessons: Sequence[str]) -> bool:
    return any(path.with_suffix("") == PurePosixPath("lessons", slug, slug) for slug in lessons)


def _slugs(paths: Iterable[str]) -> list[str]:
    """The lessons that have a student notebook."""
    found = []
    for path in map(PurePosixPath, paths):
        if path.suffix == ".ipynb" and path.parts[:-1] == ("lessons", path.stem):
            found.append(path.stem)
    return sorted(found)


def _own_files(
    store: GitStore, project: Project, tracked: dict[str, Entry], lessons: Sequence[str]
) -> Iterator[Entry]:
    """The learner's README, Makefile, self-check and git settings."""
    ordered = [slug for slug in project.lessons if slug in lessons] or list(lessons)
    values = {
        "title": project.title,
        "lang": project.lang,
        "lesson": ordered[0] if ordered else "LESSON",
        "lessons": " ".join(ordered),
    }
    for template, name in _OWN.items():
        entry = tracked.get(f"{TEMPLATES}/{template}")
        if entry is None:
            raise CourseError(
                f"{TEMPLATES}/{template}: not in git. It becomes the learner's {name}: "
                "restore and commit it."
            )
        text = store.run("cat-file", "blob", entry.oid).decode("utf-8")
        filled = _Marked(text).safe_substitute(values).encode("utf-8")
        yield Entry(mode=FILE, oid=store.write_blob(filled), path=name)


def _answers(tracked: dict[str, Entry], lessons: Sequence[str]) -> Iterator[Entry]:
    for slug in lessons:
        entry = tracked.get(f"solutions/{slug}/{slug}.ipynb")
        if entry is None:
            raise CourseError(
                f"solutions/{slug}/{slug}.ipynb: not in git. Run `course build` and commit it."
            )
        yield Entry(mode=FILE, oid=entry.oid, path=f"{ANSWERS}/{slug}/{slug}.ipynb")


class _Marked(Template):
    """Templates mark a value as `@{name}`: `$` belongs to make and to the shell."""

    delimiter = "@"
    idpattern = None  # type: ignore[assignment]  # only the braced form is a mark
    braceidpattern = "[a-z]+"
    pattern = r"@(?:(?P<escaped>@)|(?P<named>(?!))|\{(?P<braced>[a-z]+)\}|(?P<invalid>(?!)))"  # type: ignore[assignment]
