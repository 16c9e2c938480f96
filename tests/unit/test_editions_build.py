from __future__ import annotations

from pathlib import Path

import pytest

from autograder.editions import drawn
from autograder.editions.build import build, source_notebook
from autograder.errors import CourseError, LessonErrors, UsageError
from autograder.project import Project

SMALL = Path(__file__).parents[1] / "golden" / "small" / "small.qmd"
FILES = ["lessons/small/small.ipynb", "lessons/small/small.qmd", "solutions/small/small.ipynb"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "solutions" / "small").mkdir(parents=True)
    (tmp_path / "solutions" / "small" / "small.qmd").write_bytes(SMALL.read_bytes())
    return Project(root=tmp_path)


def contents(project: Project) -> dict[str, bytes]:
    return {name: (project.root / name).read_bytes() for name in FILES}


def test_writes_three_files_and_then_none(project: Project) -> None:
    built = build(project, "small")
    assert built.changed == tuple(project.root / name for name in FILES)
    assert built.warnings == ()
    first = contents(project)
    assert build(project, "small").changed == ()
    for name in FILES:
        (project.root / name).unlink()
    build(project, "small")
    assert contents(project) == first
    assert all(b"\r" not in data for data in first.values())
    names = {path.name for path in (project.root / "lessons" / "small").iterdir()}
    assert names == {"small.ipynb", "small.qmd"}


HINT = """
```{python}
#| course_role: hint
#| exercise: average
"先看单位。"
```
"""


def test_hints_that_are_gone_from_the_source_go_from_the_lesson(project: Project) -> None:
    source, hints = project.source("small"), project.root / "lessons" / "small" / "hints.toml"
    plain = source.read_text(encoding="utf-8")
    source.write_text(plain + HINT, encoding="utf-8")
    build(project, "small")
    assert "先看单位。" in hints.read_text(encoding="utf-8")
    source.write_text(plain, encoding="utf-8")
    drifted = build(project, "small", check=True)
    assert hints in drifted.changed and "-zh = " in drifted.diffs[hints]
    assert hints in build(project, "small").changed
    assert not hints.exists()
    hints.write_text("# 作者自己写的\n", encoding="utf-8")
    assert build(project, "small").changed == ()
    assert hints.exists()


def test_check_writes_nothing_and_names_what_drifted(project: Project) -> None:
    assert len(build(project, "small", check=True).changed) == 3
    assert not (project.root / "lessons").exists()
    build(project, "small")
    page = project.root / "lessons" / "small" / "small.qmd"
    page.write_text(page.read_text(encoding="utf-8").replace("想想目录", "改过"), encoding="utf-8")
    before = contents(project)
    built = build(project, "small", check=True)
    assert built.changed == (page,)
    assert "-改过。" in built.diffs[page]
    assert "+想想目录。" in built.diffs[page]
    assert contents(project) == before


def test_a_faulty_source_writes_nothing(project: Project) -> None:
    build(project, "small")
    before = contents(project)
    source = project.source("small")
    source.write_text(source.read_text(encoding="utf-8") + "\n::: {.answer}\n", encoding="utf-8")
    with pytest.raises(LessonErrors, match=r"solutions/small/small\.qmd:\d+: "):
        build(project, "small")
    assert contents(project) == before


def test_no_such_lesson(project: Project) -> None:
    with pytest.raises(UsageError, match=r"solutions/other/other\.qmd"):
        build(project, "other")


@pytest.mark.parametrize("slug", ["../small", "", "a/b", ".", "/etc"])
def test_a_path_is_no_lesson(project: Project, slug: str) -> None:
    with pytest.raises(UsageError, match="is no lesson"):
        build(project, slug)


def test_a_source_that_is_not_utf8(project: Project) -> None:
    project.source("small").write_bytes(b"---\ntitle: x\n---\n\xff\n")
    with pytest.raises(LessonErrors, match=r"small\.qmd:4: This is not UTF-8"):
        build(project, "small")


def test_line_ends_and_byte_order_mark_change_no_edition(project: Project) -> None:
    build(project, "small")
    first = contents(project)
    source = project.source("small")
    source.write_bytes(b"\xef\xbb\xbf" + source.read_bytes().replace(b"\n", b"\r\n"))
    # Only the answer notebook names the hash of its source.
    assert build(project, "small").changed == (project.root / FILES[2],)
    assert contents(project)[FILES[0]] == first[FILES[0]]
    assert contents(project)[FILES[1]] == first[FILES[1]]


def test_a_diagram_that_cannot_be_drawn_is_a_warning_and_a_sentence(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: str, *, alt: str, caption: str | None = None) -> None:
        raise CourseError(f"cannot draw {len(source)} {alt} {caption}")

    monkeypatch.setattr(drawn, "picture", refuse)
    built = build(project, "small")
    assert [warning.split(": ")[0] for warning in built.warnings] == [
        "solutions/small/small.qmd:22"
    ]
    student = (project.root / FILES[0]).read_text(encoding="utf-8")
    assert "从显存到对象存储的箭头" in student
    assert "attachment:" not in student


def test_the_master_of_grading_is_the_source_notebook(project: Project) -> None:
    master = source_notebook(project, "small")
    assert master.metadata.course.lesson == "small"
    assert len(master.metadata.course.source_sha256) == 64
    assert [cell["id"] for cell in master.cells[:3]] == ["title", "setup", "sec-goals"]
