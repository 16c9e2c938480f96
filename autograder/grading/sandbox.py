"""The sandbox: learners' code and the examiner run in it, each contained, each disposable."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from autograder.grading import bubblewrap, fontlist, rootfs
from autograder.grading.channel import Channel, ChannelError, pair
from autograder.grading.contained import Contained, read_first
from autograder.grading.launcher import Launch
from autograder.grading.limits import Group, Hierarchy, hierarchy, make_group
from autograder.grading.privileges import unprivileged_uid
from autograder.grading.warden import Order
from autograder.project import Limits

_PACKAGE = Path(__file__).parents[1]
_GRADER = rootfs.GRADER / "autograder"
# The only files of ours that a learner's process sees.
_INSIDE = (
    "__init__.py",
    "grading/__init__.py",
    "grading/channel.py",
    "grading/privileges.py",
    "grading/recorder.py",
    "grading/seccomp.py",
    "grading/shell.py",
    "grading/snapshot.py",
    "grading/wall.py",
    "grading/warden.py",
    "grading/worker.py",
    "grading/zygote.py",
)
_EXAMINER = Limits(memory_mb=2048, processes=16)
_START_S = 60.0
_ATTEMPTS = 3


class _NoNesting(Exception):  # noqa: N818  # no error: the slower way works
    """Namespaces within the sandbox's are denied here."""


