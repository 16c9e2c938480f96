"""IPython without a kernel, with a notebook's semantics: rich display, figures, magics.

Runs inside the sandbox, in the learner's process.
"""

from __future__ import annotations

import builtins
import fcntl
import getpass
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from traitlets.config import Config

from autograder.grading.worker.recorder import Recorder, TextStream
from autograder.grading.worker.traces import TracingShell

NO_INPUT = "input() cannot be answered while a notebook is graded: give the value in the code."
_NETWORK_EVENTS = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}


class StdinNotImplementedError(RuntimeError):
    """What ipykernel raises where nobody can answer `input()`."""


class NotebookDisplay(DisplayPublisher):
    """`display()` goes to the cell's outputs."""

    outputs: Recorder | None = None

    def publish(
        self,
        data: Mapping[str, Any],
        metadata: Mapping[str, Any] | None = None,
        source: object = None,  # noqa: ARG002
        *,
        transient: Mapping[str, Any] | None = None,
        update: bool = False,
        **_: object,
    ) -> None:
        """Add or update an output."""
        if self.outputs is None:
            return
        display_id = (transient or {}).get("display_id")
        if update and display_id is not None:
            self.outputs.update(display_id, data, metadata)
        else:
            self.outputs.show("display_data", data, metadata, display_id=display_id)

    def clear_output(self, wait: bool = False) -> None:
        """`IPython.display.clear_output`."""
        if self.outputs is not None:
            self.outputs.clear(wait)


class NotebookResult(DisplayHook):
    """The value of a cell's last expression goes to the cell's outputs."""

    outputs: Recorder | None = None
    _shown: tuple[Mapping[str, Any], Mapping[str, Any] | None] | None = None

    def write_output_prompt(self) -> None:
        """No `Out[1]:` in a notebook."""

    def write_format_data(
        self, format_dict: Mapping[str, Any], md_dict: Mapping[str, Any] | None = None
    ) -> None:
        """Keep until the value is in `Out`."""
        self._shown = (format_dict, md_dict)

    def finish_displayhook(self) -> None:
        """Add the result."""
        if self._shown is not None and self.outputs is not None:
            count = self.prompt_count
            self.outputs.show("execute_result", *self._shown, execution_count=count)
        self._shown = None


