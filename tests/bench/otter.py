"""Otter on the same submissions: `otter run`, once a notebook, as its command line grades.

Otter is no dependency of the course: its release is installed into the scratch folder. The
master's tests become its exception-based test files; they run in the learner's process, hidden
ones too, with no sandbox, and no gradebook or feedback comes of it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.bench.measured import PYTHON, FailedError, Measured
from tests.bench.tools import LESSON, ROOT, Class

OTTER = "otter-grader==7.0.0"
_RUN = (PYTHON, "-m", "otter")
_TEST = """\
from otter.test_files import test_case

OK_FORMAT = False
name = {name!r}
points = {points!r}


@test_case(points={points!r}, hidden=True)
def test_it(env):
    exec({source!r}, env)
"""


def otter_each(made: Class, count: int) -> Measured:
    """`otter run` for each of the first `count` submissions.

    Raises:
        FailedError: It cannot be installed or run, or it gave a right hand-in no points.
    """
    folder = made.scratch / "otter"
    path = f"{_installed(folder, made)}:{ROOT}"  # the lesson's modules are under the latter
    tests = _autograder(folder, made, path)
    runs = []
    for file in sorted(made.tree(count).glob(f"*/{LESSON}/*.ipynb")):
        out = folder / "results" / file.parts[-3]
        out.mkdir(parents=True, exist_ok=True)
        command = (*_RUN, "run", "-a", str(tests), "-o", str(out), "--no-logo", str(file))
        runs.append(made.run(command, "otter-run", path=path))
    _check(folder / "results" / "s00000" / "results.json", made)
    return Measured(
        wall_s=sum(one.wall_s for one in runs),
        cpu_s=sum(one.cpu_s for one in runs),
        peak_mb=max(one.peak_mb for one in runs),
    )


def _installed(folder: Path, made: Class) -> Path:
    library = folder / "lib"
    if not library.exists():
        pip = (PYTHON, "-m", "pip", "install", "--quiet", "--target", str(library), OTTER)
        try:
            made.run(pip, "otter-install")
        except FailedError:
            shutil.rmtree(library, ignore_errors=True)
            raise
    return library


def _autograder(folder: Path, made: Class, path: str) -> Path:
    """The zip that `otter generate` makes of the master's tests."""
    tests, package = folder / "tests", folder / "autograder.zip"
    shutil.rmtree(tests, ignore_errors=True)
    tests.mkdir()
    for name, points, source in made.tests():
        text = _TEST.format(name=name, points=points, source=source)
        (tests / f"{name}.py").write_text(text, encoding="utf-8")
    given = ("--no-config", "--no-requirements", "--no-environment")
    command = (*_RUN, "generate", "-t", str(tests), "-o", str(package), *given)
    made.run(command, "otter-generate", cwd=folder, path=path)
    return package


def _check(results: Path, made: Class) -> None:
    """The first hand-in is right: a row of failures would be a row about nothing."""
    found = json.loads(results.read_text(encoding="utf-8"))
    score = sum(float(test.get("score", 0)) for test in found["tests"])
    wanted = sum(points for _, points, _ in made.tests())
    if score != wanted:
        raise FailedError(f"otter gave a right hand-in {score} of {wanted} points")
