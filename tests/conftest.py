"""What suites share: no skips in CI, and a small course in a git repository of its own."""

from __future__ import annotations

# isort: off
from autograder import nodes  # noqa: F401  # before any test imports nbformat
# isort: on

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.project import Project, find_project
from autograder.release.audit import Report, audit
from autograder.release.gitstore import FILE, Entry, GitStore, Person
from autograder.release.publish import Published, publish
from autograder.release.secrets import Edition

ROOT = Path(__file__).resolve().parents[1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a test that skips because the machine lacks something fails: nothing may hide."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} must not skip in CI: {report.longrepr}"
    return report


# Half a minute and more each, one test after the other: the README's commands, then the attacks.
LONG = (
    "test_readme.py",
    "test_attacks.py",
    "test_forgery.py",
    "test_tricks.py",
    "test_contained.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files begin first, so that none is left to one worker at the end."""
    rank = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get(item.path.name, len(LONG)))


QMD = """\
---
title: 小课
jupyter: python3
---

## 练习

求平均数，只替换 `______`。

```{python}
#| course_role: exercise
def average(values):
    total = sum(values)
    count = len(values)
    result = ______
    return result
```

```{python}
#| course_role: tests
#| label: normal
#| category: normal
#| points: 2
assert average([2, 4]) == 3
### BEGIN HIDDEN TESTS
assert average([11, 12, 14.5]) == 12.5
### END HIDDEN TESTS
```

## Q1 为什么矿工要带一盏灯？

**你的答案：**

::: {.callout-tip .answer collapse="true" title="参考答案"}
灯焰在坑道深处逐渐变暗，说明氧气已经不足，必须立刻返回地面。

Lanterns dim slowly because oxygen runs short deep underground.

```{python}
#| course_role: solution
def average(values):
    total = sum(values)
    count = len(values)
    result = total / count
    return result
```

```{python}
#| course_role: fill
#| expect: wrong
#| eval: false
total // count
```
:::
"""
RUBRIC = """\
lesson = "tiny"

[[questions]]
id = "q1"
points = 2
public = ["看因果"]

[[questions.links]]
line = "燃烧消耗空气中有限的氧"
evidence = ["火苗先变黄后变短再熄灭"]
"""
SAMPLES = """\
[[samples]]
student = "s01"
about = "right"
fill.average = ["sum(values) / len(values)"]
answers.q1 = "因为金丝雀太贵而且不会发光照路"
"""
PYPROJECT = """\
[project]
name = "tiny-course"
version = "0.1.0"

[tool.course]
title = "小课程"
lang = "zh-CN"
lessons = ["tiny"]
branches = { student = "student", answer = "answer" }
"""


def _cell(kind: str, name: str, source: str) -> dict[str, object]:
    cell: dict[str, object] = {"cell_type": kind, "id": name, "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def notebook(*more: Mapping[str, object], **metadata: object) -> str:
    stub = QMD.partition("exercise\n")[2].partition("\n```")[0]
    cells = [
        _cell("code", "average", stub),
        _cell("code", "normal", "assert average([2, 4]) == 3"),
        _cell("markdown", "q1", "**你的答案：**"),
        *more,
    ]
    content = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


@dataclass(frozen=True, kw_only=True)
class SmallCourse:
    """The course in `root`, committed; `main` holds everything."""

    root: Path

    @property
    def project(self) -> Project:
        return find_project(self.root)

    @property
    def store(self) -> GitStore:
        return GitStore(self.root)

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.root), "-c", "user.name=T", "-c", "user.email=t@t.invalid"]
        done = subprocess.run(
            [*command, *arguments], capture_output=True, text=True, check=True, encoding="utf-8"
        )
        return done.stdout.strip()

    def write(self, path: str, content: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "change") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def publish(self, edition: Edition = Edition.STUDENT) -> Published:
        return publish(self.store, self.project, edition, lambda _: [])

    def audit(self, tip: str = "student", edition: Edition = Edition.STUDENT) -> Report:
        return audit(self.store, self.project, self.git("rev-parse", tip), edition)

    def plant(
        self,
        files: Mapping[str, bytes | None],
        *,
        mode: str = FILE,
        message: str | None = None,
        author: str = "Course",
    ) -> str:
        """Put a commit on the student branch that publishing would never make."""
        store = self.store
        tip = self.git("rev-parse", "student")
        entries = {one.path: one for one in store.entries(tip)}
        for path, content in files.items():
            if content is None:
                del entries[path]
            else:
                entries[path] = Entry(mode=mode, oid=store.write_blob(content), path=path)
        text = message or "Publish the student edition"
        text += f"\n\nSource-Commit: {self.git('rev-parse', 'main')}\n"
        who = Person(name=author, email="c@c.invalid", date="1700000000 +0000")
        commit = store.write_commit(store.write_tree(entries.values()), tip, text, who)
        store.move_branch("student", commit, tip)
        return commit


@pytest.fixture(scope="session")
def course_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    course = SmallCourse(root=tmp_path_factory.mktemp("course"))
    course.git("init", "--quiet", "--initial-branch=main")
    for path, content in {
        "pyproject.toml": PYPROJECT,
        "constraints.txt": "numpy\n",
        "LICENSE": "MIT\n",
        "autograder/__init__.py": "",
        "lessons/__init__.py": "",
        "lessons/tiny/__init__.py": "",
        "lessons/tiny/tiny.ipynb": notebook(),
        "lessons/tiny/tiny.qmd": QMD.partition("::: {")[0].replace(
            "### BEGIN HIDDEN TESTS\nassert average([11, 12, 14.5]) == 12.5\n"
            "### END HIDDEN TESTS\n",
            "",
        ),
        "solutions/tiny/tiny.qmd": QMD,
        "solutions/tiny/tiny.ipynb": notebook(_cell("markdown", "answers", QMD)),
        "solutions/tiny/rubric.toml": RUBRIC,
        "solutions/tiny/samples.toml": SAMPLES,
        "tests/test_nothing.py": "",
    }.items():
        course.write(path, content)
    shutil.copytree(ROOT / "assets" / "student", course.root / "assets" / "student")
    course.commit("Begin")
    course.publish()
    return course.root


@pytest.fixture(scope="session")
def course_copy(
    course_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], SmallCourse]:
    """Makes copies of the course, its branch `student` published once."""

    def copy() -> SmallCourse:
        root = tmp_path_factory.mktemp("copy") / "course"
        shutil.copytree(course_template, root)
        return SmallCourse(root=root)

    return copy


@pytest.fixture
def small_course(course_copy: Callable[[], SmallCourse]) -> SmallCourse:
    return course_copy()
