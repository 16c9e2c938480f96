"""A git repository read and written as objects: never its work tree, index or current branch."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import CourseError, MissingOnMachine, UsageError

_LOCAL = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)
FILE, PROGRAM, LINK, MODULE, FOLDER = "100644", "100755", "120000", "160000", "40000"


class GitError(CourseError):
    """A git command failed; `said` is what it said."""

    def __init__(self, command: str, said: str) -> None:
        self.said = said
        super().__init__(f"git {command} failed: {said or 'no reason given'}. Mend it and retry.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A file of a tree: `mode` as git writes it, the object's id, and its path."""

    mode: str
    oid: str
    path: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """Who made a commit, and when (seconds since 1970 and zone, as git writes them)."""

    name: str
    email: str
    date: str


class GitStore:
    """The repository that a folder is in.

    Args:
        folder: The project's root; it may be a subfolder of the repository.

    Raises:
        UsageError: It is in no repository.
        MissingOnMachine: There is no git here.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.run("rev-parse", "--git-dir")
        except GitError as error:
            raise UsageError(
                f"{folder}: not in a git repository. Run `git init` there and commit the course."
            ) from error

    def run(
        self, *arguments: str, data: bytes | None = None, env: Mapping[str, str] | None = None
    ) -> bytes:
        """What a git command prints.

        Raises:
            GitError: It failed.
            MissingOnMachine: There is no git here.
        """
        clean = {key: value for key, value in os.environ.items() if key not in _LOCAL}
        # Replaced objects would show the audit something other than what is pushed.
        # Without optional locks `git status` does not touch the index.
        clean |= {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}
        clean |= env or {}
        command = ["git", "-C", str(self.folder), "-c", "core.quotePath=false", *arguments]
        try:
            done = subprocess.run(  # noqa: S603  # git itself, arguments as a list
                command, input=data, capture_output=True, env=clean, check=False
            )
        except FileNotFoundError as error:
            raise MissingOnMachine(
                "git is not installed here. Install it, e.g. `apt install git`."
            ) from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise GitError(arguments[0], said.removeprefix("fatal: ").removeprefix("error: "))
        return done.stdout

    def line(self, *arguments: str, data: bytes | None = None) -> str:
        """What a git command prints, without the line end."""
        return self.run(*arguments, data=data).decode("utf-8", "surrogateescape").rstrip("\n")

    def resolve(self, revision: str) -> str | None:
        """The object id that a revision names, or None."""
        try:
            return self.line("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
        except GitError:
            return None

    def commits(self, tip: str) -> list[str]:
        """The history of a commit, oldest first."""
        return self.line("rev-list", "--topo-order", "--reverse", tip).split()

    def entries(self, tree: str) -> list[Entry]:
        """All files below a tree (`HEAD:./` is the project's own folder), paths relative to it."""
        listed = self.run("ls-tree", "-r", "-z", "--full-tree", tree)
        return list(_entries(listed))

    def write_blob(self, data: bytes) -> str:
        """Store a file's bytes as they are."""
        return self.line("hash-object", "-w", "--stdin", data=data)

    def write_tree(self, entries: Iterable[Entry]) -> str:
        """Store a tree, through an index of its own that is then gone."""
        listed = "".join(f"{one.mode} {one.oid}\t{one.path}\0" for one in entries)
        with tempfile.TemporaryDirectory(prefix="course-") as folder:
            env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self.run("update-index", "-z", "--index-info", data=_bytes(listed), env=env)
            return self.run("write-tree", env=env).decode().strip()

    def write_commit(self, tree: str, parent: str | None, message: str, person: Person) -> str:
        """Store a commit."""
        env = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (
                ("NAME", person.name),
                ("EMAIL", person.email),
                ("DATE", person.date),
            )
        }
        parents = ["-p", parent] if parent else []
        plain = ["-c", "commit.gpgSign=false", "-c", "i18n.commitEncoding=UTF-8"]
        made = self.run(*plain, "commit-tree", tree, *parents, data=_bytes(message), env=env)
        return made.decode().strip()

    def move_branch(self, branch: str, new: str, old: str | None) -> None:
        """Set a branch, if it still stands where it stood.

        Raises:
            GitError: Somebody else has moved it.
        """
        self.run(
            "update-ref",
            "-m",
            "course publish",
            f"refs/heads/{branch}",
            new,
            old or "0" * len(new),
        )

    def person(self, commit: str) -> Person:
        """Git's own user, else a name of our own; the date of a commit, so that nothing varies."""
        date = "@" + self.line("show", "-s", "--format=%cd", "--date=raw", commit)
        name = os.environ.get("GIT_AUTHOR_NAME") or self._setting("user.name")
        email = os.environ.get("GIT_AUTHOR_EMAIL") or self._setting("user.email")
        return Person(name=name or "Course", email=email or "course@localhost.invalid", date=date)

    def changed_files(self, paths: Iterable[str]) -> list[str]:
        """Tracked files below `paths` that differ from the current commit."""
        return self._status("no", paths)

    def untracked_files(self, paths: Iterable[str]) -> list[str]:
        """Files below `paths` that git neither tracks nor ignores."""
        chosen = list(paths)
        tracked = set(self.changed_files(chosen))
        return [path for path in self._status("all", chosen) if path not in tracked]

    def remotes(self) -> list[str]:
        """The names of the remotes that are set up."""
        return self.line("remote").split()

    def checked_out(self, branch: str) -> bool:
        """Whether a work tree stands on a branch."""
        listed = self.line("worktree", "list", "--porcelain").splitlines()
        return f"branch refs/heads/{branch}" in listed

    def is_shallow(self) -> bool:
        """Whether the history of this repository is cut off."""
        return self.line("rev-parse", "--is-shallow-repository") == "true"

    def _setting(self, name: str) -> str:
        try:
            return self.line("config", "--get", name)
        except GitError:
            return ""

    def _status(self, untracked: str, paths: Iterable[str]) -> list[str]:
        listed = self.run(
            "status",
            "--porcelain",
            "-z",
            "--no-renames",
            f"--untracked-files={untracked}",
            "--",
            *paths,
        )
        rows = listed.decode("utf-8", "surrogateescape").split("\0")
        return [row[3:] for row in rows if row]


def _entries(listed: bytes) -> Iterator[Entry]:
    for row in listed.split(b"\0"):
        if row:
            head, _, path = row.partition(b"\t")
            mode, _, oid = head.decode().split(" ")
            yield Entry(mode=mode, oid=oid, path=path.decode("utf-8", "surrogateescape"))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
