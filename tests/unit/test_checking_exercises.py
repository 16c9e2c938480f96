"""Exercises tried out in the sandbox: one fault each, at its exact line."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from autograder.checking.exercises import try_exercises
from autograder.checking.report import Counts, Finding, Severity
from autograder.checking.trial import sandbox
from autograder.editions.notebook import source_edition
from autograder.project import Limits, Project
from autograder.source import parse

pytestmark = pytest.mark.sandbox

# Lines 1-5.
EXERCISE = "```{python}\n#| course_role: exercise\ndef mean(total, n):\n    return ______\n```\n"
# Lines 6-15.
TESTS = """\
```{python}
#| course_role: tests
#| category: normal
#| points: 2
assert mean(6, 3) == 2
### BEGIN HIDDEN TESTS
assert mean(1, 3) == 1 / 3
assert mean(5, 0.5) == 10
### END HIDDEN TESTS
```
"""
# Lines 16-35: the reference from 17, its code from 19; right fills from 27, wrong ones at 34.
ANSWER = """\
::: {.callout-tip .answer}
```{python}
#| course_role: solution
def mean(total, n):
    return total / n
```

```{python}
#| course_role: fill
#| expect: right
#| eval: false
total / n
1 / n * total
```
```{python}
#| course_role: fill
#| expect: wrong
#| eval: false
total // n
```
:::
"""
WHOLE = EXERCISE + TESTS + ANSWER


Tried = Callable[[str], tuple[list[Finding], Counts]]


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    """Try out a lesson's exercises; one sandbox for all of these tests."""
    project = Project(root=tmp_path_factory.mktemp("course"), limits=Limits(cell_s=3))

    def run(text: str) -> tuple[list[Finding], Counts]:
        lesson = parse(text, slug="x", path="solutions/x/x.qmd", lang="zh-CN")
        return try_exercises(box, project, lesson, source_edition(lesson).notebook)

    with sandbox(project) as box:
        yield run


def said(findings: tuple[list[Finding], Counts]) -> list[tuple[int, str]]:
    return [(one.line, str(one)) for one in findings[0]]


def test_a_sound_exercise(tried: Tried) -> None:
    findings, counts = tried(WHOLE)
    assert findings == []
    assert (counts.exercises, counts.tests, counts.fills) == (1, 1, 3)
    # `abs(total / n)` is the same for what the tests try, all of it positive.
    assert (counts.shown_only, counts.equivalent, counts.surviving) == (0, 1, 0)
    assert counts.mutants == counts.killed + 1
    assert counts.mutants > 30


def test_tests_that_pass_with_the_blank_unfilled(tried: Tried) -> None:
    empty = TESTS.replace("mean(6, 3) == 2", "mean").replace("mean(1, 3) == 1 / 3", "mean")
    found = said(tried(EXERCISE + empty.replace("mean(5, 0.5) == 10", "mean") + ANSWER))
    assert [line for line, words in found if "pass while the blank is not filled" in words] == [6]


def test_a_reference_that_fails(tried: Tried) -> None:
    found = said(tried(WHOLE.replace("mean(1, 3) == 1 / 3", "mean(1, 4) == 0.5")))
    assert found[0][0] == 12
    assert "do not give the reference full points: AssertionError" in found[0][1]


def test_a_reference_that_does_not_run(tried: Tried) -> None:
    text = WHOLE.replace("def mean", "assert n_samples\ndef mean")
    found = said(tried(text))
    assert (18, True) in [(line, "does not run: NameError" in words) for line, words in found]


def test_a_wrong_fill_that_passes(tried: Tried) -> None:
    text = WHOLE.replace("total // n", "total // n\nn and total / n")
    assert [line for line, words in said(tried(text)) if "gets full points" in words] == [35]


def test_a_right_fill_that_fails(tried: Tried) -> None:
    text = WHOLE.replace("1 / n * total", "1 / n * total\nround(total / n)")
    found = [(line, words) for line, words in said(tried(text)) if "right fill" in words]
    assert [line for line, _ in found] == [29]
    assert "the tests 'normal' say AssertionError" in found[0][1]


def test_a_fill_that_never_ends_is_caught(tried: Tried) -> None:
    text = WHOLE.replace("total // n", "[0 for _ in iter(int, 1)]")
    assert said(tried(text)) == []


def test_a_fill_that_kills_its_process_costs_nothing_else(tried: Tried) -> None:
    text = WHOLE.replace("total // n", "__import__('os')._exit(1)")
    findings, counts = tried(text)
    assert findings == []
    assert (counts.fills, counts.equivalent, counts.surviving) == (3, 1, 0)


def test_a_surviving_mutant_comes_with_an_input(tried: Tried) -> None:
    text = WHOLE.replace("assert mean(5, 0.5) == 10\n", "").replace("total // n", "n / total")
    text = text.replace("mean(1, 3) == 1 / 3", "mean(8, 4) == 2")
    findings, counts = tried(text)
    floor = [one for one in findings if "`total // n`" in one.what]
    assert [(one.line, one.severity) for one in floor] == [(16, Severity.WARNING)]
    assert "it gives" in floor[0].what
    assert "the reference" in floor[0].what
    assert counts.surviving >= 1


