"""Starts a program in bubblewrap, or without it, and gives its outside end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from autograder.grading.sandbox import bubblewrap, rootfs, seccomp
from autograder.grading.sandbox.channel import Channel, pair
from autograder.grading.sandbox.contained import Contained, read_first
from autograder.grading.sandbox.launcher import Launch
from autograder.grading.sandbox.limits import Group

PACKAGE = Path(__file__).parents[2]
_START_S = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Starter:
    """How programs are started on this machine.

    Attributes:
        binary: bubblewrap; None runs without isolation.
        uid: The unprivileged user to become; None when the grader is an ordinary user.
        lessons: The instructor's `lessons/`.
        stack: Closed when the last program has ended.
    """

    binary: Path | None
    uid: int | None
    lessons: Path | None
    stack: ExitStack = field(default_factory=ExitStack)

    def start(
        self,
        module: str,
        arguments: Callable[[int], list[str]],
        view: rootfs.View,
        group: Group | None,
        *,
        as_first: bool = False,
    ) -> Contained:
        """Start `python -m module`.

        Args:
            module: Its name.
            arguments: Its arguments, given its channel's descriptor.
            view: What it sees.
            group: Its control group.
            as_first: Whether it is the first process of its namespace, and reaps.

        Raises:
            NoSandbox: bubblewrap does not start.
        """
        ours, theirs = pair()
        number = theirs.fileno()
        reporting, status = os.pipe()
        rules = _filter() if self.binary and not as_first and not view.capabilities else None
        python = Path(sys.executable)
        python = rootfs.inside(python) if self.binary else python
        program = [str(python), "-P", "-m", module, *arguments(number)]
        options = ["--json-status-fd", str(status)]
        if as_first:
            # The warden reaps, and as the first process it cannot be killed from within.
            options.append("--as-pid-1")
        if rules is not None:
            options += ["--seccomp", str(rules.fileno())]
        launch = self._launch(program, view, options, group)
        errors = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the child
        process = subprocess.Popen(  # noqa: S603  # our own launcher
            launch.command(),
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=(number, status, *([rules.fileno()] if rules is not None else [])),
            env={"PYTHONPATH": str(PACKAGE.parent)},
            cwd="/",
            start_new_session=True,
        )
        theirs.close()
        os.close(status)
        if rules is not None:
            rules.close()
        first = read_first(reporting, _START_S) if self.binary else None
        os.close(reporting)
        child = Contained(Channel(ours), process, first, group, errors)
        if self.binary and first is None:
            process.wait(_START_S)
            complaint = child.complaint()
            child.kill()
            raise bubblewrap.failure(complaint)
        return child

    def _launch(
        self, program: list[str], view: rootfs.View, options: list[str], group: Group | None
    ) -> Launch:
        reach = [*view.sources()]
        environment: dict[str, str] = {}
        if self.binary is not None:
            path = rootfs.import_path([rootfs.GRADER, rootfs.COURSE])
            own = {**view.environment, "PYTHONPATH": path}
            inside = replace(view, environment=own).arguments()
            program = [str(self.binary), *options, *inside, "--", *program]
            reach += bubblewrap.files(self.binary)
        else:
            home = self._home()
            path = rootfs.import_path([PACKAGE.parent, self.course()])
            environment = rootfs.environment(home) | {"PYTHONPATH": path}
            reach += [home, PACKAGE]
        return Launch(
            argv=tuple(program),
            uid=self.uid,
            reach=tuple(str(path) for path in reach),
            groups=tuple(str(file) for file in (group.joins if group else ())),
            environment=environment,
        )

    def course(self) -> Path:
        """The folder that holds `lessons`, as a process in the sandbox sees it."""
        if self.binary is not None:
            return rootfs.COURSE
        return PACKAGE.parent if self.lessons is None else self.lessons.parent

    def _home(self) -> Path:
        """Without a sandbox: a folder of its own for each process, removed at the end."""
        folder = Path(tempfile.mkdtemp(prefix="course-"))
        self.stack.callback(shutil.rmtree, folder, ignore_errors=True)
        if self.uid is not None:
            os.chown(folder, self.uid, self.uid)
        return folder


def _filter() -> IO[bytes] | None:
    """The system-call filter for a program that does not install it itself."""
    try:
        rules = seccomp.program(os.uname().machine)
    except KeyError:
        return None
    file = tempfile.TemporaryFile()  # noqa: SIM115  # closed once bubblewrap has it
    file.write(rules)
    file.seek(0)
    return file
