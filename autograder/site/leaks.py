"""The last look at a site before it is written, with the matcher of `course audit`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html.parser import HTMLParser

from autograder.project import Project
from autograder.release.answerside import READ_TYPES, answer_sides, secrets_of
from autograder.release.pieces import pieces
from autograder.release.secrets import Edition, Key, Secret, Seeker
from autograder.release.unfolding import unfold


def leaks(project: Project, files: Mapping[str, bytes], *, answers: bool) -> list[str]:
    """What the files of a site hold that its edition keeps back, one sentence each.

    Args:
        project: Whose answer side it is.
        files: Path in the site -> content.
        answers: Whether it is the edition with answers, which keeps back less.

    Raises:
        CourseError: The answer side cannot be read.
    """
    edition = Edition.ANSWER if answers else Edition.STUDENT
    secrets = {one.key: one for one in _secrets(project, edition)}
    seeker = Seeker(secrets.values())
    found = []
    for name, data in files.items():
        keys, closed = _heard(name, data, seeker)
        found += [f"{name}: {why}, so nobody can say what is in it." for why in closed]
        places = sorted({(secrets[key].path, secrets[key].line) for key in keys})
        if places:
            path, line = places[0]
            more = f" and {len(places) - 1} more lines" if len(places) > 1 else ""
            found.append(f"{name}: holds what only the answer side has, {path}:{line}{more}.")
    return found


def fragments(project: Project, *, answers: bool) -> int:
    """How many fragments a site of that edition is compared with."""
    edition = Edition.ANSWER if answers else Edition.STUDENT
    return len({one.key for one in _secrets(project, edition)})


def _secrets(project: Project, edition: Edition) -> Iterable[Secret]:
    folder = project.root / "solutions"
    files = {
        f"solutions/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in sorted(folder.glob("*/*"))
        if path.is_file() and path.suffix in READ_TYPES
    }
    for side in answer_sides(files):
        yield from secrets_of(side, edition)


def _heard(name: str, data: bytes, seeker: Seeker) -> tuple[set[Key], list[str]]:
    unfolded = unfold(data)
    texts = list(unfolded.texts)
    if name.endswith(".html"):
        texts.append(_read_aloud(data.decode("utf-8", "replace")))
    found: set[Key] = set()
    for text in dict.fromkeys(texts):
        for piece in pieces(text):
            found |= seeker.find(piece)
    return found, unfolded.closed


class _Speaker(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def _read_aloud(html: str) -> str:
    """A page as its reader sees it: no tag parts what stands together."""
    speaker = _Speaker()
    speaker.feed(html)
    speaker.close()
    return "".join(speaker.said)
