"""What takes seconds to draw, kept in the user's cache folder between runs.

An entry is named after everything that has a say in it, so it is found only while drawing again
would give the same. An entry that is damaged, or a folder that cannot be read or written, costs
nothing but the drawing. With COURSE_DRAW_AFRESH set, nothing is taken from there or put there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.wholefile import replace_file

AFRESH = "COURSE_DRAW_AFRESH"

_MOST_KEPT = 96
_PACKAGE = frozenset({".dist-info", ".egg-info"})
_SUM = 64  # characters of a SHA-256, which an entry begins with


def name_of(kind: str, *parts: str | bytes) -> str:
    """The name of an entry.

    Args:
        kind: What is drawn.
        parts: What it is drawn from; the code of this package, the installed packages, Python and
            the machine are added.
    """
    digest = hashlib.sha256(_surroundings())
    for part in (kind, *parts):
        data = part.encode() if isinstance(part, str) else part
        digest.update(f"\0{len(data)}\0".encode() + data)
    return f"{kind}-{digest.hexdigest()[:40]}"


def recall(name: str) -> dict[str, Any] | None:
    """What `keep` was given under this name; None when it is not there as it was."""
    file = _file(name)
    if file is None:
        return None
    try:
        data = file.read_bytes()
        content = data[_SUM:]
        if hashlib.sha256(content).hexdigest().encode() != data[:_SUM]:
            return None
        found: dict[str, Any] = json.loads(content)
    except (OSError, ValueError):
        return None
    with contextlib.suppress(OSError):
        os.utime(file)  # the one used last goes last
    return found


def keep(name: str, content: dict[str, Any]) -> None:
    """Keep what JSON can hold; entries that nobody used for longest make room."""
    file = _file(name)
    if file is None:
        return
    data = json.dumps(content).encode()
    with contextlib.suppress(OSError):
        # Pictures of the answers are among them: for nobody else on this machine.
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(file, hashlib.sha256(data).hexdigest().encode() + data)
        kept = sorted(file.parent.glob("*.json"), key=lambda one: one.stat().st_mtime)
        for old in kept[:-_MOST_KEPT]:
            old.unlink(missing_ok=True)


def _file(name: str) -> Path | None:
    if os.environ.get(AFRESH):
        return None
    try:
        import platformdirs  # noqa: PLC0415  # the base install may lack it
    except ImportError:
        return None
    folder: Path = platformdirs.user_cache_path("selfgrading-lessons") / "drawn"
    return folder / f"{name}.json" if folder.is_absolute() else None  # without a home it is not


@lru_cache(maxsize=1)
def _surroundings() -> bytes:
    """SHA-256 of what has a say in everything that is drawn."""
    told = [sys.version, sys.platform, platform.machine(), *_packages()]
    digest = hashlib.sha256("\0".join(told).encode())
    for module in sorted(Path(__file__).parent.glob("*.py")):
        data = module.read_bytes()
        digest.update(f"\0{module.name} {len(data)}\0".encode() + data)
    return digest.digest()


def _packages() -> list[str]:
    """Names and versions of the installed packages, as their folders' names say them."""
    found: set[str] = set()
    # What packages bring for themselves alone comes onto the path with the first that needs it.
    for folder in map(Path, sys.path):
        if folder.name in {"site-packages", "dist-packages"} and folder.is_dir():
            found |= {one.name for one in folder.iterdir() if one.suffix in _PACKAGE}
    return sorted(found)
