"""The other end of `--push`: what it holds already, and the push itself."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from autograder.errors import CourseError, UsageError
from autograder.release.gitstore import GitError, GitStore

_MAIN = frozenset({"main", "master", "trunk"})
_SAFE = "A public repository of its own is the safe way; --force pushes all the same."


def refuse_unsafe(store: GitStore, remote: str, published: frozenset[str]) -> None:
    """Refuse a remote from which learners could fetch the answers too.

    Args:
        store: The repository of the course.
        remote: A remote's name or address.
        published: The branches that publishing makes; they may be there.

    Raises:
        UsageError: The remote cannot be reached.
        CourseError: It holds the main branch, or a branch or tag with a solutions/ folder.
    """
    refs = _refs(store, remote)
    current = store.line("rev-parse", "--abbrev-ref", "HEAD")
    for name in refs:
        short = name.removeprefix("refs/heads/")
        if short != name and short not in published and short in _MAIN | {current}:
            raise CourseError(
                f"{remote}: holds the branch {short!r}, from which anybody who can fetch the "
                f"lesson can fetch the answers. Not pushed. {_SAFE}"
            )
    for name, oid in refs.items():
        if name.removeprefix("refs/heads/") in published:
            continue
        if _holds_solutions(store, remote, name, oid):
            raise CourseError(
                f"{remote}: {name} there has a solutions/ folder, which anybody who can fetch "
                f"the lesson can fetch. Not pushed. {_SAFE}"
            )


def push(store: GitStore, remote: str, branch: str) -> None:
    """Push one branch, forwards only, and nothing with it.

    Raises:
        CourseError: The remote refuses it.
    """
    try:
        store.run(
            "-c",
            "push.followTags=false",
            "push",
            "--recurse-submodules=no",
            remote,
            f"refs/heads/{branch}:refs/heads/{branch}",
        )
    except GitError as error:
        raise CourseError(
            f"{remote}: refused the branch {branch!r}: {error.said} "
            "The branch there may only grow: look who else writes to it."
        ) from error


def _refs(store: GitStore, remote: str) -> dict[str, str]:
    """The branches and tags of a remote, with the commits they lead to."""
    if remote.startswith("-"):
        raise UsageError(f"{remote!r} is no remote. Name one of `git remote`, or an address.")
    try:
        listed = store.line("ls-remote", "--heads", "--tags", remote)
    except GitError as error:
        raise UsageError(
            f"{remote}: cannot be reached: {error.said.splitlines()[0]}. Check its address."
        ) from error
    rows = (line.split("\t") for line in listed.splitlines())
    # A line `tag^{}` comes after its tag and names the commit.
    return {name.removesuffix("^{}"): oid for oid, name in rows}


def _holds_solutions(store: GitStore, remote: str, name: str, oid: str) -> bool:
    """Whether a ref's newest tree has a folder solutions/, at the top or one below."""
    if store.resolve(f"{oid}^{{commit}}") is not None:
        return any(_is_solutions(path) for path in _folders(store, oid))
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        address = _address(store, remote)
        bare = Path(folder) / "look.git"
        store.run("init", "--quiet", "--bare", str(bare))
        looked = GitStore(bare)
        try:
            looked.run("fetch", "--quiet", "--depth=1", "--filter=blob:none", address, name)
        except GitError as error:
            raise CourseError(
                f"{remote}: {name} there cannot be looked into: {error.said}. {_SAFE}"
            ) from error
        return any(_is_solutions(path) for path in _folders(looked, "FETCH_HEAD"))


def _folders(store: GitStore, commit: str) -> Iterator[str]:
    listed = store.run("ls-tree", "-r", "-d", "-z", "--name-only", "--full-tree", commit)
    for path in listed.split(b"\0"):
        yield path.decode("utf-8", "surrogateescape")


def _is_solutions(path: str) -> bool:
    return path.rpartition("/")[2] == "solutions"


def _address(store: GitStore, remote: str) -> str:
    """A remote's address; a path is made absolute, as another folder asks for it."""
    try:
        address = store.line("remote", "get-url", remote)
    except GitError:
        address = remote
    here = store.folder / address
    return str(here.resolve()) if here.exists() else address
