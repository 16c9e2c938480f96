"""Pyodide, taken from its npm package once, as one script that a page loads on a click.

A page opened from disk may neither fetch nor import, so everything comes in a classic script:
each file packed with gzip, in base64.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import tarfile
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import platformdirs

from autograder.errors import MissingOnMachine
from autograder.site.live.npm import packed

VERSION = "314.0.7"
SHA512 = (  # of the package, as npm states it in dist.integrity
    "d18bd7c4485f11da4b7dbfd790cd8114078c44eab488c517d9bcf31fda4eb6dc"
    "8c716930abe1db139bb2b860fcd8b37bcb6abe48dbe2ffa579244b0e943d91d4"
)
_PACKAGE = f"pyodide@{VERSION}"
_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
_LOCK = "pyodide-lock.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pyodide:
    """What a page needs to run Python.

    Attributes:
        version: Of Pyodide.
        python: Of the Python in it, e.g. `3.14`.
        script: A classic script that sets `window.coursePyodide`.
    """

    version: str
    python: str
    script: bytes


def load_pyodide(folder: Path | None = None) -> Pyodide:
    """Return Pyodide from the cache, where npm puts it the first time.

    Args:
        folder: A place to keep the package in; the user's cache without it.

    Raises:
        MissingOnMachine: It is not there yet and npm is missing or does not get it, or what it
            gets is not the package that was pinned.
    """
    found = _tried(folder or platformdirs.user_cache_path("selfgrading-lessons"))
    if isinstance(found, MissingOnMachine):
        raise found
    return found


@cache
def _tried(folder: Path) -> Pyodide | MissingOnMachine:
    """Try once a process: a course of many lessons waits for no network more than once."""
    try:
        return bundled(_package(folder / f"pyodide-{VERSION}.tgz"))
    except MissingOnMachine as error:
        return error
    except OSError as error:
        return MissingOnMachine(
            f"{error.filename or folder}: {error.strerror}, so {_PACKAGE} cannot be kept there. "
            "Make the folder writable."
        )


def _package(archive: Path) -> bytes:
    if archive.is_file():
        data = archive.read_bytes()
        if not _is_pinned(data):
            raise MissingOnMachine(
                f"{archive}: is not the package of {_PACKAGE} that was pinned. "
                "Remove it and try again."
            )
        return data
    archive.parent.mkdir(parents=True, exist_ok=True)
    # Beside the archive, so that it appears there whole or not at all.
    with tempfile.TemporaryDirectory(dir=archive.parent) as scratch:
        data = packed(_PACKAGE, Path(scratch))
        if not _is_pinned(data):
            raise MissingOnMachine(
                f"npm brought another package than the {_PACKAGE} that was pinned. "
                "Look which registry npm asks."
            )
        kept = Path(scratch) / archive.name
        kept.write_bytes(data)
        kept.replace(archive)
    return data


def _is_pinned(data: bytes) -> bool:
    return hashlib.sha512(data).hexdigest() == SHA512


def bundled(package: bytes) -> Pyodide:
    """Return the files of Pyodide's npm package as one script; the same package, the same bytes.

    Raises:
        MissingOnMachine: A file that is needed is not in it.
    """
    files = _unpacked(package)
    lock = json.loads(files[_LOCK])
    # None of its packages come along, and their list is long.
    files = files | {_LOCK: json.dumps(lock | {"packages": {}}, sort_keys=True).encode()}
    packed = {
        name: base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")
        for name, content in sorted(files.items())
    }
    content = json.dumps({"version": VERSION, "files": packed}, sort_keys=True)
    return Pyodide(
        version=VERSION,
        python=".".join(str(lock["info"]["python"]).split(".")[:2]),
        script=f"window.coursePyodide = {content};\n".encode(),
    )


def _unpacked(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as package:
        found = {}
        for name in (*_FILES, _LOCK):
            path = f"package/{name}"
            member = package.extractfile(path) if path in package.getnames() else None
            if member is None:
                raise MissingOnMachine(f"{_PACKAGE} has no file {name}. Pin another version.")
            found[name] = member.read()
        return found
