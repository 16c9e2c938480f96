"""One case a kind of fault: the line it is reported at, and words of the message."""

from __future__ import annotations

import pytest

from autograder.errors import LessonErrors
from autograder.source import parse

EXERCISE = "```{python}\n#| course_role: exercise\ndef f(a):\n    return ______\n```\n\n"  # 6 lines
SOLUTION = (
    "::: {.callout-tip .answer}\n"
    "```{python}\n#| course_role: solution\ndef f(a):\n    return a + 1\n```\n"
    ":::\n\n"
)  # 8 lines
TESTS = (
    "```{python}\n#| course_role: tests\n#| category: normal\n#| points: 2\n"
    "assert f(1) == 2\n```\n\n"
)  # 7 lines
FILL = (
    "::: {.answer}\n```{python}\n#| course_role: fill\n#| expect: right\n#| eval: false\n"
    "1 + a\n```\n:::\n\n"
)
WHOLE = EXERCISE + TESTS + SOLUTION
QUESTION = "## Q1 为什么\n\n想想。\n\n**你的答案：**\n\n"


def faults(text: str) -> list[tuple[int, str]]:
    with pytest.raises(LessonErrors) as caught:
        parse(text, slug="x", path="solutions/x/x.qmd", lang="zh-CN")
    return [(error.line, str(error)) for error in caught.value.errors]


def test_the_pieces_of_these_tests_are_a_lesson() -> None:
    lesson = parse(WHOLE + FILL + QUESTION, slug="x", path="x.qmd", lang="zh-CN")
    assert lesson.max_score == 4.0
    assert lesson.solution("f").source == "def f(a):\n    return a + 1"


