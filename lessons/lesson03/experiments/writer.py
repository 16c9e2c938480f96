"""One writer: a process that writes a small file whenever it is told to.

It runs as a script of its own, without any package: it starts in about 20 ms, and 64 of them are
no burden. A line of JSON on stdin is an order, a line on stdout what came of it. Times are of
`time.perf_counter()`, which all processes of a machine share.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time


def write_file(path: str, data: bytes) -> tuple[float, float, float]:
    """Create a file, write and sync it; return when that began, was created, was safe."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    began = time.perf_counter()
    handle = os.open(path, flags, 0o644)
    created = time.perf_counter()
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(handle, left) :]
        os.fsync(handle)
    finally:
        os.close(handle)
    return began, created, time.perf_counter()


def main() -> None:
    """Obey orders until stdin ends."""
    # Ctrl-C reaches the whole group: the parent decides when writers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        order = json.loads(line)
        data = os.urandom(order["bytes"])
        wait = order["start"] - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        try:
            answer = {"times": write_file(order["path"], data)}
        except OSError as error:
            answer = {"error": [error.errno, error.strerror]}  # type: ignore[dict-item]
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
