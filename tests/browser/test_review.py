"""The reviewing page in Chromium, on a class of 300: by keyboard, by two, offline, under attack."""

from __future__ import annotations

import json
import os
import re
import secrets
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from autograder.project import Project
from tests.browser.servers import ROOT, Lab
from tests.review_class import WRITTEN, GradedClass, lesson03_master

pytestmark = [pytest.mark.browser, pytest.mark.slow]

STUDENTS = 300
COURSE = ("-c", "from autograder.cli import main; main()")
EVIL = """几万个 rank 同时新建文件。<script>document.title = alert("script")</script>
<img src=x onerror="alert('img')"><svg onload="alert('svg')"></svg>
[点我](javascript:alert('link')) {{ constructor.constructor('alert(1)')() }} </div></article>"""
CHAINS = (
    "一步结束，几万个 rank 同时向同一个目录新建文件，元数据服务只能一个一个处理，排起长队；"
    "最慢的那个拖住栅栏，所有人都得等它。第 {n} 份",
    "{n} 个小文件不对齐条带，变成随机写，顺序带宽发挥不出来。",
    "因为文件太多了，第 {n} 次想到的就是这个。",
)


@pytest.fixture(scope="module")
def made(project: Project, tmp_path_factory: pytest.TempPathFactory) -> GradedClass:
    """A class of 300, one of whom attacks; none was run."""
    graded = GradedClass(
        out=tmp_path_factory.mktemp("class") / "out", source=lesson03_master(project)
    )
    answers = {
        f"s{n:04}": dict.fromkeys(WRITTEN, CHAINS[n % 3].format(n=n)) for n in range(STUDENTS - 1)
    }
    graded.write(answers | {"evil": dict.fromkeys(WRITTEN, EVIL)})
    return graded


@pytest.fixture(scope="module")
def served(made: GradedClass, start_lab: Callable[..., Lab]) -> Lab:
    command = (*COURSE, "review", str(made.out), "--allow-root")
    return start_lab(ROOT, command=command)


@pytest.fixture
def desk(served: Lab, new_page: Callable[..., Page]) -> Callable[..., Page]:
    """Opens the page for a reviewer; what others decided before does not count."""

    def open_desk(name: str, question: str = "q1") -> Page:
        expect.set_options(timeout=30_000)
        page = new_page()
        page.goto(served.at("/course-review/") + f"#{question}")
        page.get_by_role("textbox").fill(name)
        page.keyboard.press("Enter")
        expect(page.locator(".paper h2")).to_be_visible()
        return page

    return open_desk


def label(page: Page) -> str:
    return page.locator(".paper h2").inner_text()


def press_score(page: Page, key: str) -> None:
    """Mark, and wait until another paper is there."""
    before = label(page)
    page.keyboard.press(key)
    expect(page.locator(".paper h2")).not_to_have_text(before)


def saved(page: Page) -> None:
    expect(page.locator("#status")).to_have_class(re.compile("good"), timeout=60_000)


def marks_by(made: GradedClass, name: str) -> list[dict[str, Any]]:
    return [one for one in made.events("mark") if one["by"] == name]


def test_ten_by_keyboard_alone(
    desk: Callable[..., Page], made: GradedClass, witness: Any, tmp_path: Path
) -> None:
    page = desk("甲")
    page.screenshot(path=tmp_path / "paper.png")
    page.keyboard.press("m")
    page.keyboard.type("第二环呢？")
    page.keyboard.press("Escape")
    scores = [2, 1.5, 1, 0.5, 0, 2, 1, 0, 1.5, 2]
    for score in scores:
        press_score(page, str(int(score * 2)))
    saved(page)
    found = marks_by(made, "甲")
    assert [one["score"] for one in found] == scores
    assert [one["comment"] for one in found] == ["第二环呢？", *[""] * 9]
    assert {(one["how"], one["blind"]) for one in found} == {("person", True)}
    assert len({one["student"] for one in found}) == 10
    expect(page.get_by_role("button", name=re.compile("^Q1"))).to_contain_text("/ 300")
    shown = page.content()
    assert not re.search(r"s0\d{3}|evil", shown)
    page.keyboard.press("u")
    expect(page.locator(".notice")).to_contain_text("已撤销")
    assert marks_by(made, "甲")[-1]["undoes"] == found[-1]["seq"]
    page.screenshot(path=tmp_path / "undone.png")
    assert witness.errors == []


