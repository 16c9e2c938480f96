"""Draws stills of a lesson's figures, in a process of its own: it imports the lesson's modules.

`python -m autograder.editions.stilldrawing ROOT MODULES OUT NAME...` writes into OUT `NAME.png` and
`said.json`: what each figure shows in words, and which files below ROOT had a say: `read` are those
below the lesson's top package, `beside` the others, by their paths below ROOT.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from autograder.editions.opening import opening

# Chinese in the figures' smallest type is still read at this width, and it fits a page.
WIDTH_PX = 864
SAID = "said.json"
_COMPILED = frozenset({".pyc", ".pyo"})


def main(arguments: list[str]) -> None:
    """Draw what the command line names."""
    root, modules, out, *names = arguments
    opened: set[str] = set()
    sys.addaudithook(lambda event, args: _note(opened, event, args))
    sys.path.insert(0, root)
    alts = {}
    for name in names:
        one = opening(modules, name)
        (Path(out) / f"{name}.png").write_bytes(_still(one.make(one.first)))
        alts[name] = one.alt(one.first)
    imported = [file for module in list(sys.modules.values()) for file in _file(module)]
    top = Path(root).resolve()
    package = top / modules.partition(".")[0]
    files = _files({*opened, *imported})
    read = _below(package, top, files)
    # This program and Python's own may stand there too; they are no part of the course.
    ours = (package, Path(__file__).resolve().parents[1], Path(sys.prefix).resolve())
    others = {one for one in files if not any(one.is_relative_to(folder) for folder in ours)}
    said = {"alts": alts, "read": read, "beside": _below(top, top, others)}
    # A file, because the lesson's own modules may print.
    (Path(out) / SAID).write_text(json.dumps(said), encoding="utf-8")


def _note(opened: set[str], event: str, args: tuple[Any, ...]) -> None:
    """Keep the names of files that are opened: a lesson's data files are among them."""
    if event == "open" and isinstance(args[0], str):
        opened.add(args[0])


def _file(module: object) -> Iterator[str]:
    file = getattr(module, "__file__", None)  # compiled modules are not opened by name
    if isinstance(file, str):
        yield file


def _files(names: Iterable[str]) -> set[Path]:
    paths = {Path(name).resolve() for name in names}
    return {path for path in paths if path.suffix not in _COMPILED and path.is_file()}


def _below(folder: Path, top: Path, files: Iterable[Path]) -> list[str]:
    return sorted(one.relative_to(top).as_posix() for one in files if one.is_relative_to(folder))


def _still(figure: Any) -> bytes:
    from PIL import Image  # noqa: PLC0415  # the lesson's own modules have imported it by now

    from autograder.editions.palette import small_png  # noqa: PLC0415

    dpi = min(float(figure.dpi), WIDTH_PX / float(figure.get_size_inches()[0]))
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    with Image.open(file) as image:
        return small_png(image)


if __name__ == "__main__":
    main(sys.argv[1:])
