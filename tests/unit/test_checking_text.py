"""What reading a lesson shows: one fault each, at its exact line."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.checking.anchors import pandoc_identifier
from autograder.checking.lesson_check import read_findings
from autograder.checking.names import asked
from autograder.checking.report import Finding, Severity
from autograder.project import Project
from autograder.source import parse

# Lines 1-4.
HEAD = "---\ntitle: x\ncourse: {modules: lessons.x}\n---\n"
# Lines 5-9, 10-16, 17-20, 21-29.
EXERCISE = "```{python}\n#| course_role: exercise\ndef f(a):\n    return ______\n```\n"
TESTS = (
    "```{python}\n#| course_role: tests\n#| category: normal\n#| points: 2\n"
    "assert f(1) == 2\nassert f(2) == 3\n```\n"
)
HINT = "```{python}\n#| course_role: hint\nf\n```\n"
SOLUTION = (
    "\n::: {.callout-tip .answer}\n```{python}\n#| course_role: solution\n"
    "def f(a):\n    return a + 1\n```\n:::\n\n"
)
WHOLE = HEAD + EXERCISE + TESTS + HINT + SOLUTION
END = 30
"""The line of whatever is put behind WHOLE."""


def findings(folder: Path, text: str, **files: str) -> list[Finding]:
    """Check a text; `files` are put into the project, `__` standing for a slash."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    lesson = parse(text, slug="x", path="solutions/x/x.qmd", lang="zh-CN")
    return list(read_findings(Project(root=folder, lessons=("planned",)), lesson))


def test_a_sound_lesson_has_no_findings(tmp_path: Path) -> None:
    assert findings(tmp_path, WHOLE) == []


