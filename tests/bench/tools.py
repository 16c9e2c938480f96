"""Each tool on the same submissions: how it is started, and what it took."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from autograder.commands.prepared import prepared
from autograder.editions.notebook import dumps
from autograder.grading.reports.coursedir import CourseDir, gradebook_url
from autograder.project import find_project
from tests.bench.classes import LESSON, hand_in, without_widgets
from tests.bench.measured import PYTHON, FailedError, Measured, measure

ROOT = Path(__file__).resolve().parents[2]
_NBGRADER = (PYTHON, "-m", "nbgrader")
_COURSE = (PYTHON, "-c", "from autograder.cli import main; main()")


@dataclass(frozen=True, kw_only=True)
class Size:
    """How many submissions are graded, and how often.

    Attributes:
        each: By tools that start anew for each notebook, so that more would change nothing.
        some: By nbgrader, whose start-up would weigh much with fewer; and by ours.
        many: By ours alone.
        repeats: Turns.
    """

    each: int
    some: int
    many: int
    repeats: int


@dataclass(frozen=True, kw_only=True)
class Row:
    """One tool's runs over the same class.

    Attributes:
        submissions: How many notebooks a run graded.
        wall_s: Seconds a submission, a value a run.
        cpu_s: Processor seconds a submission, a value a run.
        peak_mb: The most of all runs.
        note: Why it was not measured.
    """

    tool: str
    submissions: int
    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    peak_mb: float = 0.0
    note: str = ""

    @property
    def middle_s(self) -> float:
        return median(self.wall_s)

    def as_json(self) -> dict[str, Any]:
        found = asdict(self)
        if self.wall_s:
            found |= {"median_s": self.middle_s, "min_s": min(self.wall_s)}
            found |= {"max_s": max(self.wall_s), "median_cpu_s": median(self.cpu_s)}
        return found


class Class:
    """Submissions of lesson 3 in a scratch folder.

    Args:
        scratch: Where everything goes.
        widgets: Whether the notebooks have their explorer cells.
    """

    def __init__(self, scratch: Path, *, widgets: bool = True) -> None:
        self.scratch = scratch
        self._widgets = widgets
        made = prepared(find_project(ROOT), LESSON)
        self._config = made.config
        self._source = made.source
        self._released = json.loads(made.release)

    def tree(self, count: int) -> Path:
        """nbgrader's tree of the first `count` learners."""
        folder = self.scratch / f"class-{count}"
        if not folder.exists():
            for number in range(count):
                file = folder / f"s{number:05}" / LESSON / f"{LESSON}.ipynb"
                file.parent.mkdir(parents=True)
                text = json.dumps(self._cut(hand_in(self._released, number)), ensure_ascii=False)
                file.write_text(text, encoding="utf-8")
        return folder

    def forget(self, count: int) -> None:
        """Remove a large class."""
        shutil.rmtree(self.scratch / f"class-{count}", ignore_errors=True)

    def nbgrader_course(self, count: int) -> Path:
        """A fresh course of stock nbgrader, its release made, `count` submissions handed in."""
        folder = CourseDir(root=self.scratch / "nbgrader", lesson=LESSON)
        shutil.rmtree(folder.root, ignore_errors=True)
        url = gradebook_url(folder.root, "sqlite:///gradebook.db")
        folder.prepare(db_url=url, release_config=self._config)
        source = self._source.copy()
        source["cells"] = self._cut(source)["cells"]
        folder.write_source(dumps(source))
        shutil.copytree(self.tree(count), folder.root / "submitted")
        # nbgrader looks for the lesson's modules where it runs.
        (folder.root / "lessons").symlink_to(ROOT / "lessons")
        self.run((*_NBGRADER, "generate_assignment", LESSON), "release", cwd=folder.root)
        return folder.root

    def tests(self) -> list[tuple[str, float, str]]:
        """Name, points and source of each of the master's tests, hidden parts included."""
        return [
            (about["grade_id"], float(about["points"]), cell["source"])
            for cell in self._source["cells"]
            if (about := cell["metadata"].get("nbgrader", {})).get("grade")
            and cell["cell_type"] == "code"
        ]

    def run(
        self, command: Iterable[str], name: str, cwd: Path = ROOT, path: str = str(ROOT)
    ) -> Measured:
        """Run a command, its output in a log; `path` is where Python finds modules first."""
        env = {"PYTHONPATH": path, "IPYTHONDIR": str(self.scratch / "ipython")}
        log = self.scratch / "logs" / f"{name}.log"
        return measure(tuple(command), cwd=cwd, env=env, log=log)

    def _cut(self, notebook: dict[str, Any]) -> dict[str, Any]:
        return notebook if self._widgets else without_widgets(notebook)


