"""All secrets that matter to a branch: those of each source commit, and today's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from autograder.errors import CourseError, UsageError
from autograder.project import Project
from autograder.release.answerside import READ_TYPES, AnswerSide, answer_sides, secrets_of
from autograder.release.gitstore import GitStore
from autograder.release.objects import Objects
from autograder.release.secrets import Edition, Key, Secret

TODAY = "today"


class Vault:
    """Knows each secret and whose it is.

    An owner is `TODAY`, or the id of a solutions/ tree of a source commit: commits that share one
    share their secrets.

    Attributes:
        secrets: Form and text -> the secret.
        owners: Form and text -> those that have it.
        notes: What could not be compared, one sentence each.
    """

    def __init__(self, store: GitStore, objects: Objects, edition: Edition) -> None:
        self.secrets: dict[Key, Secret] = {}
        self.owners: dict[Key, set[str]] = defaultdict(set)
        self.notes: list[str] = []
        self._objects = objects
        self._edition = edition
        self._prefix = store.line("rev-parse", "--show-prefix")
        self._known: set[str] = set()

    def add_today(self, project: Project) -> None:
        """Take in what solutions/ holds now.

        Raises:
            CourseError: A lesson there cannot be read.
            UsageError: There is none: nothing to compare with.
        """
        files = {
            path.relative_to(project.root).as_posix(): path.read_bytes()
            for path in sorted((project.root / "solutions").glob("*/*"))
            if path.suffix in READ_TYPES and path.is_file()
        }
        sides = answer_sides(files)
        if not sides:
            raise UsageError(
                f"{project.root / 'solutions'}: no lesson's source here to compare with. "
                "Run this where the course is written."
            )
        self._add(TODAY, sides)

    def add_commit(self, source: str) -> str:
        """Take in the secrets of a source commit; returns their owner's name."""
        try:
            root = self._objects.below(self._objects.commit(source).tree, self._prefix)
        except CourseError:
            self._note(f"The source commit {source[:10]} is not here; compared with today's only.")
            return TODAY
        tree = self._objects.below(root, "solutions") if root else None
        if tree is None:
            self._note(f"The source commit {source[:10]} has no solutions/ to compare with.")
            return TODAY
        if tree not in self._known:
            self._known.add(tree)
            files = {
                f"solutions/{entry.path}": self._objects.read(entry.oid)
                for entry in self._objects.files(tree)
                if entry.path.endswith(READ_TYPES)
            }
            try:
                self._add(tree, answer_sides(files))
            except CourseError as error:
                first = str(error).splitlines()[0]
                self._note(
                    f"The sources of {source[:10]} cannot be read today ({first}); "
                    "compared with today's only."
                )
        return tree

    def _add(self, owner: str, sides: Iterable[AnswerSide]) -> None:
        for side in sides:
            for secret in secrets_of(side, self._edition):
                self.secrets.setdefault(secret.key, secret)
                self.owners[secret.key].add(owner)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)
