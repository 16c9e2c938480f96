"""Quarto's features pass to the page to the letter, and to the notebook in a form it shows."""

from __future__ import annotations

import pytest

from autograder.editions.notebook import source_edition
from autograder.editions.student_page import student_page
from autograder.errors import LessonErrors
from autograder.model import Lesson
from autograder.source import parse

HEAD = "---\ntitle: t\n---\n\n"
NOTE = "# Generated from x.qmd: do not edit by hand; edit the source and run course build.\n"


def lesson_of(text: str) -> Lesson:
    return parse(HEAD + text, slug="x", path="x.qmd", lang="en")


def cells(lesson: Lesson) -> list[str]:
    """The notebook's cells below the title."""
    return [cell.source for cell in source_edition(lesson).notebook.cells[1:]]


def folded(title: str, text: str) -> str:
    return f"<details>\n<summary><b>{title}</b></summary>\n\n{text}\n\n</details>"


# name -> source, cells of the notebook
FEATURES: dict[str, tuple[str, list[str]]] = {
    "note": ("::: {.callout-note}\na\n:::\n", ["> **Note**\n>\n> a"]),
    "tip with a title": ('::: {.callout-tip title="b"}\na\n:::\n', ["> **Tip: b**\n>\n> a"]),
    "important, simple": (
        '::: {.callout-important appearance="simple"}\na\n:::\n', ["> **Important**\n>\n> a"]),
    "warning without icon": (
        "::: {.callout-warning icon=false}\n## b\na\n:::\n", ["> **Warning: b**\n>\n> a"]),
    "caution, collapsed": (
        '::: {.callout-caution collapse="true"}\n## b\n\na\n:::\n', [folded("Caution: b", "a")]),
    "callout of pandoc's short form": ("::: callout-note\na\n:::\n", ["> **Note**\n>\n> a"]),
    "callout with a list and a table": (
        "::: {.callout-note}\n- a\n\n| b |\n|---|\n| c |\n:::\n",
        ["> **Note**\n>\n> - a\n>\n> | b |\n> |---|\n> | c |"]),
    "callout with a fence": (
        "::: {.callout-note}\n```sh\n# a\n:::\n```\n:::\n",
        ["> **Note**\n>\n> ```sh\n> # a\n> :::\n> ```"]),
    "callout in a callout": (
        ":::: {.callout-note}\na\n\n::: {.callout-tip}\nb\n:::\n::::\n",
        ["> **Note**\n>\n> a\n>\n> > **Tip**\n> >\n> > b"]),
    "visible for a page only": (
        '::: {.content-visible when-format="html"}\na\n:::\n\nb\n', ["b"]),
    "hidden from pages": ('::: {.content-hidden when-format="html"}\na\n:::\n', ["a"]),
    "visible unless answers": (
        '::: {.content-visible unless-profile="answer"}\na\n:::\n', ["a"]),
    "visible for another profile": (
        '::: {.content-visible when-profile="print"}\na\n:::\n\nb\n', ["b"]),
    "tabset": (
        "::: {.panel-tabset group=\"os\"}\n\n### A\n\na\n\n```sh\nb\n```\n\n### B\n\nc\n\n:::\n",
        ["**A**\n\na\n\n```sh\nb\n```\n\n**B**\n\nc"]),
    "columns": (
        ':::: {.columns}\n\n::: {.column width="40%"}\na\n:::\n\n::: {.column width="60%"}\nb\n'
        ":::\n\n::::\n", ["a\n\nb"]),
    "margin": ("::: {.column-margin}\na\n:::\n", ["a"]),
    "figure and reference": (
        "![a *b*](https://c.org/d.png){#fig-e fig-alt=\"f\" width=50%}\n\nSee @fig-e (@fig-e).\n",
        ["![a *b*](https://c.org/d.png)\n\n*Figure 1: a *b**\n\nSee Figure 1 (Figure 1)."]),
    "figure div": (
        "::: {#fig-a}\n\n![](https://b.org/c.png)\n\nd\n\n:::\n\n@fig-a\n",
        ["![](https://b.org/c.png)\n\n*Figure 1: d*\n\nFigure 1"]),
    "table and reference": (
        "| a |\n|--:|\n| 1 |\n\n: b {#tbl-c tbl-colwidths=\"[1]\"}\n\n@tbl-c\n",
        ["| a |\n|--:|\n| 1 |\n\n*Table 1: b*\n\nTable 1"]),
    "code that is folded": (
        "```{python}\n#| code-fold: true\n#| code-summary: \"a\"\n1\n```\n", ["1"]),
    "raw HTML block": ("```{=html}\n<b>a</b>\n```\n", ["<b>a</b>"]),
    "raw HTML in text": (
        '<div class="a">\n<span style="color:red">b</span>\n</div>\n',
        ['<div class="a">\n<span style="color:red">b</span>\n</div>']),
    "raw LaTeX": ("a\n\n```{=latex}\n\\newpage\n```\n", ["a"]),
    "footnotes": ("a[^1] b^[c]\n\n[^1]: d\n", ["a<sup>1</sup> b (c)\n\n<sup>1</sup> d"]),
    "definition list": ("a\n:   b\n\n    c\n", ["**a**\n\n- b\n\n    c"]),
    "definition list with tildes": ("a\n~ b\n~ c\n", ["**a**\n\n- b\n- c"]),
    "line block": ("| a\n|   b\n| c\n", ["a\\\nb\\\nc"]),
    "four backticks": ("````\n```\na\n```\n````\n", ["````\n```\na\n```\n````"]),
    "tilde fence": ("~~~~ {.sh}\n~~~\n```\n~~~~\n", ["~~~~sh\n~~~\n```\n~~~~"]),
    "fence with a file name": (
        '```{.toml filename="a.toml"}\nb = 1\n```\n', ["**`a.toml`**\n\n```toml\nb = 1\n```"]),
    "cell that is shown": ("```{{python}}\n#| echo: false\n1\n```\n",
                           ["```python\n#| echo: false\n1\n```"]),
    "options in block form": (
        "```{python}\n#| label: fig-a\n#| fig-cap:\n#|   - b\n#|   - c\n#| fig-alt: >-\n#|   d\n"
        "#|   e\n1\n```\n",
        ["1", "*Figure 1: b / c*"]),
    "table that a cell makes": (
        "```{python}\n#| label: tbl-a\n#| tbl-cap: b\n1\n```\n\n@tbl-a\n",
        ["1", "*Table 1: b*\n\nTable 1"]),
    "tabs": ("-\ta\n\n\tb\n\n\t```sh\n\tc\td\n\t```\n", ["-\ta\n\n\tb\n\n\t```sh\n\tc\td\n\t```"]),
    "escaped shortcode": ("{{{< include a.qmd >}}}\n", ["{{< include a.qmd >}}"]),
    "task list": ("- [ ] a\n- [x] b\n", ["- [ ] a\n- [x] b"]),
    "heading with attributes": ("## a {#sec-b .unnumbered .unlisted}\n\n@sec-b\n",
                                ["## a\n\n“a”"]),
    "equation and reference": ("$$\na\n$$ {#eq-b}\n\n@eq-b\n",
                               ["$$\na \\tag{1}\n$$\n\nEquation (1)"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FEATURES)
def test_to_the_letter_on_the_page(name: str) -> None:
    source, _ = FEATURES[name]
    assert student_page(lesson_of(source)) == f"---\n{NOTE}title: t\n---\n\n{source}"


@pytest.mark.parametrize("name", FEATURES)
def test_in_the_notebook(name: str) -> None:
    source, expected = FEATURES[name]
    assert cells(lesson_of(source)) == expected


@pytest.mark.parametrize("name", FEATURES)
def test_windows_line_ends_and_a_byte_order_mark_change_nothing(name: str) -> None:
    source, expected = FEATURES[name]
    text = "\ufeff" + (HEAD + source).replace("\n", "\r\n")
    lesson = parse(text, slug="x", path="x.qmd", lang="en")
    assert cells(lesson) == expected
    assert student_page(lesson) == f"---\n{NOTE}title: t\n---\n\n{source}"


def test_answers_by_profile_stay_whatever_they_hold() -> None:
    source = (
        'a\n\n::: {.content-visible when-profile="answer"}\n::: {.panel-tabset}\n## b1\nb2\n:::\n'
        "```{=html}\n<i>b3</i>\n```\n![b4](b5.png)\n:::\n\nc\n"
    )
    lesson = lesson_of(source)
    assert student_page(lesson) == f"---\n{NOTE}title: t\n---\n\na\n\n\nc\n"
    assert cells(lesson) == ["a\n\nc"]


@pytest.mark.parametrize(
    "text",
    ["{{< include _a.qmd >}}", "::: {.answer}\n{{< include _a.qmd >}}\n:::",
     "```{python}\n{{< include a.py >}}\n```", "{{<include _a.qmd>}}", "{{< embed a.ipynb#b >}}"],
)  # fmt: skip
def test_includes_are_refused_with_their_line(text: str) -> None:
    with pytest.raises(LessonErrors, match=r"x\.qmd:[567]: .*Copy that text into the lesson"):
        lesson_of(f"{text}\n")


def test_settings_that_leave_and_settings_that_stay() -> None:
    text = (
        "---\n# canary-1\ntitle: 'a: b' # canary-2\nnotes: |\n  canary-3\nformat:\n"
        "  html: # canary-4\n    toc: true\nfilters: [canary-5.lua]\ndescription: |\n"
        "  # no comment\ncourse:\n"
        "  modules: lessons.x\n  canary-6: 1\nlang: en\n---\n\n"
        "```{python}\n#| canary-7: 1\n#| fig-cap: |\n#|   c\n#| # canary-8\n"
        "#| echo: false # canary-9\n1\n```\n"
    )
    page = student_page(parse(text, slug="x", path="x.qmd", lang="en"))
    assert page == (
        f"---\n{NOTE}title: 'a: b'\nformat:\n  html:\n    toc: true\n"
        "description: |\n  # no comment\nlang: en\ncourse: {modules: lessons.x}\n---\n\n"
        "```{python}\n#| fig-cap: |\n#|   c\n#| echo: false\n1\n```\n"
    )


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("#| eval: true\n", ""),
        ("#| eval:\n#|   - 1\n#|   - 2\n#| echo: false\n", "#| echo: false\n"),
        ("#| {eval: true, echo: false}\n", ""),
    ],
)
def test_an_exercise_is_not_run_on_the_page(written: str, left: str) -> None:
    options = "#| course_role: exercise\n" if not written.startswith("#| {") else ""
    written = written.replace("{", "{course_role: exercise, ")
    source = (
        f"```{{python}}\n{options}{written}a = ______\n```\n\n"
        "::: {.answer}\n```{python}\n#| course_role: solution\na = 1\n```\n:::\n"
    )
    page = student_page(lesson_of(source))
    left = left or ("" if options else "#| echo: false\n")
    assert page.partition("---\n\n")[2].startswith(
        f"```{{python}}\n#| eval: false\n#| course_role: exercise\n{left}a = ______\n```\n"
    )
