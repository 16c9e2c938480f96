"""The exercise in the page: real Python, from disk and served, the notebook's own sentences."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from autograder.errors import MissingOnMachine
from autograder.project import Project
from autograder.site.live import Pyodide, live_parts
from tests.browser.live_page import LivePage, lesson_of, live_page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

# Starting Python takes 3 s on a machine at rest; this one is shared.
PATIENCE_MS = 120_000
RIGHT = "physical_bytes / interval_s"
SAID_RIGHT = "对了：checkpoint_io 在看得见的 3 组输入上都对；评分时还会换别的输入。"
SAID_BLANK = "还没做：checkpoint_io 里的 ______ 还没有换成你的表达式。"
FILLS = {
    "backend": "backend_Bps",
    "duration": "physical_bytes / duration",
    "no amplification": "checkpoint_bytes / interval_s",
    "twice": "physical_bytes * write_amplification / interval_s",
    "gigabytes": "physical_bytes / interval_s / 1e9",
    "a fixed number": "3333333333.3333335",
    "none": "None",
    "bits": "physical_bytes * 8 / interval_s",
}


@pytest.fixture(scope="module")
def live(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivePage]:
    parts = live_parts(project, lesson_of(project))
    assert parts.warnings == ()  # npm brought Pyodide
    with live_page(project, parts, tmp_path_factory.mktemp("live")) as page:
        yield page


@pytest.fixture(scope="module", params=["file", "served"])
def opened(
    request: pytest.FixtureRequest, browser: Browser, live: LivePage
) -> Iterator[tuple[Page, list[str]]]:
    """The page with Python started once, and the addresses of all that it asked for."""
    context = browser.new_context(locale="zh-CN")
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    asked: list[str] = []
    context.on("request", lambda wanted: asked.append(wanted.url))
    page.goto(live.at(request.param))
    yield page, asked
    context.close()


def exercise(page: Page, name: str = "checkpoint_io") -> Locator:
    return page.locator(f'.live-exercise[data-exercise="{name}"]')


def write(box: Locator, change: Callable[[str], str]) -> None:
    box.get_by_role("button", name="还原").click()
    editor = box.get_by_role("textbox")
    editor.fill(change(editor.input_value()))


def run(box: Locator) -> list[str]:
    """Run it; return the lines that come back."""
    box.get_by_role("button", name="运行并检查").click()
    box.get_by_role("button", name="停止").wait_for(state="hidden", timeout=PATIENCE_MS)
    return [" ".join(text.split()) for text in box.locator(".live-line").all_inner_texts()]


def filled(expression: str) -> Callable[[str], str]:
    return lambda source: source.replace("______", expression)


def in_notebook(source: str) -> str:
    """What `check` says in a fresh kernel after the notebook's first cell and this one."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(  # noqa: S102
        "from lessons.classroom import blank, check, open_lesson\n"
        "______ = blank()\nopen_lesson('lessons.lesson03', 'zh-CN')",
        names,
    )
    said = io.StringIO()
    with redirect_stdout(said):
        try:
            exec(source, names)  # noqa: S102
        except Exception as error:
            assert isinstance(error, AssertionError | TypeError), error
        exec("check('checkpoint_io')", names)  # noqa: S102
    return said.getvalue().strip()


def test_right(opened: tuple[Page, list[str]]) -> None:
    box = exercise(opened[0])
    write(box, filled(RIGHT))
    assert run(box) == [
        f"✓ {SAID_RIGHT}",
        "✓ 看得见的检查 normal：通过",
        "✓ 看得见的检查 boundary：通过",
    ]


@pytest.mark.parametrize("fill", FILLS.values(), ids=FILLS)
def test_wrong_says_what_the_notebook_says(opened: tuple[Page, list[str]], fill: str) -> None:
    box = exercise(opened[0])
    write(box, filled(fill))
    lines = run(box)
    source = box.get_by_role("textbox").input_value()
    said = in_notebook(source)
    assert said.startswith("还不对：")
    assert f"✗ {said}" in lines


