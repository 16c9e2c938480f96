"""A new learner's whole way from a clone of the student branch, by the notebook alone.

Published into a repository of its own and cloned; from then on JupyterLab, the kernel, `course lab`
and `course submit` run what the clone holds. Only its dependencies come from this environment.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import site
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from autograder.release.secrets import Edition

pytestmark = [pytest.mark.browser, pytest.mark.sandbox, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"
SLOW_MS = 90_000
STDOUT = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stdout"]'
STDERR = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]'
ANSWER = "所有 rank 同时新建文件，在同一目录的元数据上排队，最慢的一个决定栅栏何时放行。"


PUBLISHED = ("lessons", "solutions", "autograder", "assets")
SINGLE = ("pyproject.toml", "constraints.txt", "LICENSE", ".gitignore")
SCRIPT = "import sys; sys.argv[0] = 'course'; from autograder.cli import main; main()"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, course_copy: Any) -> Path:
    """A clone of the student branch with a `.venv` of its own, as its README has one make it."""
    folder = tmp_path_factory.mktemp("learner")
    author = type(course_copy())(root=folder / "author")
    for name in PUBLISHED:
        ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
        shutil.copytree(ROOT / name, author.root / name, ignore=ignored)
    for name in SINGLE:
        shutil.copy(ROOT / name, author.root / name)
    author.git("init", "--quiet", "--initial-branch=main")
    author.commit("Begin")
    published = author.publish(Edition.STUDENT)
    assert published.report.findings == []
    clone = folder / "course"
    # file:// and not a path: a path would share the objects of main.
    arguments = ["--quiet", "--single-branch", "--branch=student"]
    author.git("clone", *arguments, f"file://{author.root}", str(clone))
    shutil.rmtree(author.root)
    _installed(clone)
    return clone


def _installed(clone: Path) -> None:
    """What `pip install -e .` does, with dependencies that are here already."""
    venv.create(clone / ".venv", with_pip=False, symlinks=True)
    own = clone / ".venv" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    # A path in a .pth file is not searched for .pth files: this work tree stays out.
    paths = [str(clone), *site.getsitepackages()]
    (own / "course.pth").write_text("\n".join(paths) + "\n", encoding="utf-8")
    for name in ("share", "etc"):  # JupyterLab's pages, kernels and extensions
        if (Path(sys.prefix) / name).is_dir():
            (clone / ".venv" / name).symlink_to(Path(sys.prefix) / name)
    program = clone / ".venv" / "bin" / "course"
    program.write_text(f"#!{python(clone)}\n{SCRIPT}\n", encoding="utf-8")
    program.chmod(0o755)


def python(clone: Path) -> str:
    return str(clone / ".venv" / "bin" / "python")


def run(command: list[str], folder: Path) -> str:
    """Run a command as a person would in that folder, and return what it said."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**clean, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_clone_runs_its_own_code_and_holds_no_answers(course: Path) -> None:
    names = "import autograder, lessons; print(autograder.__file__); print(lessons.__file__)"
    found = run([python(course), "-c", names], course.parent).split()
    assert found == [str(course / one / "__init__.py") for one in ("autograder", "lessons")]
    assert not (course / "solutions").exists() and not (course / "tests").exists()


def code(page: Page, text: str) -> Locator:
    return page.locator(".jp-CodeCell", has_text=text).first


def typed(page: Page, cell: Locator, blank: str, text: str) -> None:
    """Put a text in the place of the first blank, with the keyboard."""
    line = cell.locator(".cm-line", has_text=blank).first
    line.scroll_into_view_if_needed()
    line.click()
    page.keyboard.press("Home")
    shown = line.inner_text()
    # Home stops at the indentation; the blank is counted from there.
    for _ in range(len(shown[: shown.index(blank)].lstrip())):
        page.keyboard.press("ArrowRight")
    for _ in blank:
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.insert_text(text)


