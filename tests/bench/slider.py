"""From the move of a slider to new pixels in the browser, in the lesson's own notebook.

    python -m tests.bench.slider [--moves 100]

prints JSON: p50, p95 and the longest of the moves in milliseconds, and the kernel's processor time
a move, which other work on the machine disturbs less. A move is a press of an arrow key on the
handle of the write amplification in `explore.dump_time()`; it ends with the frame after the new
picture is decoded.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any

import psutil  # comes with ipykernel
from playwright.sync_api import ElementHandle, Page, ViewportSize, expect, sync_playwright

from tests.browser.servers import ROOT, Lab, chromium, start

LESSON = "lesson03"
COURSE_LAB = ("-c", "from autograder.cli import main; main()", "lab", LESSON)
STOPS, WARM_UP = 20, 5  # the slider opens on the fifth of 25 stops
WAIT_MS = 120_000
PAUSE_MS = 60
# A move's promise is kept when the frame with the new picture is painted.
WATCH = """image => {
    let began = 0;
    window.addEventListener("keydown", () => { began = performance.now(); }, true);
    window.moved = () => { window.move = new Promise(done =>
        image.addEventListener("load", () => requestAnimationFrame(() => {
            const channel = new MessageChannel();
            channel.port1.onmessage = () => done(performance.now() - began);
            channel.port2.postMessage(0);
        }), {once: true}))
    };
}"""


def measure(moves: int = 100) -> dict[str, Any]:
    """Move the slider so many times; return what it took, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder, _notebook(Path(folder)) as (page, lab):
        handle, picture = _opened(page)
        picture.evaluate(WATCH)
        for number in range(WARM_UP):  # the first moves wake everything up
            _move(page, handle, number)
        before = _kernel_s(lab)
        took = [_move(page, handle, number) for number in range(WARM_UP, WARM_UP + moves)]
        spent = _kernel_s(lab) - before
    cuts = quantiles(took, n=100, method="inclusive")
    return {
        "moves": len(took),
        "p50_ms": round(cuts[49], 1),
        "p95_ms": round(cuts[94], 1),
        "longest_ms": round(max(took), 1),
        "kernel_cpu_ms": round(1000 * spent / moves, 1),
        "load": [round(one, 2) for one in os.getloadavg()],
        "processors": os.cpu_count(),
    }


@contextmanager
def _notebook(folder: Path) -> Iterator[tuple[Page, Lab]]:
    """The lesson in a learner's JupyterLab, run as far as it goes."""
    course = folder / "course"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "lessons", course / "lessons", ignore=ignored)
    shutil.copy2(ROOT / "pyproject.toml", course)
    lab = start(course, folder / "home", command=COURSE_LAB, settings={})
    try:
        with sync_playwright() as playwright:
            # Root, as in a container, has no sandbox of Chromium's own.
            browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            page = browser.new_page(viewport=ViewportSize(width=1280, height=900))
            page.set_default_timeout(WAIT_MS)
            page.goto(lab.own_copy(LESSON))
            expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle", timeout=WAIT_MS)
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_text("Run All Cells", exact=True).click()
            yield page, lab
            browser.close()
    finally:
        lab.stop()


def _opened(page: Page) -> tuple[ElementHandle, ElementHandle]:
    """The handle and the picture, once the cells have run and the prediction is skipped."""
    cell = page.locator(".jp-CodeCell", has_text="explore.dump_time()").first
    expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"), timeout=WAIT_MS)
    expect(page.locator(".jp-InputPrompt", has_text="[*]")).to_have_count(0, timeout=WAIT_MS)
    cell.get_by_role("button", name="跳过", exact=True).click()
    picture = cell.locator("img.widget-image").first
    expect(picture).to_be_visible()
    handle = cell.locator(".widget-hbox", has_text="写放大 W").last.locator(".noUi-handle")
    expect(cell.locator(".widget-hbox", has_text="写放大 W").last.locator("input")).to_be_enabled()
    picture.evaluate("image => image.scrollIntoView({block: 'end'})")
    expect(handle).to_be_in_viewport()  # as a person has them: the hand's end, and all that moves
    # Elements, not locators: to find one anew in this page takes longer than the move.
    return handle.element_handle(), picture.element_handle()


def _move(page: Page, handle: ElementHandle, number: int) -> float:
    """Press a key, and wait for the frame it leads to; the milliseconds it took."""
    handle.focus()
    page.evaluate("window.moved()")
    page.keyboard.press("ArrowRight" if number % (2 * STOPS) < STOPS else "ArrowLeft")
    took = float(page.evaluate("window.move"))
    page.wait_for_timeout(PAUSE_MS)  # a hand does not move faster than it sees
    return took


def _kernel_s(lab: Lab) -> float:
    """Processor seconds of the server's kernels so far."""
    kernels = [
        one
        for one in psutil.Process(lab.process.pid).children(recursive=True)
        if "ipykernel_launcher" in " ".join(one.cmdline())
    ]
    times = [one.cpu_times() for one in kernels]
    return sum(one.user + one.system for one in times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=100)
    wanted = parser.parse_args()
    if chromium() is None:
        sys.exit("no Chromium on PATH: install it, or name it in CHROMIUM")
    print(json.dumps(measure(wanted.moves)))  # noqa: T201


if __name__ == "__main__":
    main()