def test_the_next_paper_is_there_at_once(desk: Callable[..., Page]) -> None:
    page = desk("快")
    page.wait_for_timeout(2000)
    took = []
    for _ in range(12):
        took.append(
            page.evaluate(
                """async () => {
                  const before = document.querySelector(".paper h2").textContent;
                  const start = performance.now();
                  document.body.dispatchEvent(
                    new KeyboardEvent("keydown", { key: "2", code: "Digit2", bubbles: true }));
                  while (document.querySelector(".paper h2")?.textContent === before)
                    await new Promise(requestAnimationFrame);
                  return performance.now() - start;
                }"""
            )
        )
        page.wait_for_timeout(500)
    assert statistics.median(took) < 100


def test_evidence_and_links(desk: Callable[..., Page], made: GradedClass, tmp_path: Path) -> None:
    page = desk("证")
    while "最慢的那个" not in page.locator(".paper .text").inner_text():
        page.keyboard.press("n")
        page.wait_for_timeout(150)
    marked = page.locator(".paper mark").all_inner_texts()
    assert any("同时" in text for text in marked)
    pressed = page.locator('.link[aria-pressed="true"]')
    count = pressed.count()
    assert count >= 3
    page.keyboard.press("q")
    expect(pressed).to_have_count(count - 1)
    page.screenshot(path=tmp_path / "links.png")
    press_score(page, "3")
    saved(page)
    (mark,) = marks_by(made, "证")
    assert "burst" not in mark["links"]
    assert "tail" in mark["links"]


def test_two_browsers_at_once(desk: Callable[..., Page], made: GradedClass, tmp_path: Path) -> None:
    first, second = desk("乙"), desk("丙")
    assert label(first) != label(second)
    item = first.evaluate("() => location.hash")
    assert item == "#q1"
    # 丙 goes to the very paper that lies before 乙, as after a lease of two minutes.
    taken = label(first).split()[-1]
    second.evaluate(
        """async (taken) => {
          const token = document.querySelector('meta[name="xsrf"]').content;
          const by = encodeURIComponent("乙");
          const address = (after) => `api/item?question=q1&by=${by}&after=${after}`;
          const ask = async (after) => (await (await fetch(address(after))).json()).item;
          let item = await ask("");
          while (item.label !== taken) item = await ask(item.item);
          const body = { by: "丙", item: item.item, question: "q1", score: 0.5, comment: "少一环",
                         links: [], based_on: item.based_on, answer: item.digest };
          const done = await fetch("api/do/mark", { method: "POST", body: JSON.stringify(body),
            headers: { "X-XSRFToken": token } });
          if (!done.ok) throw new Error(await done.text());
        }""",
        taken,
    )
    press_score(first, "4")
    notice = first.locator(".notice.bad")
    expect(notice).to_contain_text("丙 在你之前改了这份答卷")
    expect(notice).to_contain_text("对方：0.5")
    expect(notice).to_contain_text("少一环")
    expect(notice).to_contain_text("你的：2")
    first.screenshot(path=tmp_path / "conflict.png")
    (theirs,) = marks_by(made, "丙")
    assert not marks_by(made, "乙")
    notice.get_by_role("button", name="用我的").click()
    expect(notice).to_have_count(0)
    saved(first)
    (mine,) = marks_by(made, "乙")
    assert (mine["student"], mine["based_on"]) == (theirs["student"], theirs["seq"])
    assert (mine["score"], theirs["score"]) == (2, 0.5)


