"""Lessons as authors have them: two of this dialect, three from before it."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from autograder.checking.links import broken_links
from autograder.editions.build import build, lesson_of
from autograder.errors import LessonErrors
from autograder.model import Lesson
from autograder.project import Project

FOLDER = Path(__file__).parent
LESSON03 = FOLDER.parents[1] / "solutions" / "lesson03" / "lesson03.qmd"
OLD, NEW = ("legacy", "notices", "plain"), ("lesson02", "lesson04")
# Whatever of an old lesson is for its author ends in a number that no other text has.
PRIVATE = re.compile(r"[a-z-]+-[3-6]\d\b")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("course")
    for slug in (*OLD, *NEW, "lesson03"):
        source = LESSON03 if slug == "lesson03" else FOLDER / slug / f"{slug}.qmd"
        (root / "solutions" / slug).mkdir(parents=True)
        (root / "solutions" / slug / source.name).write_bytes(source.read_bytes())
    return Project(root=root, lessons=("lesson02", "lesson03", "lesson04"))


@pytest.fixture(scope="module", autouse=True)
def built(project: Project) -> dict[str, tuple[str, ...]]:
    """Slug -> warnings of its build."""
    return {slug: build(project, slug).warnings for slug in (*OLD, *NEW)}


def lesson(project: Project, slug: str) -> Lesson:
    return lesson_of(project, slug)


def students(project: Project, slug: str) -> dict[str, str]:
    folder = project.lesson_modules / slug
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def notebook(project: Project, slug: str, side: str = "lessons") -> nbformat.NotebookNode:
    return nbformat.read(project.root / side / slug / f"{slug}.ipynb", as_version=4)


@pytest.mark.parametrize(("slug", "count"), [("legacy", 12), ("notices", 3), ("plain", 1)])
def test_nothing_for_the_author_reaches_a_learner(project: Project, slug: str, count: int) -> None:
    source = project.source(slug).read_text(encoding="utf-8")
    private = set(PRIVATE.findall(source))
    told = "".join(students(project, slug).values())
    assert not {word for word in private if word in told}
    assert len(private) == count


@pytest.mark.parametrize("slug", OLD)
def test_nothing_of_the_answer_block_reaches_a_learner(project: Project, slug: str) -> None:
    source = project.source(slug).read_text(encoding="utf-8")
    block = (
        source.partition('collapse="true"')[2]
        if slug != "legacy"
        else (source.partition("点击展开参考答案")[2].partition("## 7. 小结")[0])
    )
    public = source.replace(block, "")
    lines = {line.strip() for line in block.partition("course-pagination")[0].split("\n")}
    own = {line for line in lines if len(line) > 7 and line not in public}
    assert len(own) > 4
    for text in students(project, slug).values():
        assert not {line for line in own if line in text}


@pytest.mark.parametrize(
    ("slug", "ids", "max_score"),
    [
        ("legacy", ["checkpoint_io", "q1", "q2", "q3"], 7.0),
        ("notices", ["waiting_s", "utilisation", "q1", "q2"], 4.0),
        ("plain", ["exercise-1", "q1"], 2.0),
        ("lesson02", ["ring_volume", "normal", "boundary", "q1"], 5.0),
        ("lesson04", ["placed", "normal", "boundary", "q1"], 5.0),
    ],
)
def test_ids_and_points_by_default(
    project: Project, slug: str, ids: list[str], max_score: float
) -> None:
    book = notebook(project, slug)
    roles = {"exercise", "tests", "answer"}
    assert [one["id"] for one in book.cells if one.metadata.course.role in roles] == ids
    assert book.metadata.course.max_score == max_score


def test_what_learners_read_of_an_old_lesson(project: Project) -> None:
    told = students(project, "legacy")
    page, book = told["legacy.qmd"], told["legacy.ipynb"]
    for shown in (
        "分清三层存储", "先看图，再看公式。", "展开看一个反例", "# 四个反引号里的围栏",
        "请只替换 `______`。", "提示：想想节点丢失。", "（在此作答，3–5 句）", "Q2 看故障域",
        "否决项：把猜测写成测量。", "下一课讲容器。",
    ):  # fmt: skip
        assert shown in page
        assert shown in book
    assert 'title: "第 3 课：存储分层与 checkpoint"\n' in page
    for hidden in ("答案版", "subtitle", "bibliography", "difficulty", "ai-infra", "右侧目录"):
        assert hidden not in page
        assert hidden not in book
    pagination = notebook(project, "legacy").cells[-1].source
    assert pagination == (
        '<a href="../lesson02/lesson02.ipynb">← 上一课</a>\n[下一课 →](../lesson04/lesson04.ipynb)'
    )
    assert '<a href="../lesson02/lesson02.qmd">' in page


def test_pages_of_neighbours_are_notebooks_in_a_notebook(project: Project) -> None:
    assert notebook(project, "notices").cells[-1].source == (
        "[上一课](../lesson04/lesson04.ipynb) | [下一课](../lesson06/)"
    )


@pytest.mark.parametrize("slug", ["notices", "plain"])
def test_a_title_in_the_text_stands_once(project: Project, slug: str) -> None:
    texts = [cell.source for cell in notebook(project, slug).cells]
    assert sum(text.count("# 第") for text in texts) == 1
    assert "教师版" not in "".join(texts)


@pytest.mark.parametrize("slug", OLD)
def test_the_answer_notebook_folds_the_reference(project: Project, slug: str) -> None:
    cells = notebook(project, slug, "solutions").cells
    solutions = [cell for cell in cells if cell.metadata.course.role == "solution"]
    assert len(solutions) == (2 if slug == "notices" else 1)
    assert all(cell.metadata.jupyter.source_hidden for cell in solutions)
    assert any("<details>" in cell.source for cell in cells)


@pytest.mark.parametrize("slug", OLD)
def test_the_student_page_of_an_old_lesson_has_no_reference(project: Project, slug: str) -> None:
    page = project.lesson_modules / slug / f"{slug}.qmd"
    with pytest.raises(LessonErrors, match="has no solution"):
        lesson_of_text(page, project)


def lesson_of_text(page: Path, project: Project) -> Lesson:
    from autograder.source import read_lesson  # noqa: PLC0415  # this one test reads a page

    return read_lesson(page, project.root, "zh-CN")


@pytest.mark.parametrize("slug", NEW)
def test_a_new_lesson_builds_without_a_word(
    built: dict[str, tuple[str, ...]], project: Project, slug: str
) -> None:
    assert built[slug] == ()
    assert list(broken_links(project, lesson(project, slug))) == []
    assert "[第 3 课](../lesson03/lesson03.ipynb)" in students(project, slug)[f"{slug}.ipynb"]


def test_a_new_lessons_answers_stay(project: Project) -> None:
    for slug, secret in [
        ("lesson02", "2 * (gpus - 1) / gpus"), ("lesson02", "推迟右邻"), ("lesson02", "1.998e9"),
        ("lesson04", "request <= left"), ("lesson04", "request < left"), ("lesson04", "旧驱动没有"),
    ]:  # fmt: skip
        assert secret in project.source(slug).read_text(encoding="utf-8")
        assert not [name for name, text in students(project, slug).items() if secret in text]
