"""What a cell printed and showed, as nbformat outputs, within bounds.

Runs inside the sandbox, in the learner's process: the bounds keep honest notebooks small, they
guard nothing. Standard library only.
"""

from __future__ import annotations

import base64
import io
import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

# Of the budget for text; images have their own: 2 MB each, 16 MB a submission.
_LEAST_CELL_CHARS = 4_096
_IMAGE_CHARS = 2 * 2**20
_ALL_IMAGES_CHARS = 16 * 2**20
_MOST_OUTPUTS = 2_000
_IMAGE_TYPES = ("image/", "application/pdf")


class Recorder:
    """Collects the outputs of one cell after the other.

    Args:
        output_kb: Text kept over the whole submission, in KiB; every cell keeps at least 4 KiB.
        fetch_raw: Gives what came on the descriptors 1 and 2 since it was last called.
    """

    def __init__(self, output_kb: int, fetch_raw: Callable[[], Mapping[str, str]]) -> None:
        self._text_left = output_kb * 1024
        self._images_left = _ALL_IMAGES_CHARS
        self._fetch_raw = fetch_raw
        self.begin()

    def begin(self) -> None:
        """Start with the next cell."""
        self._items: list[dict[str, Any] | _Stream] = []
        self._clear_next = False
        self._cell_left = max(_LEAST_CELL_CHARS, self._text_left)
        self.truncated = False

    def write(self, name: str, text: str) -> None:
        """Add to the stream `stdout` or `stderr`."""
        if not text:
            return
        self._clear_if_due()
        if (
            not self._items
            or not isinstance(stream := self._items[-1], _Stream)
            or (stream.name != name)
        ):
            if not self._room():
                return
            stream = _Stream(name, self._cell_left)
            self._items.append(stream)
        stream.write(text)

    def show(
        self,
        kind: str,
        data: Mapping[str, Any],
        metadata: Mapping[str, Any] | None,
        execution_count: int | None = None,
        display_id: str | None = None,
    ) -> None:
        """Add a `display_data` or `execute_result`."""
        self.drain()
        self._clear_if_due()
        if not self._room():
            return
        item: dict[str, Any] = {
            "output_type": kind,
            "data": self._bundle(data),
            "metadata": _jsonable(metadata or {}),
        }
        if kind == "execute_result":
            item["execution_count"] = execution_count
        if display_id is not None:
            item["display_id"] = display_id
        self._items.append(item)

    def update(
        self, display_id: str, data: Mapping[str, Any], metadata: Mapping[str, Any] | None
    ) -> None:
        """Change what an earlier display of this cell shows."""
        for item in self._items:
            if isinstance(item, dict) and item.get("display_id") == display_id:
                item["data"], item["metadata"] = self._bundle(data), _jsonable(metadata or {})

    def fail(self, name: str, message: str, traceback: list[str]) -> None:
        """Add an `error`."""
        self.drain()
        self._clear_if_due()
        text, self.truncated = _middle_cut("\n".join(traceback), 20_000, self.truncated)
        message, self.truncated = _middle_cut(message, 2_000, self.truncated)
        self._items.append(
            {
                "output_type": "error",
                "ename": name[:200],
                "evalue": message,
                "traceback": text.split("\n"),
            }
        )

    def clear(self, wait: bool) -> None:
        """`clear_output`."""
        self.drain()
        if wait:
            self._clear_next = True
        else:
            self._items = []

    def drain(self) -> None:
        """Take over what native code and child processes wrote to the descriptors."""
        for name, text in self._fetch_raw().items():
            self.write(name, text)

    def finish(self) -> list[dict[str, Any]]:
        """The cell's outputs; what they take is no longer there for the next cells."""
        self.drain()
        finished = []
        for item in self._items:
            if isinstance(item, _Stream):
                budget = max(_LEAST_CELL_CHARS, self._text_left)
                text, self.truncated = _middle_cut(
                    item.text(), budget, self.truncated or item.dropped
                )
                self._text_left -= len(text)
                finished.append({"output_type": "stream", "name": item.name, "text": text})
            else:
                item.pop("display_id", None)
                finished.append(item)
        return finished

    def _room(self) -> bool:
        if len(self._items) < _MOST_OUTPUTS:
            return True
        self.truncated = True
        return False

    def _clear_if_due(self) -> None:
        if self._clear_next:
            self._items, self._clear_next = [], False

    def _bundle(self, data: Mapping[str, Any]) -> dict[str, Any]:
        bundle: dict[str, Any] = {}
        for kind, value in data.items():
            if isinstance(value, bytes):
                value = base64.b64encode(value).decode("ascii")  # noqa: PLW2901  # as Jupyter does
            size = len(value) if isinstance(value, str) else len(json.dumps(_jsonable(value)))
            if str(kind).startswith(_IMAGE_TYPES):
                fits, self._images_left = (
                    size <= min(_IMAGE_CHARS, self._images_left),
                    self._images_left - size,
                )
            else:
                fits, self._text_left = (
                    size <= max(_LEAST_CELL_CHARS, self._text_left),
                    self._text_left - size,
                )
            if fits:
                bundle[str(kind)] = value if isinstance(value, str) else _jsonable(value)
            else:
                self.truncated = True
        return bundle or {"text/plain": "[output left out: too large]"}


class TextStream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr` of the learner's code."""

    encoding = "UTF-8"  # spelt as a kernel does
    errors = "replace"

    def __init__(self, name: str, sink: Callable[[str, str], None], descriptor: int) -> None:
        super().__init__()
        self.name = name
        self._sink = sink
        self._descriptor = descriptor

    def write(self, text: str) -> int:
        """Hand on to the cell's outputs."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._sink(self.name, text)
        return len(text)

    def writable(self) -> bool:
        """It is."""
        return True

    def isatty(self) -> bool:
        """As in a notebook: not a terminal."""
        return False

    def fileno(self) -> int:
        """For `subprocess` and faulthandler."""
        return self._descriptor


class _Stream:
    """Text of which the head and the tail are kept."""

    def __init__(self, name: str, budget: int) -> None:
        self.name = name
        self.dropped = False
        self._half = max(1, budget // 2)
        self._head: list[str] = []
        self._head_left = self._half
        self._tail: deque[str] = deque()
        self._tail_size = 0

    def write(self, text: str) -> None:
        if self._head_left > 0:
            self._head.append(text[: self._head_left])
            text = text[self._head_left :]
            self._head_left -= len(self._head[-1])
        if not text:
            return
        if len(text) > self._half:
            text, self.dropped = text[-self._half :], True
        self._tail.append(text)
        self._tail_size += len(text)
        while self._tail_size - len(self._tail[0]) >= self._half:
            self._tail_size -= len(self._tail.popleft())
            self.dropped = True

    def text(self) -> str:
        gap = "\n[… output left out …]\n" if self.dropped else ""
        return "".join(self._head) + gap + "".join(self._tail)


def _middle_cut(text: str, budget: int, truncated: bool) -> tuple[str, bool]:
    if len(text) <= budget + 100:  # a stream that was cut already carries its mark
        return text, truncated
    half = budget // 2
    return text[:half] + "\n[… output left out …]\n" + text[-half:], True


def _jsonable(value: Any) -> Any:
    try:
        return json.loads(json.dumps(value, default=repr))
    except (TypeError, ValueError, RecursionError):
        return repr(value)[:1000]
