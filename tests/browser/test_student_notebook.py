"""The released notebook as a learner meets it: `course lab`, all cells, the blank, the slider."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"
COURSE_LAB = ("-c", "from autograder.cli import main; main()", "lab", LESSON)
UNFILLED = "这里还有一个空没有填：把 ______ 换成你的表达式，再把这个单元运行一遍。"
SLOW_MS = 90_000
ERRORS = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]'
WIDTHS = (1440, 900)
MIDDLE_OF_BLANK = """line => {
    const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const at = walk.currentNode.data.indexOf("______");
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(walk.currentNode, at);
        range.setEnd(walk.currentNode, at + 6);
        const box = range.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }
}"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a learner has: the lessons, and the file that marks the project's root."""
    folder = tmp_path_factory.mktemp("course")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "lessons", folder / "lessons", ignore=ignored)
    shutil.copy2(ROOT / "pyproject.toml", folder)
    return folder


@pytest.fixture(scope="module")
def light(course: Path, start_lab: Callable[..., Any]) -> Any:
    return start_lab(course, command=COURSE_LAB)


@pytest.fixture(scope="module")
def dark(course: Path, start_lab: Callable[..., Any]) -> Any:
    return start_lab(course, command=COURSE_LAB, theme="JupyterLab Dark")


def opened(page: Page, lab: Any) -> None:
    page.goto(lab.own_copy(LESSON))
    expect(page.locator(".jp-Notebook .jp-Cell").first).to_be_visible(timeout=SLOW_MS)
    _idle(page)


def _idle(page: Page) -> None:
    # The notebook's own indicator says idle before there is a kernel, and the run would be lost.
    status = page.locator("#jp-main-statusbar")
    expect(status).to_contain_text("| Idle", timeout=SLOW_MS)


def run_all(page: Page) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_timeout(500)  # the kernel hears of it
    _idle(page)
    expect(page.locator(".jp-InputPrompt", has_text="[*]")).to_have_count(0, timeout=SLOW_MS)


def cell(page: Page, text: str) -> Locator:
    return page.locator(".jp-CodeCell", has_text=text).first


def fill(page: Page, cell: Locator, *texts: str) -> None:
    """Put texts in the place of a cell's blanks, from the top, as a person with a mouse does."""
    for text in texts:
        line = cell.locator(".cm-line", has_text="______").first
        line.scroll_into_view_if_needed()
        page.mouse.dblclick(*line.evaluate(MIDDLE_OF_BLANK))
        page.keyboard.insert_text(text)
    expect(cell.locator(".cm-content")).not_to_contain_text("______")


def test_unfilled_says_one_sentence_then_filled_all_passes(
    light: Any, new_page: Callable[..., Page], witness: Any, tmp_path: Path
) -> None:
    page = new_page()
    opened(page, light)
    run_all(page)
    expect(page.locator(ERRORS)).to_have_count(1)
    assert page.locator(ERRORS).inner_text().strip() == UNFILLED
    page.locator(ERRORS).scroll_into_view_if_needed()
    page.screenshot(path=tmp_path / "unfilled.png")

    fill(page, cell(page, "required_average ="), "physical_bytes / interval_s")
    fill(page, cell(page, "my_boundary_case = {"), "(4e12, 10e9, 1.5, 600)", "(600.0, 1e10)")
    run_all(page)
    assert page.locator(ERRORS).all_inner_texts() == []
    for text in ("required_average =", "_shown = checkpoint_io", "_late = ", "_case = my_bound"):
        expect(cell(page, text).locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"))
    page.screenshot(path=tmp_path / "filled.png")
    assert witness.dialogs == []
    assert witness.errors == []


def test_a_slider_moves_the_picture(
    light: Any, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = new_page()
    opened(page, light)
    run_all(page)
    widget = cell(page, "explore.dump_time()").locator(".jp-OutputArea")
    picture = widget.locator("img.widget-image, .widget-image img, img").first
    expect(picture).to_be_visible(timeout=SLOW_MS)
    expect(page.get_by_text("Click to show javascript error.")).to_have_count(0)
    skip = widget.get_by_role("button", name="跳过", exact=True)
    if skip.count():  # the sliders wait for a prediction
        skip.first.click()
    before, sentence = picture.get_attribute("src"), widget.inner_text()
    handle = widget.locator(".noUi-target:not([disabled]) .noUi-handle").first
    expect(handle).to_be_visible()
    handle.scroll_into_view_if_needed()
    handle.focus()
    page.keyboard.press("ArrowRight")
    expect(picture).not_to_have_attribute("src", before or "", timeout=SLOW_MS)
    assert widget.inner_text() != sentence
    size = picture.evaluate("image => [image.naturalWidth, image.clientWidth]")
    assert min(size) > 300
    page.screenshot(path=tmp_path / "moved.png")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_off_and_no_quarto_shows(
    theme: str,
    width: int,
    request: pytest.FixtureRequest,
    new_page: Callable[..., Page],
    tmp_path: Path,
) -> None:
    page = new_page(width=width, height=1000)
    opened(page, request.getfixturevalue(theme))
    if width < WIDTHS[0]:
        page.keyboard.press("Control+b")  # no room for the file browser
    run_all(page)
    page.wait_for_timeout(1000)  # formulas are set after the text
    text = "\n".join(page.locator(".jp-RenderedMarkdown").all_inner_texts())
    for mark in (":::", "{.", "{#", "%%|", "#|", "{{<", "```", "flowchart"):
        assert mark not in text
    cut = page.eval_on_selector_all(
        ".jp-RenderedMarkdown, .jp-RenderedMarkdown img, .jp-OutputArea-output img",
        "all => all.filter(one => one.scrollWidth > one.clientWidth + 1"
        " || one.getBoundingClientRect().right > innerWidth).map(one => one.innerText || one.alt)",
    )
    assert cut == []
    heights = page.eval_on_selector_all(
        ".jp-RenderedMarkdown img", "all => all.map(one => one.getBoundingClientRect().height)"
    )
    assert heights
    assert max(heights) < 1100
    _photograph(page, tmp_path)


def _photograph(page: Page, folder: Path) -> None:
    """Screen by screen, for a person to look at."""
    outer = page.locator(".jp-WindowedPanel-outer").first
    height = int(outer.evaluate("one => one.scrollHeight"))
    for number, top in enumerate(range(0, height, 900)):
        outer.evaluate(f"one => one.scrollTop = {top}")
        page.wait_for_timeout(100)
        page.screenshot(path=folder / f"screen-{number:02d}.png")
