"""Nothing leaks from one submission to the next: every ordered pair through one warm process.

Each submission first looks at everything that a process can look at, then leaves what it can.
Whatever came before it, it must see what the very first one saw.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest

from autograder.errors import MissingOnMachine
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.sandbox.channel import ChannelClosed
from autograder.project import Limits

pytestmark = pytest.mark.sandbox

LIMITS = Limits(cell_s=10, submission_s=30, memory_mb=1024, processes=64, output_kb=1024)
VIEW = r"""
import builtins, decimal, gc, json, locale, os, random, re, resource, signal, sys, threading
import warnings
import matplotlib, matplotlib.pyplot, numpy

def _files(folder):
    return sorted(os.path.join(place, name) for place, folders, names in os.walk(folder)
                  for name in folders + names)

def _text(path):
    try:
        with open(path) as file:
            return [line for line in file.read().split("\n")[1:] if line]
    except OSError as error:
        return type(error).__name__

def _descriptors():
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[name] = re.sub(r"\d+", "N", os.readlink(f"/proc/self/fd/{name}"))
        except OSError:  # the one that listed them
            pass
    return found

print(json.dumps({
    "files": [_files("/tmp"), _files("/dev/shm"), _files("/var/tmp"), os.listdir("/dev")],
    "place": [os.getcwd(), os.umask(0o022), dict(os.environ)],
    "random": [random.random(), float(numpy.random.random()), hash("x")],
    "matplotlib": [matplotlib.pyplot.get_fignums(), matplotlib.get_backend(),
                   repr(sorted(map(str, matplotlib.rcParams.items()))),
                   sorted(matplotlib.colormaps)],
    "numpy": [repr(numpy.geterr()), repr(numpy.get_printoptions())],
    "warnings": [repr(warnings.filters),
                 sorted(name for name, one in list(sys.modules.items())
                        if getattr(one, "__warningregistry__", None))],
    "descriptors": _descriptors(),
    "processes": len([name for name in os.listdir("/proc") if name.isdigit()]),
    "threads": threading.active_count(),
    "memory": [_text("/proc/sysvipc/shm"), _text("/proc/sysvipc/sem"), _text("/proc/sysvipc/msg")],
    "network": [_text("/proc/net/tcp"), len(_text("/proc/net/unix")), _text("/proc/net/udp")],
    "limits": [resource.getrlimit(one) for one in range(16) if one != resource.RLIMIT_AS],
    # That one grows with what the warm process has mapped: the room it leaves does not (in 4 MB).
    "room": round((resource.getrlimit(resource.RLIMIT_AS)[0] - resource.getpagesize()
                   * int(open("/proc/self/statm").read().split()[0])) / 2**22),
    "signals": [str(signal.getsignal(one)) for one in range(1, 32)],
    "schedule": [os.nice(0), sorted(os.sched_getaffinity(0)), os.sched_getscheduler(0)],
    "python": [sys.path, sys.argv, sys.getrecursionlimit(), gc.get_threshold(), gc.isenabled(),
               sorted(dir(builtins)), str(decimal.getcontext()), locale.setlocale(locale.LC_ALL),
               sys.getswitchinterval(), sorted(sys.modules), repr(sys.flags)],
    "errors": sorted(name for name in dir(sys) if name.startswith("last_")),
    "notebook": [sorted(Out), len(In), sorted(name for name in globals() if name[0] != "_")],
}, default=repr))
"""
LEAVES = {
    "files": """
import os
for folder in ("/tmp", "/dev/shm", "/var/tmp", "/dev", "/run", os.path.expanduser("~"), "."):
    for name in ("left", ".left", "matplotlibrc", "sitecustomize.py", "random.py"):
        try:
            with open(os.path.join(folder, name), "w") as file:
                file.write("raise SystemExit(1)")
        except OSError:
            pass
os.makedirs(os.path.expanduser("~/.ipython/profile_default/startup"), exist_ok=True)
""",
    "environment": """
import locale, os, resource, signal, sys
os.environ.update(LEFT="1", PYTHONPATH="/tmp", MPLBACKEND="agg", HOME="/dev/shm")
os.chdir("/dev/shm"); os.umask(0)
sys.path.insert(0, "/tmp"); sys.argv[:] = ["left"]; sys.setrecursionlimit(5000)
signal.signal(signal.SIGUSR1, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)); os.nice(5)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
""",
    "random state": """
import random, numpy, decimal
random.seed(99); numpy.random.seed(99); decimal.getcontext().prec = 5
random.random = lambda: 0.5
numpy.set_printoptions(precision=1); numpy.seterr(all="raise")
""",
    "matplotlib": """
import matplotlib, warnings
import matplotlib.pyplot as plt
plt.rcParams["font.size"] = 40; plt.style.use("ggplot")
figures = [plt.figure() for _ in range(3)]
matplotlib.colormaps.register(matplotlib.colormaps["viridis"].copy(), name="left")
warnings.simplefilter("ignore"); warnings.warn("once"); matplotlib.use("agg")
""",
    "descriptors": """