def test_wrong_names_line_and_visible_check(opened: tuple[Page, list[str]]) -> None:
    box = exercise(opened[0])
    write(box, filled("backend_Bps"))
    lines = run(box)
    assert lines[0] == "✗ 第 12 行出错：AssertionError"
    assert lines[2] == (
        "✗ 看得见的检查 normal：没有通过，required_average 应约为 3.333 GB/s，单位是 B/s"
    )
    assert lines[3] == "✓ 看得见的检查 boundary：通过"
    # The marked line is the twelfth: eleven lines and the box's edge are above it.
    marked, text = box.locator(".live-fault").bounding_box(), box.locator("pre").bounding_box()
    assert marked is not None
    assert text is not None
    assert (marked["y"] - text["y"]) // marked["height"] == 11


def test_untouched_blank_is_no_failure(opened: tuple[Page, list[str]]) -> None:
    box = exercise(opened[0])
    write(box, lambda source: source)
    lines = run(box)
    assert lines[-1] == f"○ {SAID_BLANK}"
    assert all(line.startswith("○") for line in lines)


def test_syntax_error_names_its_line(opened: tuple[Page, list[str]]) -> None:
    box = exercise(opened[0])
    write(box, filled("(physical_bytes / interval_s"))
    assert run(box) == ["✗ 第 7 行不合 Python 的语法：SyntaxError: '(' was never closed"]


def test_what_is_printed_is_shown(opened: tuple[Page, list[str]]) -> None:
    box = exercise(opened[0])
    write(box, lambda source: filled(RIGHT)(source) + '\nprint("平均", avg)\n')
    assert run(box)[0] == f"✓ {SAID_RIGHT}"
    assert box.locator(".live-output").inner_text().strip() == "平均 3333333333.3333335"


def test_the_second_exercise_runs_the_first_before(opened: tuple[Page, list[str]]) -> None:
    page, _ = opened
    write(exercise(page), filled(RIGHT))
    box = exercise(page, "my_boundary_case")
    write(
        box,
        lambda source: source.replace("______", "(4e12, 10e9, 1.5, 600)", 1).replace(
            "______", "(600, 10e9)"
        ),
    )
    assert run(box)[0] == (
        "✓ 对了：checkpoint_io(4e12, 1e10, 1.5, 600) 的结果与你的预期 (600, 1e10) 一致；"
        "评分按参考实现核对。"
    )


def test_endless_loop_is_stopped_and_python_comes_back(opened: tuple[Page, list[str]]) -> None:
    box = exercise(opened[0])
    write(box, lambda source: "while True:\n    pass\n" + source)
    box.get_by_role("button", name="运行并检查").click()
    status = box.locator(".live-status")
    expect(status).to_have_text(re.compile("正在运行"), timeout=PATIENCE_MS)
    expect(status).to_have_text(re.compile("可能是死循环"), timeout=PATIENCE_MS)
    box.get_by_role("button", name="停止").click()
    expect(status).to_have_text("停下了。代码还在，改好之后再运行一次。")
    write(box, filled(RIGHT))
    assert run(box)[0] == f"✓ {SAID_RIGHT}"


def test_endless_printing_is_stopped_too(opened: tuple[Page, list[str]]) -> None:
    box = exercise(opened[0])
    write(box, lambda _: "while True:\n    print('again')\n")
    box.get_by_role("button", name="运行并检查").click()
    expect(box.locator(".live-status")).to_have_text(re.compile("正在运行"), timeout=PATIENCE_MS)
    box.get_by_role("button", name="停止").click()
    expect(box.locator(".live-status")).to_have_text(re.compile("停下了"))


def test_nothing_leaves_the_page(opened: tuple[Page, list[str]], live: LivePage) -> None:
    """The last of the module: whatever ran above asked for these addresses and no others."""
    page, asked = opened
    assert asked
    scheme, host, *_ = urlsplit(page.url)
    strange = [
        url
        for url in asked
        if urlsplit(url)[:2] != (scheme, host) and not url.startswith(("blob:", "data:"))
    ]
    assert strange == []
    if scheme == "file":
        folder = live.path.parent.parent.as_uri()
        assert all(url.startswith((folder, "blob:", "data:")) for url in asked)