CASES: dict[str, tuple[str, int, str]] = {
    "anchor": (WHOLE + "看[那里](#nowhere)。\n", END, "no place `#nowhere`"),
    "anchor of an answer": (
        WHOLE.replace("{.callout-tip .answer}", "{#hidden .callout-tip .answer}")
        + "看[那里](#hidden)。\n", END, "no place `#hidden`"),
    "file": (WHOLE + "[数据](data/runs.csv)\n", END, "no file `data/runs.csv`"),
    "picture": (WHOLE + "\n![图](plan.png)\n", END + 1, "no picture `plan.png`"),
    "html picture": (WHOLE + '<img src="plan.png" alt="图">\n', END, "no picture `plan.png`"),
    "picture in raw html": (
        WHOLE + '\n```{=html}\n<img alt="图" src="plan.png">\n```\n', END + 2, "no picture"),
    "definition": (WHOLE + "\n[d]: notes.md\n", END + 1, "no file `notes.md`"),
    "absolute": (WHOLE + "[根](/etc/hosts)\n", END, "absolute"),
    "out of lessons": (WHOLE + "[上](../../README.md)\n", END, "leads out"),
    "unknown lesson": (WHOLE + "[课](../lesson09/)\n", END, "no lesson 'lesson09'"),
    "footnote": (WHOLE + "这里[^src]。\n", END, "[^src]"),
    "figure reference": (WHOLE + "见 @fig-plan。\n", END, "`@fig-plan` refers to nothing"),
    "label twice": (
        WHOLE + "::: {#fig-a}\n\n:::\n\n::: {#fig-a}\n\n:::\n", END + 4, "line 30"),
    "name of no edition": (
        WHOLE.replace("assert f(2) == 3", "assert g(2) == 3"), 15, "ask for 'g'"),
    "helper in a plain cell": (
        HEAD + "```{python}\ndef near(a):\n    return a\n```\n"
        + (EXERCISE + TESTS + HINT + SOLUTION).replace("f(2) == 3", "near(f(2)) == 3"),
        19, "'near' of a plain cell"),
    "name of a verb": (
        WHOLE.replace("f(", "check(").replace("hint\nf\n", "hint\ncheck\n"),
        5, "defines 'check'"),
    "no hint at all": (WHOLE.replace(HINT, ""), 5, "No exercise of this lesson has a hint"),
    "levels": (WHOLE.replace("role: hint\n", "role: hint\n#| level: 2\n"), 17,
               "level 2, where 1 is due"),
    "module": (WHOLE + "```{python}\nfrom lessons.x import explor\n```\n", END + 1,
               "no module 'lessons.x'"),
    "points in all": (WHOLE + "满分 3 分。\n", END, "says 3 points in all, the lesson grades 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_fault_is_found_at_its_line(name: str, tmp_path: Path) -> None:
    text, line, words = CASES[name]
    found = findings(tmp_path, text)
    assert len(found) == 1, found
    assert found[0].path == "solutions/x/x.qmd"
    assert found[0].line == line
    assert words in str(found[0])


SOUND = {
    "anchors": "# 一 二 {.x}\n\n[a](#x-y) [b](#一-二) [c](#here)\n\n[]{#here}\n\n## X, Y!\n",
    "elsewhere": "[a](https://example.org/#x) <https://example.org> [m](mailto:a@b.c)\n",
    "code": "`[a](nowhere.md)` 和 `@fig-none`，$[a](b)$\n",
    "fence": "\n```markdown\n[a](nowhere.md) @fig-none\n```\n",
    "footnote": "这里[^a]。\n\n[^a]: 那里。\n",
    "pagination": "::: {.course-pagination}\n[下一课](../lesson09/)\n:::\n",
    "planned lesson": "[课](../planned/planned.qmd#top)\n",
    "itself": "[本课](x.ipynb)\n",
    "equation": "$$\na\n$$ {#eq-a}\n\n见 @eq-a 和 [-@eq-a]。写信 a@fig-b.com\n",
    "points": "满分 2 分。\n",
}


@pytest.mark.parametrize("name", SOUND)
def test_what_holds_is_no_finding(name: str, tmp_path: Path) -> None:
    assert findings(tmp_path, WHOLE + SOUND[name]) == []


def test_a_file_that_learners_have_is_found(tmp_path: Path) -> None:
    text = WHOLE + "![图](fig/a%20b.png) [数据](data.csv)\n"
    (tmp_path / "lessons/x/fig").mkdir(parents=True)
    (tmp_path / "lessons/x/fig/a b.png").touch()
    (tmp_path / "lessons/x/data.csv").touch()
    assert findings(tmp_path, text) == []


def test_a_file_beside_the_source_is_for_answers_only(tmp_path: Path) -> None:
    (tmp_path / "solutions/x").mkdir(parents=True)
    (tmp_path / "solutions/x/key.png").touch()
    public = findings(tmp_path, WHOLE + "![图](key.png)\n")
    assert [(one.line, "`solutions/` only" in one.what) for one in public] == [(END, True)]
    assert findings(tmp_path, WHOLE + "::: {.answer}\n![图](key.png)\n:::\n") == []


def test_a_figure_of_an_answer_block_is_no_public_figure(tmp_path: Path) -> None:
    figure = "::: {.answer}\n::: {#fig-key}\n\n:::\n\n见 @fig-key。\n:::\n\n"
    found = findings(tmp_path, WHOLE + figure + "见 @fig-key。\n")
    assert [(one.line, one.mend) for one in found] == [
        (END + 8, "Move it out of the answer block.")
    ]


def test_an_exercise_without_a_hint_where_others_have_one(tmp_path: Path) -> None:
    more = (EXERCISE + SOLUTION).replace("f(a)", "g(a)")
    text = WHOLE.replace("role: hint", "role: hint\n#| exercise: f")
    text = text.replace("tests\n#|", "tests\n#| exercise: f\n#|") + more
    found = findings(tmp_path, text)
    assert [(one.line, one.severity) for one in found] == [(END + 2, Severity.ERROR)]
    assert "'g' has no hint" in found[0].what


MODULE = "from x import sharp as flat\n\nLIMIT = 1\n\ndef dump_time():\n    inner = 2\n"


def test_functions_of_the_lesson_s_modules_exist(tmp_path: Path) -> None:
    text = WHOLE + (
        "```{python}\nfrom lessons.x import explore\n\nexplore.dump_time()\nexplore.dump_tme()\n"
        "explore.LIMIT, explore.flat\n```\n\n用 `explore.dump_time()` 和 `explore.inner`，"
        "见 `explore.py`。\n"
    )
    found = findings(tmp_path, text, lessons__x__explore_dot_py=MODULE)
    assert [(one.line, one.what) for one in found] == [
        (END + 4, "`explore.dump_tme` does not exist."),
        (END + 8, "`explore.inner` does not exist."),
    ]
    assert found[0].mend == "Did you mean 'dump_time'?"


TOML = """\
[[tier]]
id = "a"
low = { Bps = 1, source = "handbook", looked_up = "2026-11" }
high = { Bps = 2, source = "handbook" }

[[tier]]
id = "b"
our_choice = true

[[tier]]
id = "c"
source = "paper"
looked_up = "November"
"""


def test_sources_carry_the_date(tmp_path: Path) -> None:
    found = findings(tmp_path, WHOLE, lessons__x__tiers_dot_toml=TOML)
    assert [(one.path, one.line) for one in found] == [
        ("lessons/x/tiers.toml", 4),
        ("lessons/x/tiers.toml", 12),
    ]
    assert "looked up" in found[0].what
    assert "'November' is no month" in found[1].what


def test_a_data_file_that_is_no_toml(tmp_path: Path) -> None:
    found = findings(tmp_path, WHOLE, lessons__x__tiers_dot_toml="a = \n")
    assert [one.path for one in found] == ["lessons/x/tiers.toml"]


QUESTIONS = "## Q1 为什么\n\n想想。\n\n**你的答案：**\n\n## Q2 怎样\n\n想想。\n\n**你的答案：**\n\n"
GRADED = WHOLE + QUESTIONS  # 12 lines more; normal 2, q1 2, q2 2
TABLE = END + 12
RUBRIC = """\
lesson = "x"

[pass]
max_score = 6
total = 5
full = { normal = 2 }

[[parts]]
id = "normal"
points = 2
line = "填空"

[[parts]]
id = "q1"
points = 2
line = "Q1"

[[parts]]
id = "q2"
points = 2
line = "Q2"

[[levels]]
score = 2
public = "因果链完整"
"""


def points_findings(folder: Path, text: str, rubric: str = RUBRIC) -> list[tuple[str, int, str]]:
    found = findings(folder, text, solutions__x__rubric_dot_toml=rubric)
    return [(Path(one.path).name, one.line, one.what) for one in found]


AGREED = (
    "| 部分 | 分值 | 怎么评 |\n|---|---|---|\n| 填空 | 2 | 自动 |\n| Q1、Q2 | 各 2 | 因果链完整 |\n"
)


def test_points_that_agree(tmp_path: Path) -> None:
    assert points_findings(tmp_path, GRADED + AGREED + "\n总分不低于 5；Q1–Q2 各 2 分。\n") == []


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("| 填空 | 2 |", "| 填空 | 3 |", TABLE + 2, "'normal' 3 points, it is worth 2"),
        ("| 各 2 |", "| 各 1.5 |", TABLE + 3, "'q1' 1.5 points, it is worth 2"),
        ("Q1–Q2 各 2 分", "Q1–Q2 各 3 分", TABLE + 5, "'q1' 3 points, it is worth 2"),
        ("Q1–Q2", "Q2–Q3", TABLE + 5, "'q3' 2 points, it is worth nothing"),
        ("不低于 5", "不低于 4", TABLE + 5, "passes at 4, rubric.toml at 5"),
    ],
)
def test_points_in_the_text(old: str, new: str, line: int, words: str, tmp_path: Path) -> None:
    text = GRADED + AGREED + "\n总分不低于 5；Q1–Q2 各 2 分。\n"
    found = points_findings(tmp_path, text.replace(old, new))
    assert found[0][:2] == ("x.qmd", line)
    assert words in found[0][2]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('lesson = "x"', 'lesson = "y"', 1, "of 'y'"),
        ("max_score = 6", "max_score = 7", 4, "7, the lesson's points sum to 6"),
        ("normal = 2 }", "normal = 3 }", 6, "asks 3 of 'normal', which is worth 2"),
        ('id = "q1"\npoints = 2', 'id = "q1"\npoints = 1', 13, "'q1' has 1 points here and 2"),
        ('id = "q2"', 'id = "q3"', 18, "'q3' is nothing that the lesson grades"),
        ("因果链完整", "因果链很完整", 25, "'因果链很完整' is not in the lesson's text"),
    ],
)
def test_points_in_the_rubric(old: str, new: str, line: int, words: str, tmp_path: Path) -> None:
    found = points_findings(tmp_path, GRADED + AGREED, RUBRIC.replace(old, new))
    assert ("rubric.toml", line) in [one[:2] for one in found]
    assert any(words in what for _, _, what in found)


