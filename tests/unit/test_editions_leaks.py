"""Random answers planted in every answer construct never reach a student edition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.editions.leaks import refuse_leaks, secrets
from autograder.editions.notebook import answer_edition, dumps, source_edition
from autograder.editions.release import release
from autograder.editions.student_page import student_page
from autograder.errors import CourseError
from autograder.source import parse

HEAD = "---\ntitle: t\n---\n\n"
EXERCISE = (
    "```{python}\n#| course_role: exercise\ndef f(a):\n    return ______\n```\n\n"
    "```{python}\n#| course_role: tests\n#| category: normal\n#| points: 1\nassert f(1)\n"
    "### BEGIN HIDDEN TESTS\nassert f(2) == '@hidden@'\n### END HIDDEN TESTS\n```\n\n"
)
SOLUTION = (
    "```{python}\n#| course_role: solution\n#| fig-cap: '@caption@'\n# @comment@\n"
    "def f(a):\n    return '@solution@'\n```\n"
)
FILL = "```{python}\n#| course_role: fill\n#| expect: wrong\n#| eval: false\n'@fill@'\n```\n"
# Each holds `@answer@` where an author may write; `{}` takes what else is secret.
CONSTRUCTS = [
    "::: {{.callout-tip .answer collapse=\"true\" title=\"@answer@\"}}\n{}\n:::\n",
    "::: {{.callout-note}}\n## @answer@\n\n{}\n:::\n",
    "::: {{class='callout-note answer' id='a'}}\n@answer@\n\n{}\n:::\n",
    "::: answer\n@answer@\n\n{}\n:::\n",
    "- a\n\n  ::: {{.answer}} :::\n  @answer@\n\n{}\n  :::\n",
    "::: {{.content-visible when-profile=\"answer\"}}\n@answer@\n\n{}\n:::\n",
    "::: {{.content-hidden unless-profile=\"answer\"}}\n| @answer@ |\n|---|\n\n{}\n:::\n",
    ":::: {{.callout-warning .answer}}\n::: {{.column}}\n- a\n\n  > @answer@\n:::\n\n{}\n::::\n",
    "::: {{.callout-note}}\n::: {{.callout-tip}}\n@answer@\n:::\n\n{}\n:::\n",
    "## 参考答案\n\n::: {{.answer}}\n[^n]\n\n[^n]: @answer@\n\n{}\n:::\n",
    "::: {{.answer}}\n```text\n@answer@\n```\n\n<!-- @answer@ -->\n\n{}\n:::\n",
    "::: {{.answer #@answer@}}\n$$\n@answer@\n$$\n\n{}\n:::\n",
    "::: {{.answer}}\n```{{mermaid}}\n%%| fig-cap: '@answer@'\nflowchart LR\n  A --> B\n```\n"
    "\n{}\n:::\n",
    "<!--\n@answer@\n-->\n\n::: {{.answer}}\n{}\n:::\n",
]  # fmt: skip
AROUND = [
    "",
    "## Q1 x\n\n**你的答案：**\n\n",
    "````md\n::: {.answer}\n````\n\n",
    "::: {.callout-tip}\ntext\n:::\n\n",
    "1. a\n\n   ```text\n   :::\n   ```\n\n",
]


def planted(construct: str, before: str, after: str, *, crlf: bool, word: str) -> str:
    text = HEAD + before + EXERCISE + construct.format(SOLUTION + "\n" + FILL) + "\n" + after
    for place in ("answer", "hidden", "caption", "comment", "solution", "fill"):
        text = text.replace(f"@{place}@", f"{word}{place}")
    return text.replace("\n", "\r\n") if crlf else text


@settings(max_examples=40, deadline=None)
@given(
    construct=st.sampled_from(CONSTRUCTS),
    before=st.sampled_from(AROUND),
    after=st.sampled_from(AROUND),
    crlf=st.booleans(),
    word=st.text(alphabet="abcdefghkmnpqrstuvwxyz", min_size=6, max_size=12).map(
        lambda w: "zq" + w
    ),
)
def test_no_answer_reaches_a_student_edition(
    construct: str, before: str, after: str, crlf: bool, word: str
) -> None:
    if "Q1" in before and "Q1" in after:
        after = ""
    text = planted(construct, before, after, crlf=crlf, word=word)
    lesson = parse(text, slug="x", path="solutions/x/x.qmd", lang="zh-CN")
    source = source_edition(lesson).notebook
    student, page = release(source), student_page(lesson)
    assert word not in dumps(student)
    assert word not in page
    refuse_leaks(lesson, student, page)
    answers = dumps(answer_edition(lesson).notebook)
    assert f"{word}solution" in answers
    assert f"{word}hidden" in answers
    assert f"{word}fill" not in answers
    assert f"{word}hidden" in dumps(source)
    assert f"{word}fill" not in dumps(source)


def test_the_last_look_finds_an_answer_that_got_through() -> None:
    text = planted(CONSTRUCTS[0], "", "", crlf=False, word="zqsecret")
    lesson = parse(text, slug="x", path="solutions/x/x.qmd", lang="zh-CN")
    student = release(source_edition(lesson).notebook)
    found = {line for line, _ in secrets(lesson)}
    assert {"return'zqsecretsolution'", "#zqsecretcomment", "assertf(2)=='zqsecrethidden'"} <= found
    assert "'zqsecretfill'" in found
    with pytest.raises(CourseError, match="answer side"):
        refuse_leaks(lesson, student, "text\n  return  'zqsecretsolution'\n")
    student.cells[0].metadata["course"]["x"] = ["zqsecretfill", {"y": "'ｚqsecretfill'"}]
    with pytest.raises(CourseError, match=r"x\.qmd:\d+"):
        refuse_leaks(lesson, student, "")