def test_a_mutant_that_only_visible_tests_catch(tried: Tried) -> None:
    text = WHOLE.replace("assert mean(6, 3) == 2", "assert mean(1, 3) == 1 / 3")
    text = text.replace(
        "BEGIN HIDDEN TESTS\nassert mean(1, 3) == 1 / 3",
        "BEGIN HIDDEN TESTS\nassert mean(6, 3) == 2",
    )
    found = tried(text)[0]
    assert "In 'mean' only the visible tests catch `total // n`." in [one.what for one in found]
    assert all(one.severity is Severity.WARNING for one in found)


def test_results_that_differ_across_the_wall(tried: Tried) -> None:
    # The argument is changed in place, which no data that crosses can show.
    text = WHOLE.replace("return ______", "total.append(______)").replace(
        "return total / n", "total.append(n)"
    )
    text = text.replace("total / n\n1 / n * total", "n").replace("total // n", "n + 1")
    tests = "a = []\nmean(a, 3)\nassert a == [3]"
    hidden = TESTS[TESTS.index("### BEGIN") : TESTS.index("### END")]
    text = text.replace("assert mean(6, 3) == 2", tests).replace(hidden, "### BEGIN HIDDEN TESTS\n")
    found = said(tried(text))
    assert [line for line, _ in found] == [6]
    assert "give 'the reference' passed in a kernel and failed" in found[0][1]


def test_a_name_of_an_earlier_tests_cell_differs_across_the_wall(tried: Tried) -> None:
    more = TESTS.replace("normal", "boundary").replace("assert mean(6, 3) == 2", "assert k == 2")
    text = EXERCISE + TESTS.replace("assert mean(6, 3)", "k = mean(6, 3)\nassert k") + more + ANSWER
    found = said(tried(text))
    assert [line for line, words in found if "across the wall" in words] == [17]


def test_an_exercise_without_tests(tried: Tried) -> None:
    answer = ANSWER[: ANSWER.index("```{python}\n#| course_role: fill")] + ":::\n"
    findings, _ = tried(EXERCISE + answer)
    assert [(one.line, one.severity) for one in findings] == [(1, Severity.WARNING)]


def test_a_reference_edited_beside_its_blank(tried: Tried) -> None:
    text = WHOLE.replace(
        "def mean(total, n):\n    return total", "def mean(total, n=1):\n    return total"
    )
    findings, _ = tried(text)
    assert [(one.line, one.severity) for one in findings] == [(19, Severity.WARNING)]


VALUE = """\
```{python}
#| course_role: exercise
case = {"args": ______, "expect": ______}
```
```{python}
#| course_role: tests
#| category: boundary
#| points: 1
case["args"] == case["expect"]
### BEGIN HIDDEN TESTS
assert sum(case["args"]) == case["expect"]
### END HIDDEN TESTS
```
::: {.callout-tip .answer}
```{python}
#| course_role: solution
case = {"args": (1, 2), "expect": 3}
```
```{python}
#| course_role: fill
#| expect: right
#| eval: false
(4, 5), 9
```
```{python}
#| course_role: fill
#| expect: wrong
#| eval: false
(4, 5), 8
```
:::
"""


def test_an_exercise_that_is_a_value(tried: Tried) -> None:
    findings, counts = tried(VALUE)
    assert counts.fills == 2
    # A case of the learner's own may be another right one: `(2, 1)` sums to 3 as well.
    assert (
        "In 'case' the tests accept `(2, 1)`: it is {'args': (2, 1), 'expect': 3}, "
        "the reference {'args': (1, 2), 'expect': 3}."
    ) in [one.what for one in findings]
    assert {one.severity for one in findings} == {Severity.WARNING}
    assert counts.surviving == len(findings)


TWO = (
    WHOLE.replace("#| course_role: fill", "#| course_role: fill\n#| exercise: mean").replace(
        "#| course_role: tests", "#| course_role: tests\n#| exercise: mean"
    )
    + """
```{python}
#| course_role: exercise
def double(total, n):
    return 2 * ______
```
```{python}
#| course_role: tests
#| label: second
#| exercise: double
#| category: normal
#| points: 1
assert double(6, 3) == 4
### BEGIN HIDDEN TESTS
assert double(1, 4) == 0.5
assert double(5, 0.5) == 20
### END HIDDEN TESTS
```
::: {.callout-tip .answer}
```{python}
#| course_role: solution
#| exercise: double
def double(total, n):
    return 2 * mean(total, n)
```
:::
"""
)


def test_a_later_exercise_stands_on_the_reference_of_an_earlier_one(tried: Tried) -> None:
    findings, counts = tried(TWO)
    assert [one for one in findings if one.severity is Severity.ERROR] == []
    assert counts.exercises == 2