class Sandbox:
    """Where untrusted code runs.

    Use it from one thread, and keep that thread: everything in it ends with the thread that
    started it, so that nothing survives a grader that is killed.

    Args:
        lessons: The instructor's `lessons/`, importable inside; None: none.
        limits: What a submission may use.
        enabled: False runs without isolation (`--no-sandbox`): as another user when root, within
            the limits of a process, nothing more.
        preload: Modules of `lessons` imported before a learner's code.
        hidden: Folders that must not be seen even if Python's own folders contain them.
        warm: Whether to import once and fork for each submission; False, and wherever nested
            namespaces are denied: a sandbox each, as isolated and slower.

    Attributes:
        held: What limits each kind of use, for the report; complete once a worker has started.
        cold_because: Why submissions are not forked from a warm process, once that was tried.
    """

    def __init__(
        self,
        *,
        lessons: Path | None = None,
        limits: Limits | None = None,
        enabled: bool = True,
        preload: Sequence[str] = (),
        hidden: Sequence[Path] = (),
        warm: bool = True,
    ) -> None:
        self.held: dict[str, str] = {}
        self._lessons = None if lessons is None else lessons.resolve()
        self._limits = limits or Limits()
        self._enabled = enabled
        self._preload = tuple(preload)
        self._hidden = tuple(path.resolve() for path in hidden)
        self._children: list[Contained] = []
        self._stack = ExitStack()
        self._fonts: Path | None = None
        self._warm = warm and enabled
        self._zygote: Contained | None = None
        self.cold_because: str | None = None

    def __enter__(self) -> Self:
        """Find what the machine offers.

        Raises:
            NoSandbox: No sandbox can be started here; the message says how to get one.
        """
        self._bubblewrap = bubblewrap.find() if self._enabled else None
        self._uid = unprivileged_uid(os.getpid()) if os.geteuid() == 0 else None
        self._hierarchy: Hierarchy | None = hierarchy() if sys.platform == "linux" else None
        self._note_limits({})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End everything that is still running."""
        for child in self._children:
            child.kill()
        self._children.clear()
        self._stack.close()

    @property
    def name(self) -> str:
        """`bubblewrap` or `none`, for grades.json."""
        return "none" if self._bubblewrap is None else "bubblewrap"

    def start_worker(self) -> Contained:
        """A fresh process for one submission; it waits for `{"op": "start", ...}`.

        Raises:
            NoSandbox: The sandbox does not start.
        """
        if not self._warm:
            return self._start_alone()
        for _ in range(_ATTEMPTS):
            try:
                zygote = self._zygote or self._start_zygote()
            except _NoNesting:
                self._warm = False
                return self._start_alone()
            group = self._group(self._limits)
            try:
                child = zygote.fork(group, _START_S)
                self._note_limits(child.receive(_START_S).get("held", {}))
            except (ChannelError, OSError):
                # Something ended it (the kernel, for want of memory): a new one.
                self._zygote = None
                zygote.kill()
                if group is not None:
                    group.remove()
                continue
            self._keep(child)
            return child
        raise bubblewrap.failure("the warm worker ended again and again")

    def _start_zygote(self) -> Contained:
        # No group: what it holds is shared by all, each fork has its own.
        child = self._start("autograder.grading.zygote", self._order(), self._worker_view(), None)
        try:
            ready = child.receive(_START_S)
        except ChannelError as error:
            raise bubblewrap.failure(child.complaint()) from error
        if not ready.get("nested"):
            child.kill()
            self.cold_because = str(ready.get("reason"))
            raise _NoNesting
        self._zygote = child
        return child

    def _start_alone(self) -> Contained:
        group = self._group(self._limits)
        view = self._worker_view()
        child = self._start("autograder.grading.warden", self._order(), view, group, as_first=True)
        try:
            ready = child.receive(_START_S)
        except ChannelError as error:
            raise bubblewrap.failure(child.complaint()) from error
        self._note_limits(ready.get("held", {}))
        return child

    def _order(self) -> Order:
        return Order(
            descriptor=-1,
            contained=self._bubblewrap is not None,
            memory_mb=self._limits.memory_mb,
            processes=self._limits.processes,
            cpu_s=int(self._limits.submission_s) + 5,
            fonts=str(self._font_list()[0]),
            preload=self._preload,
        )

    def _worker_view(self) -> rootfs.View:
        inside, outside = self._font_list()
        return self._view(
            {_GRADER / name: _PACKAGE / name for name in _INSIDE} | {inside: outside},
            capabilities=("CAP_SYS_ADMIN", "CAP_SETPCAP"),
        )

    def _font_list(self) -> tuple[Path, Path]:
        if self._fonts is None:
            self._fonts = fontlist.file()
        inside = rootfs.GRADER / self._fonts.name if self._bubblewrap else self._fonts
        return inside, self._fonts

    def start_examiner(self, module: str = "autograder.grading.examiner") -> Contained:
        """A process for test cells: trusted code, untrusted values, so contained as well.

        Args:
            module: Run with `-m`; its arguments are its channel's descriptor and the folder that
                holds `lessons`.

        Raises:
            NoSandbox: The sandbox does not start.
        """
        view = self._view({_GRADER: _PACKAGE}, capabilities=())
        return self._start(module, None, view, self._group(_EXAMINER))

    def _view(self, bound: Mapping[Path, Path], *, capabilities: tuple[str, ...]) -> rootfs.View:
        lessons = {} if self._lessons is None else {rootfs.COURSE / "lessons": self._lessons}
        return rootfs.View(
            bound={**bound, **lessons},
            writable=True,
            hidden=self._hidden,
            capabilities=capabilities,
        )

    def _start(
        self,
        module: str,
        order: Order | None,
        view: rootfs.View,
        group: Group | None,
        *,
        as_first: bool = False,
    ) -> Contained:
        ours, theirs = pair()
        number = theirs.fileno()
        if order is not None:
            words = [replace(order, descriptor=number).argument()]
        else:
            words = [str(number), str(self._course())]
        reporting, status = os.pipe()
        program = [sys.executable, "-P", "-m", module, *words]
        launch = self._launch(program, view, status, group, as_first=as_first)
        errors = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the child
        process = subprocess.Popen(  # noqa: S603  # our own launcher
            launch.command(),
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=(number, status),
            env={"PYTHONPATH": str(_PACKAGE.parent)},
            cwd="/",
            start_new_session=True,
        )
        theirs.close()
        os.close(status)
        first = read_first(reporting, _START_S) if self._bubblewrap else None
        os.close(reporting)
        child = Contained(Channel(ours), process, first, group, errors)
        if self._bubblewrap and first is None:
            process.wait(_START_S)
            complaint = child.complaint()
            child.kill()
            raise bubblewrap.failure(complaint)
        self._keep(child)
        return child

    def _keep(self, child: Contained) -> None:
        # Without the ended ones, which would grow with the batch.
        self._children = [one for one in self._children if not one.ended] + [child]

    def _launch(
        self,
        program: list[str],
        view: rootfs.View,
        status: int,
        group: Group | None,
        *,
        as_first: bool,
    ) -> Launch:
        environment: dict[str, str] = {}
        reach = [*view.sources()]
        if self._bubblewrap is not None:
            environment["PYTHONPATH"] = rootfs.import_path([rootfs.GRADER, rootfs.COURSE])
            inside = replace(view, environment=environment).arguments()
            if as_first:
                # The warden reaps, and as the first process it cannot be killed from within.
                inside.append("--as-pid-1")
            words = [str(self._bubblewrap), "--json-status-fd", str(status), *inside, "--"]
            program = [*words, *program]
            reach += bubblewrap.files(self._bubblewrap)
            environment = {}
        else:
            home = self._home()
            environment["PYTHONPATH"] = rootfs.import_path([_PACKAGE.parent, self._course()])
            environment = {**rootfs.environment(home), **environment}
            reach += [home, _PACKAGE]
        return Launch(
            argv=tuple(program),
            uid=self._uid,
            reach=tuple(str(path) for path in reach),
            groups=tuple(str(file) for file in (group.joins if group else ())),
            environment=environment,
        )

    def _course(self) -> Path:
        """The folder that holds `lessons`, as a process in the sandbox sees it."""
        if self._bubblewrap is not None:
            return rootfs.COURSE
        return _PACKAGE.parent if self._lessons is None else self._lessons.parent

    def _home(self) -> Path:
        """Without a sandbox: a folder of its own for each process, removed at the end."""
        folder = Path(tempfile.mkdtemp(prefix="course-"))
        self._stack.callback(shutil.rmtree, folder, ignore_errors=True)
        if self._uid is not None:
            os.chown(folder, self._uid, self._uid)
        return folder

    def _group(self, limits: Limits) -> Group | None:
        if self._hierarchy is None:
            return None
        try:
            return make_group(self._hierarchy, limits)
        except OSError:
            self._hierarchy = None  # it looked writable and is not: the process limits remain
            self._note_limits({})
            return None

    def _note_limits(self, inside: Mapping[str, bool]) -> None:
        groups = self._hierarchy
        kinds = {} if groups is None else groups.parents
        both = "" if groups is None else f" and cgroup v{groups.version}"
        contained = self._bubblewrap is not None
        self.held |= {
            "time": "deadlines and RLIMIT_CPU",
            "memory": "RLIMIT_AS" + (both if "memory" in kinds else ""),
            "processes": ("RLIMIT_NPROC" if contained else "none")
            + (both if "pids" in kinds else ""),
            "file size": "RLIMIT_FSIZE" + (" and a 64 MB tmpfs" if contained else ""),
            "network": "no network namespace but its own" if contained else "none",
        }
        if "inodes" in inside:
            self.held["files"] = "inode cap" if inside["inodes"] else "none"
        if "system-calls" in inside:
            self.held["system calls"] = "seccomp" if inside["system-calls"] else "none"
