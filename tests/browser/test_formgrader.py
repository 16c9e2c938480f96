"""What `course grade` wrote, opened in nbgrader's formgrader inside JupyterLab, and read back."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from autograder.commands.instructor import grade_class
from autograder.commands.progress import progress_shown
from autograder.commands.samples import Sample, write_samples
from autograder.editions.build import source_notebook
from autograder.editions.release import release
from autograder.grading.batch.assignment import Settings
from autograder.grading.intake.roster import Enrolled, Roster
from autograder.grading.reports.coursedir import folder_name
from autograder.project import Project

pytestmark = [pytest.mark.browser, pytest.mark.sandbox, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"
ADA = "s01-ada"
UNREADABLE, MISSING = "s07-broken", "s99-missing"
NAMES = ("=cmd()", "O'Brien, Zoë", "张三, 李四", "two\nlines", "a&b <i>c")
EVIL = """机制一：建文件要排队。<script>document.title = alert("script")</script>
<img src="nowhere" onerror="alert('onerror')">
[点我](javascript:alert('link')) <svg onload="alert('svg')"></svg>
<iframe srcdoc="<script>parent.alert('frame')</script>"></iframe>"""
EVIL_CELL = """from IPython.display import HTML, SVG, Javascript, Markdown, display
display(HTML("<script>alert('html')</script><img src=nowhere onerror=\\"alert('html img')\\">"))
display(SVG('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>'))
display(Javascript("alert('js')"), Markdown("<img src=nowhere onerror=alert('md')>"))
print("</pre><script>alert('stream')</script>")"""


@pytest.fixture(scope="module")
def out(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded class: one that attacks, odd names, one unreadable, one who sent nothing."""
    folder = tmp_path_factory.mktemp("class")
    right = {
        "checkpoint_io": ["physical_bytes / interval_s"],
        "my_boundary_case": ["(4e12, 10e9, 1.5, 600)", "(600.0, 1e10)"],
    }
    ada = Sample(
        student=ADA,
        about="right, and hostile",
        fill=right,
        answers={"q1": EVIL},
        insert=[{"after": "boundary_case", "source": EVIL_CELL}],
    )
    others = [Sample(student=name, about="right", fill=right) for name in NAMES]
    broken = Sample(student=UNREADABLE, about="cut off", raw='{"cells": [{"cell_type"')
    released = release(source_notebook(project, LESSON))
    write_samples([ada, *others, broken], released, LESSON, folder / "in")
    enrolled = [Enrolled(id=name) for name in (ADA, *NAMES, UNREADABLE, MISSING)]
    grade_class(
        project,
        folder / "in",
        LESSON,
        folder / "out",
        settings=Settings(roster=Roster(enrolled)),
        progress=progress_shown(),
    )
    return folder / "out"


@pytest.fixture(scope="module")
def lab(out: Path, start_lab: Callable[..., Any]) -> Any:
    return start_lab(out)


@pytest.fixture(scope="module")
def graded(out: Path) -> dict[str, str]:
    """Student -> folder, as nbgrader knows them."""
    entries = json.loads((out / "grades.json").read_text(encoding="utf-8"))["submissions"]
    return {entry["student"]: folder_name(entry["student"]) for entry in entries}


