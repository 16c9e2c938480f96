"""What the cells of nearly every submission make Python do, done once for all of them.

Runs in the warm process of a sandbox, where no learner's code ever runs. Done a few times over, so
that Python's interpreter has adapted the byte code of IPython, of the codecs and of the channel:
each submission's fork then neither does so again nor writes to the memory it shares. Measured: of
a submission's 8 cells 20 %, besides 4 ms for a first cell, 15 ms for a first traceback and 50 ms
for a first figure. What it loads is imported here, so that submissions before it see the same
modules as those after it.
"""

from __future__ import annotations

import bdb  # noqa: F401
import contextlib
import sys
from typing import Any

import pygments.console
import pygments.formatters.terminal256
import pygments.styles  # noqa: F401  # with stack_data: for tracebacks
import stack_data  # noqa: F401
from IPython.core import logger  # noqa: F401  # for the reset
from IPython.core.pylabtools import print_figure
from matplotlib import font_manager
from matplotlib.figure import Figure
from PIL import Image

from autograder.grading import wall
from autograder.grading.sandbox.channel import Channel, pair
from autograder.grading.worker.recorder import Recorder
from autograder.grading.worker.shell import NotebookShell
from autograder.grading.worker.snapshot import answer

Image.preinit()  # the file formats that a figure's picture is one of
_ROUNDS = 4
_CELLS = (
    # A function and its check, as in an exercise.
    """\
def total(first, second=2, *, third=3.0):
    if min(first, second) <= 0:
        raise ValueError("must be positive")
    # a comment
    values = [first * number for number in range(3)]
    return sum(values) + second / third, f"{first}: {second}"


amount, text = total(4e12, 10.5)
assert abs(amount) > 1 and text
""",
    # Imports and a search for a folder.
    """\
import math
import sys
from pathlib import Path

for folder in (Path.cwd(), *Path.cwd().parents):
    if (folder / "no such folder").is_dir():
        break
else:
    print(math.sqrt(2), sys.platform)
""",
    # Data, and a call whose value is shown.
    'case = {\n    "args": (4e12, 10e9, 1.5, 1800),  # four\n    "expect": [600.0, 3],\n}',
    "total(1)",
    "import numpy as np\nnp.arange(6).reshape(2, 3) * 2",
    "undefined_name",
    "1 / 0",
)
_QUESTION = {"op": "call", "name": "total", "kwargs": {}}


def rehearse(shell: NotebookShell) -> None:
    """Draw, run cells and answer questions; leaves the shell as fresh as it was."""
    _draw()
    # What is looked up from here on is what a submission finds looked up. Another name in its
    # place would have to be let go, which writes to where that name lies.
    with contextlib.suppress(AttributeError):
        sys._clear_type_cache()
    recorder = Recorder(64, dict)
    shell.attach(recorder)
    for _ in range(_ROUNDS):
        for source in _CELLS:
            recorder.begin()
            shell.run_cell(source, store_history=True, cell_id="rehearsal")  # type: ignore[no-untyped-call]
            _exchange({"event": "cell", "outputs": recorder.finish(), "flags": []})
        _exchange(_answered(shell.user_ns))
    shell.detach()
    shell.reset(new_session=True)  # type: ignore[no-untyped-call]
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        vars(sys).pop(name, None)


def _draw() -> None:
    figure = Figure()
    figure.subplots().plot([1, 2], label="0123456789")
    print_figure(figure)  # type: ignore[no-untyped-call]
    # Matplotlib empties it in each fork, which would write to the pages of every font.
    with contextlib.suppress(AttributeError):  # no public name
        font_manager._get_font.cache_clear()  # type: ignore[attr-defined]


def _answered(names: dict[str, Any]) -> dict[str, Any]:
    question = {**_QUESTION, "args": [wall.encode(value) for value in (4e12, 10)]}
    return answer(question, names) | answer({"op": "get", "name": "case"}, names)


def _exchange(message: dict[str, Any]) -> None:
    ours, theirs = map(Channel, pair())
    ours.send(message)
    theirs.receive(1.0)
    ours.close()
    theirs.close()
