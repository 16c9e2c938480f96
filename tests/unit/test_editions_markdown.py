from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from autograder.editions.notebook import answer_edition, source_edition
from autograder.editions.student_page import student_page
from autograder.source import parse


def cells(text: str, *, lang: str = "zh-CN", answers: bool = False) -> list[str]:
    """Sources of all cells below the title."""
    lesson = parse("---\ntitle: t\n---\n\n" + text, slug="x", path="x.qmd", lang=lang)
    edition = answer_edition(lesson) if answers else source_edition(lesson)
    return [cell.source for cell in edition.notebook.cells[1:]]


def one(text: str, **options: str) -> str:
    (found,) = cells(text, lang=options.get("lang", "zh-CN"))
    return found


@pytest.mark.parametrize(
    ("kind", "zh", "en"),
    [
        ("note", "注意", "Note"),
        ("tip", "提示", "Tip"),
        ("important", "重要", "Important"),
        ("warning", "警告", "Warning"),
        ("caution", "小心", "Caution"),
    ],
)
def test_callouts(kind: str, zh: str, en: str) -> None:
    text = f"::: {{.callout-{kind}}}\ntext\n:::\n"
    assert one(text) == f"> **{zh}**\n>\n> text"
    assert one(text, lang="en") == f"> **{en}**\n>\n> text"


def test_callout_titles_come_from_the_attribute_or_the_first_heading() -> None:
    assert one('::: {.callout-tip title="甲"}\n乙\n:::\n') == "> **提示：甲**\n>\n> 乙"
    assert one("::: {.callout-tip}\n\n## 甲\n\n乙\n:::\n") == "> **提示：甲**\n>\n> 乙"


def test_collapsed_callouts_fold() -> None:
    assert one('::: {.callout-note collapse="true"}\n甲\n:::\n') == (
        "<details>\n<summary><b>注意</b></summary>\n\n甲\n\n</details>"
    )
    assert one('::: {.callout-note collapse="false"}\n甲\n:::\n').startswith("<details open>")


def test_a_callout_with_a_cell_is_a_title_and_the_cell() -> None:
    text = "::: {.callout-tip}\n甲\n\n```{python}\n1\n```\n:::\n"
    assert cells(text) == ["> **提示**\n\n甲", "1"]


def test_formulas_in_a_quote_stand_on_one_line() -> None:
    text = "::: {.callout-tip}\n$$\na\n= b\n$$\n:::\n"
    assert one(text) == "> **提示**\n>\n> $$a = b$$"


@pytest.mark.parametrize(
    ("quarto", "portable"),
    [
        ("# 题 {#sec-a .unnumbered}", "# 题"),
        ("[红]{.red} `x`{.python} [a](b){.btn}", "红 `x` [a](b)"),
        ("[a](b.qmd) [c](../d.qmd#e) [f](https://g.org/h.qmd)",
         "[a](b.ipynb) [c](../d.ipynb#e) [f](https://g.org/h.qmd)"),
        ("`[a]{.b} @fig-x ~y~` $a_{1}^{2}^{3}$", "`[a]{.b} @fig-x ~y~` $a_{1}^{2}^{3}$"),
        ("H~2~O m^2^ ~~no~~ ~/a b", "H<sub>2</sub>O m<sup>2</sup> ~~no~~ ~/a b"),
        ("a[^n]\n\n[^n]: b", "a<sup>n</sup>\n\n<sup>n</sup> b"),
        ("a^[b] c", "a（b） c"),
        ("甲\n:   乙\n:   丙", "**甲**\n\n- 乙\n- 丙"),
        ("| 甲\n|  乙\n", "甲\\\n乙"),
        ("| a |\n|---|\n| b |\n\n: cap", "| a |\n|---|\n| b |\n\n*cap*"),
        ("| a |\n|---|\n\n: 表题 {#tbl-a}\n\n见 @tbl-a。",
         "| a |\n|---|\n\n*表 1：表题*\n\n见表 1。"),
        ("![图题](a.png){#fig-a width=3in}\n\n[@fig-a]，-@fig-a",
         "![图题](a.png)\n\n*图 1：图题*\n\n图 1，1"),
        ("![](a.png){width=3in}", "![](a.png)"),
        ("$$ a $$ {#eq-a}\n\n@eq-a", "$$ a \\tag{1}$$\n\n式 (1)"),
        ("$$\na\n$$ {#eq-a}\n", "$$\na \\tag{1}\n$$"),
        ("## 甲 {#sec-a}\n\n见 @sec-a", "## 甲\n\n见「甲」"),
        ("{{< pagebreak >}}a {{< kbd Ctrl >}} {{< meta title >}}", "a <kbd>Ctrl</kbd> t"),
        ("{{{< video x >}}}", "{{< video x >}}"),
        ("```{.python filename=\"a.py\"}\n1\n```", "**`a.py`**\n\n```python\n1\n```"),
        ("```{{python}}\n1\n```", "```python\n1\n```"),
        ("````md\n```{python}\n```\n````", "````md\n```{python}\n```\n````"),
        ("```{=html}\n<i>\n```", "<i>"),
        ("a\n\n```{=latex}\n\\x\n```", "a"),
        ("a\n\n<!--\nb\n-->", "a"),
        ("me@example.org @someone", "me@example.org @someone"),
        ("::: {.columns}\n::: {.column}\na\n:::\n::: {.column}\nb\n:::\n:::", "a\n\nb"),
        ("::: {.panel-tabset}\n\n## A\n\na\n\n## B\n\nb\n:::", "**A**\n\na\n\n**B**\n\nb"),
        ("::: {#fig-a}\n![](a.png)\n\n题注\n:::\n\n@fig-a", "![](a.png)\n\n*图 1：题注*\n\n图 1"),
        ("::: {#tip-a .callout-tip}\na\n:::\n\n见 @tip-a", "> **提示**\n>\n> a\n\n见提示 1"),
        ('::: {.content-hidden when-format="html"}\na\n:::', "a"),
        ('::: {.content-visible when-format="ipynb"}\na\n:::', "a"),
    ],
)  # fmt: skip
def test_quarto_becomes_portable(quarto: str, portable: str) -> None:
    assert one(quarto + "\n") == portable


