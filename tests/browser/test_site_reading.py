"""The readers' page in Chromium: what it asks for, how it folds, what it keeps, how it looks."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from autograder.project import find_project
from autograder.site.build import build_site
from tests.browser.reading_site import ROOT, built, on_disk, served

pytestmark = [pytest.mark.slow, pytest.mark.browser]

LESSON = "lesson03/index.html"
ANSWER = "details.answer"
# Every system family of the style sheet, so that only the page's own font is left.
FAMILIES = re.compile(r'(?:"(?!Course Han)[^"]+",\s*)+"Course Han", system-ui')


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return on_disk(tmp_path_factory.mktemp("reading") / "_site", answers=True)


@pytest.fixture(scope="module")
def url(disk: Path) -> Iterator[str]:
    with served(disk) as address:
        yield address


@pytest.fixture(params=["file", "served"])
def start(request: pytest.FixtureRequest, disk: Path, url: str) -> str:
    return url if request.param == "served" else f"{disk.as_uri()}/"


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    contexts: list[BrowserContext] = []

    def open_page(address: str, **how: Any) -> Page:
        width, height = how.pop("size", (1280, 900))
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale="zh-CN", **how
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()


def read_through(page: Page) -> None:
    """Open everything and scroll past all of it, so that whatever is lazy is loaded."""
    page.evaluate(
        """async () => {
        document.querySelectorAll("details").forEach(one => { one.open = true; });
        for (let y = 0; y < document.body.scrollHeight; y += 800) {
            window.scrollTo(0, y);
            await new Promise(done => setTimeout(done, 30));
        }
        }"""
    )
    page.wait_for_load_state("networkidle")


def is_open(page: Page, selector: str) -> list[bool]:
    return page.eval_on_selector_all(selector, "all => all.map(one => one.open)")  # type: ignore[no-any-return]


def test_no_request_leaves_the_origin_and_nothing_is_refused(start: str, browser: Browser) -> None:
    asked: list[str] = []
    said: list[str] = []
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfailed", lambda request: said.append(request.url))
    for name in ("index.html", LESSON):
        page.goto(f"{start}{name}")
        read_through(page)
    page.close()
    assert len([one for one in asked if "/figures/" in one]) == 16
    assert [one for one in asked if not one.startswith((start, "data:"))] == []
    # bokeh says how long it took; anything else would be a refusal or an error.
    assert [one for one in said if not one.startswith("[bokeh")] == []


def test_each_answer_opens_by_mouse_and_by_keyboard(
    start: str, opened: Callable[..., Page]
) -> None:
    page = opened(f"{start}{LESSON}")
    assert is_open(page, ANSWER) == [False] * 8
    first, second = (
        page.locator(f"{ANSWER} > summary").nth(0),
        page.locator(f"{ANSWER} > summary").nth(1),
    )
    first.click()
    assert is_open(page, ANSWER)[:2] == [True, False]
    second.focus()
    page.keyboard.press("Enter")
    assert is_open(page, ANSWER)[:2] == [True, True]
    page.keyboard.press("Space")
    assert is_open(page, ANSWER)[:2] == [True, False]


def test_one_switch_opens_all_and_is_remembered(start: str, opened: Callable[..., Page]) -> None:
    page = opened(f"{start}{LESSON}")
    switch = page.get_by_role("switch", name="展开全部答案")
    expect(switch).to_have_attribute("aria-checked", "false")
    switch.focus()
    page.keyboard.press("Enter")
    assert is_open(page, ANSWER) == [True] * 8
    page.reload()
    assert is_open(page, ANSWER) == [True] * 8
    expect(switch).to_have_attribute("aria-checked", "true")
    page.locator(f"{ANSWER} > summary").first.click()
    expect(switch).to_have_attribute("aria-checked", "false")
    switch.click()
    switch.click()
    page.reload()
    assert is_open(page, ANSWER) == [False] * 8


def test_a_link_opens_its_answer_with_and_without_a_script(
    start: str, opened: Callable[..., Page]
) -> None:
    for script in (True, False):
        page = opened(f"{start}{LESSON}", java_script_enabled=script)
        page.locator("#own-q2 .to-answer a").click()
        expect(page.locator("#answer-q2")).to_be_visible()
        expect(page.locator("#answer-q2")).to_be_in_viewport()
        expect(page.locator("#answer-q1")).to_be_hidden()
        again = opened(f"{start}{LESSON}#answer-q3", java_script_enabled=script)
        expect(again.locator("#answer-q3")).to_be_visible()


def test_without_a_script_the_page_folds_and_offers_no_dead_button(
    start: str, opened: Callable[..., Page]
) -> None:
    page = opened(f"{start}{LESSON}", java_script_enabled=False)
    page.locator(f"{ANSWER} > summary").nth(2).click()
    expect(page.locator("#answer-q1")).to_contain_text("触发")
    page.locator(".hint > summary").first.click()
    expect(page.locator("#hint-checkpoint_io-2 > summary")).to_be_visible()
    expect(page.locator(".tools")).to_be_hidden()
    expect(page.locator(".no-script")).to_be_visible()
    expect(page.locator("textarea:visible")).to_have_count(0)


def test_light_and_dark_follow_the_system_and_the_switch(
    start: str, opened: Callable[..., Page]
) -> None:
    page = opened(f"{start}{LESSON}", color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(22, 24, 27)"
    button = page.locator("#theme")
    button.click()
    assert page.evaluate(ground) == "rgb(253, 252, 250)"
    page.goto(f"{start}index.html")
    assert page.evaluate(ground) == "rgb(253, 252, 250)"
    expect(button).to_have_attribute("aria-label", "换深浅色：浅色")
    button.click()
    button.click()
    assert page.evaluate(ground) == "rgb(22, 24, 27)"
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) == "rgb(253, 252, 250)"


def test_what_is_written_stays_and_is_marked(start: str, opened: Callable[..., Page]) -> None:
    page = opened(f"{start}{LESSON}")
    marks = page.locator("[data-marks=q1]")
    expect(marks).to_be_hidden()
    page.locator("[data-answer=q1]").fill("数万次 create 同时发出。")
    expect(marks).to_be_visible()
    expect(marks).to_contain_text("自评")
    ticks = marks.locator("input[type=checkbox]")
    expect(ticks).to_have_count(5)
    ticks.nth(0).check()
    ticks.nth(2).check()
    marks.locator("input[value='1.5']").check()
    expect(marks.locator(".total")).to_have_text("✓ 2 / 5　1.5 / 2 分")
    page.locator("[data-answer=explanation]").fill("写不完。")
    page.locator("[data-marks=explanation] input[value='0.5']").check()
    expect(page.locator("#own-total")).to_have_text("自评合计　2 / 7 分")
    page.reload()
    expect(page.locator("[data-answer=q1]")).to_have_value("数万次 create 同时发出。")
    expect(page.locator("#own-total")).to_have_text("自评合计　2 / 7 分")
    page.locator("[data-answer=q1]").fill("")
    expect(marks).to_be_hidden()
    expect(page.locator("#own-total")).to_have_text("自评合计　0.5 / 7 分")


def test_answers_leave_as_text_and_come_back(
    start: str, opened: Callable[..., Page], tmp_path: Path
) -> None:
    text = "第一行\n=== q2\n\\=== 三\n\n最后一行"
    page = opened(f"{start}{LESSON}")
    page.locator("[data-answer=q1]").fill(text)
    with page.expect_download() as waiting:
        page.locator("#export").click()
    saved = tmp_path / "mine.txt"
    waiting.value.save_as(saved)
    assert waiting.value.suggested_filename == "lesson03.txt"
    assert saved.read_text(encoding="utf-8").startswith("course-answers 1 lesson03\n")
    other = opened(f"{start}{LESSON}")
    other.locator("#import-file").set_input_files(saved)
    expect(other.locator("[data-answer=q1]")).to_have_value(text)
    expect(other.locator("[data-answer=q2]")).to_have_value("")
    expect(other.locator("#import-said")).to_have_text("读入了 1 条作答。")
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("course-answers 1 lesson04\n=== q1\nx\n", encoding="utf-8")
    other.locator("#import-file").set_input_files(wrong)
    expect(other.locator("#import-said")).to_contain_text("什么都没有改")
    expect(other.locator("[data-answer=q1]")).to_have_value(text)


def test_import_asks_before_it_replaces(
    url: str, opened: Callable[..., Page], tmp_path: Path
) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("course-answers 1 lesson03\n\n=== q1\n新的\n", encoding="utf-8")
    page = opened(f"{url}{LESSON}")
    page.locator("[data-answer=q1]").fill("旧的")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.locator("#import-file").set_input_files(file)
    expect(page.locator("[data-answer=q1]")).to_have_value("旧的")
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator("#import-file").set_input_files(file)
    expect(page.locator("[data-answer=q1]")).to_have_value("新的")


def test_a_browser_that_keeps_nothing_says_so(url: str, opened: Callable[..., Page]) -> None:
    page = opened("about:blank")
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})"
    )
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{url}{LESSON}")
    page.locator("[data-answer=q1]").fill("写一句")
    expect(page.locator("#own-q1-kept")).to_contain_text("离开前请导出")
    page.get_by_role("switch", name="展开全部答案").click()
    assert is_open(page, ANSWER) == [True] * 8
    assert errors == []


def test_storage_that_is_full_is_told_and_empties_again(
    url: str, opened: Callable[..., Page]
) -> None:
    page = opened(f"{url}{LESSON}")
    page.evaluate(
        """() => {
        window.full = true;
        const own = Storage.prototype.setItem;
        Storage.prototype.setItem = function (...pair) {
            if (window.full) throw new DOMException("full", "QuotaExceededError");
            own.apply(this, pair);
        };
        }"""
    )
    said = page.locator("#own-q1-kept")
    page.locator("[data-answer=q1]").fill("写一句")
    expect(said).to_contain_text("离开前请导出")
    code = page.locator(".live-exercise").first
    code.get_by_role("textbox").fill("x = 1")
    expect(code.locator(".live-unkept")).to_be_visible()
    page.evaluate("window.full = false")
    page.locator("[data-answer=q1]").fill("再写一句")
    code.get_by_role("textbox").fill("x = 2")
    expect(said).to_have_text("已存下")
    expect(code.locator(".live-unkept")).to_be_hidden()
    page.reload()
    expect(page.locator("[data-answer=q1]")).to_have_value("再写一句")
    expect(page.locator(".live-exercise textarea").first).to_have_value("x = 2")


def test_paper_shows_all_of_the_code(url: str, opened: Callable[..., Page]) -> None:
    """On A4 with its margins nothing is wider than the sheet, and no typed line is cut."""
    page = opened(f"{url}{LESSON}", size=(665, 980))
    code = page.locator(".live-exercise").first
    code.get_by_role("textbox").fill("x = '" + "长的一行 " * 40 + "'\ny = '" + "a" * 300 + "'")
    read_through(page)
    page.emulate_media(media="print")
    typed = code.locator(".live-colours")
    expect(code.get_by_role("textbox")).to_be_hidden()
    expect(typed).to_contain_text("a" * 300)
    # Two lines of more than 200 characters each take several lines of paper.
    high, line = typed.evaluate("e => [e.clientHeight, parseFloat(getComputedStyle(e).lineHeight)]")
    assert high / line > 8
    wide = page.evaluate(
        """() => Array.from(document.querySelectorAll("main *")).filter(one =>
            one.checkVisibility() && !one.closest("svg svg, .live-chart, math, .unseen")
            && getComputedStyle(one).position !== "absolute"
            && one.getBoundingClientRect().right > innerWidth + 1
        ).map(one => one.tagName + "." + one.className).slice(0, 8)"""
    )
    assert wide == []


def test_printing_asks(start: str, opened: Callable[..., Page]) -> None:
    page = opened(f"{start}{LESSON}")
    page.evaluate("window.print = () => { window.printed = (window.printed || 0) + 1; }; 0")
    page.locator("[data-answer=q1]").fill("我写的")
    dialog = page.locator("#print-ask")
    page.keyboard.press("Control+p")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="不含参考答案").click()
    expect(dialog).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator(ANSWER).first).to_be_hidden()
    expect(page.locator("[data-written=q1]")).to_have_text("我写的")
    expect(page.locator("[data-written=q1]")).to_be_visible()
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.locator("#print").click()
    dialog.get_by_role("button", name="连同参考答案").click()
    page.emulate_media(media="print")
    assert is_open(page, ANSWER) == [True] * 8
    expect(page.locator("#answer-q1")).to_be_visible()
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert is_open(page, ANSWER) == [False] * 8
    assert page.evaluate("window.printed") == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 900), (390, 844)], ids=["wide", "phone"])
@pytest.mark.parametrize("name", ["index.html", LESSON])
def test_axe_finds_nothing(
    url: str, opened: Callable[..., Page], scheme: str, size: tuple[int, int], name: str
) -> None:
    page = opened(f"{url}{name}", color_scheme=scheme, size=size)
    if name == LESSON:
        page.locator("[data-answer=q1]").fill("写一句")
        read_through(page)
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found] == []


@pytest.mark.parametrize("width", [320, 390, 768, 1100, 1360, 1920])
def test_no_page_scrolls_sideways(url: str, opened: Callable[..., Page], width: int) -> None:
    page = opened(f"{url}{LESSON}", size=(width, 900))
    read_through(page)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_line_holds_about_38_characters(url: str, opened: Callable[..., Page]) -> None:
    page = opened(f"{url}{LESSON}", size=(1360, 900))
    width = page.evaluate(
        """() => {
        const one = document.querySelector("article > p");
        return one.clientWidth / parseFloat(getComputedStyle(one).fontSize);
        }"""
    )
    assert 36 <= width <= 40


def test_no_label_of_a_diagram_is_cut(url: str, opened: Callable[..., Page]) -> None:
    """Every line of text lies within its node's own box."""
    page = opened(f"{url}{LESSON}")
    page.evaluate("document.fonts.ready")
    outside = page.evaluate(
        """() => {
        const found = [];
        document.querySelectorAll(".drawing svg .node").forEach(node => {
            const box = node.querySelector("rect, polygon, path, circle").getBoundingClientRect();
            node.querySelectorAll("text").forEach(text => {
                const own = text.getBoundingClientRect();
                if (own.left < box.left || own.right > box.right || own.top < box.top - 1
                    || own.bottom > box.bottom + 1) found.push(text.textContent);
            });
        });
        return [document.querySelectorAll(".drawing svg .node text").length, found];
        }"""
    )
    assert outside[0] >= 15
    assert outside[1] == []


