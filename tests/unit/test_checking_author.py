"""The verbs of authors: check, new, build --watch; and lesson03 as it stands."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.checking import lesson_check
from autograder.checking.digest import second_build
from autograder.checking.drift import broken_diagrams, drifted
from autograder.checking.lesson_check import check_lesson
from autograder.checking.report import Counts, Finding, Report, Severity, in_order
from autograder.cli import course
from autograder.commands import author
from autograder.errors import CourseError, MissingOnMachine, UsageError
from autograder.model import Role
from autograder.project import Project, find_project
from autograder.source import parse
from autograder.source.skeleton import skeleton

ROOT = Path(__file__).resolve().parents[2]
TABLE = '[tool.course]\ntitle = "课"\nlang = "{lang}"\nlessons = ["rates"]\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text(TABLE.format(lang="zh-CN"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str) -> Path:
    source = folder / "solutions/rates/rates.qmd"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text, encoding="utf-8")
    return source


@pytest.mark.parametrize(("lang", "word"), [("zh-CN", "参考答案"), ("en", "Reference answer")])
def test_a_new_lesson_is_in_the_project_s_language(lang: str, word: str) -> None:
    text = skeleton("rates", lang)
    assert f'title="{word}"' in text
    lesson = parse(text, slug="rates", path="rates.qmd", lang=lang)
    assert lesson.max_score == 5
    assert [cell.grade_id for cell in lesson.cells(Role.EXERCISE, Role.TESTS)] == [
        "mean_rate",
        "normal",
        "boundary",
    ]


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_new_lesson_builds_and_checks(folder: Path) -> None:
    assert CliRunner().invoke(course, ["new", "rates"]).exit_code == 0
    assert (folder / "solutions/rates/rates.qmd").is_file()
    unbuilt = CliRunner().invoke(course, ["check", "rates"])
    assert unbuilt.exit_code == 1
    assert "lessons/rates/rates.ipynb: This file is not built. Run `course build rates`." in (
        unbuilt.output
    )
    assert CliRunner().invoke(course, ["build", "rates"]).exit_code == 0
    checked = CliRunner().invoke(course, ["check"])
    assert checked.exit_code == 0, checked.output
    last = checked.output.strip().rpartition("\n")[2]
    assert re.fullmatch(
        r"rates: 0 errors, 0 warnings; 2 tests, 5 fills, \d+ mutants \(\d+ killed by hidden "
        r"tests, 0 by visible ones only, 1 equivalent, 0 surviving\)",
        last,
    )


@pytest.mark.parametrize("slug", ["Rates", "1st", "a-b", "../x", "class", "", "x" * 41])
def test_a_name_that_cannot_be_a_lesson_s(slug: str, folder: Path) -> None:
    with pytest.raises(UsageError, match="cannot be a lesson's name"):
        author.new_lesson(slug)
    assert not (folder / "solutions").exists()


@pytest.mark.parametrize("taken", ["solutions/rates", "lessons/rates", "lessons/rates.py"])
def test_a_name_that_is_taken(taken: str, folder: Path) -> None:
    (folder / taken).mkdir(parents=True)
    with pytest.raises(UsageError, match=f"^{taken} is there already"):
        author.new_lesson("rates")


def test_a_source_that_breaks_the_dialect_is_reported_by_line(folder: Path) -> None:
    write(folder, "# a\n\n## 参考答案\n\n先乘。\n\n```{python}\n#| course_role: solutoin\n```\n")
    done = CliRunner().invoke(course, ["check", "rates"])
    assert done.exit_code == 1
    first, second, last = done.output.strip().split("\n")
    assert first.startswith("solutions/rates/rates.qmd:3: The section '参考答案' stands outside")
    assert second.startswith("solutions/rates/rates.qmd:8: ")
    assert second.endswith("Did you mean 'solution'?")
    assert last.startswith("rates: 2 errors, 0 warnings;")


def test_without_a_sandbox_what_was_read_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, skeleton("rates", "zh-CN") + "\n[x](nowhere.md)\n")

    def refuse(_project: Project) -> None:
        raise MissingOnMachine("no sandbox: install bubblewrap.")

    monkeypatch.setattr(lesson_check, "sandbox", refuse)
    checked = check_lesson(find_project(), "rates")
    assert "There is no file `nowhere.md`." in [one.what for one in checked.report.findings]
    assert checked.missing is not None
    assert checked.missing.exit_code == 3
    with pytest.raises(MissingOnMachine, match="install bubblewrap"):
        author.check_lessons("rates")


def test_derived_files_that_drifted_or_are_missing(folder: Path) -> None:
    write(folder, skeleton("rates", "zh-CN"))
    author.build_lessons("rates", check=False)
    (folder / "lessons/rates/rates.qmd").write_text("edited", encoding="utf-8")
    (folder / "solutions/rates/rates.ipynb").unlink()
    lesson = lesson_check.lesson_of(find_project(), "rates")
    with second_build(folder, "rates") as second:
        found = list(drifted(find_project(), lesson, second))
    assert [(one.path, one.what) for one in found] == [
        ("lessons/rates/rates.qmd", "This file is not what its source gives."),
        ("solutions/rates/rates.ipynb", "This file is not built."),
    ]


class _Otherwise:
    """A second build that came out differently in one file."""

    def result(self) -> dict[str, str]:
        return {}


def test_two_builds_that_differ(folder: Path) -> None:
    write(folder, skeleton("rates", "zh-CN"))
    author.build_lessons("rates", check=False)
    lesson = lesson_check.lesson_of(find_project(), "rates")
    found = list(drifted(find_project(), lesson, _Otherwise()))  # type: ignore[arg-type]
    assert [one.what for one in found] == ["Two builds of this file differ."] * 4


def test_a_second_build_that_fails(folder: Path) -> None:
    with (
        second_build(folder, "nothing") as second,
        pytest.raises(CourseError, match="second build failed"),
    ):
        second.result()


def test_a_diagram_that_does_not_render() -> None:
    text = "# a\n\n```{mermaid}\n%%| fig-alt: x\nflowchart LR\n  a -->\n```\n"
    lesson = parse(text, slug="x", path="x.qmd", lang="zh-CN")
    found = list(broken_diagrams(lesson))
    assert [(one.line, one.severity) for one in found] == [(3, Severity.ERROR)]
    assert "cannot be drawn" in found[0].what


def test_watch_builds_again_and_survives_a_fault(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = skeleton("rates", "zh-CN")
    source = write(folder, good)
    pauses: list[float] = []

    def save(text: str) -> None:
        source.write_text(text, encoding="utf-8")
        os.utime(source, ns=(0, len(pauses) + 1))

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        match len(pauses):
            case 1:
                save(good + "\n:::\n")
            case 3:
                save(good.replace("学习目标", "目标"))
            case 4:
                source.unlink()
            case 5:
                raise KeyboardInterrupt

    assert author.watch_lessons("rates", sleep=sleep) == 0
    told = capsys.readouterr()
    assert told.out.count("wrote lessons/rates/rates.ipynb") == 2
    assert told.err.count("closes nothing") == 1
    assert told.err.count("cannot be read") == 1
    assert "## 目标" in (folder / "lessons/rates/rates.qmd").read_text("utf-8")


def test_check_and_watch_exclude_each_other(folder: Path) -> None:
    assert folder.is_dir()
    done = CliRunner().invoke(course, ["build", "--check", "--watch"])
    assert done.exit_code == 2


def test_findings_are_said_once_and_in_order() -> None:
    late = Finding(path="a.qmd", line=10, what="Late.", mend="Go.")
    early = Finding(path="a.qmd", line=9, what="Early.", mend="Go.", severity=Severity.WARNING)
    report = Report(findings=in_order([late, early, late]))
    assert [str(one) for one in report.findings] == [
        "a.qmd:9: warning: Early. Go.",
        "a.qmd:10: Late. Go.",
    ]
    assert (report.errors, report.warnings) == (1, 1)
    assert str(Counts(tests=1, mutants=3, killed=2, surviving=1)) == (
        "1 test, 0 fills, 3 mutants (2 killed by hidden tests, 0 by visible ones only, "
        "0 equivalent, 1 surviving)"
    )


@pytest.mark.slow
@pytest.mark.sandbox
def test_lesson03_passes_its_check() -> None:
    checked = check_lesson(find_project(ROOT), "lesson03")
    errors = [str(one) for one in checked.report.findings if one.severity is Severity.ERROR]
    assert errors == []
    counts = checked.report.counts
    assert (counts.exercises, counts.tests, counts.fills) == (2, 3, 65)
    assert counts.mutants > 300
    assert counts.shown_only == 0
    # Taking the absolute value of what is positive changes nothing.
    assert counts.equivalent == 1
    assert counts.killed + counts.equivalent + counts.surviving == counts.mutants
    assert counts.surviving <= 2
