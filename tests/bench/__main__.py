"""The benchmark: `python -m tests.bench`, or `make bench`; tables, build/bench/bench.json and .png.

    --only PART ...   tools, growth, cold, workers, build, slider; default: all
    --sizes N ...     of the growth table; default: 100 1000 10000
    --no-otter        otter run is installed from the network, and takes half of the time
    --quick           few submissions, once each: whether it works, not what it takes
    --out FOLDER      default: build/bench
    --scratch FOLDER  default: a temporary one; 10,000 submissions take 8 GB there

Submissions are made up (`classes`): lesson 3 with its widget cells as released. Seconds are wall
time, so nothing else should run beside it; processor time and memory hold for all child processes.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from dataclasses import asdict
from datetime import UTC, datetime
from operator import truediv
from pathlib import Path
from statistics import median
from typing import Any

import click

from autograder.grading.batch.assignment import cores
from tests.bench import report
from tests.bench.measured import PYTHON, FailedError
from tests.bench.otter import otter_each
from tests.bench.tools import ROOT, Class, Run, Size, compared, course_grade, nbgrader_grade

_FEW = 2  # as many as workers: both must have started
PARTS = ("tools", "growth", "cold", "workers", "build", "slider")


def main() -> None:
    given = _options()
    found: dict[str, Any] = {
        "machine": {"cores": cores(), "python": platform.python_version(), "loop_s": {}},
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": given.quick,
    }
    with tempfile.TemporaryDirectory(prefix="bench-") as temporary:
        scratch = given.scratch or Path(temporary)
        for part in given.only:
            found["machine"]["loop_s"][part] = _loop_s()
            _part(part, given, scratch, found)
            report.write(given.out, found)
    click.echo(f"Written: {given.out / 'bench.json'}, {given.out / 'bench.png'}")


def _part(part: str, given: argparse.Namespace, scratch: Path, found: dict[str, Any]) -> None:
    measured = {
        "tools": _tools,
        "growth": _growth,
        "cold": _cold,
        "workers": _workers,
        "build": _build,
        "slider": _slider,
    }[part]
    click.echo(measured(given, scratch, found))


def _tools(given: argparse.Namespace, scratch: Path, found: dict[str, Any]) -> str:
    size = Size(each=given.each, some=given.some, many=given.many, repeats=given.repeats)
    if given.quick:
        size = Size(each=1, some=2, many=20, repeats=1)
    otter: dict[str, Run] = {} if given.no_otter else {"otter run": otter_each}
    rows = compared(Class(scratch / "whole"), otter, size)
    bare = Class(scratch / "bare", widgets=False)
    rows += compared(bare, otter, size, ", no widget cells")
    found["tools"] = [one.as_json() for one in rows]
    notes = (
        *(one.note for one in rows if one.note),
        "otter run grades one notebook a start, as its command line does; it writes a results "
        "file, no gradebook and no feedback, and runs the tests in the learner's process.",
        "nbgrader, nbclient and otter run every cell, the widgets' too; course grade runs none "
        "that equals the master's. The rows without widget cells are like for like.",
        f"course grade uses {cores()} workers, nbgrader one process. Start-up is in every row: "
        f"nbgrader's twice (two commands) in {size.some} submissions.",
    )
    return report.tools_table(rows, notes)


def _growth(given: argparse.Namespace, scratch: Path, found: dict[str, Any]) -> str:
    made = Class(scratch / "growth")
    sizes = (20, 40) if given.quick else given.sizes
    found["growth"] = []
    for size in sizes:
        made.tree(size)
        found["growth"].append({"submissions": size, **asdict(course_grade(made, size))})
        made.forget(size)
    return report.growth_table(found["growth"])


def _cold(given: argparse.Namespace, scratch: Path, found: dict[str, Any]) -> str:
    made = Class(scratch / "cold")
    repeats = 1 if given.quick else given.repeats
    rows, found["cold"] = [], {}
    for tool, run in (("course grade", course_grade), ("nbgrader + feedback", nbgrader_grade)):
        runs = [run(made, 1) for _ in range(repeats)]
        seconds = [one.wall_s for one in runs]
        found["cold"][tool] = {"wall_s": seconds, "cpu_s": [one.cpu_s for one in runs]}
        values = (median(seconds), min(seconds), max(seconds), median(one.cpu_s for one in runs))
        rows.append((tool, *(f"{value:.2f}" for value in values)))
    head = ("one submission from cold", "s", "min", "max", "CPU s")
    return report.table("A single submission", head, rows)


def _workers(given: argparse.Namespace, scratch: Path, found: dict[str, Any]) -> str:
    made = Class(scratch / "workers")
    many = 20 if given.quick else given.many
    repeats = 1 if given.quick else given.repeats
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repeats):  # in turns, so that a machine that grows slower is so for both
        for workers, rate in rates.items():
            few_s = course_grade(made, _FEW, workers=workers).wall_s
            many_s = course_grade(made, many, workers=workers).wall_s
            rate.append((many - _FEW) / (many_s - few_s))
    ratio = median(map(truediv, rates[2], rates[1]))
    found["workers"] = {"submissions_a_second": rates, "ratio": ratio}
    rows = [(str(workers), f"{median(each):.1f}") for workers, each in rates.items()]
    rows.append(("two over one", f"{ratio:.2f}"))
    return report.table("Workers, start-up left out", ("workers", "submissions/s"), rows)


def _build(given: argparse.Namespace, scratch: Path, found: dict[str, Any]) -> str:
    made = Class(scratch / "build")
    command = (PYTHON, "-c", "from autograder.cli import main; main()", "build", "--check")
    try:
        runs = [made.run(command, "build") for _ in range(1 if given.quick else given.repeats)]
    except FailedError as error:
        found["build"] = str(error)
        return f"## course build\n\nnot measured: {error}\n"
    found["build"] = [asdict(one) for one in runs]
    row = (f"{median(one.wall_s for one in runs):.2f}", f"{median(one.cpu_s for one in runs):.2f}")
    return report.table("course build --check", ("s", "CPU s"), [row])


def _slider(given: argparse.Namespace, scratch: Path, found: dict[str, Any]) -> str:
    made = Class(scratch / "slider")
    moves = "5" if given.quick else "50"
    try:
        made.run((PYTHON, "-m", "tests.bench.slider", "--moves", moves), "slider")
    except FailedError as error:
        found["slider"] = str(error)
        return f"## Slider\n\nnot measured: {error}\n"
    log = (made.scratch / "logs" / "slider.log").read_text(encoding="utf-8")
    found["slider"] = json.loads(log[log.index("{") :])
    shown = [(name, str(value)) for name, value in found["slider"].items()]
    return report.table("A move of a slider, in the browser", ("what", "value"), shown)


def _loop_s() -> float:
    """Seconds for 10,000,000 additions in Python: how fast this machine is just now."""
    began, total = time.perf_counter(), 0
    for number in range(10_000_000):
        total += number
    return round(time.perf_counter() - began, 2)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--sizes", nargs="+", type=int, default=(100, 1_000, 10_000))
    parser.add_argument("--each", type=int, default=3, help="for nbclient and otter")
    parser.add_argument("--some", type=int, default=20, help="for nbgrader and course grade")
    parser.add_argument("--many", type=int, default=400, help="for course grade alone")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-otter", action="store_true", help="leave out what pip must fetch")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench")
    parser.add_argument("--scratch", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