def test_a_script_in_an_answer(
    desk: Callable[..., Page], served: Lab, witness: Any, tmp_path: Path
) -> None:
    page = desk("戊", "criteria")
    for _ in range(STUDENTS):
        if "alert" in page.locator(".paper .text").first.inner_text():
            break
        before = label(page)
        page.keyboard.press("n")
        expect(page.locator(".paper h2")).not_to_have_text(before)
    text = page.locator(".paper .text").first
    expect(text).to_contain_text("<script>document.title = alert")
    expect(text).to_contain_text("</div></article>")
    assert page.locator(".paper script, .paper img, .paper svg, .paper a").count() == 0
    page.wait_for_timeout(1000)
    assert witness.dialogs == []
    assert "script" not in page.title()
    page.screenshot(path=tmp_path / "evil.png")
    with urllib.request.urlopen(served.at("/course-review/")) as reply:  # noqa: S310  (ours)
        policy = reply.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy


def test_a_lost_connection_loses_nothing(
    desk: Callable[..., Page], made: GradedClass, tmp_path: Path
) -> None:
    page = desk("己")
    page.wait_for_timeout(2500)  # so that papers lie ready
    page.context.set_offline(True)
    for key in "432":
        press_score(page, key)
    expect(page.locator("#status")).to_contain_text("连接断开：3 条")
    page.screenshot(path=tmp_path / "offline.png")
    assert marks_by(made, "己") == []
    page.context.set_offline(False)
    saved(page)
    assert [one["score"] for one in marks_by(made, "己")] == [2, 1.5, 1]


def test_what_waits_outlives_the_page(desk: Callable[..., Page], made: GradedClass) -> None:
    page = desk("庚")
    page.wait_for_timeout(1500)
    page.route("**/api/do/**", lambda route: route.abort())
    press_score(page, "1")
    expect(page.locator("#status")).to_contain_text("1 条")
    page.unroute("**/api/do/**")
    page.reload()
    saved(page)
    assert [one["score"] for one in marks_by(made, "庚")] == [0.5]


def test_suggestions_after_twenty_and_bulk(
    desk: Callable[..., Page], made: GradedClass, tmp_path: Path
) -> None:
    page = desk("辛", "q2")
    expect(page.locator(".suggestion")).to_contain_text("独立批完 20 份")
    assert "建议 " not in page.locator("aside").inner_text()
    for _ in range(20):
        press_score(page, "0")
    saved(page)
    page.reload()
    expect(page.locator(".suggestion")).to_contain_text("你独立批的 20 份里")
    page.screenshot(path=tmp_path / "suggestion.png")
    page.get_by_role("button", name="批量采纳").click()
    dialog = page.locator("dialog")
    accept = dialog.get_by_role("button", name=re.compile("采纳 \\d+ 份"))
    expect(accept).to_be_visible()
    dialog.locator("#above").fill("60")
    dialog.locator("#above").dispatch_event("change")
    expect(accept).to_be_enabled()
    page.screenshot(path=tmp_path / "bulk.png")
    accept.click()
    expect(page.locator("#keys")).to_contain_text("已采纳")
    bulk = [one for one in marks_by(made, "辛") if one["how"] == "bulk"]
    assert bulk
    assert {one["above"] for one in bulk} == {0.6}


def test_a_whole_submission_by_keyboard(
    desk: Callable[..., Page], made: GradedClass, tmp_path: Path
) -> None:
    page = desk("壬", "criteria")
    while page.locator(".criterion em").count():  # the marks propose nothing yet
        page.keyboard.press("n")
        page.wait_for_timeout(300)
    for key in "asdd":
        page.keyboard.press(key)
    expect(page.locator('[data-criterion="tradeoff"]')).to_contain_text("否")
    page.keyboard.press("v")
    page.keyboard.press("3")
    page.keyboard.type("只看均值")
    page.screenshot(path=tmp_path / "veto.png")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".veto.stands")).to_contain_text("只看均值")
    page.screenshot(path=tmp_path / "whole.png")
    before = label(page)
    page.keyboard.press("Enter")
    expect(page.locator(".paper h2")).not_to_have_text(before)
    saved(page)
    (veto,) = [one for one in made.events("veto") if one["by"] == "壬"]
    values = {one["criterion"]: one["value"] for one in made.events("criterion")}
    assert (veto["veto"], veto["standing"]) == ("mean_hides_tail", True)
    assert values == {"causal_chains": True, "correctness_boundary": True, "tradeoff": False}


