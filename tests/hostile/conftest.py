"""Lesson 3 as a grader meets it: hand-ins of any shape, through sandbox, wall and reports."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from autograder.editions.build import source_notebook
from autograder.editions.release import release
from autograder.errors import MissingOnMachine
from autograder.grading.intake.reading import UnreadableError, read_notebook
from autograder.grading.integrity.plan import plan
from autograder.grading.master import Master, read_master
from autograder.grading.records import Batch, Graded, Submission
from autograder.grading.reports.autograded import autograded_notebook, notebook_text
from autograder.grading.reports.feedback import FeedbackPages
from autograder.grading.run import Runner
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.scoring import score
from autograder.project import Limits, Project, find_project

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"
RIGHT = "physical_bytes / interval_s"
AUTOMATIC = ("normal", "boundary", "boundary_case")
_STRING = re.compile(r'"[^"\n]{4,}"')


@dataclass
class HandIn:
    """A copy of the student edition, to be filled in and tampered with."""

    cells: list[dict[str, Any]]
    rest: dict[str, Any] = field(default_factory=dict)

    def at(self, name: str) -> int:
        return next(i for i, cell in enumerate(self.cells) if cell["id"] == name)

    def __getitem__(self, name: str) -> dict[str, Any]:
        return self.cells[self.at(name)]

    def fill(self, text: str, name: str = "checkpoint_io") -> HandIn:
        cell = self[name]
        cell["source"] = cell["source"].replace("______", text)
        return self

    def case(self, args: str, expect: str) -> HandIn:
        cell = self["my_boundary_case"]
        for text in (args, expect):
            cell["source"] = cell["source"].replace("______", text, 1)
        return self

    def source(self, name: str, text: str) -> HandIn:
        self[name]["source"] = text
        return self

    def add(self, source: str, *, before: str = "checkpoint_io", kind: str = "code") -> HandIn:
        """Put a cell of the learner's own before one of ours; `own-1`, `own-2` ... in turn."""
        number = 1 + sum(cell["id"].startswith("own-") for cell in self.cells)
        cell = {"cell_type": kind, "id": f"own-{number}", "metadata": {}, "source": source}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        self.cells.insert(self.at(before), cell)
        return self

    def raw(self) -> bytes:
        return json.dumps(self.rest | {"cells": self.cells}, ensure_ascii=True).encode()


@dataclass(frozen=True)
class Outcome:
    """What a hand-in came to, and all that people get to see of it."""

    graded: Graded
    page: str
    notebook: str

    @property
    def points(self) -> tuple[float | None, ...]:
        """normal, boundary, boundary_case."""
        return tuple(self.graded.result.scores[name] for name in AUTOMATIC)

    @property
    def flags(self) -> set[str]:
        return {flag.value for flag in self.graded.result.flags}

    @property
    def status(self) -> str:
        return self.graded.result.status.value

    @property
    def reasons(self) -> dict[str, str]:
        return dict(self.graded.result.reasons)

    def printed(self, cell: str = "own-1") -> str:
        """What a cell wrote to its streams."""
        assert self.graded.run is not None
        outputs = self.graded.run.cells[cell].outputs
        return "".join(output.get("text", "") for output in outputs)

    def error(self, cell: str = "own-1") -> str | None:
        """The class of what a cell raised."""
        assert self.graded.run is not None
        error = self.graded.run.cells[cell].error
        return None if error is None else str(error["name"])