CASES = {
    "unclosed fence": ("a\n\n```{python}\nx = 1\n", 3, "never closed"),
    "fence closed by a shorter one": ("````\n```\n", 1, "````"),
    "unclosed div": (WHOLE + "::: {.callout-note}\ntext\n", 22, "never closed"),
    "div closed twice": (WHOLE + ":::\n", 22, "closes nothing"),
    "half an attribute": ("::: {.callout-note\ntext\n:::\n", 1, "neither"),
    "unclosed comment": ("a\n<!-- b\n", 2, "`-->`"),
    "comment that begins within a line": ("a <!-- the\nanswer --> b\n", 1, "line of its own"),
    "unclosed formula": ("$$\nx\n\ntext\n", 1, "never closed"),
    "unclosed front matter": ("---\ntitle: x\n", 1, "`---`"),
    "bad front matter": ("---\ntitle: x\nlang: [\n---\n", 4, "not valid YAML"),
    "missing solution": ("text\n\n" + EXERCISE, 3, "no solution"),
    "second solution": (WHOLE + SOLUTION, 23, "already has a solution at line 15"),
    "exercise without blank": (
        EXERCISE.replace("______", "a") + SOLUTION, 1, "no blank"),
    "five underscores": (EXERCISE.replace("______", "_____") + SOLUTION, 4, "`______`"),
    "blank in a plain cell": ("```{python}\n\nx = ______\n```\n", 3, "exercise"),
    "blank in the reference": (
        EXERCISE + SOLUTION.replace("a + 1", "______"), 11, "still has a blank"),
    "unknown role": ("```{python}\n#| course_role: excercise\nx = 1\n```\n", 2, "'exercise'"),
    "empty role": ("```{python}\n#| course_role:\nx = 1\n```\n", 2, "course_role None"),
    "misspelt option": ("```{python}\n#| echo: false\n#| course-roel: tests\n1\n```\n", 3,
                        "`#| course_role:`"),
    "role by another name": ("```{python}\n#| role: solution\n1\n```\n", 2, "`#| course_role:`"),
    "role in a comment": ("```{python}\n# | course_role: solution\n1\n```\n", 2, "comment"),
    "answer callout without class": (
        WHOLE + '::: {.callout-tip title="参考答案：Q1"}\n因为。\n:::\n', 22, ".answer"),
    "answer callout by its heading": (
        WHOLE + "::: {.callout-tip}\n\n## 参考答案\n\n因为。\n:::\n", 22, ".answer"),
    "answer heading with a class": (WHOLE + "## 讲解 {.answer}\n\n因为。\n", 22, "hide nothing"),
    "answer span": (
        WHOLE + 'a [b]{.content-visible when-profile="answer"}\n', 22, "hide nothing"),
    "answer fence": (WHOLE + "```{.python .answer}\n1\n```\n", 22, "hide nothing"),
    "answer line in bold": (WHOLE + "text\n\n**参考答案：** 加一。\n", 24, "outside an answer"),
    "reference in the public part": (
        WHOLE.replace("a + 1", "a * 7 + 1") + "```python\nreturn a*7 + 1\n```\n", 23, "reference"),
    "option below the code": ("```{python}\nx = 1\n#| course_role: solution\n```\n", 3, "top"),
    "unknown course option": ("---\ntitle: x\ncourse: {module: a.b}\n---\n", 3, "'modules'"),
    "bad modules": ("---\ntitle: x\ncourse: {modules: a-b}\n---\n", 3, "import"),
    "duplicate ids": (WHOLE + TESTS, 22, "'normal' is already taken at line 7"),
    "id of a question taken": (WHOLE + QUESTION + QUESTION, 32, "'q1'"),
    "reserved id": (EXERCISE.replace("exercise", "exercise\n#| label: setup") + SOLUTION, 1,
                    "'setup'"),
    "tests without points": (WHOLE.replace("#| points: 2\n", ""), 7, "no points"),
    "bad points": (WHOLE.replace("points: 2", "points: two"), 10, "'two'"),
    "tests without category": (WHOLE.replace("#| category: normal\n", ""), 7, "no category"),
    "unknown category": (WHOLE.replace("normal", "boundry"), 9, "'boundary'"),
    "unknown exercise": (WHOLE.replace("#| points", "#| exercise: g\n#| points"), 10, "one of: f"),
    "hidden tests without end": (
        WHOLE.replace("assert", "### BEGIN HIDDEN TESTS\nassert"), 11, "without an end"),
    "hidden tests without beginning": (
        WHOLE.replace("assert f(1) == 2", "assert f(1) == 2\n### END HIDDEN TESTS"), 12,
        "without a beginning"),
    "misspelt marker": (
        WHOLE.replace("assert", "### BEGIN HIDEN TESTS\nassert"), 11,
        "Did you mean `### BEGIN HIDDEN TESTS`?"),
    "marker in lower case": (
        WHOLE.replace("assert", "# begin hidden tests\nassert"), 11, "Did you mean"),
    "nbgrader's marker misspelt": (
        WHOLE.replace("assert", "### BEGIN SOLUTON\nassert"), 11, "course_role: solution"),
    "nbgrader's marker in prose": (WHOLE + "<!-- BEGIN SOLUTION -->\n", 22, "hides nothing"),
    "marker outside tests": (
        EXERCISE.replace("def", "### BEGIN HIDDEN TESTS\ndef") + SOLUTION, 3, "outside a tests"),
    "solution outside an answer block": (
        EXERCISE + SOLUTION.replace("::: {.callout-tip .answer}\n", "").replace(":::\n", ""), 7,
        "outside an answer block"),
    "solution in a plain div": (
        EXERCISE + SOLUTION.replace(".callout-tip .answer", ".column"), 8, "outside"),
    "fill outside an answer block": (
        WHOLE + FILL.replace("::: {.answer}\n", "").replace(":::\n", ""), 22, "outside"),
    "misspelt answer class": (
        EXERCISE + "::: {.callout-tip .Answers}\ntext\n:::\n\n" + SOLUTION, 7, "`.answer`"),
    "misspelt class of visibility": (
        '::: {.content-visibel when-profile="answer"}\ntext\n:::\n', 1, "`.content-visible`"),
    "misspelt attribute of visibility": (
        '::: {.content-visible when-profle="answer"}\ntext\n:::\n', 1, "`when-profile`"),
    "attribute of visibility without its class": (
        '::: {.box when-profile="answer"}\ntext\n:::\n', 1, "without its class"),
    "two letters swapped": ("::: {.callout-tip .asnwer}\ntext\n:::\n", 1, "`.answer`"),
    "comment without its beginning": ("text\n-->\n", 2, "`<!--`"),
    "misspelt profile": (
        '::: {.content-visible when-profile="answers"}\ntext\n:::\n', 1, 'when-profile="answer"'),
    "answer heading outside": (WHOLE + "## 参考答案\n\n先乘后除。\n", 22, "outside an answer"),
    "exercise in an answer block": (
        "::: {.answer}\n" + EXERCISE + ":::\n\n" + SOLUTION, 2, "no learner"),
    "answer line outside a question": ("text\n\n**你的答案：**\n", 3, "no question"),
    "two answer lines": (QUESTION + "**你的答案：**\n", 7, "already has an answer line"),
    "answer line in an answer block": (
        "## Q1\n\n::: {.answer}\n**你的答案：**\n:::\n", 4, "no learner"),
    "answer summary": (
        WHOLE + "<details><summary>Q1 答案</summary>因为</details>\n", 22, "outside an answer"),
    "answer summary in raw HTML": (
        WHOLE + "```{=html}\n<summary><b>参考答案</b></summary>\n```\n", 23, "outside an answer"),
    "callout that unfolds an answer": (
        WHOLE + "::: {.callout-tip}\n## 点击展开参考答案\n\n因为。\n:::\n", 22, ".answer"),
    "question without id": ('## 说说 {points="1"}\n\n**你的答案：**\n', 1, "no id"),
    "bad option YAML": ("```{python}\n#| label: x\n#| fig-cap: a: b\n1\n```\n", 3,
                        "not valid YAML"),
    "syntax error in an exercise": (
        EXERCISE.replace("return ______", "return ______ +") + SOLUTION, 4, "not valid Python"),
    "syntax error in a solution": (
        EXERCISE + SOLUTION.replace("a + 1", "a + "), 11, "not valid Python"),
    "syntax error in tests": (WHOLE.replace("f(1) ==", "f(1 =="), 11, "not valid Python"),
    "syntax error in a fill": (WHOLE + FILL.replace("1 + a", "1 +"), 27, "not valid Python"),
    "fill without expectation": (WHOLE + FILL.replace("#| expect: right\n", ""), 23, "right"),
    "fill that would run": (WHOLE + FILL.replace("#| eval: false\n", ""), 23, "eval: false"),
    "fill that is a statement": (WHOLE + FILL.replace("1 + a", "b = 1"), 27, "expression"),
    "one expression for two blanks": (
        WHOLE.replace("return ______", "return ______, ______") + FILL, 27, "has 2 blanks"),
    "role in a fence that is no cell": (
        "```python\n#| course_role: solution\nx = 1\n```\n", 1, "```{python}"),
    "tilde fence with a role": (
        "~~~{python}\n#| course_role: solution\nx = 1\n~~~\n", 1, "```{python}"),
    "another language": ("```{pyton}\nx\n```\n", 1, "'python'"),
    "include": ("{{< include _part.qmd >}}\n", 1, "Copy that text"),
    "embed": ("text\n\n{{< embed answers.ipynb#fig >}}\n", 3, "Copy that text"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_fault(name: str) -> None:
    text, line, words = CASES[name]
    found = faults(text)
    assert any(at == line and words in message for at, message in found), found
    assert all(message.startswith(f"solutions/x/x.qmd:{at}: ") for at, message in found)


def test_all_faults_are_reported_together_in_order() -> None:
    text = WHOLE.replace("#| points: 2\n", "") + "{{< include a >}}\n\n## 参考答案\n\n泄露。\n"
    assert [line for line, _ in faults(text)] == [7, 21, 23]


def test_a_broken_structure_hides_what_only_follows_from_it() -> None:
    text = EXERCISE + "::: {class='answer'}\n" + "```{python}\n#| course_role: solution\nx = 1\n"
    assert [line for line, _ in faults(text)] == [8]


def test_what_is_shown_is_not_a_fault() -> None:
    text = (
        "````markdown\n```{python}\n#| course_role: solution\nx = ______\n```\n:::\n````\n\n"
        "```{{python}}\n#| course_role: exercize\n```\n\n`<!-- x -->` 和 `::: {.answers}`\n"
    )
    assert parse(text, slug="x", path="x.qmd", lang="zh-CN").cells() == ()


def warnings(text: str) -> list[tuple[int, str]]:
    lesson = parse(text, slug="x", path="solutions/x/x.qmd", lang="zh-CN")
    return [(int(warning.split(":")[1]), warning) for warning in lesson.warnings]


HARMLESS = {
    "div glued to a paragraph": ("text\n::: {.column}\n\n:::\n", 2, "blank line"),
    "question without answer line": ("# x\n\n## Q1 为什么\n\ntext\n", 3, "not graded"),
    "near answer line without a question": ("你的答案:\n", 1, "no question"),
    "another language": ("text\n\n```{bash}\nls\n```\n", 3, "does not run it"),
    "unknown cell option": ("```{python}\n#| secret: 1\n1\n```\n", 1, "'secret'"),
    "Quarto option below the code": ("```{python}\nx = 1\n#| echo: false\n```\n", 3, "comment"),
    "unknown setting": ("---\ntitle: x\nnotes: y\n---\n", 3, "'notes'"),
    "setting that names a file": ("---\ntitle: x\nbibliography: y.bib\n---\n", 3, "'bibliography'"),
    "course that is no table": ("---\ncourse: infra\n---\n", 2, "no table"),
    "unknown course option": ("---\ncourse: {order: 3}\n---\n", 2, "'order'"),
    "exercise of two names": (
        EXERCISE.replace("def f(a):\n    return ______", "a = ______\nb = ______")
        + SOLUTION.replace("def f(a):\n    return a + 1", "a = 1\nb = 2"), 1, "'exercise-1'"),
    "label that is no id": (
        EXERCISE.replace("exercise\n", "exercise\n#| label: 练习\n") + SOLUTION, 3, "by 'f'"),
    "notice": (WHOLE + "> **答案版**：勿外传。\n", 22, "no student edition"),
    "notice in a callout": (
        WHOLE + "::: {.callout-note}\n\n## 答案版\n\n勿外传。\n:::\n", 22, "no student edition"),
    "text beside an answer": (
        EXERCISE + "## 参考答案\n\n先做题。\n\n" + SOLUTION, 7, "another heading"),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_harmless_is_a_warning(name: str) -> None:
    text, line, words = HARMLESS[name]
    found = warnings(text)
    assert len(found) == 1, found
    assert found[0][0] == line, found
    assert words in found[0][1]


def test_what_needs_no_word_at_all() -> None:
    text = (
        "---\ntitle: x\nformat: {html: {toc: true}}\n---\n\n"
        + EXERCISE
        + "a <!-- b --> c\n\n答案版在周五发布。\n\n## Q1–Q3 怎样评\n\n各 2 分。\n\n**参考答案**\n\n"
        + SOLUTION
    )
    assert warnings(text) == []


@pytest.mark.parametrize(
    ("asked", "grade_id", "points"),
    [
        ("### Q2：为什么？", "q2", 2.0),
        ("# Q2. 为什么？", "q2", 2.0),
        ("## 3.2 Q2 为什么？（3 分）", "q2", 3.0),
        ("## 问题 2：为什么？", "q2", 2.0),
        ("## 思考题二", "q2", 2.0),
        ("#### 第 2 题 (1.5 points)", "q2", 1.5),
        ("## Question 2", "q2", 2.0),
        ("## 为什么？ {#q2}", "q2", 2.0),
        ('## 说说 {#why points="1"}', "why", 1.0),
        ("## 问答（Q1–Q3）\n\n**Q2** 为什么？", "q2", 2.0),
        ("**Q2：为什么？**", "q2", 2.0),
        ("- Q2. 为什么？", "q2", 2.0),
        ("## Q1–Q3\n\n**Q1** 与 **Q3** 见下。\n\n**Q2.** 为什么？", "q2", 2.0),
        ("## Q2 为什么\n\n**Q1** 里说过一半。", "q2", 2.0),
    ],
)
@pytest.mark.parametrize(
    "line",
    [
        "**你的答案：**",
        "**你的答案:**",
        "> **你的回答：**",
        "**你的答案：** ______",
        "Your answer:",
    ],
)
def test_questions_as_people_write_them(
    asked: str, grade_id: str, points: float, line: str
) -> None:
    lesson = parse(f"{asked}\n\n{line}\n\n\n后文\n", slug="x", path="x.qmd", lang="zh-CN")
    (answer,) = lesson.answers
    assert (answer.grade_id, answer.points) == (grade_id, points)
    assert answer.text.strip() == line


@pytest.mark.parametrize(
    ("below", "kept"),
    [
        ("> \n", "> "),
        ("> （在此作答）\n", "> （在此作答）"),
        ("\n（3–5 句）\n", "\n（3–5 句）"),
        ("\n\n___\n", "\n\n___"),
        ("<br>\n<br>\n", "<br>\n<br>"),
        ("\n提示：想想目录。\n", ""),
        ("\n> 提示：想想目录。\n", ""),
        ("\n---\n", ""),
    ],
)
def test_what_stands_below_an_answer_line_to_be_replaced(below: str, kept: str) -> None:
    text = f"## Q1\n\n**你的答案：**\n{below}\n后文\n"
    lesson = parse(text, slug="x", path="x.qmd", lang="zh-CN")
    (answer,) = lesson.answers
    expected = f"**你的答案：**\n{kept}" if kept else "**你的答案：**"
    assert answer.text.rstrip("\n") == expected


def test_a_cell_that_swallows_the_next_is_named_and_nothing_else() -> None:
    text = (
        "---\ntitle: t\n---\n\n"
        "```{python}\n#| course_role: exercise\ndef f(x):\n    return ______\n\n"
        "文字。\n\n```{python}\nprint(1)\n```\n"
    )
    with pytest.raises(LessonErrors) as caught:
        parse(text, slug="x", path="solutions/x/x.qmd", lang="zh-CN")
    assert str(caught.value) == (
        "solutions/x/x.qmd:5: This cell is never closed: another begins in it, on line 12. "
        "Add a line ` ``` ` where it ends."
    )


def test_a_longer_fence_may_hold_a_cell() -> None:
    text = '---\ntitle: t\n---\n\n````{python}\ns = """\n```{python}\n"""\n````\n'
    assert parse(text, slug="x", path="x.qmd", lang="zh-CN").cells()


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_an_empty_lesson_is_a_fault(text: str) -> None:
    with pytest.raises(LessonErrors, match=r"x\.qmd:1: The lesson is empty\."):
        parse(text, slug="x", path="x.qmd", lang="zh-CN")