def test_python_is_loaded_on_the_click_and_not_before(
    live: LivePage, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda wanted: asked.append(wanted.url))
    page.goto(live.served)
    box = exercise(page)
    box.scroll_into_view_if_needed()
    size = live.path.parent.joinpath("../live/pyodide.js").stat().st_size / 1e6
    expect(box.locator(".live-offer")).to_contain_text(f"共 {size:.1f} MB")
    page.wait_for_timeout(500)
    assert not [url for url in asked if "pyodide" in url or "live-lesson" in url]
    with page.expect_request("**/live/pyodide.js"), page.expect_request("**/live-lesson.js"):
        box.get_by_role("button", name="运行并检查").click()
    box.get_by_role("button", name="停止").click()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_violation_that_axe_finds(
    live: LivePage, new_page: Callable[..., Page], theme: str
) -> None:
    page = new_page()
    page.goto(live.served)
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
    page.locator(".live-plot").scroll_into_view_if_needed()
    page.locator(".live-chart canvas").first.wait_for(timeout=PATIENCE_MS)
    box = exercise(page)
    write(box, filled("backend_Bps"))
    assert len(run(box)) == 4
    # The shadow below Bokeh's canvas is not ours; what it shows is said beside it.
    found = Axe().run(page, context={"exclude": [[".live-chart"]]})
    assert found.violations_count == 0, found.generate_report()


def test_code_outlives_a_reload_and_can_be_restored(
    live: LivePage, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    page.goto(live.file)
    editor = exercise(page).get_by_role("textbox")
    pristine = editor.input_value()
    assert pristine.count("______") == 1
    editor.fill("mine = 1")
    page.reload()
    assert editor.input_value() == "mine = 1"
    exercise(page).get_by_role("button", name="还原").click()
    page.reload()
    assert editor.input_value() == pristine


def test_the_editor_by_keyboard(live: LivePage, new_page: Callable[..., Page]) -> None:
    page = new_page()
    page.goto(live.served)
    box = exercise(page)
    editor = box.get_by_role("textbox")
    editor.fill("")
    editor.focus()
    page.keyboard.type("def f(x):\nreturn x")
    assert editor.input_value() == "def f(x):\n    return x"
    page.keyboard.press("Shift+Tab")
    assert editor.input_value() == "def f(x):\nreturn x"
    page.keyboard.type("+1")
    assert editor.input_value() == "def f(x):\nreturn x+1"  # the caret stayed at the end
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    assert editor.input_value() == "def f(x):\n    return x"
    page.keyboard.press("Control+z")
    assert editor.input_value() == "def f(x):\nreturn x"
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Tab")
    assert editor.input_value() == "    def f(x):\n    return x"
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(box.get_by_role("button", name="运行并检查")).to_be_focused()


def test_without_scripts_the_code_is_there_to_read(browser: Browser, live: LivePage) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live.file)
    box = exercise(page)
    expect(box.locator("pre code")).to_contain_text("required_average = ______")
    expect(box).to_contain_text("在笔记本里做这一题")
    context.close()


def test_without_pyodide_the_page_says_so_and_shows_the_exercise(
    project: Project, tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    def missing() -> Pyodide:
        raise MissingOnMachine("npm is not on PATH. Install it.")

    parts = live_parts(project, lesson_of(project), load=missing)
    assert parts.warnings == (
        "solutions/lesson03/lesson03.qmd: its exercises do not run in the page: "
        "npm is not on PATH. Install it.",
    )
    with live_page(project, parts, tmp_path) as live:
        page = new_page()
        page.goto(live.file)
        box = exercise(page)
        expect(box.locator(".live-offer")).to_contain_text("没有带上 Python")
        assert "______" in box.get_by_role("textbox").input_value()
        expect(box.get_by_role("button", name="运行并检查")).to_be_hidden()