def test_sharing_the_work(desk: Callable[..., Page], tmp_path: Path) -> None:
    page = desk("癸", "q3")
    page.get_by_role("button", name="分工").click()
    page.locator("#way").select_option("question")
    page.locator("#graders").fill("癸\n丑")
    page.screenshot(path=tmp_path / "allocate.png")
    page.get_by_role("button", name="保存").click()
    saved(page)
    page.reload()
    expect(page.locator(".nothing")).to_contain_text("分给你的都批完了")
    expect(page.locator(".next")).to_contain_text("下一题：解释你的边界用例")
    page.screenshot(path=tmp_path / "finished.png")
    page.keyboard.press("Enter")
    expect(page.locator("h2.question")).to_contain_text("解释你的边界用例")
    assert page.url.endswith("#explanation")
    expect(page.locator("#keys")).to_contain_text("Alt 1–5")
    page.get_by_role("button", name="分工").click()
    page.locator("#way").select_option("none")
    page.get_by_role("button", name="保存").click()
    saved(page)


def ask(address: str, **more: Any) -> int:
    request = urllib.request.Request(address, **more)  # noqa: S310  (ours)
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_strangers_see_and_do_nothing(served: Lab) -> None:
    for path in ("", "api/overview", "api/item?question=q1&by=x"):
        address = f"{served.url}/course-review/{path}"
        with urllib.request.urlopen(served.at("/api/status")):  # noqa: S310  (it is up)
            pass
        status = ask(address)
        assert status == 403 or path == ""
    body = json.dumps({"by": "x"}).encode()
    assert ask(f"{served.url}/course-review/api/do/undo", data=body, method="POST") == 403


def test_inside_a_running_jupyter(
    made: GradedClass, start_lab: Callable[..., Lab], new_page: Callable[..., Page]
) -> None:
    lab = start_lab(
        ROOT,
        command=(
            *("-m", "jupyterlab", f"--ReviewApp.out={made.out}"),
            "--ServerApp.jpserver_extensions={'autograder.review.page': True}",
        ),
    )
    page = new_page()
    page.goto(lab.at("/course-review/"))
    page.get_by_role("textbox").fill("寅")
    page.keyboard.press("Enter")
    expect(page.locator(".paper h2")).to_be_visible()


@pytest.fixture
def based(made: GradedClass, tmp_path: Path) -> Iterator[str]:
    """The page under another base URL, as a hub gives one: its address with the token."""
    token, port = secrets.token_hex(8), 40_000 + secrets.randbelow(20_000)
    command = [sys.executable, *COURSE, "review", str(made.out), "--allow-root", "--no-browser"]
    command += ["--port", str(port), "--ServerApp.base_url=/user/x/"]
    command += [f"--IdentityProvider.token={token}"]
    places = {"JUPYTER_CONFIG_DIR": str(tmp_path / "c"), "JUPYTER_RUNTIME_DIR": str(tmp_path / "r")}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **places}, stdout=log, stderr=log
        )
    address = f"http://127.0.0.1:{port}/user/x/course-review/?token={token}"
    for _ in range(120):
        try:
            ask(address)
            break
        except urllib.error.URLError:
            time.sleep(0.5)
    yield address
    process.terminate()
    process.wait(20)


def test_under_another_base_url(based: str, new_page: Callable[..., Page]) -> None:
    page = new_page()
    page.goto(based)
    page.get_by_role("textbox").fill("卯")
    page.keyboard.press("Enter")
    expect(page.locator(".paper h2")).to_be_visible()
    assert page.url.startswith(based.partition("?")[0])