def course(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", "from autograder.cli import main; main()", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def show(page: Page, lab: Any, path: str) -> None:
    # formgrader's own pages leave no cookie, and their scripts ask without the token.
    page.goto(lab.at(f"/login?next={quote(f'/formgrader/{path}', safe='')}"), wait_until="load")


def open_submission(page: Page, lab: Any, folder: str) -> None:
    """From the student's page to the notebook, as an instructor goes."""
    show(page, lab, f"manage_students/{quote(folder)}/{LESSON}")
    page.get_by_role("link", name=LESSON, exact=True).last.click()
    expect(page.locator(".nbgrader_cell").first).to_be_visible()


def test_jupyterlab_opens_formgrader_with_the_lesson_in_it(
    lab: Any, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = new_page(height=700)
    page.goto(lab.at("/lab?reset"))
    page.get_by_role("menuitem", name="Nbgrader", exact=True).click(timeout=90_000)
    page.locator(".lm-Menu-item", has_text="Formgrader").first.click()
    frame = page.frame_locator("iframe").first
    expect(frame.locator("tbody tr").first).to_contain_text(LESSON, timeout=60_000)
    page.screenshot(path=tmp_path / "formgrader.png")


def test_everybody_is_listed(
    lab: Any, graded: dict[str, str], new_page: Callable[..., Page], witness: Any, tmp_path: Path
) -> None:
    page = new_page(height=700)
    show(page, lab, f"manage_submissions/{LESSON}")
    table = page.locator("table")
    expect(table.locator("tbody tr")).to_have_count(len(graded), timeout=60_000)
    shown = table.inner_text()
    for folder in graded.values():
        assert folder in shown
    page.screenshot(path=tmp_path / "submissions.png")
    show(page, lab, f"gradebook/{LESSON}/{LESSON}")
    expect(page.locator("tbody tr")).to_have_count(len(graded))
    page.screenshot(path=tmp_path / "gradebook.png")
    assert witness.dialogs == []


def test_the_unreadable_one_says_why(
    lab: Any, out: Path, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    entries = json.loads((out / "grades.json").read_text(encoding="utf-8"))["submissions"]
    reasons = {entry["student"]: entry["reason"] for entry in entries}
    page = new_page()
    for student in (UNREADABLE, MISSING):
        open_submission(page, lab, student)
        expect(page.locator("body")).to_contain_text(reasons[student])
        expect(page.locator("input#q1")).to_be_visible()
        page.screenshot(path=tmp_path / f"{student}.png")


def test_every_name_opens(lab: Any, graded: dict[str, str], new_page: Callable[..., Page]) -> None:
    page = new_page()
    for name in NAMES:
        open_submission(page, lab, graded[name])
        expect(page.locator("input#normal")).to_have_attribute("placeholder", "2")


def test_half_points_are_kept_read_back_and_shown(
    lab: Any, out: Path, new_page: Callable[..., Page], witness: Any, tmp_path: Path
) -> None:
    page = new_page()
    open_submission(page, lab, ADA)
    expect(page.locator("body")).to_contain_text("机制一：建文件要排队。")
    page.locator("input#q1").scroll_into_view_if_needed()
    expect(page.get_by_role("link", name="点我")).to_have_count(0)
    page.wait_for_timeout(1000)  # for what would run late
    assert witness.dialogs == []
    assert "script" not in page.title()

    page.locator("input#q1").fill("1.5")
    page.locator("textarea#q1-comment").fill("掉队者怎样拖住全体？<b>再写一环</b>")
    page.locator("textarea#q1-comment").blur()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=tmp_path / "graded.png")
    page.reload()
    expect(page.locator("input#q1")).to_have_value("1.5")

    grades = json.loads(course("export", str(out), "--format", "json", "--to", "-"))
    scores = {entry["student"]: entry["scores"] for entry in grades["submissions"]}
    assert scores[ADA]["q1"] == 1.5
    assert scores[NAMES[0]]["q1"] == 0.0  # untouched
    table = course("export", str(out), "--format", "csv", "--no-bom", "--to", "-")
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(table))}
    assert rows[ADA]["q1"] == "1.5"

    course("feedback", str(out))
    feedback = out / "feedback" / ADA / LESSON / f"{LESSON}.html"
    page.goto(feedback.as_uri())
    expect(page.locator("body")).to_contain_text("1.5")
    expect(page.locator("body")).to_contain_text("掉队者怎样拖住全体？<b>再写一环</b>")
    page.wait_for_timeout(1000)
    assert witness.dialogs == []
    page.screenshot(path=tmp_path / "feedback.png", full_page=True)
    assert not [line for line in _hidden(out) if line in feedback.read_text(encoding="utf-8")]


def _hidden(out: Path) -> list[str]:
    """The lines of hidden tests that are long enough to be nothing else."""
    master = json.loads((out / "source" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in master["cells"]]
    parts = [source.partition("### BEGIN HIDDEN TESTS")[2] for source in sources]
    lines = [line.strip() for part in parts for line in part.splitlines()]
    found = [line for line in lines if len(line) > 20]
    assert len(found) > 30
    return found