import multiprocessing.shared_memory as shm, os, socket
kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(50)]
pipes = [os.pipe() for _ in range(10)]
for name in ("left", "psm_left"):
    try:
        shm.SharedMemory(name=name, create=True, size=4096)
    except OSError:
        pass
server = socket.create_server(("127.0.0.1", 4567))
client = socket.create_connection(("127.0.0.1", 4567))
abstract = socket.socket(socket.AF_UNIX); abstract.bind("\\0left"); abstract.listen()
""",
    "processes": """
import os, subprocess, threading, time
subprocess.Popen(["sleep", "600"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
""",
    "modules": """
import builtins, gc, json, os, sys, types
builtins.left = builtins.print = lambda *_: None
json.dumps = lambda *_, **__: "forged"; os.listdir = lambda *_: []
sys.modules["lessons"] = sys.modules["left"] = types.ModuleType("left")
gc.disable(); sys.setswitchinterval(1.0)
get_ipython().run_line_magic("alias", "left echo")
get_ipython().events.register("pre_run_cell", lambda *_: os._exit(9))
""",
    "crash": """
import ctypes
left = list(range(10**6))
try:
    1 / 0
except ZeroDivisionError as error:
    import sys
    sys.last_exc = error
ctypes.string_at(0)
""",
    "memory": """
left = []
try:
    while True:
        left.append(bytearray(2**24))
except MemoryError:
    pass
import os
os.kill(os.getppid(), 9); os.kill(-1, 9)
""",
}
FEW = ("files", "environment", "crash")


class Warm:
    """One sandbox, one warm process, one submission after the other."""

    def __init__(self, box: Sandbox) -> None:
        self._box = box

    def view(self, leaves: str) -> dict[str, Any]:
        """What a submission sees before it leaves something."""
        worker = self._box.start_worker()
        try:
            steps = [
                {"kind": "cell", "id": "view", "source": VIEW},
                {"kind": "cell", "id": "leave", "source": LEAVES[leaves]},
            ]
            limits = {"cell_s": 10, "output_kb": 1024}
            worker.send({"op": "start", "seed": 7, "steps": steps, "limits": limits})
            seen: dict[str, Any] = json.loads(worker.receive(20)["outputs"][0]["text"])
            with suppress(ChannelClosed):  # it may end its own process: that too it leaves behind
                worker.receive(20)
        finally:
            worker.close()
        return seen


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    box = Sandbox(limits=LIMITS)
    try:
        box.__enter__()
        box.start_worker().close()
    except MissingOnMachine as error:
        pytest.skip(str(error))
    if box.cold_because is not None:
        pytest.skip(f"No warm process here: {box.cold_because}")
    yield Warm(box)
    box.__exit__(None, None, None)


def tour(names: tuple[str, ...]) -> list[str]:
    """A sequence in which each follows each, itself included, exactly once."""
    left = {name: list(names) for name in names}
    stack, found = [names[0]], []
    while stack:  # Hierholzer
        if left[stack[-1]]:
            stack.append(left[stack[-1]].pop())
        else:
            found.append(stack.pop())
    return found[::-1]


def test_a_tour_holds_every_ordered_pair_once() -> None:
    walked = tour(("a", "b", "c"))
    pairs = list(pairwise(walked))
    assert len(pairs) == 9
    assert len(set(pairs)) == 9


def differences(warm: Warm, names: tuple[str, ...]) -> list[str]:
    walked = tour(names)
    first = warm.view(walked[0])
    found = []
    for before, name in pairwise(walked):
        seen = warm.view(name)
        found += [
            f"after {before}, {name} saw other {key}: {seen[key]} instead of {first[key]}"[:400]
            for key in first
            if seen[key] != first[key]
        ]
    return found


def test_the_view_sees_what_is_left_in_its_own_process(warm: Warm) -> None:
    """Else an equal view would prove nothing."""
    worker = warm._box.start_worker()
    sources = (VIEW, *(LEAVES[name] for name in ("files", "environment", "random state")), VIEW)
    steps = [{"kind": "cell", "id": str(at), "source": source} for at, source in enumerate(sources)]
    worker.send({"op": "start", "seed": 7, "steps": steps, "limits": {"output_kb": 1024}})
    events = [worker.receive(20) for _ in steps]
    worker.close()
    before, after = (json.loads(events[at]["outputs"][0]["text"]) for at in (0, -1))
    changed = {key for key in before if before[key] != after[key]}
    assert {"files", "place", "random", "numpy", "limits", "signals", "python"} <= changed


def test_no_submission_sees_what_the_one_before_left(warm: Warm) -> None:
    assert differences(warm, FEW) == []


@pytest.mark.slow
def test_every_pair_in_both_orders_sees_the_same(warm: Warm) -> None:
    assert differences(warm, tuple(LEAVES)) == []