def test_conditional_content_by_profile() -> None:
    text = (
        '::: {.content-visible unless-profile="answer"}\n学生\n:::\n\n'
        '::: {.content-hidden when-profile="answer"}\n也是\n:::\n\n'
        '::: {.content-hidden unless-profile="answer"}\n教师\n:::\n'
    )
    assert cells(text) == ["学生\n\n也是"]
    assert cells(text, answers=True) == [
        "<details>\n<summary><b>参考答案</b></summary>\n\n教师\n\n</details>"
    ]


def test_cells_begin_at_headings() -> None:
    assert cells("a\n\n# b\n\nc\n\n## d\n") == ["a", "# b\n\nc", "## d"]


def test_a_plain_cell_that_is_not_run_is_shown() -> None:
    assert cells("```{python}\n#| eval: false\nx()\n```\n") == ["```python\nx()\n```"]


MINIMAL = """\
---
title: 第 2 课
---

::: {.callout-note}
本页是答案版。
:::

## 练习

```{python}
#| course_role: exercise
def half(x):
    return ______
```

## Q1：为什么？

**你的答案：**

## 评分

一条因果链。

::: {.callout-tip collapse="true"}
## 参考答案

```{python}
#| course_role: solution
def half(x):
    return x / 2
```

### Q1

因为。参考：[1](https://example.org)。
:::

::: {.course-pagination}
[下一课](../lesson03/lesson03.qmd)
:::
"""


def test_a_lesson_without_ids_tests_and_modules_builds_as_it_is() -> None:
    lesson = parse(MINIMAL, slug="lesson02", path="x.qmd", lang="zh-CN")
    notebook = source_edition(lesson).notebook
    assert [cell["id"] for cell in notebook.cells] == [
        "title", "prose-1", "half", "prose-2", "q1", "prose-3", "prose-4",
    ]  # fmt: skip
    assert lesson.max_score == 2.0
    page = student_page(lesson)
    assert "x / 2" not in page
    assert "因为" not in page
    assert "答案版" not in page
    assert "#| eval: false\n#| course_role: exercise\n" in page


def test_warnings_name_what_has_no_form() -> None:
    lesson = parse("见 @fig-none {{< lipsum 3 >}}\n", slug="x", path="x.qmd", lang="en")
    assert source_edition(lesson).warnings == (
        "x.qmd: the shortcode {{< lipsum >}} has no form in a notebook.",
        "x.qmd: @fig-none refers to nothing in this edition.",
    )


def test_the_setup_cell_finds_lessons_or_says_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = parse(
        "---\ntitle: t\ncourse: {modules: lessons.x}\n---\n", slug="x", path="x.qmd", lang="en"
    )
    source = source_edition(lesson).notebook.cells[1].source
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="inside the whole course folder"):
        exec(source, {})  # noqa: S102  # the cell under test
    (tmp_path / "lessons" / "x").mkdir(parents=True)
    (tmp_path / "lessons" / "classroom").mkdir()
    monkeypatch.chdir(tmp_path / "lessons" / "x")
    exec(source, {})  # noqa: S102  # the cell under test
    assert sys.path[0] == str(tmp_path)
