"""The folder that a site is written to: only what a build wrote is ever replaced or removed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.errors import CourseError
from autograder.wholefile import replace_file

MANIFEST = ".course-site.json"
_SHOWN = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Manifest:
    """What an earlier build wrote.

    Attributes:
        answers: Whether answers are in it.
        files: Path -> SHA-256 of each file.
        vendored: Those files that are a third party's to the byte.
    """

    answers: bool
    files: Mapping[str, str]
    vendored: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """How many files are new or changed, and how many of an earlier build were removed."""

    changed: int
    removed: int


def read_manifest(folder: Path) -> Manifest | None:
    """What the folder says about itself; None when no build wrote it.

    Raises:
        CourseError: It says nothing that a build would say.
    """
    path = folder / MANIFEST
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        files = {str(name): str(digest) for name, digest in said["files"].items()}
        if not all(map(_is_inside, files)):
            raise ValueError("a path leads out of the folder")
        vendored = frozenset(map(str, said["vendored"]))
        return Manifest(answers=bool(said["answers"]), files=files, vendored=vendored)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise CourseError(
            f"{path}: is not what `course site` wrote ({error}). Move {folder.name}/ away."
        ) from error


def files_to_audit(folder: Path, manifest: Manifest) -> dict[str, bytes]:
    """Every file of a site that is there, whoever wrote it; not what is a third party's unchanged.

    Raises:
        CourseError: A file cannot be read.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_file() or name == MANIFEST:
            continue
        try:
            data = path.read_bytes()
        except OSError as error:
            raise CourseError(f"{path}: cannot be read: {error.strerror}. Mend that.") from error
        known = manifest.files.get(name) == hashlib.sha256(data).hexdigest()
        if not (known and name in manifest.vendored):
            found[name] = data
    return found


def write_site(
    folder: Path,
    files: Mapping[str, bytes],
    *,
    answers: bool,
    vendored: frozenset[str] = frozenset(),
) -> Written:
    """Bring a folder up to date.

    Args:
        folder: Where to; made when it is not there.
        files: Path in the site -> content.
        answers: Which edition it is.
        vendored: Those files that are a third party's to the byte.

    Raises:
        CourseError: Something that no build wrote stands in the way, or cannot be written.
    """
    before = read_manifest(folder)
    known = before.files if before else {}
    _refuse_strangers(folder, files, known)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}
    said = {"answers": answers, "vendored": sorted(vendored), "files": digests}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # First the list of both builds: a build that is stopped leaves no file that is unknown.
        replace_file(folder / MANIFEST, _as_json(said | {"files": {**known, **digests}}))
        changed = sum(_update(folder / name, data) for name, data in files.items())
        removed = _remove(folder, [name for name in known if name not in files])
        replace_file(folder / MANIFEST, _as_json(said))
    except OSError as error:
        raise CourseError(
            f"{error.filename or folder}: cannot be written: {error.strerror}. "
            "Make the folder writable."
        ) from error
    return Written(changed=changed, removed=removed)


def _as_json(said: Mapping[str, object]) -> bytes:
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode()


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _refuse_strangers(folder: Path, files: Mapping[str, bytes], known: Mapping[str, str]) -> None:
    """Nothing that somebody else put there may be lost."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise CourseError(f"{folder}: is no folder of its own. Move it away.")
    for name in files:
        for part in [*PurePosixPath(name).parents, PurePosixPath(name)]:
            if part.parts and (folder / part).is_symlink():
                raise CourseError(f"{folder / part}: is a link. Move it away.")
        for part in PurePosixPath(name).parents:
            if (folder / part).exists() and not (folder / part).is_dir():
                raise CourseError(f"{folder / part}: stands where a folder goes. Move it away.")
        if (folder / name).is_dir():
            raise CourseError(f"{folder / name}: is a folder where a file goes. Move it away.")
    strange = [name for name in files if name not in known and (folder / name).exists()]
    if strange:
        shown = ", ".join(strange[:_SHOWN])
        raise CourseError(
            f"{folder}: {shown} stood there before, and `course site` did not write it. "
            f"Move it away, or move {folder.name}/ away."
        )


def _update(path: Path, data: bytes) -> bool:
    try:
        if path.read_bytes() == data:
            return False
    except FileNotFoundError:
        pass
    replace_file(path, data)
    return True


def _remove(folder: Path, names: list[str]) -> int:
    count = 0
    for name in names:
        path = folder / name
        if path.is_file() and not path.is_symlink():
            path.unlink()
            count += 1
        for parent in path.parents:
            if parent == folder or not parent.is_dir() or any(parent.iterdir()):
                break
            parent.rmdir()
    return count
