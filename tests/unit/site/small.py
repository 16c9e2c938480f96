"""A small course whose lesson uses most of the dialect, and its site."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from autograder.project import Project, find_project

ROOT = Path(__file__).resolve().parents[3]
ANSWER_TEXT = "灯焰在坑道深处逐渐变暗，说明氧气已经不足，必须立刻返回地面。"
HIDDEN = "assert average([11, 12, 14.5]) == 12.5"
NOTE = "火苗先变黄后变短再熄灭"
LESSON = f"""\
---
title: "第 1 课：平均数（答案版）"
lang: zh-CN
jupyter: python3
---

## 目标 {{#goal}}

求平均数，先看 @eq-mean 与 @tbl-sizes[^why]。**不要急。** 慢慢来，一共 25 % 的分，见 [[3]](https://example.org/x)。

$$
m = \\frac{{s}}{{n}}, \\quad n \\ge 1\\ \\mathrm{{s}}
$$ {{#eq-mean}}

| 大小 | 时间 |
|---|---|
| 3 GB | 2 s |

: 大小与时间 {{#tbl-sizes}}

[^why]: 因为平均数最常用。

另见[第二课](../lesson02/lesson02.html)与[本课](../tiny/)。

::: {{.callout-warning title="当心 $0$"}}
空表没有平均数。
:::

::: {{.callout-note collapse="true"}}
## 为什么
除以零没有意义。
:::

::: {{.panel-tabset}}
### 甲
第一种做法。

### 乙
第二种做法。
:::

::: {{.content-visible when-format="html"}}
只在网页上。
:::

::: {{.content-visible when-format="pdf"}}
只在纸上。
:::

## 练习

只替换 `______`。

```{{python}}
#| course_role: exercise
def average(values):
    total = sum(values)
    result = ______
    return result
```

```{{python}}
#| course_role: hint
#| exercise: average
#| eval: false
#| echo: false
{{"zh": "先想一共有几个数。", "en": "How many are there?"}}
```

```{{python}}
#| course_role: hint
#| exercise: average
#| eval: false
#| echo: false
{{"zh": "总和除以个数。", "en": "Divide."}}
```

```{{python}}
check("average")
```

```{{python}}
#| course_role: tests
#| label: normal
#| category: normal
#| points: 2
assert average([2, 4]) == 3
### BEGIN HIDDEN TESTS
{HIDDEN}
### END HIDDEN TESTS
```

## Q1 为什么矿工要带一盏灯？

说出原因。

**你的答案：**

::: {{.callout-tip .answer collapse="true" title="参考答案：代码"}}
```{{python}}
#| course_role: solution
def average(values):
    total = sum(values)
    result = total / len(values)
    return result
```

```{{python}}
#| course_role: fill
#| expect: wrong
#| eval: false
total // len(values)
```
:::

::: {{.callout-tip .answer collapse="true" title="参考答案：Q1"}}
{ANSWER_TEXT}
:::

::: {{.course-pagination}}
[上一课：第 0 课　数数](../lesson00/) · [下一课：第 2 课　中位数](../lesson02/)
:::
"""
RUBRIC = f"""\
lesson = "tiny"

[[levels]]
score = 2
public = "说出氧气"
note = "给评分人看的话不公开"

[[levels]]
score = 0
public = "空白"

[[questions]]
id = "q1"
points = 2
public = ["说出灯火、说出氧气、说出后果。"]

[[questions.links]]
id = "oxygen"
line = "燃烧消耗空气中有限的氧"
mechanism = true
evidence = ["{NOTE}"]
"""
PYPROJECT = """\
[tool.course]
title = "小课程"
lang = "zh-CN"
lessons = ["tiny"]
"""


def small_course(root: Path, lesson: str = LESSON) -> Project:
    """Write the course; its student notebook is there already, as `course build` leaves it."""
    solutions, built = root / "solutions" / "tiny", root / "lessons" / "tiny"
    solutions.mkdir(parents=True)
    built.mkdir(parents=True)
    (root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (solutions / "tiny.qmd").write_text(lesson, encoding="utf-8")
    (solutions / "rubric.toml").write_text(RUBRIC, encoding="utf-8")
    shutil.copytree(ROOT / "assets", root / "assets")
    digest = hashlib.sha256(lesson.encode()).hexdigest()
    notebook = {"cells": [], "metadata": {"course": {"source_sha256": digest}}}
    (solutions / "tiny.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (built / "tiny.ipynb").write_text('{"cells": [], "metadata": {}}', encoding="utf-8")
    return find_project(root)
