from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.errors import LessonErrors
from autograder.model import Block, Cell, Diagram, DivClose, DivOpen, FrontMatter, Prose
from autograder.source import parse
from autograder.source.faults import Faults
from autograder.source.splitter import split

FRAGMENTS = st.sampled_from(
    [
        "```", "````", "~~~", "~~~~", "`````", "```{python}", "```{python .x}", "```{{python}}",
        "````markdown", "~~~ {python}", "```{mermaid}", "```{=html}", "  ```", "\t```{python}",
        "> ```{python}", ":::", "::::", "::: {.callout-tip}", ":::: warning", "::: {.a b=}",
        "::: {.callout-note .answer collapse=\"true\"}", "---", "...", "<!--", "-->", "$$",
        "$$ a $$",
        "x <!-- y", "#| course_role: solution", "#| course_role: exercise", "#| points: [",
        "%%| label: fig-x", "______", "x = ______", "def f(): return ______", "# Q1", "## Q2 {#q2}",
        "**你的答案：**", "**你的答案:**", "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS",
        "title: x", "course: {modules: a.b}", "- item", "    code", "", " ", "\ufeff", "a\u2028b",
        "{{< include x.qmd >}}", "\x00", "\x0c", "文字", "| a | b |", "|---|---|", ": cap {#tbl-a}",
        "[^1]: note", "## 参考答案", "**参考答案**", "> 答案版：x", "## 答案版",
        "::: {.content-visible when-profile=\"answer\"}", "a <!-- b --> c", "你的答案:", "> （x）",
        "**Q3** x", "## 问题一", "#| x: [1]", "#| # y", "%%| z: 1", "```{bash}",
        "::: course-pagination", "assert f()", "\\", "`", "``", "a\rb",
    ]
)  # fmt: skip
TEXTS = st.lists(
    st.tuples(FRAGMENTS, st.sampled_from(["\n", "\r\n", "\n\n", ""])), max_size=24
).map(lambda parts: "".join(line + end for line, end in parts))


def blocks_of(text: str) -> tuple[list[Block], Faults]:
    faults = Faults()
    return split(text, faults), faults


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_no_line_is_lost_or_changed(text: str) -> None:
    blocks, _ = blocks_of(text)
    assert "".join(block.text for block in blocks) == text
    line = 1
    for block in blocks:
        assert block.line == line
        assert block.text
        line += block.text.count("\n")


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_any_text_is_a_lesson_or_a_list_of_faults(text: str) -> None:
    try:
        lesson = parse(text, slug="x", path="solutions/x/x.qmd", lang="zh-CN")
    except LessonErrors as errors:
        last = text.count("\n") + 1
        assert all(1 <= error.line <= last for error in errors.errors)
    else:
        assert "".join(block.text for block in lesson.blocks) == text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_arbitrary_text_is_kept(text: str) -> None:
    blocks, _ = blocks_of(text)
    assert "".join(block.text for block in blocks) == text


@pytest.mark.slow
@settings(max_examples=5_000, deadline=None)
@given(TEXTS.flatmap(lambda text: st.tuples(st.just(text), TEXTS, st.integers(0, len(text)))))
def test_long_fuzz(parts: tuple[str, str, int]) -> None:
    """No crash and no line lost; a text that takes for ever would stop the run."""
    text, inserted, at = parts
    test_any_text_is_a_lesson_or_a_list_of_faults.hypothesis.inner_test(  # type: ignore[attr-defined]
        text[:at] + inserted + text[at:]
    )
    test_no_line_is_lost_or_changed.hypothesis.inner_test(text[:at] + inserted)  # type: ignore[attr-defined]


def kinds(text: str) -> list[str]:
    blocks, faults = blocks_of(text)
    assert not faults.found
    return [type(block).__name__ for block in blocks]


