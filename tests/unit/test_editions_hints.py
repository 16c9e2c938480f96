"""Hint cells that hold their text become data; nothing shows them before they are asked for."""

from __future__ import annotations

import tomllib

import pytest

from autograder.editions.hints import hints_file
from autograder.editions.notebook import answer_edition, source_edition
from autograder.model import Lesson
from autograder.source import parse

HEAD = """\
---
title: t
course: {modules: lessons.x}
---

```{python}
#| course_role: exercise
def f(a):
    return ______
```
"""
SOLUTION = """
::: {.callout-tip .answer}
```{python}
#| course_role: solution
def f(a):
    return a + 1
```
:::
"""


def lesson(*hints: str) -> Lesson:
    cells = "".join(f"\n```{{python}}\n#| course_role: hint\n{hint}\n```\n" for hint in hints)
    return parse(HEAD + cells + SOLUTION, slug="x", path="x.qmd", lang="zh-CN")


def test_texts_become_levels_in_their_order() -> None:
    made = hints_file(
        lesson('"先看 \\"单位\\"。"', '{"zh": "再看公式。", "en": "See the formula."}')
    )
    assert made is not None and made.startswith("# 由 x.qmd 生成")
    assert tomllib.loads(made)["hint"] == [
        {"exercise": "f", "level": 1, "zh": '先看 "单位"。'},
        {"exercise": "f", "level": 2, "zh": "再看公式。", "en": "See the formula."},
    ]


def test_no_notebook_shows_a_text() -> None:
    hinted = lesson('"先看单位。"', 'hint("f")')
    for edition in (source_edition(hinted), answer_edition(hinted)):
        sources = [cell.source for cell in edition.notebook.cells]
        assert not any("先看单位" in source for source in sources)
        assert 'hint("f")' in sources


@pytest.mark.parametrize(
    "code", ['hint("f")', "f", "3", '{"fr": "x"}', '{"zh": 3}', "{}", "1 +\\\n 1"]
)
def test_other_cells_stay_cells(code: str) -> None:
    assert hints_file(lesson(code)) is None
