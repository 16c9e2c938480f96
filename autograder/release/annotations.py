"""Tags and notes that point into a branch's history: they are pushed and read like commits."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from autograder.release.gitstore import GitStore


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """A tag or a note.

    Attributes:
        commit: Id of the commit that it is about.
        place: What it is, e.g. `tag week-3`.
        oid: The object that holds its text; None when it has none.
    """

    commit: str
    place: str
    oid: str | None


def annotations_of(store: GitStore, tip: str, history: Collection[str]) -> Iterator[Annotation]:
    """The tags and notes of a history."""
    wanted = "%(refname:strip=2)%00%(objecttype)%00%(objectname)%00%(*objectname)"
    listed = store.line("for-each-ref", f"--merged={tip}", f"--format={wanted}", "refs/tags")
    for row in listed.splitlines():
        name, kind, oid, peeled = row.split("\0")
        text = oid if kind == "tag" else None
        yield Annotation(commit=peeled or oid, place=f"tag {name}", oid=text)
    known = set(history)
    for ref in store.line("for-each-ref", "--format=%(refname)", "refs/notes").splitlines():
        for row in store.line("notes", f"--ref={ref}", "list").splitlines():
            note, _, target = row.partition(" ")
            if target in known:
                yield Annotation(commit=target, place=f"note {ref}", oid=note)
