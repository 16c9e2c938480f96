"""Attacks on the machine: contained, with a reason, and gone when the submission ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from autograder.errors import MissingOnMachine
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.sandbox.channel import ChannelClosed, ChannelTimeout
from autograder.grading.sandbox.contained import Contained
from autograder.grading.sandbox.privileges import unprivileged_uid
from autograder.project import Limits

pytestmark = pytest.mark.sandbox
CELL_S = 1.0
AFTER = "print('after')"


@pytest.fixture(
    scope="module",
    params=[True, pytest.param(False, marks=pytest.mark.slow)],
    ids=["warm", "alone"],
)
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    limits = Limits(cell_s=CELL_S, submission_s=20, memory_mb=1024)
    try:
        with Sandbox(limits=limits, warm=request.param) as sandbox:
            sandbox.start_worker().close()
            if request.param and sandbox.cold_because is not None:
                pytest.skip(f"no nested namespaces: {sandbox.cold_because}")
            yield sandbox
    except MissingOnMachine as error:
        pytest.skip(str(error))


def start(box: Sandbox, cells: list[str], *, savepoints: bool = False) -> Contained:
    worker = box.start_worker()
    steps: list[dict[str, str]] = []
    for number, source in enumerate(cells):
        steps.append({"kind": "cell", "id": f"c{number}", "source": source})
    steps.append({"kind": "test", "id": "t"})
    limits = {"cell_s": CELL_S, "output_kb": 64}
    worker.send(
        {"op": "start", "steps": steps, "seed": 1, "savepoints": savepoints, "limits": limits}
    )
    return worker


def events(worker: Contained, timeout_s: float = 20.0) -> list[dict[str, Any]]:
    seen = []
    while (event := worker.receive(timeout_s)) != {"event": "done"}:
        seen.append(event)
    return seen


def run(box: Sandbox, *cells: str, savepoints: bool = False) -> list[dict[str, Any]]:
    worker = start(box, list(cells), savepoints=savepoints)
    try:
        return [event for event in events(worker) if event["event"] == "cell"]
    finally:
        worker.close()


def text(event: dict[str, Any]) -> str:
    return "".join(output.get("text", "") for output in event["outputs"])


def one(box: Sandbox, source: str) -> str:
    """What one cell prints."""
    (event,) = run(box, source)
    assert event["status"] == "ok", event
    return text(event).strip()


LOST = {
    "endless loop": ("while True: pass", "timeout"),
    "sleep": ("import time; time.sleep(100)", "timeout"),
    "swallows everything": (
        "import signal\n"
        "for n in range(1, 65):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True:\n"
        "    try:\n"
        "        while True: pass\n"
        "    except BaseException: pass",
        "timeout",
    ),
    "endless regular expression": ("import re; re.match('(a+)+$', 'a' * 40 + 'b')", "timeout"),
    "os._exit": ("import os; os._exit(0)", "crashed"),
    "SIGKILL": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "crashed"),
    "segfault": ("import ctypes; ctypes.string_at(0)", "crashed"),
    "abort": ("import os; os.abort()", "crashed"),
    "dies, leaving a child that holds every descriptor": (
        "import os, time\nif os.fork() == 0: time.sleep(100)\nos._exit(1)",
        "crashed",
    ),
    "closes every descriptor": ("import os; os.closerange(3, 1024)", "crashed"),
    "an alarm": (
        "import signal; signal.setitimer(signal.ITIMER_REAL, 0.1); signal.pause()",
        "crashed",
    ),
    "exec": ("import os; os.execv('/usr/bin/true', ['true'])", "crashed"),
}


@pytest.mark.parametrize("name", LOST)
def test_a_lost_cell_costs_only_itself(box: Sandbox, name: str) -> None:
    source, status = LOST[name]
    first, lost, after = run(box, "x = 1", source, "print(x + 1)", savepoints=True)
    assert (first["status"], lost["status"], lost["flags"]) == ("ok", status, [status])
    assert (after["status"], text(after)) == ("ok", "2\n")


def test_killing_everything_costs_the_snapshots_it_killed(box: Sandbox) -> None:
    worker = box.start_worker()
    kill = "import os, signal, time; os.kill(-1, signal.SIGKILL); time.sleep(0.2)"
    steps = [
        {"kind": "test", "id": "before"},
        {"kind": "cell", "id": "kill", "source": kill},
        {"kind": "cell", "id": "x", "source": "x = 1"},
        {"kind": "test", "id": "after"},
    ]
    worker.send({"op": "start", "steps": steps, "limits": {"cell_s": 5}})
    assert [event["event"] for event in events(worker)] == ["test", "cell", "cell", "test"]
    worker.send({"op": "test", "id": "before"})
    assert worker.receive(5) == {"crashed": True}
    worker.send({"op": "test", "id": "after"})
    worker.send({"op": "get", "name": "x"})
    assert worker.receive(5) == {"value": ["i", "1"]}
    worker.close()


def test_killing_everything_ends_a_run_with_savepoints(box: Sandbox) -> None:
    kill = "import os, signal, time; os.kill(-1, signal.SIGKILL); time.sleep(0.2)"
    worker = start(box, ["x = 1", kill, "x"], savepoints=True)
    with pytest.raises(ChannelClosed):
        events(worker)
    worker.kill()


@pytest.mark.parametrize(
    "name",
    ["dies, leaving a child that holds every descriptor", "endless loop", "os._exit", "segfault"],
)
def test_without_savepoints_the_controller_sees_it(box: Sandbox, name: str) -> None:
    source, status = LOST[name]
    worker = start(box, [source])
    began = time.monotonic()
    with pytest.raises(ChannelTimeout if status == "timeout" else ChannelClosed):
        worker.receive(CELL_S)
    worker.kill()
    assert time.monotonic() - began < CELL_S + 1


ERRORS = {
    "recursion": ("def f(): return f()\nf()", "RecursionError"),
    "sys.exit": ("import sys; sys.exit(3)", "SystemExit"),
    "8 GB": ("x = bytearray(8 * 2**30)", "MemoryError"),
    "8 GB of NumPy": ("import numpy; numpy.ones(2**30)", "MemoryError"),
    "10,000 threads": (
        "import threading, time\n"
        "for _ in range(10_000):\n"
        "    threading.Thread(target=time.sleep, args=(50,), daemon=True).start()",
        "RuntimeError",
    ),
    "100,000 files": (
        "for n in range(100_000): open(f'file{n}', 'w').close()",
        "OSError",
    ),
    "100,000 files in /dev/shm": (
        "for n in range(100_000): open(f'/dev/shm/{n}', 'w').close()",
        "OSError",
    ),
    "20 GB file": (
        "with open('big', 'wb') as file:\n    for _ in range(20_000): file.write(bytes(2**20))",
        "OSError",
    ),
    "fork": (
        "import os, time\nfor _ in range(1000):\n    if os.fork() == 0: time.sleep(50)",
        "BlockingIOError",
    ),
    "network": ("import socket; socket.create_connection(('1.1.1.1', 53), 1)", "OSError"),
    "name lookup": ("import socket; socket.getaddrinfo('example.org', 80)", "gaierror"),
    "udp": (
        "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('8.8.8.8', 53))",
        "OSError",
    ),
    "input": ("input('name? ')", "StdinNotImplementedError"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_a_limit_is_an_error_and_the_rest_runs(box: Sandbox, name: str) -> None:
    source, error = ERRORS[name]
    lost, after = run(box, source, AFTER)
    assert lost["status"] == "error"
    assert lost["error"]["name"] == error
    assert text(after) == "after\n"


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("8 GB", "memory"),
        ("network", "network-attempt"),
        ("name lookup", "network-attempt"),
        ("udp", "network-attempt"),
        ("input", "reads-input"),
    ],
)
def test_what_it_tried_is_flagged(box: Sandbox, name: str, flag: str) -> None:
    first, second = run(box, ERRORS[name][0], AFTER)
    assert first["flags"] == [flag]
    assert second["flags"] == []


def test_a_fork_that_is_not_ended_does_not_go_on(box: Sandbox) -> None:
    for savepoints in (False, True):
        forked, after = run(box, "import os; pid = os.fork()", AFTER, savepoints=savepoints)
        assert forked["status"] == "ok"
        assert text(after) == "after\n"


VALUES = {
    "nested 100,000 deep": ("x = []\n    for _ in range(100_000): x = [x]", "too-deep"),
    "300 MB": ("x = 'x' * 300_000_000", "too-large"),
    "2,000,000 values": ("x = [[]] * 2_000_000", "too-large"),
    "a list in itself": ("x = []; x.append(x)", "too-deep"),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_too_large_for_the_wall_is_only_that(box: Sandbox, name: str) -> None:
    source, kind = VALUES[name]
    worker = start(box, [f"def f():\n    {source}\n    return x\ny = 1"])
    events(worker)
    worker.send({"op": "test", "id": "t"})
    worker.send({"op": "call", "name": "f"})
    assert worker.receive(5) == {"unsupported": kind}
    worker.send({"op": "get", "name": "y"})
    assert worker.receive(5) == {"value": ["i", "1"]}
    worker.close()


@pytest.mark.parametrize(
    "body", ["while True: pass", "import time; time.sleep(99)", "while True: print('x')"]
)
def test_a_call_that_does_not_return_is_ended_by_the_controller(box: Sandbox, body: str) -> None:
    worker = start(box, [f"def f():\n    {body}"])
    events(worker)
    worker.send({"op": "test", "id": "t"})
    worker.send({"op": "call", "name": "f"})
    with pytest.raises(ChannelTimeout):
        worker.receive(0.3)
    began = time.monotonic()
    worker.kill()
    assert time.monotonic() - began < 1


REFUSED = {
    "mount": "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
    "umount": "libc.umount2(b'/tmp', 2)",
    "user namespace": "libc.unshare(0x10000000)",
    "mount namespace": "libc.unshare(0x20000)",
    "clone into a user namespace": "libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)",
    "clone3": "libc.syscall(435, 0, 0)",
    "memfd": "libc.memfd_create(b'x', 0)",
    "shmget": "libc.shmget(0, 2**20, 0o1600)",
    "msgget": "libc.msgget(0, 0o1600)",
    "ptrace its parent": "libc.ptrace(16, os.getppid(), 0, 0)",
    "ptrace itself": "libc.ptrace(0, 0, 0, 0)",
    "read its parent": "libc.process_vm_readv(os.getppid(), 0, 0, 0, 0, 0)",
    "bpf": "libc.syscall(321, 0, 0, 0)",
    "io_uring": "libc.syscall(425, 8, 0)",
    "keyring": "libc.syscall(250, 0, -3, 0)",
    "perf": "libc.syscall(298, 0, 0, -1, -1, 0)",
    "chroot": "libc.chroot(b'/tmp')",
    "become root": "libc.setuid(0)",
    "x32 call": "libc.syscall(0x40000000 | 39)",
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
def test_system_calls_are_refused(box: Sandbox) -> None:
    lines = ["import ctypes, os", "libc = ctypes.CDLL(None)", "libc.ptrace.restype = ctypes.c_long"]
    lines += [f"print({name!r}, {call} == -1)" for name, call in REFUSED.items()]
    printed = one(box, "\n".join(lines))
    assert printed.splitlines() == [f"{name} True" for name in REFUSED]


def test_nothing_is_writable_but_its_own(box: Sandbox) -> None:
    source = (
        "import os\n"
        "for folder in ('/', '/dev', '/usr/bin', '/etc', '/grader', '/course', '/proc/sys',\n"
        "               '/dev/shm', '/tmp', '.'):\n"
        "    try:\n"
        "        open(os.path.join(folder, 'probe'), 'w').close()\n"
        "        print(folder)\n"
        "    except OSError: pass"
    )
    assert one(box, source).split() == ["/dev/shm", "/tmp", "."]  # in there


def test_nothing_of_the_host_is_readable(box: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "gradebook.db"
    secret.write_text("secret", encoding="utf-8")
    here = Path(__file__).resolve()
    wanted = [str(secret), str(here), "/etc/passwd", "/etc/shadow", "/home", "/var", "/sys", "/run"]
    source = f"import os\nprint([path for path in {wanted!r} if os.path.exists(path)])"
    assert one(box, source) == "[]"


def test_nothing_of_the_grader_is_in_the_process(box: Sandbox) -> None:
    source = (
        "import os\n"
        "print(sorted(int(n) for n in os.listdir('/proc') if n.isdigit())[:2])\n"
        "print(os.getuid() != 0, [line.split()[1] for line in open('/proc/self/status')\n"
        "       if line.startswith(('CapEff', 'CapPrm', 'CapBnd', 'NoNewPrivs', 'Seccomp:'))])\n"
        "print([n for n in os.environ if 'TOKEN' in n or 'SECRET' in n], os.environ['HOME'])\n"
        "links = [f'/proc/self/fd/{n}' for n in range(60)]\n"
        "print(sorted({os.readlink(link).strip('0123456789[]:()').split('#')[0] for link in links\n"
        "              if os.path.islink(link)}))"
    )
    os.environ["COURSE_TEST_SECRET"] = "x"  # noqa: S105  # not one
    try:
        printed = one(box, source).splitlines()
    finally:
        del os.environ["COURSE_TEST_SECRET"]
    assert printed[0] == "[1, 2]"
    assert printed[1] == f"True ['{0:016x}', '{0:016x}', '{0:016x}', '1', '2']"
    assert printed[2] == "[] /tmp"
    assert printed[3] == "['/dev/null', '/tmp/notebook/', 'pipe']"


def test_the_warden_is_closed_to_it(box: Sandbox) -> None:
    source = (
        "import os\n"
        "for name in ('fd', 'fd/1', 'mem', 'environ', 'root', 'cwd', 'maps'):\n"
        "    path = f'/proc/1/{name}'\n"
        "    try:\n"
        "        os.listdir(path) if name in ('fd', 'root', 'cwd') else open(path, 'rb').read(1)\n"
        "        print('open', path)\n"
        "    except OSError: pass"
    )
    assert one(box, source) == ""


def test_no_signal_reaches_the_warden(box: Sandbox) -> None:
    kill = (
        "import os, signal, time\n"
        "for n in sorted(set(signal.Signals)): os.kill(1, n)\n"
        "time.sleep(0.1)"
    )
    sent, after = run(box, kill, AFTER)
    assert sent["status"] == "ok"
    assert text(after) == "after\n"


def test_one_submission_sees_nothing_of_another(box: Sandbox) -> None:
    leave = (
        "import os, sys, random, builtins, matplotlib, numpy, warnings, multiprocessing as m\n"
        "os.environ['LEFT'] = 'x'; sys.path.append('/left'); builtins.left = 1; os.umask(0)\n"
        "matplotlib.rcParams['lines.linewidth'] = 9; numpy.left = 1; random.seed(7)\n"
        "for folder in ('/tmp', '/tmp/notebook', '/dev/shm'):\n"
        "    open(f'{folder}/left', 'w').write('x')\n"
        "lock = m.Lock(); os.chdir('/'); sys.modules['left'] = os"
    )
    look = (
        "import os, sys, random, builtins, matplotlib, numpy\n"
        "print('LEFT' in os.environ, '/left' in sys.path, hasattr(builtins, 'left'),\n"
        "      matplotlib.rcParams['lines.linewidth'], hasattr(numpy, 'left'), os.getcwd(),\n"
        "      'left' in sys.modules, os.umask(0),\n"
        "      [f for d in ('/tmp', '/tmp/notebook', '/dev/shm') for f in os.listdir(d)\n"
        "       if 'left' in f])"
    )
    for cells in ((look,), (leave, "1"), (look,), (look,)):
        seen = run(box, *cells)
        if len(cells) == 1:
            assert text(seen[0]) == "False False False 1.5 False /tmp/notebook False 18 []\n"


def test_endless_output_keeps_head_and_tail(box: Sandbox) -> None:
    source = "print('head')\nfor n in range(200_000): print(n)"
    (event,) = run(box, source)
    printed = text(event)
    assert printed.startswith("head\n0\n1\n")
    assert printed.endswith("199998\n199999\n")
    assert "output left out" in printed
    assert len(printed) < 70 * 1024
    assert event["flags"] == ["output-truncated"]


def test_fifty_megabytes_on_one_line(box: Sandbox) -> None:
    lost, after = run(box, "print('x' * 50_000_000)", AFTER)
    assert len(text(lost)) < 70 * 1024
    assert lost["flags"] == ["output-truncated"]
    assert text(after) == "after\n"


def test_fifty_megabytes_on_the_descriptor(box: Sandbox) -> None:
    lost, after = run(box, "import os\nfor _ in range(50): os.write(1, b'y' * 2**20)", AFTER)
    assert len(text(lost)) < 70 * 1024
    assert lost["flags"] == ["output-truncated"]
    assert text(after) == "after\n"


def test_output_without_end_is_a_timeout(box: Sandbox) -> None:
    lost, after = run(box, "while True: print('x' * 1000)", AFTER, savepoints=True)
    assert lost["status"] == "timeout"
    assert text(after) == "after\n"


FORK_BOMB = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"


def test_a_fork_bomb_costs_only_its_cell(box: Sandbox) -> None:
    before, lost, after = run(box, "x = 1", FORK_BOMB, "print(x)", savepoints=True)
    assert before["status"] == "ok"
    assert lost["status"] == "timeout"
    assert text(after) == "1\n"


DAEMON = """
import os, time
open('/tmp/left', 'w').write('x'); open('/dev/shm/left', 'w').write('x')
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 1024)
        while True: time.sleep(0.01)
    os._exit(0)
