"""Everything that a branch gives away, compared with everything that must stay.

Read are: every file of every commit of the branch, whatever removed it later; the names of files;
commits with messages, names and extra headers; tags and notes of those commits and their names.
Each is compared with the secrets of the source commit that its commit was built from, and with
today's. See `secrets` for what a secret is and `unfolding` for what is seen through.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.counting import counted
from autograder.project import Project
from autograder.release.annotations import annotations_of
from autograder.release.contents import is_allowed
from autograder.release.gitstore import LINK, MODULE, Entry, GitStore
from autograder.release.objects import Commit, Objects
from autograder.release.pieces import pieces
from autograder.release.secrets import Edition, Key, Seeker
from autograder.release.unfolding import unfold
from autograder.release.vault import TODAY, Vault

TRAILER = "Source-Commit"
_OBJECT_ID = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_FRESH = "Take it out on the source branch, commit, and publish again."
_OLD = (
    "It is in the branch's history: if that was pushed, the answer is known and has to change; "
    "then delete the branch and publish anew."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Something that must not be there.

    Attributes:
        commit: Id of the first commit that has it.
        place: A path in that commit, or what else of the commit it is.
        what: What is wrong, without a full stop.
        mend: How to mend it, a sentence.
    """

    commit: str
    place: str
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.commit[:10]} {self.place!a}: {self.what}. {self.mend}"


@dataclass(kw_only=True, slots=True)
class Report:
    """What an audit looked at, what it found, and what it could not compare."""

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    commits: int = 0
    blobs: int = 0
    fragments: int = 0

    @property
    def summary(self) -> str:
        """One line with the counts."""
        return (
            f"{counted(self.commits, 'commit')}, {counted(self.blobs, 'blob')} compared with "
            f"{counted(self.fragments, 'fragment')}: {counted(len(self.findings), 'finding')}"
        )


def audit(
    store: GitStore,
    project: Project,
    tip: str,
    edition: Edition = Edition.STUDENT,
    *,
    fresh: str | None = None,
) -> Report:
    """Audit the history of a commit.

    Args:
        store: The repository, which also holds the source commits.
        project: Whose secrets of today count.
        tip: Id of the branch's newest commit.
        edition: What the branch may show: the answer edition shows references and tests.
        fresh: A commit that no branch has yet, so that its findings can still be mended.

    Raises:
        CourseError: A lesson of today cannot be read, or an object is missing.
    """
    with Objects(store) as objects:
        vault = Vault(store, objects, edition)
        vault.add_today(project)
        auditor = _Auditor(store=store, objects=objects, vault=vault, edition=edition)
        auditor.gather(tip)
        return auditor.report(fresh)


@dataclass(kw_only=True)
class _Auditor:
    store: GitStore
    objects: Objects
    vault: Vault
    edition: Edition
    commits: list[Commit] = field(default_factory=list)
    owner_of: dict[str, str] = field(default_factory=dict)
    # Object id, or a path -> owner of the secrets -> where it was first seen.
    blobs: dict[str, dict[str, tuple[str, str]]] = field(default_factory=lambda: defaultdict(dict))
    names: dict[str, dict[str, tuple[str, str]]] = field(default_factory=lambda: defaultdict(dict))
    placed: set[tuple[str, str]] = field(default_factory=set)
    wrong: list[tuple[str, str, str]] = field(default_factory=list)
    heard: dict[str, set[Key]] = field(default_factory=dict)

    def gather(self, tip: str) -> None:
        """List everything there is to read, and what is wrong by its mere place."""
        for oid in self.store.commits(tip):
            commit = self.objects.commit(oid)
            self.commits.append(commit)
            owner = self.owner_of[oid] = self._owner(commit)
            self.blobs[oid].setdefault(owner, (oid, "the commit's message and headers"))
            for entry in self.objects.files(commit.tree):
                self._file(commit, entry, owner)
        for one in annotations_of(self.store, tip, self.owner_of):
            owner = self.owner_of.get(one.commit, TODAY)
            self.names[one.place].setdefault(owner, (one.commit, one.place))
            if one.oid is not None:
                self.blobs[one.oid].setdefault(owner, (one.commit, one.place))

    def _owner(self, commit: Commit) -> str:
        source = commit.trailer(TRAILER)
        if source is None or not _OBJECT_ID.fullmatch(source):
            what = f"no {TRAILER} line, so this is not a commit of course publish"
            self.wrong.append((commit.oid, "message", what))
            return TODAY
        return self.vault.add_commit(source)

    def _file(self, commit: Commit, entry: Entry, owner: str) -> None:
        if (entry.mode, entry.path) not in self.placed:
            self.placed.add((entry.mode, entry.path))
            if entry.mode in {LINK, MODULE}:
                self.wrong.append((commit.oid, entry.path, "a link or a submodule"))
            elif not is_allowed(entry.path, self.edition):
                self.wrong.append((commit.oid, entry.path, "no file that this branch may hold"))
        self.names[entry.path].setdefault(owner, (commit.oid, entry.path))
        if entry.mode != MODULE:
            self.blobs[entry.oid].setdefault(owner, (commit.oid, entry.path))

    def report(self, fresh: str | None) -> Report:
        """Read everything and compare."""
        seeker = Seeker(self.vault.secrets.values())
        found = [self._finding(*one, fresh) for one in self.wrong]
        for oid, seen in self.blobs.items():
            data = self.objects.read(oid)
            found += self._compare(data, seen, seeker, fresh)
        for name, seen in self.names.items():
            data = name.encode("utf-8", "surrogateescape")
            found += self._compare(data, seen, seeker, fresh)
        notes = [*self.vault.notes]
        if self.store.is_shallow():
            notes.append("This repository is shallow: older commits could not be read.")
        return Report(
            findings=found,
            notes=notes,
            commits=len(self.commits),
            blobs=len(self.blobs),
            fragments=len(self.vault.secrets),
        )

    def _compare(
        self, data: bytes, seen: dict[str, tuple[str, str]], seeker: Seeker, fresh: str | None
    ) -> Iterator[Finding]:
        unfolded = unfold(data)
        first = next(iter(seen.values()))
        for why in unfolded.closed:
            yield self._finding(*first, f"{why}, so nobody can say what is in it", fresh)
        lines: dict[tuple[str, str, str], set[int]] = defaultdict(set)
        for text in unfolded.texts:
            for key in self._heard(text, seeker):
                spot = self._place(key, seen)
                if spot is not None:
                    secret = self.vault.secrets[key]
                    lines[*spot, secret.path].add(secret.line)
        for (commit, place, path), numbers in lines.items():
            more = f" and {len(numbers) - 1} more lines" if len(numbers) > 1 else ""
            what = f"holds what only the answer side has, {path}:{min(numbers)}{more}"
            yield self._finding(commit, place, what, fresh)

    def _heard(self, text: str, seeker: Seeker) -> set[Key]:
        """What a text holds. Versions of a file share most of their pieces."""
        found: set[Key] = set()
        for piece in pieces(text):
            known = self.heard.get(piece)
            if known is None:
                known = self.heard[piece] = seeker.find(piece)
            found |= known
        return found

    def _place(self, key: Key, seen: dict[str, tuple[str, str]]) -> tuple[str, str] | None:
        """Where something that holds a secret was first seen while it was one."""
        owners = self.vault.owners[key]
        if TODAY in owners:
            return next(iter(seen.values()))
        return next((place for owner, place in seen.items() if owner in owners), None)

    def _finding(self, commit: str, place: str, what: str, fresh: str | None) -> Finding:
        return Finding(
            commit=commit, place=place, what=what, mend=_FRESH if commit == fresh else _OLD
        )