class Course:
    """The real lesson, and the secrets of its tests."""

    def __init__(self) -> None:
        self.project: Project = find_project(ROOT)
        source = source_notebook(self.project, LESSON)
        self.master: Master = read_master(source)
        self.released: dict[str, Any] = json.loads(json.dumps(release(source)))
        public = "\n".join(cell["source"] for cell in self.released["cells"])
        for module in (ROOT / "lessons").rglob("*.py"):
            public += module.read_text(encoding="utf-8")
        hidden = [
            part.partition("### END HIDDEN TESTS")[0]
            for test in self.master.tests
            for part in test.source.split("### BEGIN HIDDEN TESTS")[1:]
        ]
        lines = {line.strip() for part in hidden for line in part.split("\n")}
        strings = {text.strip('"') for part in hidden for text in _STRING.findall(part)}
        self.secrets = {line for line in lines if len(line) > 12 and line not in public}
        self.secrets |= {text for text in strings if len(text) > 8 and text not in public}
        assert len(self.secrets) > 40

    def hand_in(self) -> HandIn:
        cells = copy.deepcopy(self.released["cells"])
        return HandIn(cells, {key: v for key, v in self.released.items() if key != "cells"})

    def right(self) -> HandIn:
        """Everything right; T = 300 s < T_dump = 600 s, so 600 s and 6e12 B / 300 s = 20 GB/s."""
        return self.hand_in().fill(RIGHT).case("(4e12, 10e9, 1.5, 300)", "(600.0, 2e10)")


class Grader:
    """Grades one hand-in after the other, as a batch does."""

    def __init__(self, course: Course, box: Sandbox, limits: Limits) -> None:
        self.course = course
        self.box = box
        self._runner = Runner(box, course.master, limits)
        master = course.master
        batch = Batch(
            lesson=master.lesson,
            title=master.title,
            lang=master.lang,
            max_score=master.max_score,
            sandbox=box.name,
            limits={},
            questions=master.questions,
            out=ROOT,
        )
        self._pages = FeedbackPages(batch, master.notebook, ROOT / "assets")

    def close(self) -> None:
        self._runner.close()

    def __call__(self, given: HandIn | bytes) -> Outcome:
        master = self.course.master
        raw = given if isinstance(given, bytes) else given.raw()
        read = run = notebook = refused = None
        try:
            notebook = read_notebook(raw, lang=master.lang)
        except UnreadableError as error:
            refused = str(error)
        submission = Submission(student="s1", notebook=notebook, raw=raw, unreadable=refused)
        if notebook is not None:
            read = plan(master.notebook, notebook, master.lang)
            run = self._runner.run(read, seed=1)
        result = score(
            master.questions, submission, read, run, lang=master.lang, pass_total=master.pass_total
        )
        graded = Graded(submission=submission, plan=read, run=run, result=result)
        shown = autograded_notebook(graded, master.notebook)
        outcome = Outcome(graded, self._pages.page(result, shown), notebook_text(shown))
        self._check(outcome)
        return outcome

    def _check(self, outcome: Outcome) -> None:
        """Assert what holds for every submission, whatever is in it."""
        result = outcome.graded.result
        for name, points in result.scores.items():
            assert points is not None or name in result.reasons or name not in AUTOMATIC
            assert points != 0 or result.reasons[name].strip()
        said = "\n".join(result.reasons.values()) + outcome.page
        assert not [secret for secret in self.course.secrets if secret in said]
        assert "Traceback" not in "".join(result.reasons.values())
        json.loads(outcome.notebook)
        outcome.notebook.encode()
        outcome.page.encode()


@pytest.fixture(scope="session")
def course() -> Course:
    return Course()


@pytest.fixture(scope="module")
def grader_with(course: Course) -> Iterator[Callable[..., Grader]]:
    """Makes the module's one grader, with limits as short as its cases allow."""
    opened: list[tuple[Sandbox, Grader]] = []

    def make(**limits: float) -> Grader:
        if not opened:
            bounds = Limits(**limits)  # type: ignore[arg-type]  # counts are whole numbers
            box = Sandbox(lessons=course.project.lesson_modules, limits=bounds)
            try:
                box.__enter__()
                box.start_worker().close()
            except MissingOnMachine as error:
                pytest.skip(str(error))
            opened.append((box, Grader(course, box, bounds)))
        return opened[0][1]

    yield make
    for box, grader in opened:
        grader.close()
        box.__exit__(None, None, None)
