"""Draws a lesson's figures as SVG, in a process of its own: it imports the lesson's modules.

`python -m autograder.site.drawing ROOT MODULES OUT NAME...` writes `NAME.svg` into OUT and prints
what each shows, one JSON line a figure. A figure `ladder` is `figures.ladder_figure(inputs)`, said
in words by `figures.ladder_alt(inputs)`. Where there is an explorer `explore.ladder`, its `FIRST`
are the inputs, its `ladder_spec()` makes the move that its prediction is about, and the figure
after the move is `ladder-moved.svg`.
"""

from __future__ import annotations

import importlib
import io
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.editions.imagedata import public_image
from autograder.editions.opening import Opening, opening
from autograder.site.paths import compact_svg

_PX_PER_INCH = 96
# matplotlib derives ids within a picture from this, and at random without it.
_SVG: Any = {"svg.hashsalt": "course", "svg.fonttype": "path"}


def main(arguments: list[str]) -> None:
    """Draw what the command line names."""
    root, modules, out, *names = arguments
    sys.path.insert(0, root)
    for name in names:
        said = _drawn(opening(modules, name), Path(out), name)
        print(json.dumps({"name": name, **said}, ensure_ascii=False))  # noqa: T201  the answer


def _drawn(figure: Opening, out: Path, name: str) -> Any:
    make, alt, first, explorer = figure.make, figure.alt, figure.first, figure.explorer
    said = _picture(make(first), out / f"{name}.svg") | {"alt": alt(first)}
    question = _question(explorer, name)
    # An explorer may keep its spec under another name: then only the figure is shown.
    spec = getattr(explorer, f"{name}_spec", None) or getattr(explorer, "plan_spec", None)
    if question is None or spec is None:
        return said
    plan = spec()
    moved = plan.moved(first)
    after = _picture(make(moved), out / f"{name}-moved.svg") | {"alt": alt(moved)}
    asked = {"number": question.number, "text": question.text, "move": question.move}
    return said | {"question": asked, "outcome": plan.outcome(first, moved), "moved": after}


def _question(explorer: ModuleType | None, name: str) -> Any:
    if explorer is None:
        return None
    package = explorer.__name__.rpartition(".")[0]
    try:
        predictions = importlib.import_module(f"{package}.predictions")
    except ModuleNotFoundError:
        return None
    return predictions.QUESTIONS.get(name)


def _picture(figure: Any, path: Path) -> dict[str, int]:
    import matplotlib as mpl  # noqa: PLC0415  the lesson's own module has imported it by now

    file = io.BytesIO()
    with mpl.rc_context(_SVG):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    # Comments in the file repeat every label; the alternative text says it better.
    picture = public_image(file.getvalue(), ".svg").decode()
    path.write_bytes(compact_svg(picture).encode())
    width, height = (round(float(inches) * _PX_PER_INCH) for inches in figure.get_size_inches())
    return {"width": width, "height": height}


if __name__ == "__main__":
    main(sys.argv[1:])