def course_grade(made: Class, count: int, *, workers: int | None = None) -> Measured:
    """`course grade` into a fresh folder: sandboxed, gradebook and feedback included."""
    out = made.scratch / "out"
    shutil.rmtree(out, ignore_errors=True)
    command = [*_COURSE, "grade", str(made.tree(count)), "--lesson", LESSON, "--out", str(out)]
    if workers is not None:
        command += ["--workers", str(workers)]
    found = made.run(command, f"course-{count}")
    shutil.rmtree(out, ignore_errors=True)
    return found


def nbgrader_grade(made: Class, count: int) -> Measured:
    """`nbgrader autograde` and `generate_feedback`, one after the other, as a teacher runs them."""
    course = made.nbgrader_course(count)
    steps = [
        made.run((*_NBGRADER, step, LESSON), f"nbgrader-{step}", cwd=course)
        for step in ("autograde", "generate_feedback")
    ]
    return Measured(
        wall_s=sum(step.wall_s for step in steps),
        cpu_s=sum(step.cpu_s for step in steps),
        peak_mb=max(step.peak_mb for step in steps),
    )


def nbclient_each(made: Class, count: int) -> Measured:
    """nbclient and ipykernel, a kernel a notebook; nothing is graded."""
    folder = made.scratch / "nbclient"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(made.tree(count), folder)
    files = sorted(map(str, folder.glob("*/*/*.ipynb")))
    return made.run((PYTHON, "-m", "tests.bench.each", *files), "nbclient")


Run = Callable[[Class, int], Measured]


def compared(made: Class, each: dict[str, Run], size: Size, suffix: str = "") -> list[Row]:
    """The table of tools.

    They take turns, so that a machine that grows slower meanwhile is slower for all of them.

    Args:
        made: The submissions.
        each: The tools that start anew for each notebook, beside nbclient.
        size: How many.
        suffix: To the tools' names.
    """
    starting = {"nbclient + ipykernel": nbclient_each, **each}
    tools = [
        (f"nbgrader autograde + feedback{suffix}", nbgrader_grade, size.some),
        *((f"{tool}{suffix}", run, size.each) for tool, run in starting.items()),
        (f"course grade{suffix}", course_grade, size.some),
        (f"course grade, {size.many} of them{suffix}", course_grade, size.many),
    ]
    runs: dict[str, list[Measured]] = {tool: [] for tool, *_ in tools}
    notes: dict[str, str] = {}
    for _ in range(size.repeats):
        for tool, run, count in tools:
            if tool in notes:
                continue
            try:
                runs[tool].append(run(made, count))
            except FailedError as error:
                notes[tool] = f"{tool}: not measured: {error}"
    return [_row(tool, count, runs[tool], notes.get(tool, "")) for tool, _, count in tools]


def _row(tool: str, count: int, runs: list[Measured], note: str) -> Row:
    if note:
        return Row(tool=tool, submissions=count, note=note)
    return Row(
        tool=tool,
        submissions=count,
        wall_s=[one.wall_s / count for one in runs],
        cpu_s=[one.cpu_s / count for one in runs],
        peak_mb=max(one.peak_mb for one in runs),
    )
