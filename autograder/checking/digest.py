"""A second build, in a process with another hash seed: `python -m ... ROOT SLUG`.

What depends on the order of a set or on an address comes out differently there. It draws every
picture itself, whatever was drawn before.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from autograder.editions.kept import AFRESH
from autograder.errors import CourseError

_MODULE = "autograder.checking.digest"
_LAST_WORDS = 300


def digests(files: Mapping[Path, bytes], root: Path) -> dict[str, str]:
    """Path relative to the project -> SHA-256 of what would be written there."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(data).hexdigest()
        for path, data in files.items()
    }


class SecondBuild:
    """A build that goes on in another process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def result(self) -> dict[str, str]:
        """Wait for it.

        Raises:
            CourseError: It failed.
        """
        told, complaint = self._process.communicate()
        if self._process.returncode:
            last = complaint.strip().rpartition("\n")[2][-_LAST_WORDS:]
            raise CourseError(f"The second build failed: {last}")
        found: dict[str, str] = json.loads(told)
        return found

    def end(self) -> None:
        """Stop it if it is still going."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


@contextmanager
def second_build(root: Path, slug: str) -> Iterator[SecondBuild]:
    """Begin a build of a lesson in a process of its own."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    process = subprocess.Popen(  # noqa: S603  # our own module
        [sys.executable, "-m", _MODULE, str(root), slug],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8", AFRESH: "1"},
        cwd=root,
    )
    build = SecondBuild(process)
    try:
        yield build
    finally:
        build.end()


def main(root: Path, slug: str) -> None:
    """Build, and print the digests as JSON."""
    from autograder.editions.build import editions, lesson_of  # noqa: PLC0415  # heavy
    from autograder.project import find_project  # noqa: PLC0415

    project = find_project(root)
    made = editions(project, lesson_of(project, slug))
    sys.stdout.write(json.dumps(digests(made.files, project.root)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
