"""The grader's own time: no text or notebook of a learner's makes it more than a few seconds.

Each of these once took minutes to days: a pattern that looks back over the whole line, or a
notebook in which everything could be the exercise.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from autograder.grading.intake.reading import read_notebook
from autograder.grading.integrity.cells import SentCell, code_of
from autograder.grading.integrity.plan import plan
from autograder.grading.reports.autograded import harmless_markdown
from autograder.grading.reports.display import plain_text, safe_html
from autograder.grading.reports.learner_text import highlighted, rendered

MEGABYTE = 1_000_000
PIECES = [
    "x", "\r", "x\r", "\x1b[", "\x1b]", "![", "](", "[", "`", "```\n", "~", " ", "\n", "<", "</",
    "*_", "| a\n", "a\n- ", "> ", "&#", "'''", 'f"{', "# -*-", "\\", "_a_", "<!--", "[a]: ",
]  # fmt: skip


def fenced(text: str) -> str:
    return code_of(
        SentCell(index=0, id="a", kind="markdown", source=text, marks={}, attachments={})
    )


READERS: dict[str, Callable[[str], object]] = {
    "plain_text": plain_text,
    "harmless_markdown": lambda text: harmless_markdown(text, ["a.png"]),
    "code_of": fenced,
    "code_of in a fence": lambda text: fenced("```\n" + text),
    "safe_html": lambda text: safe_html(text[:20_000]),
    "rendered": lambda text: rendered(text, {}),
    "highlighted": highlighted,
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in {"rendered", "highlighted"} else ())
        for name in READERS
    ],
)
def test_a_megabyte_of_anything_is_read_in_time(name: str) -> None:
    for piece in PIECES:
        text = (piece * MEGABYTE)[:MEGABYTE]
        began = time.process_time()
        READERS[name](text)
        assert time.process_time() - began < 6, repr(piece)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("10%\r50%\r100%\n", "100%\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\rb\r\r\n", "b\n"),
        ("\r\r", ""),
        ("ab\rc", "c"),
    ],
)
def test_a_line_shows_what_was_written_last(text: str, shown: str) -> None:
    assert plain_text(text) == shown


CROWDS: dict[str, str] = {
    "assigned at once": "checkpoint_io=0;" + "0;" * 49_000,
    "assigned again and again": "checkpoint_io=1\n" * 6_000,
    "defined again and again": "def checkpoint_io(a):\n required_average=1\n" * 2_000,
}


@pytest.mark.parametrize("name", CROWDS)
def test_a_notebook_full_of_the_exercise_is_read_in_time(course: Any, name: str) -> None:
    given = course.right()
    for number in range(20):
        cell = {"cell_type": "code", "id": f"x{number}", "metadata": {}, "source": CROWDS[name]}
        given.cells.append(cell | {"execution_count": None, "outputs": []})
    began = time.process_time()
    found = plan(course.master.notebook, read_notebook(given.raw()), "zh-CN")
    assert time.process_time() - began < 12
    assert found.fills["checkpoint_io"].expressions == ("physical_bytes / interval_s",)
    assert "edited-outside-blank" in found.flags


@pytest.mark.slow
def test_five_thousand_cells_of_a_learners_own(course: Any) -> None:
    given = course.right()
    document = json.loads(given.raw())
    own = {"cell_type": "markdown", "metadata": {}, "source": "checkpoint_io = ______\n" * 20}
    document["cells"] += [own] * (4_990 - len(document["cells"]))
    began = time.process_time()
    found = plan(course.master.notebook, read_notebook(json.dumps(document).encode()), "zh-CN")
    assert time.process_time() - began < 20
    assert found.fills["checkpoint_io"].expressions == ("physical_bytes / interval_s",)
