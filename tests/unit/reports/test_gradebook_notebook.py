"""The graded notebook: what formgrader opens."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config

from autograder.grading.records import Graded
from autograder.grading.reports.autograded import (
    autograded_notebook,
    harmless_markdown,
    notebook_text,
)
from autograder.grading.reports.learners_view import LearnersView

HIDDEN = "assert double(271828) == 543656"
STUB = "def double(x):\n    # TODO\n    return ______"
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 16).decode()

EVIL = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\n"
    "[a](javascript:alert(1)) [b](<javascript:alert(1)>) [c][d] ![e](attachment:gone.png)\n\n"
    "[d]: javascript:alert(1)\n\n```mermaid\n<img src=x onerror=alert(1)>\n```\n"
    "[ok](https://example.org) `T <= 3` a<b <svg/onload=alert(1)> &#60;script>"
)


def by_id(notebook: Any) -> dict[str, Any]:
    return {cell.id: cell for cell in notebook.cells}


def test_cells_show_what_running_gave(make_graded: Callable[..., Graded], master: Any) -> None:
    outputs = ({"output_type": "stream", "name": "stdout", "text": "\x1b[31m4\x1b[0m\n"},)
    notebook = autograded_notebook(make_graded(outputs=outputs), master)
    nbformat.validate(notebook)
    cells = by_id(notebook)
    assert cells["double"].outputs[0].text == "4\n"
    assert cells["double"].execution_count == 2
    assert cells["normal"].outputs == []
    (shown,) = cells["edge"].outputs
    assert (shown.ename, shown.evalue) == ("failed", "double 返回的值不对。")
    assert HIDDEN in shown.traceback[1]
    assert cells["q1"].source == "因为它放大两倍。"
    assert cells["p1"].source.endswith("<div>写出两倍。</div>")
    graded = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    assert [cell.metadata.nbgrader.points for cell in graded] == [2.0, 0.5, 2.0]


def test_a_placeholder_says_why_and_has_every_graded_cell(unreadable: Graded, master: Any) -> None:
    notebook = autograded_notebook(unreadable, master)
    nbformat.validate(notebook)
    assert "第 3 行中断" in notebook.cells[0].source
    assert "<b>" not in notebook.cells[0].source
    cells = by_id(notebook)
    assert cells["double"].source == STUB
    assert {"normal", "edge", "q1"} <= set(cells)
    assert "the reference" not in notebook_text(notebook)


def test_odd_cells_become_valid_ones(make_graded: Callable[..., Graded], master: Any) -> None:
    extra = (
        {"cell_type": "raw", "id": "r", "metadata": {"raw_mimetype": "text/html"},
         "source": "<script>alert(1)</script>\n```"},
        {"cell_type": "markdown", "id": "r", "metadata": {"tags": ['"><script>']}, "source": EVIL},
        {"cell_type": "code", "id": "no good id!", "metadata": {"nbgrader": {"grade_id": "x"}},
         "source": "\ud800\x00", "outputs": [{"output_type": "nonsense"}], "execution_count": 1},
    )  # fmt: skip
    notebook = autograded_notebook(make_graded(extra=extra), master)
    nbformat.validate(notebook)
    raw, markdown, code = notebook.cells[-3:]
    assert (raw.cell_type, raw.id, raw.source[:5]) == ("markdown", "r", "````\n")
    assert (markdown.id, markdown.metadata) == ("r-2", {})
    assert (code.id, code.metadata, code.outputs) == ("cell", {}, [])
    text = notebook_text(notebook)
    assert json.loads(text.encode("utf-8"))["nbformat_minor"] == 5
    assert notebook_text(notebook) == text


def test_only_sound_pictures_stay(make_graded: Callable[..., Graded], master: Any) -> None:
    attachments = {
        "a.png": {"image/png": PNG, "image/svg+xml": "PHN2Zz4="},
        "b.png": {"image/png": "AAAA"},
        "c.svg": {"image/svg+xml": "PHN2Zz4="},
    }
    answer = "![x](attachment:a.png) ![y](attachment:b.png)"
    notebook = autograded_notebook(make_graded(answer=answer, attachments=attachments), master)
    cell = by_id(notebook)["q1"]
    assert cell.attachments == {"a.png": {"image/png": PNG}}
    assert "![x](attachment:a.png)" in cell.source
    assert "](attachment:b.png)" not in cell.source


@pytest.mark.parametrize(
    "text", ["T <= 3", "a < b", "`x[0]`", "[ok](https://example.org)", "$B_{avg}$"]
)
def test_honest_text_is_untouched(text: str) -> None:
    assert harmless_markdown(text) == text


def test_formgrader_shows_nothing_that_runs(
    make_graded: Callable[..., Graded], master: Any, tmp_path: Path
) -> None:
    """The page as nbgrader's own formgrader makes it, with the settings of nbgrader_config.py."""
    outputs = (
        {"output_type": "display_data", "metadata": {}, "data": {
            "text/html": "<b>ok</b><img src=x onerror=alert(1)><script>alert(1)</script>",
            "text/plain": "<script>alert(1)</script>"}},
        {"output_type": "display_data", "metadata": {}, "data": {
            "image/svg+xml": "<svg onload=alert(1)>", "application/javascript": "alert(1)"}},
        {"output_type": "stream", "name": "x\"><script>alert(1)</script>",
         "text": "<script>alert(1)</script>"},
    )  # fmt: skip
    graded = make_graded(answer=EVIL, outputs=outputs, code="'<script>alert(1)</script>'")
    path = tmp_path / "lesson99.ipynb"
    path.write_text(notebook_text(autograded_notebook(graded, master)), encoding="utf-8")
    config = Config()
    config.HTMLExporter.sanitize_html = True
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    about = {"base_url": "", "index": 0, "total": 1, "submission_id": "1", "notebook_id": "n"}
    page, _ = HTMLExporter(config=config).from_filename(str(path), resources=about)
    body = page[page.index("<body>") :].lower()
    body = body[body.index('id="notebook"') :]
    assert "<script>alert" not in body
    assert "<svg" not in body
    assert "<img" not in body
    assert 'href="javascript' not in body
    assert 'href="https://example.org"' in body
    assert "<b>ok</b>" in body


def test_nbgraders_own_feedback_loses_the_hidden_tests(
    make_graded: Callable[..., Graded], master: Any
) -> None:
    notebook, _ = LearnersView()(autograded_notebook(make_graded(), master), {})
    assert HIDDEN not in notebook_text(notebook)
    assert by_id(notebook)["edge"].source == "assert double(2) == 4\n"
    assert by_id(notebook)["double"].source != ""