def test_a_part_that_the_rubric_lacks(tmp_path: Path) -> None:
    without = RUBRIC[: RUBRIC.index('[[parts]]\nid = "q2"')] + RUBRIC[RUBRIC.index("[[levels]]") :]
    found = points_findings(tmp_path, GRADED + AGREED, without)
    assert [one[1:] for one in found] == [
        (8, "There is no [[parts]] for 'q2', which the lesson grades.")
    ]


def test_a_rubric_that_is_no_toml(tmp_path: Path) -> None:
    assert [one[0] for one in points_findings(tmp_path, GRADED, "lesson = \n")] == ["rubric.toml"]


def test_what_the_first_cell_and_plain_cells_import_is_known(tmp_path: Path) -> None:
    code = "```{python}\nimport math as m\n```\n"
    text = WHOLE.replace("f(2) == 3", "m.isclose(f(2), 3), sys.path")
    assert findings(tmp_path, text.replace(EXERCISE, code + EXERCISE)) == []
    unread = code.replace("import", "#| eval: false\nimport")
    found = findings(tmp_path, text.replace(EXERCISE, unread + EXERCISE))
    assert [(one.line, "ask for 'm'" in one.what) for one in found] == [(19, True)]


def test_names_that_tests_take_from_elsewhere() -> None:
    source = (
        "import math\nk = [math.sqrt(v) for v in given]\n"
        "def g(a):\n    local = a\n    return local + far + k[0]\n"
        "class C:\n    def m(self):\n        return deep\n"
        "def h():\n    global late\n    late = 1\nlate\ng(len(k))\n"
    )
    assert asked(source) == {"given": 2, "far": 5, "deep": 8, "len": 13}


@pytest.mark.parametrize(
    ("heading", "identifier"),
    [
        ("X, Y!", "x-y"),
        ("2. 五层存储", "五层存储"),
        ("填空：`checkpoint_io`", "填空checkpoint_io"),
        ("[link](a.md) *here*", "link-here"),
        ("123", "section"),
    ],
)
def test_identifiers_of_headings(heading: str, identifier: str) -> None:
    assert pandoc_identifier(heading) == identifier
