"""The lab notebook in JupyterLab: one experiment is run, and its figure and table are seen."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
COURSE_LAB = ("-c", "from autograder.cli import main; main()", "lab", "labs")
SLOW_MS = 240_000
ERRORS = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]'


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, start_lab: Callable[..., Any]) -> Any:
    """What a learner has, opened with `course lab labs`."""
    folder = tmp_path_factory.mktemp("course")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "lessons", folder / "lessons", ignore=ignored)
    shutil.copy2(ROOT / "pyproject.toml", folder)
    # A busy machine must not make this long: few repeats show as much.
    notebook = folder / "lessons" / "labs" / "labs.ipynb"
    text = notebook.read_text(encoding="utf-8")
    for name in ("small_files", "samples", "node_loss", "random_reads"):
        assert f"experiments.{name}()" in text
        text = text.replace(f"experiments.{name}()", f"experiments.{name}(seconds=4)")
    notebook.write_text(text, encoding="utf-8")
    return start_lab(folder, command=COURSE_LAB)


def test_it_measures_and_shows(
    lab: Any, new_page: Callable[..., Page], witness: Any, tmp_path: Path
) -> None:
    page = new_page(1440, 1000)
    page.goto(lab.own_copy("labs"))
    expect(page.locator(".jp-Notebook .jp-Cell").first).to_be_visible(timeout=SLOW_MS)
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle", timeout=SLOW_MS)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    last = page.locator(".jp-CodeCell", has_text="experiments.recorded(").first
    expect(last.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"), timeout=SLOW_MS)
    assert page.locator(ERRORS).all_inner_texts() == []
    for number, call in enumerate(("job_saves(", "small_files(", "node_loss(", "random_reads(")):
        cell = page.locator(".jp-CodeCell", has_text=call).first
        picture = cell.locator(".jp-OutputArea img").first
        picture.scroll_into_view_if_needed()
        box = picture.bounding_box()
        assert box is not None
        assert box["width"] > 600
        expect(cell.locator("table").first).to_contain_text("p99")
        page.screenshot(path=tmp_path / f"labs-{number}.png")
    # The bars are gone once the experiments are done.
    expect(page.locator(".jp-OutputArea .widget-hprogress")).to_have_count(0)
    assert witness.errors == []
