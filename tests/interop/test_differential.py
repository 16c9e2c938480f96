"""The worker keeps a notebook's semantics: what a real kernel shows, it shows.

Every notebook runs through nbclient with ipykernel and through the worker. What differs is listed
in EXPLAINED, each with its reason and what the worker shows instead; nothing else may differ, and
nothing may be listed that does not differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.errors import MissingOnMachine
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.sandbox.channel import ChannelClosed
from autograder.project import Limits
from tests.bench.classes import hand_in, released
from tests.interop.notebooks import CASES

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).resolve().parents[2]
LESSON = {
    "lesson03, answered": 1,
    "lesson03, a figure of one's own": 0,
    "lesson03, an error": 3,
    "lesson03, untouched": 24,
}
FEW = ("last expression", "stdout and stderr", "traceback")

# What means the same, spelt in one way: pattern -> replacement.
SPELLING: tuple[tuple[str, str], ...] = (
    (r"\x1b\[[0-9;]*m", ""),  # the worker asks for no colours; reports take them out anyway
    (r"0x[0-9a-f]{6,}", "0xADDRESS"),
    (r"\b[0-9a-f]{32}\b", "ID"),  # a widget's model
    (r"/tmp/ipykernel_\d+/\d+\.py", "CELL"),  # where a kernel says a cell is
    (r"<ipython-input-[^>]*>", "CELL"),
    (r"Cell In\[\d+\], line \d+", "CELL"),
    (r"File CELL:\d+", "File CELL"),
    (r"\(\d{5,}\.py, line", "(CELL, line"),
    (r'(CPU times|Wall time): [^"\\]*', r"\1"),
    (r"-{20,}", "---"),
)

_ORDER = "A kernel sends the two streams apart; the worker keeps the order of writing."
_NOBODY = "Nobody can answer: the same exception, with a sentence that says what to do instead."
_CAPTURE = "There is no page in which an Output widget could catch it: it stands below the cell."
_NATIVE = "What a child process or native code writes goes to a kernel's own terminal, and is lost."

# Case -> why it differs, and a part of what the worker shows that a kernel does not.
EXPLAINED: dict[str, tuple[str, str]] = {
    "stdout and stderr": (_ORDER, '"o1\\n"'),
    "warning": (_ORDER, '[{"name": "stderr"'),
    "update from a later cell": ("A cell's outputs are final when it has ended.", "'first'"),
    "asyncio.run": ("A kernel's own loop runs, so this fails there.", '"text/plain": "1"'),
    "chained error": (
        "A kernel marks the line that the cell has reached since, not the one of the first error.",
        "----> 2     {}['k']",
    ),
    "input": (_NOBODY, "input() cannot be answered while"),
    "getpass": (_NOBODY, "input() cannot be answered while"),
    "shell": ("A kernel gives `!` a terminal, which ends lines in CR LF.", '"shell\\n"'),
    "help": ("A kernel sends help to the page's pager, which no file keeps.", "Docstring: Says x."),
    "figure as value": ("Figures are shown from the start, also before pyplot.", "PICTURE"),
    "widget output": (_CAPTURE, "inside\\noutside"),
    "interact": (_CAPTURE, '"x 2\\n"'),
    "subprocess": (_NATIVE, "child"),
    "os.write": (_NATIVE, "raw"),
}


def spelt(value: Any) -> Any:
    """Outputs in one spelling: streams joined, nothing that differs from run to run."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    for pattern, replacement in SPELLING:
        text = re.sub(pattern, replacement, text.replace("\\u001b", "\x1b"))
    return json.loads(text)


def shown(outputs: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Outputs without what only one side has a field for."""
    found: list[dict[str, Any]] = []
    for output in outputs:
        item = {key: value for key, value in output.items() if key not in {"metadata", "transient"}}
        if "data" in item:
            # A picture's bytes hold the version of the library only: that there is one counts.
            item["data"] = {
                mime: "PICTURE" if mime.startswith("image/png") else data
                for mime, data in item["data"].items()
            }
        if "traceback" in item:  # one entry a line, or a frame
            item["traceback"] = re.sub("\n+", "\n", "\n".join(item["traceback"])).strip()
        if found and item["output_type"] == "stream" and found[-1].get("name") == item["name"]:
            found[-1]["text"] += item["text"]
        else:
            found.append(item)
    return found


def in_kernel(cells: list[str], folder: Path) -> list[list[dict[str, Any]]]:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells]
    )
    client = NotebookClient(
        notebook,
        timeout=120,
        allow_errors=True,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return [shown(cell.outputs) for cell in notebook.cells]


def in_worker(cells: list[str], box: Sandbox) -> list[list[dict[str, Any]]]:
    worker = box.start_worker()
    steps = [
        {"kind": "cell", "id": str(number), "source": source} for number, source in enumerate(cells)
    ]
    worker.send({"op": "start", "seed": 1, "steps": steps, "limits": {"output_kb": 1024}})
    found: list[list[dict[str, Any]]] = []
    try:
        for _ in steps:
            found.append(shown(worker.receive(60)["outputs"]))
    except ChannelClosed:
        found += [[{"output_type": "ended"}]] * (len(cells) - len(found))
    finally:
        worker.close()
    return found


def sources(name: str) -> list[str]:
    if name not in LESSON:
        return CASES[name]
    notebook = hand_in(released(ROOT), LESSON[name])
    # The hidden seed of `again()` and widget cells that only draw are not the learner's.
    return [
        "".join(cell["source"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "code" and not cell["id"].startswith("widget-")
    ]


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    opened = Sandbox(lessons=ROOT / "lessons", limits=Limits())
    try:
        opened.__enter__()
        opened.start_worker().close()
    except MissingOnMachine as error:
        pytest.skip(str(error))
    yield opened
    opened.__exit__(None, None, None)


@pytest.fixture(scope="module", autouse=True)
def _as_in_the_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setenv("PYTHONPATH", str(ROOT))
    patch.setenv("PYTHONHASHSEED", "0")
    patch.setenv("TZ", "UTC")
    patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
    patch.delenv("MPLBACKEND", raising=False)
    yield
    patch.undo()


def compare(name: str, box: Sandbox, folder: Path) -> None:
    cells = sources(name)
    work = folder / "course" / "work"
    work.mkdir(parents=True)
    if name in LESSON:
        (folder / "course" / "lessons").symlink_to(ROOT / "lessons")
    kernel, worker = spelt(in_kernel(cells, work)), spelt(in_worker(cells, box))
    if name not in EXPLAINED:
        assert worker == kernel
        return
    reason, part = EXPLAINED[name]
    assert reason
    assert worker != kernel, f"{name} no longer differs: take it out of EXPLAINED"
    assert part in json.dumps(worker, ensure_ascii=False)
    assert part not in json.dumps(kernel, ensure_ascii=False)


def test_the_table_names_cases_only() -> None:
    assert set(EXPLAINED) <= {*CASES, *LESSON}
    assert len(CASES) + len(LESSON) >= 40


@pytest.mark.parametrize("name", FEW)
def test_a_few_are_as_in_a_kernel(name: str, box: Sandbox, tmp_path: Path) -> None:
    compare(name, box, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in (*CASES, *LESSON) if name not in FEW])
def test_all_are_as_in_a_kernel_but_what_is_explained(
    name: str, box: Sandbox, tmp_path: Path
) -> None:
    compare(name, box, tmp_path)