@pytest.mark.parametrize(
    "text",
    [
        "```{python}\nx\n```\n",
        "```{python }\nx\n```\n",
        "```{python .cls}\nx\n```\n",
        "```{python, echo=FALSE}\nx\n```\n",
        "````{python}\n```\nx\n````\n",
        "``` {python}\nx\n```\n",
        "```{python}  \r\nx\r\n```  \r\n",
        "```{python}\nx\n`````\n",
        "```{python}\n```",
    ],
)
def test_is_a_cell(text: str) -> None:
    assert kinds(text) == ["Cell"]


@pytest.mark.parametrize(
    "text",
    [
        "```{{python}}\nx\n```\n",
        "```python\nx\n```\n",
        "```{.python}\nx\n```\n",
        "~~~{python}\nx\n~~~\n",
        "````markdown\n```{python}\nx\n```\n````\n",
        "~~~\n```{python}\n~~~\n",
        "~~~~\n~~~\n```{python}\n~~~~\n",
        "<!--\n```{python}\nx\n```\n-->\n",
        "```{=html}\n<b>\n```\n",
        "`` ```{python} ``\n",
        "> ```{python}\n> x\n> ```\n",
        "$$\n```{python}\n$$\n",
    ],
)
def test_is_no_cell(text: str) -> None:
    assert kinds(text) == ["Prose"]


def test_a_cell_in_a_list_loses_its_indentation_only() -> None:
    blocks, _ = blocks_of("1. a\n\n   ```{python}\n   #| label: k\n   if x:\n       y\n   ```\n")
    cell = blocks[-1]
    assert isinstance(cell, Cell)
    assert (cell.source, cell.source_line, cell.indent) == ("if x:\n    y", 5, "   ")
    assert cell.options == {"label": "k"}


def test_options_in_block_form_and_crlf() -> None:
    text = "```{python}\n#| fig-cap: |\n#|   one\n#|   two\n#| points: 2\n\nx = 1\n```\n"
    blocks, faults = blocks_of(text.replace("\n", "\r\n"))
    cell = blocks[0]
    assert isinstance(cell, Cell)
    assert not faults.found
    assert cell.options == {"fig-cap": "one\ntwo\n", "points": 2}
    assert (cell.source, cell.source_line) == ("x = 1", 7)


def test_mermaid_options_are_not_source() -> None:
    blocks, _ = blocks_of(
        "```{mermaid}\n%%| label: fig-a\n%%| fig-alt: 箭头\nflowchart LR\n  A --> B\n```\n"
    )
    diagram = blocks[0]
    assert isinstance(diagram, Diagram)
    assert (diagram.source, diagram.label, diagram.alt) == (
        "flowchart LR\n  A --> B",
        "fig-a",
        "箭头",
    )


def test_front_matter_after_a_byte_order_mark() -> None:
    blocks, _ = blocks_of("\ufeff---\ntitle: x\n---\ntext\n")
    assert isinstance(blocks[0], FrontMatter)
    assert blocks[0].data == {"title": "x"}


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert kinds("---\n\ntext\n") == ["Prose"]


def test_nested_divs_and_their_attributes() -> None:
    blocks, faults = blocks_of(
        '::: {.callout-tip #t .answer collapse="true" title="一 \\"二\\" 三"}\n'
        ":::: warning\na\n::::::\n:::\n"
    )
    assert not faults.found
    first, second, _, _, last = blocks
    assert isinstance(first, DivOpen)
    assert (first.classes, first.identifier) == (("callout-tip", "answer"), "t")
    assert first.attributes == {"collapse": "true", "title": '一 "二" 三'}
    assert isinstance(second, DivOpen)
    assert second.classes == ("warning",)
    assert isinstance(last, DivClose)


def test_prose_is_cut_at_headings_and_unicode_separators_end_no_line() -> None:
    blocks, _ = blocks_of("a\u2028b\n\n# One\ntext\n## Two\n")
    assert [(block.line, block.text) for block in blocks] == [
        (1, "a\u2028b\n\n"),
        (3, "# One\ntext\n"),
        (5, "## Two\n"),
    ]
    assert all(isinstance(block, Prose) for block in blocks)