def test_nothing_moves_when_the_font_comes(url: str, browser: Browser) -> None:
    """Without any system family the page's own font is fetched, late; the lines stay."""
    fetched: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="zh-CN")
    page = context.new_page()

    def own_font_only(route: Any) -> None:
        answer = route.fetch()
        css, count = FAMILIES.subn('"Course Han", system-ui', answer.text())
        assert count == 1
        route.fulfill(response=answer, body=css)

    def late(route: Any) -> None:
        fetched.append(route.request.url)
        page.wait_for_timeout(700)
        route.continue_()

    page.route("**/site.css", own_font_only)
    page.route("**/*.woff2", late)
    page.add_init_script(
        """window.moved = 0;
        new PerformanceObserver(list => list.getEntries().forEach(one => {
            if (!one.hadRecentInput) window.moved += one.value;
        })).observe({type: "layout-shift", buffered: true});"""
    )
    page.goto(f"{url}{LESSON}")
    page.wait_for_timeout(2500)
    assert page.evaluate("document.fonts.check('16px \\'Course Han\\'', '存储')")
    assert len(fetched) == 1
    assert page.evaluate("window.moved") < 0.01
    context.close()


def test_a_machine_with_a_chinese_font_fetches_none(url: str, browser: Browser) -> None:
    asked: list[str] = []
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{url}{LESSON}")
    page.wait_for_load_state("networkidle")
    page.close()
    assert [one for one in asked if one.endswith(".woff2")] == []


