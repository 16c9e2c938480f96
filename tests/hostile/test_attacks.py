"""Attacks on the run itself: that question 0 with the reason, the others graded, nothing left.

What the sandbox does to each alone is in `test_contained`; here it is what the learner gets.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.grading.sandbox.privileges import unprivileged_uid

pytestmark = pytest.mark.sandbox

FULL = (2.0, 0.5, 0.5)
CASE_ONLY = (0.0, 0.0, 0.5)
SUBMISSION_S = 14


@pytest.fixture(scope="module")
def grade(grader_with: Callable[..., Any]) -> Any:
    return grader_with(cell_s=2, submission_s=SUBMISSION_S)


def slow(name: str) -> Any:
    return pytest.param(name, marks=pytest.mark.slow)


# Fills: what happens inside the function, on the cell's own assert and in every test.
FILLS: dict[str, tuple[str, str, str]] = {
    "endless loop": ("sum(0 for _ in iter(int, 1))", "timeout", "时间上限"),
    "sleep": ("__import__('time').sleep(99)", "timeout", "时间上限"),
    "os._exit": ("__import__('os')._exit(0)", "crashed", "意外退出"),
    "sys.exit": ("__import__('sys').exit()", "graded", "SystemExit"),
    "SIGKILL": ("__import__('os').kill(__import__('os').getpid(), 9)", "crashed", "意外退出"),
    "SIGSTOP": ("__import__('os').kill(__import__('os').getpid(), 19)", "timeout", "时间上限"),
    "segfault": ("__import__('ctypes').string_at(0)", "crashed", "意外退出"),
    "8 GB": ("bytearray(8 * 2**30)", "graded", "MemoryError"),
    "nested 100,000 deep": ("deep()", "graded", "嵌套过深的数据"),
    "1 GB across the wall": ("'x' * 300_000_000", "graded", "过大的数据"),
}
DEEP = "def deep():\n    x = []\n    for _ in range(100_000): x = [x]\n    return x"
SLOW_FILLS = {"sleep", "SIGSTOP", "segfault", "1 GB across the wall"}


@pytest.mark.parametrize("name", [slow(n) if n in SLOW_FILLS else n for n in FILLS])
def test_a_function_costs_its_own_question(course: Any, grade: Any, name: str) -> None:
    fill, status, words = FILLS[name]
    # The reference's own visible check fails with any of these, so this one is left out of it.
    case = course.hand_in().case("(4e12, 10e9, 1.5, 300)", "(600.0, 2e10)")
    found = grade(case.fill(fill).add(DEEP))
    assert found.points == CASE_ONLY
    assert found.status == status
    assert words in found.reasons["normal"]


# Cells of the learner's own, before the fill-in, which is right.
CELLS: dict[str, tuple[str, set[str]]] = {
    "endless loop": ("while True: pass", {"timeout"}),
    "swallows everything": (
        "import signal\n"
        "for n in range(1, 65):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True:\n"
        "    try:\n"
        "        while True: pass\n"
        "    except BaseException: pass",
        {"timeout"},
    ),
    "os._exit": ("import os; os._exit(0)", {"crashed"}),
    "SIGKILL": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", {"crashed"}),
    "fork bomb": (
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        {"timeout"},
    ),
    "10,000 threads": (
        "import threading, time\n"
        "for _ in range(10_000):\n"
        "    threading.Thread(target=time.sleep, args=(50,), daemon=True).start()",
        set(),
    ),
    "100,000 files": ("for n in range(100_000): open(f'file{n}', 'w').close()", set()),
    "20 GB file": (
        "with open('big', 'wb') as file:\n    for _ in range(20_000): file.write(bytes(2**20))",
        set(),
    ),
    "8 GB": ("x = bytearray(8 * 2**30)", {"memory"}),
    "50 MB on one line": ("print('x' * 50_000_000)", {"output-truncated"}),
    "a megabyte on one line": ("print('x' * 1_000_000)", set()),
    "a line written over and over": ("print('\\r'.join(['x' * 99] * 9_000))", set()),
    "network": (
        "import socket; socket.create_connection(('1.1.1.1', 53), 1)",
        {"network-attempt"},
    ),
    "a name": ("import urllib.request as u; u.urlopen('http://example.org')", {"network-attempt"}),
    "umount": (
        "import ctypes; c = ctypes.CDLL(None)\n"
        "print(c.umount2(b'/tmp', 2), c.mount(b'x', b'/tmp', b'tmpfs', 0, None),\n"
        "      c.shmget(0, 4096, 0o1600), c.memfd_create(b'x', 0), c.ptrace(0, 0, 0, 0),\n"
        "      c.setuid(0), c.unshare(0x10000000), c.chroot(b'/'))",
        set(),
    ),
    "kills its parent": ("import os; os.kill(os.getppid(), 9); os.kill(1, 9)", set()),
    "a stray fork": ("import os; os.fork()", set()),
    "resets everything": ("%reset -f\nget_ipython().reset()", set()),
    "an alarm": ("import signal; signal.alarm(1)\nimport time; time.sleep(0.2)", set()),
    "limits lowered": (
        "import resource as r\n"
        "for name in ('NOFILE', 'FSIZE', 'STACK'): r.setrlimit(getattr(r, 'RLIMIT_' + name),\n"
        "    (4096, 4096) if name != 'NOFILE' else (40, 40))",
        set(),
    ),
}
SLOW_CELLS = {
    "10,000 threads",
    "swallows everything",
    "SIGKILL",
    "a name",
    "100,000 files",
    "20 GB file",
}
# What these do outlasts their cell: a right answer after it is not always reached.
SELF_HARM = {"an alarm", "limits lowered"}


@pytest.mark.parametrize("name", [slow(n) if n in SLOW_CELLS else n for n in CELLS])
def test_a_cell_costs_nothing_else(course: Any, grade: Any, name: str) -> None:
    source, flags = CELLS[name]
    began = time.monotonic()
    found = grade(course.right().add(source))
    assert time.monotonic() - began < SUBMISSION_S + 8
    if name not in SELF_HARM:
        assert (found.points, found.flags) == (FULL, flags)
    assert all(found.reasons.values())
    if name == "umount":
        assert found.printed().split() == ["-1"] * 8


KILL_SIBLINGS = "import os, signal, time; os.kill(-1, signal.{}); time.sleep(0.2)"


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGSTOP", "SIGINT", "SIGPIPE"])
def test_whoever_signals_all_its_own_harms_itself_alone(
    course: Any, grade: Any, signal: str
) -> None:
    given = course.right().add(KILL_SIBLINGS.format(signal), before="boundary_case")
    began = time.monotonic()
    found = grade(given)
    assert time.monotonic() - began < SUBMISSION_S + 8
    assert all(found.reasons.values())
    assert found.points[0] in {0.0, 2.0}
    assert grade(course.right()).points == FULL


SAVEPOINTS: dict[str, str] = {
    # Each makes the second run, with savepoints, and then attacks them.
    "pretends to live on": (
        "import os\nfor n in range(3, 511):\n    try: os.write(n, b'1')\n    except OSError: pass"
    ),
    "leaves twins": (
        "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(60); os._exit(0)"
    ),
    "leaves its group": "import os, time; os.setpgid(0, 0); time.sleep(60)",
    "forks twice and dies": "import os\nif os.fork(): os._exit(0)\nif os.fork(): os._exit(0)",
    "reads its siblings' memory": (
        "import os\n"
        "for pid in os.listdir('/proc'):\n"
        "    if pid.isdigit() and int(pid) != os.getpid():\n"
        "        try: open(f'/proc/{pid}/mem', 'r+b', 0)\n"
        "        except OSError as error: print(error.strerror)"
    ),
}


@pytest.mark.parametrize("name", SAVEPOINTS)
def test_savepoints_withstand_their_cell(course: Any, grade: Any, name: str) -> None:
    given = course.right().add("import os; os._exit(3)").add(SAVEPOINTS[name])
    began = time.monotonic()
    found = grade(given)
    assert time.monotonic() - began < SUBMISSION_S + 8
    assert found.points == FULL
    assert "crashed" in found.flags


@pytest.mark.skipif(os.geteuid() != 0, reason="counts by the uid that only root chooses")
def test_no_process_and_no_file_is_left(course: Any, grade: Any) -> None:
    daemon = (
        "import os, time\n"
        "open('/tmp/left', 'w').write('x'); open('/dev/shm/left', 'w').write('x')\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            os.closerange(0, 600)\n"
        "            while True: time.sleep(1)\n"
        "        os._exit(0)"
    )
    before = _of_this_uid()
    assert grade(course.right().add(daemon)).points == FULL
    assert _of_this_uid() <= before
    folders = [Path("/tmp/left"), Path("/dev/shm/left")]  # must not be there
    assert not [path for path in folders if path.exists()]
    groups = Path("/sys/fs/cgroup").rglob(f"course-{os.getpid()}-*")
    assert len(list(groups)) <= 2  # the examiner's, in two hierarchies at most


def _of_this_uid() -> set[int]:
    uid = unprivileged_uid(os.getpid())
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and entry.stat().st_uid == uid:
                found.add(int(entry.name))
        except OSError:
            continue
    return found


def test_the_next_submission_runs_at_the_usual_speed(course: Any, grade: Any) -> None:
    grade(course.right())
    began = time.monotonic()
    grade(course.right())
    usual = time.monotonic() - began
    bomb = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    grade(course.right().add(bomb))
    began = time.monotonic()
    assert grade(course.right()).points == FULL
    assert time.monotonic() - began < 3 * usual + 1