def run_cell(page: Page, cell: Locator) -> None:
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"), timeout=SLOW_MS)
    expect(page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')).to_have_count(1)


def said(page: Page, cell: Locator) -> str:
    """Run a cell; the one line it prints."""
    run_cell(page, cell)
    expect(cell.locator(STDOUT)).to_have_count(1)
    line = cell.locator(STDOUT).inner_text().strip()
    assert "\n" not in line
    return line


def answer(page: Page, heading: str, text: str) -> None:
    """Write below a question's answer line, as one does with Enter in command mode."""
    after = page.locator(".jp-MarkdownCell").filter(has_text=heading)
    cells = page.locator(".jp-Notebook .jp-Cell")
    place = after.last.evaluate("(node) => [...node.parentNode.children].indexOf(node)")
    below = cells.nth(place + 1)
    expect(below).to_contain_text("你的答案")
    below.locator(".jp-RenderedMarkdown").dblclick()
    below.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(f"\n\n{text}")
    page.keyboard.press("Control+Enter")
    expect(below.locator(".jp-RenderedMarkdown")).to_contain_text(text[:8], timeout=30_000)


def own_cell(page: Page, below: Locator, text: str) -> Locator:
    """Insert a code cell of the learner's own below another, and fill it."""
    below.locator(".jp-InputPrompt").click()
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.keyboard.insert_text(text)
    return code(page, text)


def validate(page: Page) -> None:
    """nbgrader's own button, for those who know it: only the answers in words are missing."""
    page.get_by_role("button", name="Validate").click()
    dialog = page.locator(".jp-Dialog", has_text="You did not provide a response")
    expect(dialog).to_be_visible(timeout=2 * SLOW_MS)
    assert "AssertionError" not in dialog.inner_text()


def graded_hand_in(course: Path, out: Path) -> dict[str, Any]:
    """Hand in what the learner saved, and grade that very file; its entry in grades.json."""
    program = str(course / ".venv" / "bin" / "course")
    told = run([program, "submit", LESSON, "--id", "s001"], course)
    assert "还空着：「解释你的边界用例」（explanation）、「Q2 " in told
    assert "Q1 " not in told and "my_boundary_case" not in told
    handin = course / "work" / LESSON / "handin"
    grade = ["grade", str(handin), "--lesson", LESSON, "--out", str(out)]
    run([sys.executable, "-c", SCRIPT, *grade], ROOT)
    grades = json.loads((out / "grades.json").read_text(encoding="utf-8"))
    (graded,) = grades["submissions"]
    return dict(graded)


def test_from_the_first_look_to_the_grade(
    course: Path,
    start_lab: Callable[..., Any],
    new_page: Callable[..., Page],
    witness: Any,
    tmp_path: Path,
) -> None:
    program = str(course / ".venv" / "bin" / "course")
    command, alone = (program, "lab", LESSON), {"PYTHONPATH": ""}
    lab = start_lab(course, python=python(course), command=command, more=alone)
    page = new_page()
    page.goto(lab.own_copy(LESSON))
    expect(page.locator(".jp-Notebook .jp-Cell").first).to_be_visible(timeout=SLOW_MS)
    # The notebook's own indicator says idle before there is a kernel, and the run would be lost.
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle", timeout=SLOW_MS)

    # Run all: it stops at the blank, with the kind sentence and nothing else.
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_timeout(1000)
    expect(page.locator(STDERR)).to_have_count(1, timeout=2 * SLOW_MS)
    page.screenshot(path=tmp_path / "0-run-all.png")
    assert "还有一个空没有填" in page.locator(STDERR).inner_text()

    exercise = code(page, "required_average =")
    check = code(page, 'check("checkpoint_io")')
    assert said(page, check).startswith("还没做：checkpoint_io")
    hint = own_cell(page, check, 'hint("checkpoint_io")')
    assert said(page, hint).startswith("提示 1/3：")
    page.screenshot(path=tmp_path / "1-not-done.png")

    # A wrong fill gets a sentence that names what came back.
    typed(page, exercise, "______", "backend_Bps")
    run_cell(page, exercise)
    assert "后端给出的带宽 B 本身" in said(page, check)
    typed(page, exercise, "= backend_Bps", "= physical_bytes / interval_s")
    run_cell(page, exercise)
    expect(exercise.locator(STDERR)).to_have_count(0)
    assert said(page, check).startswith("对了：checkpoint_io")

    # The learner's own boundary case, then Q1 in words, then practice.
    case = code(page, "my_boundary_case = {")
    for text in ("(4e12, 10e9, 1.5, 300)", "(600.0, 2e10)"):
        typed(page, case, "______", text)
    run_cell(page, case)
    assert said(page, code(page, 'check("my_boundary_case")')).startswith("对了：")
    answer(page, "Q1 为什么每个 rank", ANSWER)
    assert said(page, code(page, "again()")).startswith("第 1 题：")
    progress = said(page, code(page, "progress()"))
    assert "checkpoint_io 看得见的检查已通过；my_boundary_case 看得见的检查已通过" in progress
    page.screenshot(path=tmp_path / "3-done.png")
    page.keyboard.press("Control+s")
    own = course / "work" / LESSON / f"{LESSON}.ipynb"
    expect(page.locator(".jp-mod-dirty")).to_have_count(0)
    page.wait_for_timeout(1000)
    assert ANSWER in own.read_text(encoding="utf-8")
    validate(page)
    page.screenshot(path=tmp_path / "4-validated.png")
    assert witness.dialogs == [] and witness.errors == []
    graded = graded_hand_in(course, tmp_path / "out")
    automatic = {"normal": 2.0, "boundary": 0.5, "boundary_case": 0.5}
    in_words = {"explanation": 0.0, "q1": None, "q2": 0.0, "q3": 0.0}
    assert graded["scores"] == automatic | in_words
    assert (graded["student"], graded["status"], graded["flags"]) == ("s001", "graded", [])