def test_the_first_view_is_small_and_all_of_it_is(url: str, browser: Browser) -> None:
    asked: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("request", lambda request: asked.append(request.url.removeprefix(url)))
    page.goto(f"{url}{LESSON}", wait_until="domcontentloaded")
    page.wait_for_timeout(300)
    page.close()
    files = built(answers=True).files
    first = [name for name in asked if name in files and not name.endswith(".svg")]
    size = sum(len(gzip.compress(files[name], 6)) for name in first)
    assert LESSON in first
    assert size < 120_000
    every = sum(
        len(data if name.endswith((".zip", ".woff2")) else gzip.compress(data, 6))
        for name, data in files.items()
        if name != "live/pyodide.js"
    )
    assert every < 3_000_000


@pytest.mark.parametrize("answers", [True, False])
def test_two_builds_of_the_course_are_the_same_to_the_byte(answers: bool) -> None:
    again = build_site(find_project(ROOT), answers=answers)
    assert dict(again.files) == dict(built(answers=answers).files)


def test_the_class_edition_shows_no_answer(tmp_path: Path, opened: Callable[..., Page]) -> None:
    folder = on_disk(tmp_path / "_site", answers=False)
    page = opened(f"{folder.as_uri()}/{LESSON}")
    expect(page.locator(ANSWER)).to_have_count(0)
    expect(page.get_by_role("switch")).to_have_count(0)
    expect(page.locator(".to-answer")).to_have_count(0)
    expect(page.locator(".edition")).to_have_text("课堂版：不含参考答案")
    page.evaluate("window.print = () => { window.printed = 1; }; 0")
    page.locator("#print").click()
    assert page.evaluate("window.printed") == 1