class NotebookShell(TracingShell):
    """The shell a Jupyter kernel would have, without its sockets."""

    displayhook_class = NotebookResult
    display_pub_class = NotebookDisplay

    def enable_gui(self, gui: object = None) -> None:
        """`%matplotlib inline` asks for it; there is no event loop to choose."""

    def ask_exit(self) -> None:
        """`exit` ends a kernel between cells; the remaining cells still run here."""

    def system(self, cmd: str) -> None:
        """`!command`: through a pipe, as there are no terminals in the sandbox."""
        if cmd.rstrip().endswith("&"):
            raise OSError("Background processes not supported.")
        command = self.var_expand(cmd, depth=1)  # type: ignore[no-untyped-call]  # IPython's
        with subprocess.Popen(  # noqa: S602  # the shell is what `!` asks for
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            while piece := process.stdout.read1():  # type: ignore[union-attr]  # PIPE above
                sys.stdout.write(piece.decode("utf-8", "replace"))
        self.user_ns["_exit_code"] = process.returncode

    display_pub: NotebookDisplay
    displayhook: NotebookResult

    def attach(self, outputs: Recorder) -> None:
        """Send everything that cells show to `outputs`."""
        self.display_pub.outputs = outputs
        self.displayhook.outputs = outputs

    def detach(self) -> None:
        """Send nothing anywhere."""
        self.display_pub.outputs = None
        self.displayhook.outputs = None

    def _showtraceback(self, etype: type[BaseException], evalue: object, stb: list[str]) -> None:
        sys.stdout.flush()
        outputs = self.display_pub.outputs
        if outputs is not None:
            outputs.fail(etype.__name__, safe_text(evalue), list(stb))
        self.keep_trace(evalue, stb)


def make_shell() -> NotebookShell:
    """The process's shell, ready for the first cell once `load_libraries` has run."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.cache_size = 1000
    return NotebookShell.instance(config=config)


def load_libraries(shell: NotebookShell) -> None:
    """What lessons draw and compute with: fork then costs each submission nothing of it."""
    import ipywidgets  # noqa: F401, PLC0415
    import matplotlib.pyplot  # noqa: F401, PLC0415
    import numpy.random  # noqa: F401, PLC0415  # NumPy loads it on first use: 24 ms a submission
    from matplotlib_inline.backend_inline import (  # noqa: PLC0415
        configure_inline_support,
        flush_figures,
    )

    configure_inline_support(  # type: ignore[no-untyped-call]
        shell, "module://matplotlib_inline.backend_inline"
    )
    if flush_figures not in shell.events.callbacks["post_execute"]:
        shell.events.register("post_execute", flush_figures)


class Observer:
    """Notices what a cell does that its reader should know: closed-list flags."""

    def __init__(self) -> None:
        self.flags: set[str] = set()
        builtins.input = self._refuse_input
        getpass.getpass = self._refuse_input
        sys.addaudithook(self._hear)

    def _refuse_input(self, *_: object, **__: object) -> str:
        self.flags.add("reads-input")
        raise StdinNotImplementedError(NO_INPUT)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _NETWORK_EVENTS and not (
            # A path is a Unix socket: asyncio and multiprocessing use them among themselves.
            event in {"socket.connect", "socket.sendto"} and isinstance(arguments[1], (str, bytes))
        ):
            self.flags.add("network-attempt")


class RawOutput:
    """The descriptors 1 and 2, to files: what native code and child processes write.

    Args:
        folder: Where to have two unnamed files.
        most_bytes: Of each what is read back after a cell.
    """

    def __init__(self, folder: str, most_bytes: int) -> None:
        self._most = most_bytes
        self._files: dict[str, int] = {}
        self._size: dict[str, int] = {}
        for name, number in (("stdout", 1), ("stderr", 2)):
            with tempfile.TemporaryFile(dir=folder) as unnamed:
                file = os.dup(unnamed.fileno())
            # Appending: a child that inherited the descriptor writes after what is there, also
            # when the file was emptied in between.
            fcntl.fcntl(file, fcntl.F_SETFL, os.O_APPEND)
            os.dup2(file, number)
            self._files[name] = file

    def fetch(self) -> dict[str, str]:
        """What came since the last time, by stream name."""
        fetched = {}
        for name, file in self._files.items():
            size = os.fstat(file).st_size
            if size:
                half = self._most // 2
                data = os.pread(file, half if size > self._most else size, 0)
                if size > self._most:
                    data += b"\n[...]\n" + os.pread(file, half, size - half)
                os.ftruncate(file, 0)
                fetched[name] = data.decode("utf-8", "replace")
        return fetched


def replace_streams(outputs: Recorder) -> None:
    """Let `print` write to the outputs directly, in order with what is displayed."""
    sys.stdout = sys.__stdout__ = TextStream("stdout", outputs.write, 1)  # type: ignore[misc, assignment]
    sys.stderr = sys.__stderr__ = TextStream("stderr", outputs.write, 2)  # type: ignore[misc, assignment]
    sys.stdin = sys.__stdin__ = open(os.devnull, encoding="utf-8")  # type: ignore[misc] # noqa: SIM115, PTH123


def error_of(error: BaseException | None, is_cell: Callable[[str], bool]) -> dict[str, Any] | None:
    """Name, message and line (in the cell, 1-based, or None) of what a cell raised."""
    if error is None:
        return None
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if is_cell(trace.tb_frame.f_code.co_filename):
            line = trace.tb_lineno
        trace = trace.tb_next
    return {
        "name": type(error).__name__[:200],
        "message": safe_text(error),
        "line": line if isinstance(line, int) else None,
    }


def safe_text(value: object) -> str:
    """`str(value)`, whatever that does, at most 2000 characters."""
    try:
        text = str(value)
    except BaseException as error:  # a learner's __str__ may raise anything
        text = f"<no text: {type(error).__name__}>"
    return text[:2000]