time.sleep(0.05)
print(len([n for n in os.listdir('/proc') if n.isdigit()]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="counts by the uid that only root chooses")
@pytest.mark.parametrize("attack", [DAEMON, FORK_BOMB], ids=["daemon", "fork bomb"])
def test_nothing_is_left(box: Sandbox, attack: str) -> None:
    before = _processes_of_the_sandbox()  # the warm one, if there is one
    worker = start(box, [attack])
    with suppress(ChannelTimeout):
        worker.receive(CELL_S)
    assert len(_processes_of_the_sandbox()) > len(before)
    groups = worker.group_folders
    worker.kill()
    assert _processes_of_the_sandbox() == before
    assert not any(folder.exists() for folder in groups)
    left = one(box, "import os; print(os.listdir('/tmp/notebook'), os.listdir('/dev/shm'))")
    assert left == "[] []"


def _processes_of_the_sandbox() -> list[int]:
    uid = unprivileged_uid(os.getpid())
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and entry.stat().st_uid == uid and _runs(entry):
                found.append(int(entry.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return sorted(found)


def _runs(entry: Path) -> bool:
    """Not a zombie, which waits for bubblewrap to reap it and runs nothing."""
    return (entry / "stat").read_text(encoding="utf-8").rpartition(") ")[2][0] not in "ZX"


def test_many_processes_share_one_limit_of_memory(box: Sandbox) -> None:
    if "cgroup" not in box.held["memory"]:
        pytest.skip("no control group can be made here")
    source = (
        "import os, time\n"
        "for _ in range(8):\n"
        "    if os.fork() == 0:\n"
        "        x = bytearray(400 * 2**20)\n"
        "        for n in range(0, len(x), 4096): x[n] = 1\n"
        "        time.sleep(50)\n"
        "time.sleep(50)"
    )
    worker = start(box, [source])
    deadline = time.monotonic() + 30  # so much is not written at once on a busy machine
    while not worker.out_of_memory and time.monotonic() < deadline:
        time.sleep(0.05)
    worker.kill()
    assert worker.out_of_memory


def test_forged_frames_are_only_frames(box: Sandbox) -> None:
    forge = (
        "import os\n"
        "for n in range(3, 512):\n"
        "    try: os.write(n, b'\\x00\\x00\\x00\\x02[]' + b'\\xff' * 100)\n"
        "    except OSError: pass"
    )
    worker = start(box, [forge])
    with pytest.raises(ChannelClosed):
        worker.receive(5)
    worker.kill()
    assert one(box, "print('next')") == "next"


def test_a_reply_that_never_ends_is_cut_by_the_deadline(box: Sandbox) -> None:
    drip = (
        "import os, time\n"
        "for n in range(3, 512):\n"
        "    try: os.write(n, b'\\x01\\x00\\x00\\x00')\n"
        "    except OSError: continue\n"
        "while True:\n"
        "    time.sleep(0.05)\n"
        "    try: os.write(511, b' ')\n"
        "    except OSError: pass"
    )
    worker = start(box, [drip])
    began = time.monotonic()
    with pytest.raises(ChannelTimeout):
        worker.receive(1.0)
    assert time.monotonic() - began < 1.5
    worker.kill()
