"""Random answers planted in every answer construct never reach a student edition."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.editions import drawn
from autograder.editions.leaks import refuse_leaks, secrets
from autograder.editions.notebook import answer_edition, dumps, source_edition
from autograder.editions.release import release
from autograder.editions.student_page import student_page
from autograder.errors import CourseError
from autograder.model import Audience, Cell, DivClose, DivOpen, Prose, Role
from autograder.source import parse

ROOT = Path(__file__).parents[2]
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
    '::: {{.callout-tip .answer collapse="true" title="@answer@"}}\n{}\n:::\n',
    "::: {{.callout-note}}\n## @answer@\n\n{}\n:::\n",
    "::: {{class='callout-note answer' id='a'}}\n@answer@\n\n{}\n:::\n",
    "::: answer\n@answer@\n\n{}\n:::\n",
    "- a\n\n  ::: {{.answer}} :::\n  @answer@\n\n{}\n  :::\n",
    '::: {{.content-visible when-profile="answer"}}\n@answer@\n\n{}\n:::\n',
    '::: {{.content-hidden unless-profile="answer"}}\n| @answer@ |\n|---|\n\n{}\n:::\n',
    ":::: {{.callout-warning .answer}}\n::: {{.column}}\n- a\n\n  > @answer@\n:::\n\n{}\n::::\n",
    "::: {{.callout-note}}\n::: {{.callout-tip}}\n@answer@\n:::\n\n{}\n:::\n",
    "## 参考答案\n\n::: {{.answer}}\n[^n]\n\n[^n]: @answer@\n\n{}\n:::\n",
    "::: {{.answer}}\n```text\n@answer@\n```\n\n<!-- @answer@ -->\n\n{}\n:::\n",
    "::: {{.answer #@answer@}}\n$$\n@answer@\n$$\n\n{}\n:::\n",
    "::: {{.answer}}\n```{{mermaid}}\n%%| fig-cap: '@answer@'\nflowchart LR\n  A --> B\n```\n"
    "\n{}\n:::\n",
    "<!--\n@answer@\n-->\n\n::: {{.answer}}\n{}\n:::\n",
    "## 3. 参考答案与解析\n\n@answer@\n\n### 甲\n\n- @answer@\n\n::: {{.answer}}\n{}\n:::\n\n"
    "@answer@\n",
    "**参考答案**\n\n::: {{.answer}}\n| @answer@\n| b\n\n{}\n:::\n",
    "::: {{.callout-important title='答案版'}}\n@answer@\n:::\n\n::: {{.answer}}\n{}\n:::\n",
    "> **答案版说明**：@answer@\n> @answer@\n\n::: {{.answer}}\n{}\n:::\n",
    "a <!-- @answer@ --> b <!--@answer@-->\n\n::: {{.answer}}\n{}\n:::\n",
    "::: {{.answer}}\n![@answer@](@answer@.png){{#fig-@answer@}}\n\n{}\n:::\n",
    "::: {{.answer}}\n```{{=html}}\n<b>@answer@</b>\n```\n\n<i>@answer@</i>\n\n{}\n:::\n",
    "::: {{.answer}}\na[^z] b^[@answer@] [@answer@]{{.x}} `@answer@` $@answer@$\n\n{}\n:::\n",
    "::: {{.answer}}\n::: {{.panel-tabset}}\n## @answer@\n:::\n~~~\n:::\n@answer@\n~~~\n\n{}\n"
    ":::\n",
    "::: {{.answer}}\n````md\n```\n:::\n@answer@\n````\n\n{}\n:::\n",
    "```{{python}}\n#| @answer@: 1\n#| # @answer@\n#| echo: true # @answer@\n1\n```\n\n"
    "```{{mermaid}}\n%%| @answer@: 1\nflowchart LR\n  A --> B\n```\n\n::: {{.answer}}\n{}\n:::\n",
    "::: {{.answer}}\n```{{python}}\n#| label: fig-z\n#| fig-cap: '@answer@'\n'@answer@'\n```\n"
    "\n{}\n:::\n",
    "::: {{.answer}}\na\n:   @answer@\n\n{{{{< kbd @answer@ >}}}}\n\n@answer@\n===\n\n{}\n:::\n",
]
HEADS = [
    HEAD,
    "---\n# @answer@\ntitle: t # @answer@\nnotes: '@answer@'\nsubtitle: 答案版，@answer@\n"
    "course: {@answer@: 1}\n---\n\n",
    "---\ntitle: t（答案版）\nfilters: [@answer@]\n@answer@:\n  - a\n  # @answer@\n---\n\n",
]  # fmt: skip
AROUND = [
    "",
    "## Q1 x\n\n**你的答案：**\n\n",
    "````md\n::: {.answer}\n````\n\n",
    "::: {.callout-tip}\ntext\n:::\n\n",
    "1. a\n\n   ```text\n   :::\n   ```\n\n",
]


def planted(  # noqa: PLR0913  # each is one choice
    construct: str, before: str, after: str, *, crlf: bool, word: str, head: str = HEAD
) -> str:
    text = head + before + EXERCISE + construct.format(SOLUTION + "\n" + FILL) + "\n" + after
    for place in ("answer", "hidden", "caption", "comment", "solution", "fill"):
        text = text.replace(f"@{place}@", f"{word}{place}")
    return text.replace("\n", "\r\n") if crlf else text


@settings(max_examples=60, deadline=None)
@given(
    head=st.sampled_from(HEADS),
    construct=st.sampled_from(CONSTRUCTS),
    before=st.sampled_from(AROUND),
    after=st.sampled_from(AROUND),
    crlf=st.booleans(),
    word=st.text(alphabet="abcdefghkmnpqrstuvwxyz", min_size=6, max_size=12).map(
        lambda w: "zq" + w
    ),
)
def test_no_answer_reaches_a_student_edition(  # noqa: PLR0913
    *, head: str, construct: str, before: str, after: str, crlf: bool, word: str
) -> None:
    if "Q1" in before and "Q1" in after:
        after = ""
    text = planted(construct, before, after, crlf=crlf, word=word, head=head)
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


LESSONS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in (
        *sorted((ROOT / "tests" / "lessons").glob("*/*.qmd")),
        ROOT / "tests" / "golden" / "small" / "small.qmd",
        ROOT / "solutions" / "lesson03" / "lesson03.qmd",
    )
}


def _not_drawn(source: str, *, alt: str, caption: str | None = None) -> None:
    raise CourseError(f"{len(source)} {len(alt)} {caption}: pictures are not what is looked at")


@cache
def private_places(slug: str) -> list[int]:
    """Lines (0-based) below which an author may write what no learner gets."""
    lesson = parse(LESSONS[slug], slug=slug, path="x.qmd", lang="zh-CN")
    found: list[int] = []
    depth = 0
    for block in lesson.blocks:
        depth += isinstance(block, DivOpen) - isinstance(block, DivClose)
        # A notice is private by its own words; what is written below it is not.
        if block.audience is Audience.PUBLIC or (isinstance(block, Prose) and not depth):
            continue
        if isinstance(block, Cell):
            found.append(block.source_line - 1)
        elif isinstance(block, Prose) and not block.verbatim:
            found.append(block.line - 1 + block.text.count("\n"))
    return found


@settings(max_examples=15, deadline=None)
@given(
    data=st.data(),
    slug=st.sampled_from(sorted(LESSONS)),
    word=st.text(alphabet="abcdefghkmnpqrstuvwxyz", min_size=6, max_size=12),
    form=st.sampled_from(
        ["{}", "- {}", "> {}", "## {}", "**{}**", "| {} |", "`{}`", "[{}](a.qmd)", "![{}]({}.png)",
         "<!-- {} -->", "$${}$$", "[^{}]: {}", "<b>{}</b>", "```text\n{}\n```", "~~~\n:::\n{}\n~~~"]
    ),
)  # fmt: skip
def test_an_answer_added_to_a_lesson_stays(
    data: st.DataObject, slug: str, word: str, form: str
) -> None:
    word = f"zq{word}"
    lines = LESSONS[slug].split("\n")
    at = data.draw(st.sampled_from(private_places(slug)))
    blank = not lines[at - 1].strip()
    text = form.replace("{}", word) if blank else f"# {word}"
    lines[at:at] = [text, ""] if blank else [text]
    lesson = parse("\n".join(lines), slug=slug, path="x.qmd", lang="zh-CN")
    references = {exercise.grade_id for exercise in lesson.cells(Role.EXERCISE)}
    assert word not in student_page(lesson)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn, "picture", _not_drawn)
        cells = source_edition(lesson).notebook.cells
    assert not [one for one in cells if word in one.source and one["id"] not in references]
