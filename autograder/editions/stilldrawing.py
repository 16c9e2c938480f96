"""Draws stills of a lesson's figures, in a process of its own: it imports the lesson's modules.

`python -m autograder.editions.stilldrawing ROOT MODULES OUT NAME...` writes into OUT `NAME.png` and
`said.json`: what each figure shows in words, and which files below the lesson's top package, by
their paths below ROOT, had a say.
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
    package = Path(root).resolve() / modules.partition(".")[0]
    said = {"alts": alts, "read": _below(package, {*opened, *imported})}
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


def _below(package: Path, files: Iterable[str]) -> list[str]:
    paths = {Path(file).resolve() for file in files}
    return sorted(
        path.relative_to(package.parent).as_posix()
        for path in paths
        if path.is_relative_to(package) and path.suffix not in _COMPILED and path.is_file()
    )


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
