"""Whatever is a lesson has valid editions, and its student page is a lesson again."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.editions.leaks import refuse_leaks
from autograder.editions.notebook import answer_edition, dumps, source_edition
from autograder.editions.release import release
from autograder.editions.student_page import student_page
from autograder.errors import LessonErrors
from autograder.source import parse

FRAGMENTS = st.sampled_from(
    [
        "text", "", "# H", "## T {#sec-a}", "| a | b |", "|---|---|", "| line", ": def",
        ": cap {#tbl-a}", "[^1]: note", "a[^1]", "@sec-a @tbl-a @eq-a", "$$ a $$ {#eq-a}",
        "$$\na\n$$ {#eq-a}", "![c](a.png){#fig-a}", "`a", "`a`{.x}", "**", "- item", "    code",
        "> q", "::: {.callout-tip}\n", "::: {.callout-note collapse=\"true\"}\n",
        "::: {.panel-tabset}\n", "::: {.answer}\n", "::: {#fig-a}\n", ":::", ":::",
        "```{python}\n1\n```", "```{python}\n#| eval: false\n1\n```",
        "```{python}\n#| label: fig-z\n#| fig-cap: c\n1\n```", "```python\nx\n```",
        "```{=html}\n<b>\n```", "{{< kbd a >}}", "H~2~O", "x^2^", "^[n]", "[a]{.b}", "\\", "$a$",
        "$", "~", "^", "<!--\nx\n-->", "## Q1 a\n\nb\n\n**你的答案：**", "[a](b.qmd#c)", "[@x]",
        "\x00", "\ufeff",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(FRAGMENTS, max_size=16), st.sampled_from(["\n", "\n\n"]))
def test_every_lesson_has_valid_editions(parts: list[str], gap: str) -> None:
    text = gap.join(parts) + "\n"
    try:
        lesson = parse(text, slug="x", path="solutions/x/x.qmd", lang="en")
    except LessonErrors:
        return
    source = source_edition(lesson).notebook
    before = dumps(source)
    student, page = release(source), student_page(lesson)
    dumps(student)
    dumps(answer_edition(lesson).notebook)
    refuse_leaks(lesson, student, page)
    assert dumps(source) == before
    again = parse(page, slug="x", path="lessons/x/x.qmd", lang="en")
    assert [one.grade_id for one in again.answers] == [one.grade_id for one in lesson.answers]
