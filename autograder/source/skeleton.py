"""The text that `course new` writes: a small lesson that builds and checks as it is."""

from __future__ import annotations

_CODE = """\
def mean_rate(total, seconds):
    if seconds <= 0:
        raise ValueError("seconds must be positive")
    # TODO{colon}{todo}
    return {blank}
"""
_TESTS = """\
```{{python}}
#| course_role: tests
#| label: normal
#| exercise: mean_rate
#| category: normal
#| points: 2
assert mean_rate(6, 3) == 2, "{shown}"
### BEGIN HIDDEN TESTS
import math

for total, seconds, rate in [(7, 2, 3.5), (1e12, 8, 1.25e11), (3, 0.5, 6.0), (2.5, 4, 0.625)]:
    assert math.isclose(mean_rate(total, seconds), rate, rel_tol=1e-12)
### END HIDDEN TESTS
```

```{{python}}
#| course_role: tests
#| label: boundary
#| exercise: mean_rate
#| category: boundary
#| points: 1
try:
    mean_rate(1, 0)
except ValueError:
    pass
else:
    raise AssertionError("{guard}")
### BEGIN HIDDEN TESTS
import math

assert mean_rate(0, 4) == 0
assert math.isclose(mean_rate(1, 1000), 0.001, rel_tol=1e-12)
### END HIDDEN TESTS
```
"""
_HINT = """\
```{{python}}
#| course_role: hint
#| exercise: mean_rate
#| eval: false
#| echo: false
"{hint}"
```

"""
_SOLUTION = """\
```{{python}}
#| course_role: solution
#| exercise: mean_rate
{solution}```

```{{python}}
#| course_role: fill
#| exercise: mean_rate
#| expect: right
#| eval: false
total / seconds
1 / seconds * total
```

```{{python}}
#| course_role: fill
#| exercise: mean_rate
#| expect: wrong
#| eval: false
total // seconds
seconds / total
total * seconds
```
"""
_LESSON = """\
---
title: "{title}"
lang: {lang}
jupyter: python3
---

## {goals}

{goals_text}

## {practice}

### {fill}{colon}`mean_rate`

{fill_text}

```{{python}}
#| course_role: exercise
{stub}```

{hints}{tests}
## {questions}

### Q1 {question}

{prompt}

**{answer_line}**

## {after}

{after_text}

::: {{.callout-tip .answer collapse="true" title="{reference}"}}
{reference_text}

{solution}
**Q1.** {reference_answer}
:::
"""
_ZH = {
    "colon": "：",
    "todo": "平均速率。",
    "shown": "6 个单位用 3 秒，应为每秒 2",
    "guard": "seconds 不大于 0 时应抛出 ValueError",
    "title": "{slug}：这一课的标题",
    "goals": "学习目标",
    "goals_text": "学完本课，你应当能算出一段时间里的平均速率，并说出它看不见什么。",
    "practice": "练习",
    "fill": "填空",
    "fill_text": "只替换那一个 `______`，其余代码不要动。空格处是每秒完成多少。",
    "hint": "先看单位：速率的单位里，什么在上，什么在下？",
    "questions": "问题",
    "question": "平均速率什么时候会让人看错？",
    "prompt": "每题 2 分。用自己的话写出一条因果链：从什么条件出发，经过什么，得到什么。",
    "answer_line": "你的答案：",
    "after": "对照",
    "after_text": "先写完自己的答案。",
    "reference": "参考答案",
    "reference_text": "总量除以时间。",
    "reference_answer": "快慢相间时，均值落在两者之间，最慢的那一段却决定了要等多久。",
}
_EN = {
    "colon": ": ",
    "todo": "the mean rate.",
    "shown": "6 units in 3 seconds are 2 a second",
    "guard": "seconds <= 0 should raise ValueError",
    "title": "{slug}: what this lesson is about",
    "goals": "Goals",
    "goals_text": "After this lesson you can work out a mean rate, and say what it does not show.",
    "practice": "Practice",
    "fill": "Fill in",
    "fill_text": "Replace the one `______` and nothing else: how much is done in a second?",
    "hint": "Look at the unit first: which of the two stands above the line, and which below?",
    "questions": "Questions",
    "question": "When does a mean rate mislead?",
    "prompt": "2 points. Write a chain of causes in your own words: from what, by what, to what.",
    "answer_line": "Your answer:",
    "after": "Afterwards",
    "after_text": "Write your own answers first.",
    "reference": "Reference answer",
    "reference_text": "The total divided by the time.",
    "reference_answer": "When fast and slow alternate, the mean lies between them, yet the slowest "
    "part decides how long one waits.",
}


def skeleton(slug: str, lang: str) -> str:
    """The source of a new lesson.

    Args:
        slug: Its name.
        lang: BCP 47; Chinese for `zh` and its variants, English for every other language.
    """
    words = dict(_ZH if lang.lower().split("-")[0] == "zh" else _EN)
    words["title"] = words["title"].format(slug=slug)
    code = {"colon": words["colon"], "todo": words["todo"]}
    return _LESSON.format(
        lang=lang,
        stub=_CODE.format(blank="______", **code),
        hints=_HINT.format(**words),
        tests=_TESTS.format(**words),
        solution=_SOLUTION.format(solution=_CODE.format(blank="total / seconds", **code)),
        **words,
    )
