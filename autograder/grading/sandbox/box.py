"""The sandbox: learners' code and the examiner run in it, each contained, each disposable."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from autograder.grading.sandbox import bubblewrap, fontlist, rootfs, zygote
from autograder.grading.sandbox.channel import ChannelError
from autograder.grading.sandbox.contained import Contained
from autograder.grading.sandbox.limits import (
    Group,
    Hierarchy,
    description,
    hierarchy,
    make_group,
    sweep,
)
from autograder.grading.sandbox.privileges import unprivileged_uid
from autograder.grading.sandbox.starter import PACKAGE, Starter
from autograder.grading.sandbox.warden import Order
from autograder.project import Limits

_GRADER = rootfs.GRADER / "autograder"
# The only files of ours that a learner's process sees.
_INSIDE = (
    "__init__.py",
    "grading/__init__.py",
    *(f"grading/wall/{name}.py" for name in ("__init__", "bounds", "decoding", "encoding")),
    *(
        f"grading/sandbox/{name}.py"
        for name in (
            "__init__",
            "channel",
            "hugepages",
            "privileges",
            "seccomp",
            "warden",
            "zygote",
        )
    ),
    *(
        f"grading/worker/{name}.py"
        for name in ("__init__", "main", "recorder", "rehearsal", "shell", "snapshot", "traces")
    ),
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

    def __init__(  # noqa: PLR0913  # each a keyword with a default
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
        self._fonts: Path | None = None
        self._warm = warm and enabled
        self._starting: Contained | None = None
        self._zygote: Contained | None = None
        self.cold_because: str | None = None

    def __enter__(self) -> Self:
        """Find what the machine offers.

        Raises:
            NoSandbox: No sandbox can be started here; the message says how to get one.
        """
        self._starter = Starter(
            binary=bubblewrap.find() if self._enabled else None,
            uid=unprivileged_uid(os.getpid()) if os.geteuid() == 0 else None,
            lessons=self._lessons,
        )
        self._hierarchy: Hierarchy | None = hierarchy() if sys.platform == "linux" else None
        if self._hierarchy is not None:
            sweep(self._hierarchy)
        self._note({})
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
        self._starter.stack.close()

    @property
    def name(self) -> str:
        """`bubblewrap` or `none`, for grades.json."""
        return "none" if self._starter.binary is None else "bubblewrap"

    def warm(self) -> None:
        """Begin to start the warm process, and do not wait for it.

        Raises:
            NoSandbox: The sandbox does not start.
        """
        if self._warm and self._starting is None and self._zygote is None:
            self._starting = self._start(zygote.MODULE, None)

    def start_worker(self) -> Contained:
        """A fresh process for one submission; it waits for `{"op": "start", ...}`.

        Raises:
            NoSandbox: The sandbox does not start.
        """
        if not self._warm:
            return self._start_alone()
        for _ in range(_ATTEMPTS):
            try:
                warm = self._zygote or self._start_zygote()
            except _NoNesting:
                self._warm = False
                return self._start_alone()
            group = self._group(self._limits)
            try:
                child = warm.fork(group, _START_S)
                self._note(child.receive(_START_S).get("held", {}))
            except (ChannelError, OSError):
                # Something ended it (the kernel, for want of memory): a new one.
                self._zygote = None
                warm.kill()
                if group is not None:
                    group.remove()
                continue
            self._keep(child)
            return child
        raise bubblewrap.failure("the warm worker ended again and again")

    def _start_zygote(self) -> Contained:
        # No group: what it holds is shared by all, each fork has its own.
        self.warm()
        child, self._starting = self._starting, None
        if child is None:
            raise _NoNesting
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
        child = self._start("autograder.grading.sandbox.warden", group, as_first=True)
        try:
            ready = child.receive(_START_S)
        except ChannelError as error:
            raise bubblewrap.failure(child.complaint()) from error
        self._note(ready.get("held", {}))
        return child

    def _start(self, module: str, group: Group | None, *, as_first: bool = False) -> Contained:
        inside, outside = self._font_list()
        bound = {_GRADER / name: PACKAGE / name for name in _INSIDE} | {inside: outside}
        # Given up by the program itself, after it has capped the number of files.
        view = self._view(
            bound,
            capabilities=("CAP_SYS_ADMIN", "CAP_SETPCAP"),
            environment=zygote.ENVIRONMENT if module == zygote.MODULE else {},
        )
        order = Order(
            descriptor=-1,
            contained=self._starter.binary is not None,
            memory_mb=self._limits.memory_mb,
            processes=self._limits.processes,
            cpu_s=int(self._limits.submission_s) + 5,
            fonts=str(inside),
            preload=self._preload,
        )
        child = self._starter.start(
            module,
            lambda number: [replace(order, descriptor=number).argument()],
            view,
            group,
            as_first=as_first,
        )
        self._keep(child)
        return child

    def _font_list(self) -> tuple[Path, Path]:
        if self._fonts is None:
            self._fonts = fontlist.file()
        inside = rootfs.GRADER / self._fonts.name if self._starter.binary else self._fonts
        return inside, self._fonts

    def start_examiner(self, module: str = "autograder.grading.examiner.main") -> Contained:
        """A process for test cells: trusted code, untrusted values, so contained as well.

        Args:
            module: Run with `-m`; its arguments are its channel's descriptor and the folder that
                holds `lessons`.

        Raises:
            NoSandbox: The sandbox does not start.
        """
        view = self._view({_GRADER: PACKAGE}, environment=zygote.ENVIRONMENT)
        course = str(self._starter.course())
        child = self._starter.start(
            module, lambda number: [str(number), course], view, self._group(_EXAMINER)
        )
        self._keep(child)
        return child

    def _view(
        self,
        bound: Mapping[Path, Path],
        *,
        capabilities: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
    ) -> rootfs.View:
        lessons = {} if self._lessons is None else {rootfs.COURSE / "lessons": self._lessons}
        return rootfs.View(
            bound={**bound, **lessons},
            writable=True,
            hidden=self._hidden,
            capabilities=capabilities,
            environment=environment or {},
        )

    def _keep(self, child: Contained) -> None:
        # Without the ended ones, which would grow with the batch.
        self._children = [one for one in self._children if not one.ended] + [child]

    def _group(self, limits: Limits) -> Group | None:
        if self._hierarchy is None:
            return None
        try:
            return make_group(self._hierarchy, limits)
        except OSError:
            self._hierarchy = None  # it looked writable and is not: the process limits remain
            self._note({})
            return None

    def _note(self, inside: Mapping[str, bool]) -> None:
        contained = self._starter.binary is not None
        self.held |= description(self._hierarchy, inside, contained=contained)
